"""Simplified Chinese for every text of the command line; the English text is the key."""

from postroad.entrypoints.cli.texts.chinese.administration import ADMINISTRATION
from postroad.entrypoints.cli.texts.chinese.configuration import CONFIGURATION
from postroad.entrypoints.cli.texts.chinese.deliveries import DELIVERIES
from postroad.entrypoints.cli.texts.chinese.local import LOCAL
from postroad.entrypoints.cli.texts.chinese.reaching import REACHING
from postroad.entrypoints.cli.texts.chinese.sending import SENDING
from postroad.entrypoints.cli.texts.chinese.tending import TENDING

CHINESE = {**LOCAL, **TENDING, **REACHING, **ADMINISTRATION, **CONFIGURATION, **DELIVERIES, **SENDING}
