"""The shapes that requests and answers have, one file per owner: translation only, no decisions."""
