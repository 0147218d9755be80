"""How to write an operation with random operands, a function for each kind."""
