"""What can be done with people and with what lets them in, one file per subject."""
