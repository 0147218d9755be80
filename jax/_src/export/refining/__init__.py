"""Programs for shapes that are not known, made into those for certain shapes."""
