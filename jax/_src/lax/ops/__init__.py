"""The primitives, one file per family; import the family, not this package."""
