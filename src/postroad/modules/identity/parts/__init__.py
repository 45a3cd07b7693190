"""What the use cases of identity stand on: the form of a token, of a name and of a password; throttles and last use."""
