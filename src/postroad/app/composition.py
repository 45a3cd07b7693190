"""Puts the parts of a local installation together, each when it is first asked for."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postroad.egress import Egress
    from postroad.entrypoints.cli.composition import KeyDesk, ServeOptions, Started
    from postroad.flows.local_runs import Surroundings
    from postroad.foundation.home import Home
    from postroad.spi import ProviderDescriptor


class LocalComposition:
    """Fulfils the commands' `Composition`. Nothing is read from disk or imported before it is needed."""

    def __init__(self, arguments: Sequence[str] = ()) -> None:
        self.arguments = arguments

    @property
    def command(self) -> Sequence[str]:
        return (sys.executable, "-m", "postroad")

    @cached_property
    def home(self) -> "Home":
        from postroad.foundation.home import Home

        return Home.from_environment()

    @cached_property
    def egress(self) -> "Egress":
        from postroad.egress import Egress

        return Egress()

    def surroundings(self, secrets_file: Path | None = None) -> "Surroundings":
        from postroad import providers
        from postroad.flows.local_runs import Surroundings
        from postroad.foundation.clock import SystemClock
        from postroad.foundation.ids import new_run_id
        from postroad.foundation.secret_lookup import SecretLookup

        return Surroundings(
            provider_loader=lambda provider_id: providers.load(provider_id, self.egress),
            gate=self.egress,
            secrets=SecretLookup(file=secrets_file),
            clock=SystemClock(),
            home=self.home,
            new_id=new_run_id,
            resolve_checked=self._resolve_checked,
        )

    def _resolve_checked(self, host: str, port: int) -> str:
        """A database that the operator named is allowed as a receiver is: wherever it is, except metadata services."""
        import asyncio

        self.egress.allow_literal(host, port)
        return str(asyncio.run(self.egress.checked_addresses(host, port))[0])

    def descriptors(self) -> Mapping[str, "ProviderDescriptor"]:
        from postroad import providers

        return {provider_id: providers.load(provider_id, self.egress).descriptor for provider_id in providers.BUILTIN}

    def keys(self, options: "ServeOptions") -> "KeyDesk":
        from postroad.app.serving.key_desk import ServiceKeys

        return ServiceKeys.of(options)

    def serve(self, options: "ServeOptions", tell: "Callable[[Started], None]") -> int:
        from postroad.app.serving import serve

        return serve(options, tell)
