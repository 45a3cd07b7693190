from tests.conformance.providers.suite import ProviderSuite
from tests.providers.feishu.conformance import FeishuHarness


class TestFeishu(ProviderSuite):
    harness_type = FeishuHarness
