"""What became of everybody: items page by page, a chosen part as a file, the signed receipt.

    list_run_items   from the results of an ended run; of one that goes on, from what is known of it so far
    export_results   the chosen items as a CSV, kept as a file for a day
    read_receipt     the signed statement of what the run did

A run is looked up in one short transaction, files are read after it.
"""

from postroad.flows.run_results.asks import ExportAsk, ItemFilter, ItemsAsk
from postroad.flows.run_results.exporting import export_results
from postroad.flows.run_results.ports import (
    KeptExport,
    LiveItems,
    NothingLive,
    ResultsNeeds,
    RunFiles,
)
from postroad.flows.run_results.reading import Receipt, RunItems, list_run_items, read_receipt

__all__ = [
    "ExportAsk",
    "ItemFilter",
    "ItemsAsk",
    "KeptExport",
    "LiveItems",
    "NothingLive",
    "Receipt",
    "ResultsNeeds",
    "RunFiles",
    "RunItems",
    "export_results",
    "list_run_items",
    "read_receipt",
]
