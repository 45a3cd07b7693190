"""A thousand histories of three epochs and more: real engine, real journal, a disk that forgets what was not synced."""

from collections import Counter

from tests.behaviour.engine.restart_game import BATCH, ITEMS, PERMITS, WINDOW, play
from tests.builders.engine_parts import counts

HISTORIES = 1_000
EPOCHS = 3
OPEN_INTENTS = PERMITS * BATCH


def test_a_thousand_histories_of_kills_and_power_losses_send_no_second_copy() -> None:
    long, seed, deaths, most = 0, 100_000, Counter[str](), Counter[str]()
    while long < HISTORIES:
        seed += 1
        history = play(seed)
        assert history.second_copies == [], seed
        assert history.summary is not None
        assert sum(counts(history.summary).values()) == history.summary.total == ITEMS, seed
        for crash in history.crashes:
            deaths[crash.how] += 1
            if crash.sent:
                most[crash.how] = max(most[crash.how], crash.in_doubt)
        long += history.epochs >= EPOCHS
    print(f"{seed - 100_000} histories, {long} of {EPOCHS} epochs and more; deaths {dict(deaths)}; doubt {dict(most)}")
    assert most["kill"] <= OPEN_INTENTS
    assert most["power"] <= WINDOW + OPEN_INTENTS
