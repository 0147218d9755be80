"""Pictures for the site that are drawn from the code itself."""

import pathlib


def write(folder: pathlib.Path) -> None:
    """Writes the generated files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
