"""What is due fires, each fire time once, whoever races and whatever is refused."""

import threading
from concurrent.futures import ThreadPoolExecutor

from tests.builders.databases import START_MS, WORKSPACE
from tests.integration.schedules.parts import Office, at_version

from postroad.kernel.authz import Principal
from postroad.modules.schedules import (
    FiringState,
    Misfire,
    MisfirePolicy,
    RefreshOutcome,
    ScheduleStatus,
    archive_schedule,
    disable_schedule,
    enable_schedule,
    schedules_of_job,
)
from postroad.vocabulary.refusals import Overloaded, RunStateConflict

HOUR = 3_600_000
FIRST = START_MS + HOUR - START_MS % HOUR
SECOND, THIRD = FIRST + HOUR, FIRST + 2 * HOUR


def states(office: Office, schedule_id: str) -> list[tuple[int, str]]:
    return [(firing.fire_at_ms, firing.state.value) for firing in office.firings(schedule_id)]


def test_nothing_fires_before_its_time(office: Office) -> None:
    schedule = office.planned()
    assert schedule.next_fire_at_ms == FIRST
    assert office.tick() is False
    assert office.runs() == []


def test_a_fire_time_makes_one_run_and_the_next_is_awaited(office: Office) -> None:
    schedule = office.planned()
    office.databases.clock.ms = FIRST
    assert office.tick() is True
    assert office.tick() is False
    assert office.runs() == [(schedule.id, FIRST)]
    [firing] = office.firings(schedule.id)
    assert firing.state is FiringState.FIRED
    assert firing.run_id is not None
    kept = office.schedule(schedule.id)
    assert (kept.next_fire_at_ms, kept.last_fire_at_ms, kept.version) == (SECOND, FIRST, 1)


def test_a_refused_run_is_noted_and_undone_and_the_schedule_goes_on(office: Office) -> None:
    schedule = office.planned()
    office.firer.refuse = RunStateConflict("the circuit of the account is open")
    office.databases.clock.ms = FIRST
    assert office.tick() is True
    office.firer.refuse = None
    office.databases.clock.ms = SECOND
    office.tick()
    assert office.runs() == [(schedule.id, SECOND)]
    failed, fired = office.firings(schedule.id)
    assert failed.state is FiringState.FAILED
    assert failed.reason == "RUN_STATE_CONFLICT: the circuit of the account is open"
    assert fired.state is FiringState.FIRED


def test_a_fault_of_the_program_fails_one_firing_and_shows_nothing_of_itself(office: Office) -> None:
    broken, sound = office.planned(job_id="broken"), office.planned(job_id="sound")
    office.firer.refuse, office.firer.refused_jobs = ZeroDivisionError("secret detail"), {"broken"}
    office.databases.clock.ms = FIRST
    office.tick()
    assert office.runs() == [(sound.id, FIRST)]
    [failed] = office.firings(broken.id)
    assert failed.reason.startswith("INTERNAL_ERROR")
    assert "secret detail" not in failed.reason


def test_not_now_leaves_it_due_and_the_next_tick_fires(office: Office) -> None:
    schedule = office.planned()
    office.firer.refuse = Overloaded("the database is busy")
    office.databases.clock.ms = FIRST
    assert office.tick() is False
    assert office.firings(schedule.id) == []
    office.firer.refuse = None
    assert office.tick() is True
    assert states(office, schedule.id) == [(FIRST, "FIRED")]


def test_a_service_that_was_down_skips_what_it_missed(office: Office) -> None:
    schedule = office.planned(misfire=Misfire(MisfirePolicy.SKIP))
    office.databases.clock.ms = THIRD
    office.tick()
    assert states(office, schedule.id) == [(FIRST, "SKIPPED"), (SECOND, "SKIPPED"), (THIRD, "FIRED")]


def test_a_service_that_was_down_fires_once_for_all_it_missed(office: Office) -> None:
    schedule = office.planned(misfire=Misfire(MisfirePolicy.FIRE_ONCE))
    office.databases.clock.ms = THIRD + HOUR // 2
    office.tick()
    assert states(office, schedule.id) == [(FIRST, "SKIPPED"), (SECOND, "SKIPPED"), (THIRD, "FIRED")]
    assert office.runs() == [(schedule.id, THIRD)]


def test_a_service_that_was_down_catches_up_with_the_latest_few(office: Office) -> None:
    schedule = office.planned(misfire=Misfire(MisfirePolicy.CATCH_UP_LIMITED, 2))
    office.databases.clock.ms = THIRD + HOUR // 2
    while office.tick():
        pass
    assert states(office, schedule.id) == [(FIRST, "SKIPPED"), (SECOND, "FIRED"), (THIRD, "FIRED")]


