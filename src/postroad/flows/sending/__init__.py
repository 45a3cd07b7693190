"""Sending: from a job to a run, and from a run to the next.

    confirm_run      shows what would be sent and makes the token for it
    start_run        a confirmed job, or a dry run, becomes a run
    start_by_program a token starts a job that is marked for it, up to its recipient cap
    start_trusted    a schedule or a trigger starts one without a person
    confirm_resend   shows who of an ended run would be sent to again
    start_resend     the linked run to them
    steer_run        a command of a person to a run

No SQL and no network: jobs, accounts, messages and audiences are held, the room of runs does the rest. A message is
made for a few recipients at the confirmation, outside of any transaction.
"""

from postroad.flows.sending.beginning import StartedRun
from postroad.flows.sending.by_program import ProgramStart, require_open, start_by_program
from postroad.flows.sending.commanding import CommandAnswered, SteerAsk, steer_run
from postroad.flows.sending.confirmations import ConfirmationKey, ConfirmationStale, Token
from postroad.flows.sending.confirming import ConfirmAsk, Confirmation, EarlierRun, confirm_run
from postroad.flows.sending.estimates import Estimate
from postroad.flows.sending.ingredients import Ingredients
from postroad.flows.sending.ports import (
    Audiences,
    Circuits,
    Providers,
    RowReader,
    Secrets,
    SendableAudience,
    SendingNeeds,
    ShardRule,
)
from postroad.flows.sending.resending import (
    MAY_BE_SENT_AGAIN,
    ResendAsk,
    ResendConfirmation,
    ResendStart,
    confirm_resend,
    start_resend,
)
from postroad.flows.sending.starting import (
    FiredSchedule,
    ScheduledStarts,
    StartAsk,
    TrustedStart,
    start_run,
    start_trusted,
)

__all__ = [
    "MAY_BE_SENT_AGAIN",
    "Audiences",
    "Circuits",
    "CommandAnswered",
    "ConfirmAsk",
    "Confirmation",
    "ConfirmationKey",
    "ConfirmationStale",
    "EarlierRun",
    "Estimate",
    "FiredSchedule",
    "Ingredients",
    "ProgramStart",
    "Providers",
    "ResendAsk",
    "ResendConfirmation",
    "ResendStart",
    "RowReader",
    "ScheduledStarts",
    "Secrets",
    "SendableAudience",
    "SendingNeeds",
    "ShardRule",
    "StartAsk",
    "StartedRun",
    "SteerAsk",
    "Token",
    "TrustedStart",
    "confirm_resend",
    "confirm_run",
    "require_open",
    "start_by_program",
    "start_resend",
    "start_run",
    "start_trusted",
    "steer_run",
]
