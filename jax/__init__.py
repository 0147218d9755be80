"""Composable transformations of numerical programs."""
