"""How the program explains itself: help pages, examples, and what a mistyped command line is told.

Plain text in both languages, laid out without the libraries that draw tables, so that `--help` answers at once.
"""
