"""Everything the environment can say, as one table; a test finds what is read and not listed here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    """A variable, or a beginning followed by `<…>`."""
    meaning: str
    default: str
    example: str


SETTINGS = (
    Setting(
        "POSTROAD_HOME",
        "The folder of this installation: the list of past sends, the key that signs receipts, the session that "
        "`postroad login` began. It is made with mode 0700 and refused where others may write into it.",
        "`~/.postroad`",
        "POSTROAD_HOME=/srv/postroad",
    ),
    Setting(
        "POSTROAD_SECRET_<NAME>",
        "The value of the secret that a job names with `{$secret: name}`: the name in capitals, everything that is no "
        "letter or digit as `_`. It wins over the file given with `--secrets`. Worker processes get secrets through a "
        "pipe, never through their environment.",
        "none",
        "POSTROAD_SECRET_API_TOKEN=…",
    ),
    Setting(
        "POSTROAD_TOKEN",
        "The token with which commands speak to a service, in place of a session that `postroad login` began. It is of "
        "one workspace.",
        "none",
        "POSTROAD_TOKEN=pst_…",
    ),
    Setting(
        "POSTROAD_URL",
        "The address of the service, for a token and for the first `postroad login`.",
        "`http://127.0.0.1:18990`",
        "POSTROAD_URL=https://post.example.com",
    ),
    Setting(
        "POSTROAD_INSECURE_HTTP",
        "`1` accepts that passwords and tokens cross the network readably to an `http://` address that is not this "
        "machine, as `postroad login --insecure-http` does.",
        "not accepted",
        "POSTROAD_INSECURE_HTTP=1",
    ),
    Setting(
        "POSTROAD_LANG",
        "The language of the command line, `en` or `zh`. `--lang` wins over it; without both `LC_ALL`, `LC_MESSAGES` "
        "and `LANG` are looked at, in this order.",
        "`en`",
        "POSTROAD_LANG=zh",
    ),
)
