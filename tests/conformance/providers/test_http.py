"""The HTTP channel keeps the promises of a provider."""

from tests.conformance.providers.suite import ProviderSuite
from tests.providers.http.conformance import HttpHarness


class TestHttp(ProviderSuite):
    harness_type = HttpHarness
