"""What every module stands on: transactions, events, rights, pages, versions, limits, services.

A use case is a plain function `f(uow, ask) -> view`; `Database.write` runs it in one transaction and is the only commit
in the building. Nothing here knows a module; what the kernel needs from one stands in `ports`.
"""
