"""Linear algebra of plain operations, for compilers without routines of their own."""
