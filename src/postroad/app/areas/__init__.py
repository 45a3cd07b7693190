"""One file per area: which drivers, modules and flows stand behind what the entrypoints ask for."""
