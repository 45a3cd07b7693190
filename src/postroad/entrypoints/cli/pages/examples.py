"""Examples of every command; the help pages and the reference show them, and a test parses each."""

from postroad.entrypoints.cli.pages.service_examples import SERVICE_EXAMPLES

EXAMPLES: dict[str, tuple[str, ...]] = SERVICE_EXAMPLES | {
    "postroad": (
        "postroad demo",
        "postroad init http --out job.yaml",
        "postroad send job.yaml --audience people.xlsx --dry-run",
        "postroad send job.yaml --audience people.xlsx",
    ),
    "postroad send": (
        "postroad send job.yaml --dry-run",
        "postroad send job.yaml --audience people.xlsx --rate 20/s",
        "postroad send job.yaml --confirm 3f9a1c07d2 --json",
        "postroad send --resume sends/2026-11-30-spring-1",
        "postroad send --only failed --only unsent sends/2026-11-30-spring-1",
    ),
    "postroad serve": (
        "postroad serve",
        "postroad serve --port 8080 --data-dir /srv/postroad",
        "postroad serve --config /etc/postroad.yaml",
    ),
    "postroad runs": ("postroad runs", "postroad runs --limit 100 --json"),
    "postroad init": ("postroad init smtp", "postroad init aliyun_sms --out job.yaml"),
    "postroad demo": ("postroad demo", "postroad demo --count 2000"),
    "postroad drill crash": ("postroad drill crash", "postroad drill crash --kills 100 --scenario http --json"),
    "postroad bench": ("postroad bench --quick",),
    "postroad audience check": (
        "postroad audience check --audience people.csv --key phone",
        "postroad audience check job.yaml --errors rejected.csv --accepted clean.csv",
    ),
    "postroad message preview": (
        "postroad message preview job.yaml",
        "postroad message preview job.yaml --row 2 --row 17",
    ),
    "postroad message test-send": ("postroad message test-send job.yaml --to email=me@example.com --to name=Me",),
    "postroad receipt verify": ("postroad receipt verify sends/2026-11-30-spring-1 --key their-key.pem",),
    "postroad receipt key": ("postroad receipt key > our-key.pem",),
    "postroad providers list": ("postroad providers list", "postroad providers list --json"),
    "postroad providers show": ("postroad providers show smtp",),
}
"""Path of a command → command lines."""
