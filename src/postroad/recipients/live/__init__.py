"""What is settled of a run that goes on, for people who look at it.

    journal (text, growing)  →  parts (Parquet, 50,000 records each, and one that is not full yet)  →  pages

A child process at the lowest priority reads what the journals of the runs shown have grown by and writes parts, so the
sender and the service pay next to nothing. Parts are only for looking: they are made anew by every process that shows a
run, whoever wants the truth reads the journals, and the results of the end replace them.
"""
