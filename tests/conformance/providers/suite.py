"""The whole suite. Each provider subclasses `ProviderSuite` in a file of its own; see `harness`."""

from typing import ClassVar

import pytest

from tests.conformance.providers.description import DescriptionSuite
from tests.conformance.providers.harness import ProviderHarness
from tests.conformance.providers.rendering import RenderingSuite
from tests.conformance.providers.sending import SendingSuite


class ProviderSuite(DescriptionSuite, RenderingSuite, SendingSuite):
    harness_type: ClassVar[type[ProviderHarness]]

    @pytest.fixture
    async def harness(self, request: pytest.FixtureRequest) -> ProviderHarness:
        made = self.harness_type()
        name = request.node.originalname
        if name in made.exceptions:
            pytest.skip(made.exceptions[name])
        return made
