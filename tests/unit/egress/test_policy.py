"""The table, address by address."""

import ipaddress

import pytest

from postroad.egress import AddressPolicy
from postroad.vocabulary.errors import ConfigInvalid


def words(text: str) -> list[str]:
    return text.split()


REFUSED = words("""
0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.0.0.5 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255
127.0.0.1 127.1.2.3 127.255.255.255 168.63.129.16 169.254.0.1 169.254.169.254 169.254.169.253 169.254.170.2
172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.170 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1
192.31.196.1 192.52.193.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:169.254.169.254
::ffff:c0a8:101 ::ffff:10.0.0.1 ::ffff:168.63.129.16 ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8 64:ff9b::a9fe:a9fe
64:ff9b::808:808 64:ff9b:1::1 64:ff9b:1::7f00:1 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1
2001:10::1 2001:20::1 2001:1ff::1 2001:db8::1 2002:a9fe:a9fe::1 2002:7f00:1::1 2002:808:808::1 2620:4f:8000::1
3fff::1 3fff:fff::1 4000::1 5f00::1 8000::1 fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fec0::1 ff02::1
ff0e::1
""")

ALLOWED = words("""
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 168.63.129.17
169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.0.3.1 192.167.1.1 192.169.0.1
198.17.255.255 198.20.0.0 203.0.114.1 223.255.255.255 ::ffff:8.8.8.8 2001:200::1 2001:4860:4860::8888 2003::1
2606:4700::1111 2a00:1450:4001::1 3ffe::1 3fff:1000::1
""")


@pytest.mark.parametrize("text", REFUSED)
def test_an_address_that_is_not_plainly_public_is_refused(text: str) -> None:
    assert AddressPolicy().refusal(ipaddress.ip_address(text)) is not None


@pytest.mark.parametrize("text", ALLOWED)
def test_a_public_address_is_allowed(text: str) -> None:
    assert AddressPolicy().refusal(ipaddress.ip_address(text)) is None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("127.0.0.1", "loopback"),
        ("::ffff:10.0.0.1", "private"),
        ("100.100.100.200", "metadata service"),
        ("64:ff9b::a9fe:a9fe", "metadata service"),
        ("2002:a9fe:a9fe::1", "metadata service"),
        ("4000::1", "not global"),
    ],
)
def test_a_refusal_names_its_rule(text: str, rule: str) -> None:
    assert AddressPolicy().refusal(ipaddress.ip_address(text)) == rule


def test_a_network_on_the_allow_list_opens_what_it_covers_and_no_more() -> None:
    policy = AddressPolicy(["10.20.0.0/16", "fd12::/16"])
    opened = [policy.refusal(ipaddress.ip_address(text)) for text in ("10.20.3.4", "::ffff:10.20.3.4", "fd12::9")]
    closed = [policy.refusal(ipaddress.ip_address(text)) for text in ("10.21.0.1", "192.168.0.1", "fd13::1")]
    assert opened == [None, None, None]
    assert closed == ["private", "private", "unique local"]


METADATA = ["169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "::ffff:a9fe:a9fe"]


@pytest.mark.parametrize("text", METADATA)
def test_a_metadata_service_stays_shut_for_wide_networks_and_for_literals(text: str) -> None:
    address = ipaddress.ip_address(text)
    policy = AddressPolicy(["0.0.0.0/0", "::/0", "169.254.0.0/16"])
    assert policy.refusal(address) is not None
    assert AddressPolicy().refusal(address, literal=True) is not None


def test_a_metadata_service_opens_by_its_own_entry() -> None:
    policy = AddressPolicy(["169.254.169.254/32", "fd00:ec2::254/128"])
    assert policy.refusal(ipaddress.ip_address("169.254.169.254")) is None
    assert policy.refusal(ipaddress.ip_address("fd00:ec2::254")) is None
    assert policy.refusal(ipaddress.ip_address("100.100.100.200")) is not None


@pytest.mark.parametrize("text", ["127.0.0.1", "10.0.0.1", "192.168.1.1", "::1", "fd00::1", "172.20.0.1", "198.18.0.1"])
def test_a_literal_opens_hosts_at_home(text: str) -> None:
    assert AddressPolicy().refusal(ipaddress.ip_address(text), literal=True) is None


@pytest.mark.parametrize("text", ["0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1", "64:ff9b::7f00:1"])
def test_a_literal_opens_nothing_that_is_no_single_host(text: str) -> None:
    assert AddressPolicy().refusal(ipaddress.ip_address(text), literal=True) is not None


def test_a_translation_prefix_on_the_allow_list_opens_only_public_addresses_behind_it() -> None:
    policy = AddressPolicy(["64:ff9b::/96"])
    assert policy.refusal(ipaddress.ip_address("64:ff9b::808:808")) is None
    assert policy.refusal(ipaddress.ip_address("64:ff9b::a00:1")) == "NAT64"
    assert policy.refusal(ipaddress.ip_address("64:ff9b::a9fe:a9fe")) == "metadata service"


@pytest.mark.parametrize("text", ["10.0.0.1/8", "ten", "10.0.0.0/33", ""])
def test_an_allow_list_entry_that_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(ConfigInvalid, match=r"10\.20\.0\.0/16"):
        AddressPolicy([text])