def test_a_clock_that_was_set_back_fires_no_second_run(office: Office) -> None:
    schedule = office.planned()
    office.databases.clock.ms = FIRST
    office.tick()
    office.databases.clock.ms = FIRST - HOUR // 2
    database = office.databases.database
    database.write(office.operator, lambda uow: disable_schedule(uow, WORKSPACE, schedule.id, at_version(1)))
    database.write(
        office.operator, lambda uow: enable_schedule(uow, WORKSPACE, schedule.id, at_version(2), office.jobs)
    )
    assert office.schedule(schedule.id).next_fire_at_ms == FIRST
    office.databases.clock.ms = FIRST
    office.tick()
    assert office.runs() == [(schedule.id, FIRST)]
    assert office.schedule(schedule.id).next_fire_at_ms == SECOND


def test_one_instant_fires_and_the_schedule_is_finished(office: Office) -> None:
    schedule = office.planned(cron=None, at="2027-01-15T08:30Z")
    office.databases.clock.ms = schedule.next_fire_at_ms or 0
    office.tick()
    kept = office.schedule(schedule.id)
    assert (kept.status, kept.next_fire_at_ms, kept.version) == (ScheduleStatus.FINISHED, None, 2)
    assert len(office.runs()) == 1


def test_a_disabled_schedule_does_not_fire(office: Office) -> None:
    schedule = office.planned(enabled=False)
    assert schedule.next_fire_at_ms is None
    office.databases.clock.ms = THIRD
    assert office.tick() is False


def test_an_audience_that_is_read_again_is_waited_for(office: Office) -> None:
    schedule = office.planned(refresh=True)
    office.databases.clock.ms = FIRST
    assert office.tick() is True
    [waiting] = office.firings(schedule.id)
    assert (waiting.state, waiting.import_id) == (FiringState.DUE, office.refreshes.begun[0])
    assert office.tick() is False
    assert office.runs() == []
    office.refreshes.outcomes[office.refreshes.begun[0]] = RefreshOutcome(is_over=True)
    assert office.tick() is True
    [fired] = office.firings(schedule.id)
    assert (fired.state, fired.import_id) == (FiringState.FIRED, office.refreshes.begun[0])
    assert office.runs() == [(schedule.id, FIRST)]
    assert office.schedule(schedule.id).last_fire_at_ms == FIRST


def test_nothing_is_sent_to_an_audience_that_could_not_be_read_again(office: Office) -> None:
    schedule = office.planned(refresh=True)
    office.databases.clock.ms = FIRST
    office.tick()
    office.refreshes.outcomes[office.refreshes.begun[0]] = RefreshOutcome(is_over=True, reason="the query failed")
    office.tick()
    [failed] = office.firings(schedule.id)
    assert (failed.state, failed.reason) == (FiringState.FAILED, "the query failed")
    assert office.runs() == []


def test_a_schedule_switched_off_while_its_audience_is_read_sends_nothing(office: Office) -> None:
    schedule = office.planned(refresh=True)
    office.databases.clock.ms = FIRST
    office.tick()
    office.databases.database.write(
        office.operator, lambda uow: archive_schedule(uow, WORKSPACE, schedule.id, at_version(1))
    )
    office.refreshes.outcomes[office.refreshes.begun[0]] = RefreshOutcome(is_over=True)
    office.tick()
    assert states(office, schedule.id) == [(FIRST, "SKIPPED")]


def test_a_refused_run_after_its_audience_was_read_is_noted(office: Office) -> None:
    schedule = office.planned(refresh=True)
    office.databases.clock.ms = FIRST
    office.tick()
    office.refreshes.outcomes[office.refreshes.begun[0]] = RefreshOutcome(is_over=True)
    office.firer.refuse = RunStateConflict("the job is archived")
    assert office.tick() is True
    assert states(office, schedule.id) == [(FIRST, "FAILED")]
    assert office.runs() == []


def test_two_schedulers_racing_make_exactly_one_run_of_each_firing(office: Office) -> None:
    planned = {office.planned(cron="* * * * *", name=f"Schedule {n}", end=START_MS + 5 * 60_000).id for n in range(200)}
    minutes = [START_MS - START_MS % 60_000 + n * 60_000 for n in range(1, 6)]
    start = threading.Barrier(2)

    def race() -> None:
        for minute in minutes:
            start.wait(timeout=60)
            office.scheduler.tick(minute)

    with ThreadPoolExecutor(2) as threads:
        for racer in [threads.submit(race), threads.submit(race)]:
            racer.result()
    assert office.runs() == sorted((schedule_id, minute) for schedule_id in planned for minute in minutes)


def test_the_schedules_of_a_job_are_found_until_they_are_archived(office: Office) -> None:
    kept, gone = office.planned(job_id="job-7"), office.planned(job_id="job-7")
    database = office.databases.database
    database.write(office.operator, lambda uow: archive_schedule(uow, WORKSPACE, gone.id, at_version(1)))
    found = database.read(Principal.system("test"), lambda r: schedules_of_job(r, WORKSPACE, "job-7"))
    assert [one.id for one in found] == [kept.id]
