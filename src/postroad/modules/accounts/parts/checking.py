"""Whether a configuration may be kept: its schema, what its provider makes of it, and what a service adds to that.

A service adds two rules. A path in a configuration would name a file of the server, so none may stand there. An address
written as such is judged at once by the policy of the way out; a name is judged whenever it is resolved, since what it
resolves to may change. Nothing here touches a network.
"""

from collections.abc import Iterable, Iterator

from postroad.modules.accounts.model import Config, account_document
from postroad.modules.accounts.ports import AccountNeeds, AddressRules
from postroad.providerkit.marks import LOCAL_FILE, marked_values
from postroad.providerkit.nesting import MOST_LEVELS, is_too_deep
from postroad.spi import ConfigDocument, Problem, ProviderFactory
from postroad.vocabulary.refusals import FieldProblem, ProviderConfigInvalid, ValidationFailed


def checked_document(provider_id: str, config: Config, needs: AccountNeeds) -> ConfigDocument:
    """Raises ProviderNotAvailable, ValidationFailed for what JSON cannot say, ProviderConfigInvalid with all that is
    wrong, each at its path below `config`."""
    factory = needs.providers.factory(provider_id)
    if is_too_deep(config):
        said = f"config: lists and objects lie more than {MOST_LEVELS} deep in one another"
        raise ValidationFailed.of("config", "TOO_DEEP", said)
    try:
        document = account_document(provider_id, factory.descriptor.schema_version, config)
    except ValueError:
        said = "holds something that is no JSON: NaN, an infinity or half a character"
        raise ValidationFailed.of("config", "NOT_JSON", f"config {said}") from None
    problems = factory.validate_account(document) or [
        *_files(factory, config),
        *_addresses(factory, document, needs.addresses),
    ]
    refuse(problems)
    return document


def refuse(problems: Iterable[Problem]) -> None:
    found = tuple(_below_config(problem) for problem in problems)
    if found:
        raise ProviderConfigInvalid(f"{found[0].path}: {found[0].message}", problems=found)


def _below_config(problem: Problem) -> FieldProblem:
    path = f"config.{problem.field}" if problem.field else "config"
    return FieldProblem(path, problem.code, problem.message.removeprefix(f"{problem.field}: "))


def _files(factory: ProviderFactory, config: Config) -> Iterator[Problem]:
    for path in marked_values(factory.descriptor.account_schema, config, LOCAL_FILE):
        said = "names a file of the server, which an account may not; leave it out and let the operator trust it there"
        yield Problem(path, said, "LOCAL_FILE")


def _addresses(factory: ProviderFactory, document: ConfigDocument, rules: AddressRules) -> Iterator[Problem]:
    nothing = ConfigDocument.of(f"{factory.descriptor.provider_id}/message", document.schema_version, {})
    for endpoint in factory.endpoints(document, nothing):
        host = endpoint.rpartition(":")[0].removeprefix("[").removesuffix("]")
        rule = rules.refusal(host)
        if rule is not None:
            said = (
                f"the address {host} may not be reached ({rule}); the operator of the service can allow its network "
                "by `security.allowedNetworks`"
            )
            yield Problem("", said, "ADDRESS_REFUSED")
