"""The whole suite. Each provider subclasses `ProviderSuite` in a file of its own; see `harness`."""

from typing import ClassVar

import pytest

from tests.conformance.providers.description import DescriptionSuite
from tests.conformance.providers.harness import ProviderHarness
from tests.conformance.providers.rendering import RenderingSuite
from tests.conformance.providers.sending import SendingSuite

NEEDS_HEADERS = ("test_a_header_value_with_a_line_break_is_refused",)


class ProviderSuite(DescriptionSuite, RenderingSuite, SendingSuite):
    harness_type: ClassVar[type[ProviderHarness]]

    def __init_subclass__(cls) -> None:
        """What does not apply to a provider is no test of it: nothing is collected, nothing skipped."""
        left_out = [*cls.harness_type.exceptions]
        if cls.harness_type.header_message is None:
            left_out += NEEDS_HEADERS
        for name in left_out:
            getattr(cls, name)
            setattr(cls, name, None)

    @pytest.fixture
    async def harness(self) -> ProviderHarness:
        return self.harness_type()
