"""A process's side of its job: the client of the coordination service, and what listens to it."""
