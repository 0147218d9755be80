"""What libraries build on besides the public functions: wrapped functions, trace state.

Adapters only: each says in terms of our core what a name means to its users.
"""
