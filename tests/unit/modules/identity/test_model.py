"""Tokens over time."""

from postroad.modules.identity.model import DAY_MS, Token, TokenStatus

NOW = 1_800_000_000_000


def _token(*, expires_at_ms: int, revoked_at_ms: int | None = None, disabled_at_ms: int | None = None) -> Token:
    return Token(
        id="t",
        workspace_id="w",
        user_id="u",
        username="anna",
        name="reports",
        shown="pst_abcdefgh",
        scopes=("runs:read",),
        expires_at_ms=expires_at_ms,
        last_used_at_ms=None,
        revoked_at_ms=revoked_at_ms,
        disabled_at_ms=disabled_at_ms,
        version=1,
        created_at_ms=0,
        updated_at_ms=0,
    )


def test_a_token_ends_with_its_last_millisecond() -> None:
    assert _token(expires_at_ms=NOW + 1).status(NOW) is TokenStatus.ACTIVE
    assert _token(expires_at_ms=NOW).status(NOW) is TokenStatus.EXPIRED


def test_a_revoked_token_stays_revoked_when_it_is_over() -> None:
    assert _token(expires_at_ms=NOW - 1, revoked_at_ms=NOW - 5).status(NOW) is TokenStatus.REVOKED
    assert _token(expires_at_ms=NOW + 1, disabled_at_ms=NOW - 5).status(NOW) is TokenStatus.DISABLED


def test_a_token_warns_two_weeks_before_its_end_while_it_is_good() -> None:
    assert _token(expires_at_ms=NOW + 14 * DAY_MS).expires_soon(NOW)
    assert not _token(expires_at_ms=NOW + 14 * DAY_MS + 1).expires_soon(NOW)
    assert not _token(expires_at_ms=NOW).expires_soon(NOW)
    assert not _token(expires_at_ms=NOW + DAY_MS, revoked_at_ms=NOW).expires_soon(NOW)
