"""Runs the golden cases, and keeps every program that they compile.

Arguments: a folder, and options of check_golden.py. The names of programs begin anew in each worker process, so each
has a folder of its own.
"""

import os
import pathlib
import sys

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


def main():
    """Runs check_golden.py with a folder for each worker, whose own folder it makes just before it starts."""
    folder = sys.argv.pop(1)
    sys.path.insert(0, str(GOLDEN))
    import check_golden

    make = check_golden.tempfile.mkdtemp

    def for_worker(*args, **kwargs):
        made = make(*args, **kwargs)
        os.environ["JAX_DUMP_IR_TO"] = os.path.join(folder, os.path.basename(made))
        return made

    check_golden.tempfile.mkdtemp = for_worker
    sys.argv += ["--jobs", "1"]
    return check_golden.main()


if __name__ == "__main__":
    sys.exit(main())
