"""Parts of the interface that may still change."""
