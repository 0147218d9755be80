"""The names that third-party libraries find at upstream's module paths: see `table`."""
