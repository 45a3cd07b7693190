"""The `postroad` command: one file per owner of commands, and what they share to show things on a terminal.

A command parses, calls one use case and shows the result; decisions about sending live in the flows. Heavy libraries
are imported inside commands, so that `--help` and `--version` answer at once. `program.build` puts it together; choose
the language with `texts.speak` before importing it, since help texts are made on import.
"""
