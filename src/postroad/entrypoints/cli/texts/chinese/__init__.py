"""Simplified Chinese for every text of the command line; the English text is the key."""

from postroad.entrypoints.cli.texts.chinese.administration import ADMINISTRATION
from postroad.entrypoints.cli.texts.chinese.local import LOCAL
from postroad.entrypoints.cli.texts.chinese.reaching import REACHING

CHINESE = {**LOCAL, **REACHING, **ADMINISTRATION}
