"""HTTPS: the authority of the account is trusted, another is not, and nothing leaves before that is known."""

from pathlib import Path

from tests.builders.authority import Authority
from tests.builders.http_service import HttpService, Reply, http_service
from tests.providers.http.sending import NotCancelled, Secrets, StillClock

from postroad.egress import AddressPolicy, Egress
from postroad.providers.http import HttpProvider
from postroad.spi import ConfigDocument, OpenContext, Recipient, SendRequest, SendResult, Verdict
from postroad.vocabulary.outcomes import Category


async def send(service: HttpService, ca_file: Path) -> tuple[SendResult, bool]:
    """The result of one send, and what the connection check said."""
    provider = HttpProvider(Egress(AddressPolicy(["127.0.0.0/8"])))
    base = f"https://127.0.0.1:{service.port}"
    account = ConfigDocument.of("a", "1", {"baseUrl": base, "tls": {"caFile": str(ca_file)}})
    message = ConfigDocument.of("m", "1", {"path": "/"})
    context = OpenContext(account, message, Secrets(), StillClock(), NotCancelled())
    session = await provider.open(context)
    rendered = provider.compile(account, message).render(Recipient(0, {}, 2))
    result = await session.send(SendRequest(0, 1, rendered, "key", 5.0))
    await session.aclose()
    return result, (await provider.check_connection(context)).ok


async def test_the_accounts_own_authority_is_trusted(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    async with http_service(Reply(200), authority.server_context("127.0.0.1")) as service:
        result, is_reachable = await send(service, authority.ca_file)
    assert result.verdict is Verdict.ACCEPTED
    assert is_reachable


async def test_a_certificate_of_somebody_else_is_refused_before_anything_leaves(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    authority, other = Authority(tmp_path), Authority(tmp_path / "other")
    async with http_service(Reply(200), authority.server_context("127.0.0.1")) as service:
        result, is_reachable = await send(service, other.ca_file)
        assert service.taken == []
    assert (result.verdict, result.category, result.code) == (Verdict.NOT_SENT, Category.NETWORK, "TLS")
    assert not is_reachable


async def test_a_certificate_for_another_host_is_refused(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    async with http_service(Reply(200), authority.server_context("example.com")) as service:
        result, _ = await send(service, authority.ca_file)
        assert service.taken == []
    assert (result.verdict, result.code) == (Verdict.NOT_SENT, "TLS")
