"""Exported programs: calling them, their bytes, and artifacts of upstream."""
