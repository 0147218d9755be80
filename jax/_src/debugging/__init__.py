"""Looking into programs while they run."""
