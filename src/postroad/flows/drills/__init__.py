"""Faults as a tool: lossy receivers, the kill drill, the demonstration.

A drill never trusts the sender: it counts at the receiver, kills the sender's process with SIGKILL at moments drawn
from a seed, resumes it, and at the end holds the two accounts against each other.
"""

from postroad.flows.drills.accounts import OUTCOMES, Comparison
from postroad.flows.drills.crash import CrashDrill, DrillBroken, DrillReport
from postroad.flows.drills.demo import Accounted, Demo, Killed, PeopleMade, Sending, Step, UnknownExplained
from postroad.flows.drills.scenario import SCENARIOS, Scenario

__all__ = [
    "OUTCOMES",
    "SCENARIOS",
    "Accounted",
    "Comparison",
    "CrashDrill",
    "Demo",
    "DrillBroken",
    "DrillReport",
    "Killed",
    "PeopleMade",
    "Scenario",
    "Sending",
    "Step",
    "UnknownExplained",
]
