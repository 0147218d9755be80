"""The tables of files in the READMEs of large folders are what the files say of themselves (`tools/folder_maps.py`)."""

import importlib.util

from tests.house import tree


def loaded():
    spec = importlib.util.spec_from_file_location(
        "folder_maps", tree.ROOT / "tools/folder_maps.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_of_files_are_up_to_date():
    folder_maps = loaded()
    assert len(folder_maps.readmes()) >= 10
    late = [tree.name(path) for path in folder_maps.stale()]
    assert not late, f"run `python3 tools/folder_maps.py`: {late}"
