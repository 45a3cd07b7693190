"""Contracts for import-linter that it does not bring itself."""

import sys
from typing import Any

from importlinter import Contract, ContractCheck, fields, output
from importlinter.application import contract_utils


def _inside(module: str, room: str) -> bool:
    return module == room or module.startswith(room + ".")


class FrontDoorContract(Contract):
    """Code outside a room may import the room itself, never a file inside it."""

    type_name = "front_door"
    parents = fields.ListField(subfield=fields.ModuleField())
    trusted = fields.ListField(subfield=fields.StringField(), required=False)
    ignore_imports = fields.SetField(subfield=fields.ImportExpressionField(), required=False)

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        contract_utils.remove_ignored_imports_and_report(
            graph=graph, ignore_imports=self.ignore_imports, unmatched_alerting=contract_utils.AlertLevel.NONE
        )
        wrong = []
        for parent in (p.name for p in self.parents if p.name in graph.modules):
            for room in graph.find_children(parent):
                for inner in graph.find_descendants(room):
                    wrong += [
                        (importer, inner)
                        for importer in graph.find_modules_that_directly_import(inner)
                        if not any(_inside(importer, home) for home in (room, *(self.trusted or ())))
                    ]
        return ContractCheck(kept=not wrong, metadata={"wrong": sorted(wrong)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["wrong"]:
            output.print_error(f"{importer} enters {imported} by the window")


class StdlibOnlyContract(Contract):
    """The packages named need nothing that has to be installed."""

    type_name = "stdlib_only"
    packages = fields.ListField(subfield=fields.ModuleField())

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        wrong = []
        for package in (p.name for p in self.packages if p.name in graph.modules):
            for module in {package} | graph.find_descendants(package):
                for imported in graph.find_modules_directly_imported_by(module):
                    top = imported.split(".")[0]
                    if top != package.split(".")[0] and top not in sys.stdlib_module_names:
                        wrong.append((module, imported))
        return ContractCheck(kept=not wrong, metadata={"wrong": sorted(wrong)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["wrong"]:
            output.print_error(f"{importer} imports {imported}, which is not in the standard library")


class ChosenByContract(Contract):
    """Only the choosers may import the rooms named, or anything in them."""

    type_name = "chosen_by"
    rooms = fields.ListField(subfield=fields.ModuleField())
    choosers = fields.ListField(subfield=fields.StringField())

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        wrong = []
        for room in (r.name for r in self.rooms if r.name in graph.modules):
            for inner in {room} | graph.find_descendants(room):
                wrong += [
                    (importer, inner)
                    for importer in graph.find_modules_that_directly_import(inner)
                    if not any(_inside(importer, home) for home in (room, *self.choosers))
                ]
        return ContractCheck(kept=not wrong, metadata={"wrong": sorted(wrong)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["wrong"]:
            output.print_error(f"{importer} chooses {imported}; hand it in from the composition root")
