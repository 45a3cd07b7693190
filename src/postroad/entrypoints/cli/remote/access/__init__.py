"""How the program speaks to the service: where it is, who speaks, what it answered.

The word of a person (`postroad login`) is kept as a session in the home folder; a program brings a token in its
environment. Every call goes out through the guarded client; what the service refuses becomes one error with its code.
"""
