"""Part of the suite: what one attempt comes to. The commit point must be true."""

import asyncio
from dataclasses import replace

from postroad.spi import ConcurrencyMode, ConfigDocument, Proof, SendResult, Verdict
from postroad.vocabulary.outcomes import Category
from tests.conformance.providers.harness import CANARY, RENDERS_BADLY, Behaviour, ProviderHarness, Remote, Sending


def check_shape(result: SendResult) -> None:
    """What every result must satisfy, whatever happened."""
    assert (result.category is None) == (result.verdict is Verdict.ACCEPTED)
    assert len(result.summary) <= 300
    assert result.summary.isprintable()
    assert CANARY not in repr(result)
    if result.retry_after_s is not None:
        assert result.retry_after_s >= 0
    if result.verdict is Verdict.NOT_SENT:
        assert not result.may_have_left


class SendingSuite:
    async def _once(self, harness: ProviderHarness, behaviour: str, timeout_s: float = 10.0) -> SendResult:
        async with harness.remote(behaviour) as remote, harness.session(remote) as sending:
            result = await sending.send(timeout_s=timeout_s)
        check_shape(result)
        return result

    async def test_a_message_that_is_taken_is_accepted(self, harness: ProviderHarness) -> None:
        async with harness.remote(Behaviour.ACCEPTS) as remote, harness.session(remote) as sending:
            result = await sending.send()
        check_shape(result)
        assert result.verdict is Verdict.ACCEPTED
        assert len(remote.received) == 1

    async def test_before_the_commit_point_a_failure_is_certain(self, harness: ProviderHarness) -> None:
        result = await self._once(harness, Behaviour.FAILS_BEFORE_COMMIT)
        assert result.verdict is Verdict.NOT_SENT
        assert result.category in (Category.NETWORK, Category.TEMPORARY_REMOTE)
        assert result.retry is not False

    async def test_a_closed_port_is_a_network_failure_before_anything_left(self, harness: ProviderHarness) -> None:
        result = await self._once(harness, Behaviour.REFUSES_CONNECTIONS)
        assert result.verdict is Verdict.NOT_SENT
        assert result.category is Category.NETWORK
        assert result.retry is not False

    async def test_a_line_cut_after_the_commit_point_is_doubt(self, harness: ProviderHarness) -> None:
        result = await self._once(harness, Behaviour.CUTS_AFTER_COMMIT)
        assert result.verdict is Verdict.IN_DOUBT
        assert result.retry is not True

    async def test_silence_after_the_commit_point_is_doubt(self, harness: ProviderHarness) -> None:
        result = await self._once(harness, Behaviour.STAYS_SILENT, harness.silence_timeout_s)
        assert result.verdict is Verdict.IN_DOUBT
        assert result.category is Category.TIMEOUT
        assert result.retry is not True

    async def test_an_answer_outside_the_protocol_is_doubt(self, harness: ProviderHarness) -> None:
        result = await self._once(harness, Behaviour.ANSWERS_GARBAGE)
        assert result.verdict is Verdict.IN_DOUBT

    async def test_a_remote_that_repeats_our_secret_does_not_make_us_repeat_it(self, harness: ProviderHarness) -> None:
        result = await self._once(harness, Behaviour.ECHOES)
        assert result.verdict is Verdict.REFUSED

    def test_every_category_is_reached_or_declared_out_of_reach(self, harness: ProviderHarness) -> None:
        assert set(harness.categories) | set(harness.unreachable) == set(Category)
        assert not set(harness.categories) & set(harness.unreachable)
        assert all(reason for reason in harness.unreachable.values())

    async def test_every_category_is_given_for_its_cause(self, harness: ProviderHarness) -> None:
        for category, behaviour in harness.categories.items():
            if behaviour != RENDERS_BADLY:
                result = await self._once(harness, behaviour, harness.silence_timeout_s * 4)
                assert result.category is category, (behaviour, result)

    async def test_the_session_keeps_its_claim_about_concurrency(self, harness: ProviderHarness) -> None:
        mode = harness.factory.descriptor.concurrency_mode
        sessions = 3 if mode is ConcurrencyMode.SESSION_PER_WORKER else 1
        at_once = 12 if mode is ConcurrencyMode.THREAD_SAFE else 1
        async with harness.remote(Behaviour.ACCEPTS) as remote, asyncio.TaskGroup() as tasks:
            for index in range(sessions):
                tasks.create_task(self._work(harness, remote, index * 100, at_once))
        assert len(remote.received) == sessions * 24

    async def _work(self, harness: ProviderHarness, remote: Remote, first: int, at_once: int) -> None:
        async with harness.session(remote, at_once) as sending:
            for start in range(first, first + 24, at_once):
                batch = [sending.send(sequence=start + offset) for offset in range(at_once)]
                for result in await asyncio.gather(*batch):
                    check_shape(result)
                    assert result.verdict is Verdict.ACCEPTED

    async def test_a_batch_gives_one_result_per_request(self, harness: ProviderHarness) -> None:
        size = harness.factory.descriptor.capabilities.batch_size
        if size == 1 or harness.batch_message is None:
            assert size == 1
            return
        async with harness.remote(Behaviour.ACCEPTS) as remote:
            remote.message = {**remote.message, **harness.batch_message}
            async with harness.session(remote) as sending:
                requests = [sending.request(sequence=sequence) for sequence in range(min(size, 5))]
                results = await sending.session.send_batch(requests)
        assert [result.verdict for result in results] == [Verdict.ACCEPTED] * len(requests)

    async def test_closing_twice_is_closing_once(self, harness: ProviderHarness) -> None:
        async with harness.remote(Behaviour.ACCEPTS) as remote, harness.session(remote) as sending:
            await sending.send()
            await sending.session.aclose()
            await sending.session.aclose()

    async def test_a_session_never_used_closes(self, harness: ProviderHarness) -> None:
        async with harness.remote(Behaviour.ACCEPTS) as remote, harness.session(remote) as sending:
            assert isinstance(sending, Sending)
        assert remote.received == []

    async def test_checking_the_connection_sends_nothing_and_shows_no_secret(self, harness: ProviderHarness) -> None:
        async with harness.remote(Behaviour.ACCEPTS) as remote:
            report = await harness.factory.check_connection(harness.context(remote))
        assert report.ok
        assert report.summary
        assert Proof.CONNECTION in report.proved
        assert report.not_proved
        assert not {*report.proved} & {*report.not_proved}
        assert CANARY not in repr(report)
        assert remote.received == []

    async def test_checking_the_connection_needs_no_message(self, harness: ProviderHarness) -> None:
        async with harness.remote(Behaviour.ACCEPTS) as remote:
            nothing = ConfigDocument.of(f"{harness.factory.descriptor.provider_id}/message", "1", {})
            report = await harness.factory.check_connection(replace(harness.context(remote), message=nothing))
        assert report.ok

    async def test_a_connection_check_that_fails_says_so(self, harness: ProviderHarness) -> None:
        async with harness.remote(Behaviour.REFUSES_CONNECTIONS) as remote:
            report = await harness.factory.check_connection(harness.context(remote))
        assert not report.ok
        assert CANARY not in repr(report)

    async def test_the_addresses_an_operator_wrote_are_listed(self, harness: ProviderHarness) -> None:
        async with harness.remote(Behaviour.ACCEPTS) as remote:
            account, message = harness.account_document(remote.account), harness.message_document(remote.message)
            endpoints = harness.factory.endpoints(account, message)
        assert endpoints
        for endpoint in endpoints:
            host, _, port = endpoint.rpartition(":")
            assert host
            assert port.isdecimal()
