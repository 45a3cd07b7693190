"""Resolution and judgement, with resolvers that lie."""

import asyncio
from collections.abc import Sequence

import pytest

from postroad.egress import AddressPolicy, Egress, Fault, StreamFailed, dialing
from postroad.vocabulary.errors import EgressDenied, InvalidInput


class Resolver:
    """Gives one answer after the other, the last for ever; an exception is raised."""

    def __init__(self, *answers: Sequence[str] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


async def addresses(egress: Egress, host: str = "api.example.org", port: int = 443) -> list[str]:
    return [str(address) for address in await egress.checked_addresses(host, port)]


async def test_every_address_is_judged_and_given_in_order() -> None:
    egress = Egress(resolver=Resolver(["2606:4700::1111", "1.1.1.1", "1.1.1.1"]))
    assert await addresses(egress) == ["2606:4700::1111", "1.1.1.1"]


@pytest.mark.parametrize(
    "answer",
    [["127.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["10.0.0.1", "1.1.1.1"], ["1.1.1.1", "::ffff:10.0.0.1"], ["fe80::1%2"]],
)
async def test_one_refused_address_refuses_the_host(answer: list[str]) -> None:
    with pytest.raises(EgressDenied, match=r"^blocked by egress policy$"):
        await addresses(Egress(resolver=Resolver(answer)))


@pytest.mark.parametrize("answer", [[], OSError("no such host"), UnicodeError("label"), ["rubbish"]])
async def test_no_answer_is_a_failure_and_not_a_pass(answer: Sequence[str] | Exception) -> None:
    egress = Egress(AddressPolicy(["0.0.0.0/0"]), Resolver(answer))
    with pytest.raises(StreamFailed) as caught:
        await addresses(egress)
    assert caught.value.fault is Fault.DNS


async def test_a_name_that_changes_its_answer_is_judged_at_every_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialing, "_KEPT_FOR_S", -1.0)
    egress = Egress(resolver=Resolver(["1.1.1.1"], ["169.254.169.254"]))
    assert await addresses(egress) == ["1.1.1.1"]
    with pytest.raises(EgressDenied):
        await addresses(egress)


async def test_one_connection_asks_the_resolver_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialing, "_KEPT_FOR_S", -1.0)
    resolver = Resolver(["127.0.0.1"], ["169.254.169.254"])
    egress = Egress(AddressPolicy(["127.0.0.1/32"]), resolver)
    with pytest.raises(StreamFailed) as caught:
        await egress.open_stream("api.example.org", 1, tls=False)
    assert (caught.value.fault, resolver.asked) == (Fault.CONNECT, [("api.example.org", 1)])


async def test_those_who_ask_at_once_share_one_question() -> None:
    resolver = Resolver(["1.1.1.1"])
    egress = Egress(resolver=resolver)
    first = asyncio.ensure_future(addresses(egress))
    others = [asyncio.ensure_future(addresses(egress)) for _ in range(5)]
    await asyncio.sleep(0)
    first.cancel()
    assert await asyncio.gather(*others) == [["1.1.1.1"]] * 5
    assert len(resolver.asked) == 1


async def test_a_written_address_never_reaches_the_resolver() -> None:
    resolver = Resolver(["1.1.1.1"])
    for host in ("127.0.0.1", "::1", "[::ffff:127.0.0.1]", "169.254.169.254"):
        with pytest.raises(EgressDenied):
            await addresses(Egress(resolver=resolver), host)
    assert await addresses(Egress(resolver=resolver), "8.8.8.8") == ["8.8.8.8"]
    assert resolver.asked == []


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "localhost.", "ｌｏｃａｌｈｏｓｔ"])
async def test_a_disguised_host_never_reaches_the_resolver(host: str) -> None:
    resolver = Resolver(["1.1.1.1"])
    with pytest.raises(InvalidInput):
        await addresses(Egress(resolver=resolver), host)
    assert resolver.asked == []


async def test_a_literal_opens_its_host_on_its_port_only() -> None:
    egress = Egress(resolver=Resolver(["10.0.0.7"]))
    egress.allow_literal("Mail.Internal", 587)
    assert await addresses(egress, "mail.internal", 587) == ["10.0.0.7"]
    for host, port in [("mail.internal", 25), ("other.internal", 587), ("10.0.0.7", 587)]:
        with pytest.raises(EgressDenied):
            await addresses(egress, host, port)


async def test_a_literal_does_not_open_a_metadata_service() -> None:
    egress = Egress(resolver=Resolver(["169.254.169.254"]))
    egress.allow_literal("innocent.example", 80)
    egress.allow_literal("169.254.169.254", 80)
    for host in ("innocent.example", "169.254.169.254"):
        with pytest.raises(EgressDenied):
            await addresses(egress, host, 80)


async def test_the_rule_is_for_the_operator_and_not_for_the_message() -> None:
    with pytest.raises(dialing.AddressDenied) as caught:
        await addresses(Egress(resolver=Resolver(["10.0.0.1"])))
    assert "10.0.0.1" not in str(caught.value)
    assert "api.example.org:443 is 10.0.0.1 (private)" in caught.value.operator_detail


@pytest.mark.parametrize(
    ("host", "rule"),
    [
        ("169.254.169.254", "metadata service"),
        ("[::ffff:169.254.169.254]", "metadata service"),
        ("10.0.0.1", "private"),
        ("1.1.1.1", None),
        ("metadata.example.org", None),
    ],
)
def test_a_host_written_as_an_address_is_judged_without_asking_anybody(host: str, rule: str | None) -> None:
    assert Egress(resolver=Resolver()).refusal_of_literal(host) == rule
