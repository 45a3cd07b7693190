from tests.conformance.providers.suite import ProviderSuite
from tests.providers.aliyun_sms.conformance import AliyunSmsHarness


class TestAliyunSms(ProviderSuite):
    harness_type = AliyunSmsHarness
