"""`python -m tests.scipy.special_values_made` writes the true values of special_values_test.

Each entry of `special_values.json` has a function's name, the operand of the derivative or
null for values, arguments that float32 holds exactly, and true values to 17 digits. It needs
python-flint (see `special_oracle`), and takes a minute.
"""

import json
import pathlib

import numpy as np

from tests.scipy import special_cases as cases, special_oracle as oracle

POINTS_PER_REGION = 8


def entry(name, operand, random):
    """The arguments and true values of a function or of its derivative."""
    rows = []
    for region in cases.REGIONS[name]:
        xs = cases.numbers(region, POINTS_PER_REGION, np.float32, random)
        for arguments in zip(*(x.tolist() for x in xs), strict=True):
            if operand is None:
                truth = oracle.true_value(name, *arguments)
            else:
                truth = oracle.true_slope(name, operand, *arguments)
            # What leaves the range of normal float32 is not compared.
            if truth is not None and 1e-36 < abs(float(truth.mid())) < 3e38:
                rows.append([*arguments, float(truth.mid())])
    return {"name": name, "operand": operand, "rows": rows}


def main():
    """Writes the file."""
    random = np.random.default_rng(11)
    found = []
    for name in cases.REGIONS:
        without = cases.NO_SLOPE.get(name, ())
        slopes = [i for i in range(len(cases.REGIONS[name][0])) if i not in without]
        found += [entry(name, operand, random) for operand in [None, *slopes]]
    lines = ",\n".join(json.dumps(e) for e in found)
    path = pathlib.Path(__file__).parent / "special_values.json"
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
