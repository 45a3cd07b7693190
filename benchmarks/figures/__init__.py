"""One file per figure of the catalogue; `measure(quick)` returns its metrics."""
