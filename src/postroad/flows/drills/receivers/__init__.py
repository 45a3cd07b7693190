"""Receivers that a drill sends to: on loopback, in a process of their own, honest about what reached them.

They are lossy on purpose and by a fixed plan (`weather`), and they keep the one figure a sender cannot fake: how many
copies of each recipient's message arrived. A refusal is answered before anything is counted, so a second copy of one
recipient is always a fault of the sender and never the price of a retry it was asked for.
"""
