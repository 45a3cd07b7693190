"""SMTP keeps the promises of every provider."""

from tests.conformance.providers.suite import ProviderSuite
from tests.providers.smtp.conformance import SmtpHarness


class TestSmtp(ProviderSuite):
    harness_type = SmtpHarness
