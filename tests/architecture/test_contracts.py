"""The contracts we brought to import-linter do refuse what they should."""

from grimp import ImportGraph

from tests.architecture.contracts import ChosenByContract, FrontDoorContract, StdlibOnlyContract


def _graph(*imports: tuple[str, str]) -> ImportGraph:
    graph = ImportGraph()
    for module in ("p", "p.rooms", "p.rooms.a", "p.rooms.a.inside", "p.app", "p.other"):
        graph.add_module(module)
    graph.add_module("yaml", is_squashed=True)
    for importer, imported in imports:
        graph.add_import(importer=importer, imported=imported)
    return graph


def _contract(kind: type, **options: object) -> object:
    return kind(name="n", session_options={"root_packages": ["p"]}, contract_options=options)


def test_a_window_is_not_a_door() -> None:
    contract = _contract(FrontDoorContract, parents=["p.rooms"], trusted=["p.app"])
    assert contract.check(_graph(("p.other", "p.rooms.a"), ("p.app", "p.rooms.a.inside")), False).kept
    assert not contract.check(_graph(("p.other", "p.rooms.a.inside")), False).kept


def test_a_window_that_is_named_may_be_used() -> None:
    contract = _contract(FrontDoorContract, parents=["p.rooms"], ignore_imports=["p.other -> p.rooms.*.inside"])
    assert contract.check(_graph(("p.other", "p.rooms.a.inside")), False).kept


def test_an_installed_package_is_not_the_standard_library() -> None:
    contract = _contract(StdlibOnlyContract, packages=["p.rooms"])
    assert contract.check(_graph(("p.other", "yaml")), False).kept
    assert not contract.check(_graph(("p.rooms.a", "yaml")), False).kept


def test_only_a_chooser_chooses() -> None:
    contract = _contract(ChosenByContract, rooms=["p.rooms"], choosers=["p.app"])
    assert contract.check(_graph(("p.app", "p.rooms.a")), False).kept
    assert not contract.check(_graph(("p.other", "p.rooms")), False).kept
