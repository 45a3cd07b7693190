"""Part of the suite: what a row becomes. The remote decodes what it got, so escaping is judged where it matters."""

import html

import pytest

from postroad.spi import Recipient, RenderError
from tests.conformance.providers.harness import (
    CANARY,
    NASTY,
    NASTY_LINE,
    Behaviour,
    OutletKind,
    ProviderHarness,
    Remote,
)


class RenderingSuite:
    async def test_every_outlet_escapes_by_its_kind(self, harness: ProviderHarness) -> None:
        async with harness.remote(Behaviour.ACCEPTS) as remote:
            pointed = Remote(remote.account, {**remote.message, **harness.matrix_message})
            async with harness.session(pointed) as sending:
                await sending.send({**harness.recipient, "nasty": NASTY, "nasty_line": NASTY_LINE})
        (received,) = remote.received
        expected = {
            OutletKind.PLAIN: NASTY,
            OutletKind.LINE: NASTY_LINE,
            OutletKind.HTML: html.escape(NASTY),
        }
        for outlet, kind in harness.outlets.items():
            arrived = received[outlet]
            if kind is OutletKind.HTML:
                assert not {"<", ">", '"', "'"} & set(arrived), outlet
                assert html.unescape(arrived) == NASTY, outlet
            else:
                assert arrived == expected[kind], outlet

    @pytest.mark.parametrize("breaking", ["a\r\nX-Injected: 1", "a\nb", "a\rb", "a\0b"], ids=repr)
    def test_a_header_value_with_a_line_break_is_refused(self, harness: ProviderHarness, breaking: str) -> None:
        assert harness.header_message is not None
        renderer = harness.factory.compile(
            harness.account_document(harness.account),
            harness.message_document({**harness.message, **harness.header_message}),
        )
        with pytest.raises(RenderError) as caught:
            renderer.render(Recipient(0, {**harness.recipient, "nasty": breaking}, 2))
        assert caught.value.field == "nasty"

    def test_a_missing_field_is_named(self, harness: ProviderHarness) -> None:
        renderer = harness.factory.compile(
            harness.account_document(harness.account), harness.message_document(harness.message)
        )
        with pytest.raises(RenderError) as caught:
            renderer.render(Recipient(0, {"other": "x"}, 2))
        assert caught.value.field in harness.recipient

    def test_the_same_row_renders_to_the_same_message(self, harness: ProviderHarness) -> None:
        renderer = harness.factory.compile(
            harness.account_document(harness.account), harness.message_document(harness.message)
        )
        row = Recipient(0, dict(harness.recipient), 2)
        first, second = renderer.render(row), renderer.render(row)
        assert row.fields == harness.recipient
        assert renderer.preview(first) == renderer.preview(second)
        assert (first.keys, first.cost, first.size_bytes) == (second.keys, second.cost, second.size_bytes)
        assert first.cost >= 1
        assert first.size_bytes > 0

    def test_a_preview_is_readable_and_shows_no_secret(self, harness: ProviderHarness) -> None:
        renderer = harness.factory.compile(
            harness.account_document(harness.account), harness.message_document(harness.message)
        )
        preview = renderer.preview(renderer.render(Recipient(0, dict(harness.recipient), 2)))
        assert preview.headline
        assert preview.parts
        assert CANARY not in repr(preview)
        assert all(isinstance(part, str) for part in preview.parts.values())
