"""Which line of a program came from which line of the user's files."""
