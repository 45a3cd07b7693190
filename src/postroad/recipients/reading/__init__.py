"""Inputs as blocks of numbered records: text tables, workbooks, JSON lines, queries, made-up rows."""
