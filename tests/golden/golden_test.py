"""Every 20th golden case, and every one for eight devices, has the recorded outcome, but for those that lists explain."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from tests.testing import patience

HERE = pathlib.Path(__file__).parent
# Each with the reason for which our result is the better one.
BETTER = json.loads((HERE / "baselines/better.json").read_text())
# Those of 0.12.0, with the reasons, and with what is still missing.
OF_0_12 = json.loads((HERE / "baselines/release_0_12.json").read_text())["release_0_12"]
STEP = 20
# Kernels that do what the checker is there to find.
FAULTY_KERNELS = {
    **dict.fromkeys(
        ["interpret/run_scoped_starts", "interpret/scratch_starts"],
        "reads memory that nothing has written",
    ),
    "prefetch/segment_sums_in_order": "reads the result before it is written, in a `where`",
    **dict.fromkeys(
        [
            "interpret/block_before_the_start",
            "interpret/block_beyond_the_end",
            "interpret/block_far_before_the_start",
        ],
        "block out of bounds",
    ),
    **dict.fromkeys(
        [
            "interpret/element_beyond_the_end",
            "interpret/gather_past_the_end",
            "interpret/read_before_the_start",
            "interpret/read_past_the_end",
            "interpret/write_past_the_end",
        ],
        "element out of bounds",
    ),
    **dict.fromkeys(
        [
            "interpret/padding_and_output_never_written/int8+int16+int32",
            "interpret/padding_and_output_never_written/uint8+uint32+bool",
        ],
        "padding and what is never written hold the largest numbers when checked",
    ),
}


def cases_of(file: str) -> dict:
    return json.loads((HERE / f"{file}.json").read_text())


def case_ids(file: str) -> set[str]:
    return {case["id"] for case in cases_of(file)["cases"]}


def verdicts(path: pathlib.Path) -> dict[str, dict[str, list[str]]]:
    """File -> id -> what is wrong, of the cases that count, from what check_golden.py writes."""
    found = {}
    for name, wrong in json.loads(path.read_text()).items():
        file, _, case = name.partition(":")
        found.setdefault(file, {})[case] = wrong
    return {
        file: cases
        for file, cases in found.items()
        if not cases_of(file).get("informative")
    }


def replayed(tmp_path, *options, **variables):
    """The verdicts of a run of check_golden.py with environment variables, and what it printed."""
    written = tmp_path / "verdicts.json"
    command = [sys.executable, HERE / "check_golden.py", "--json", written, *options]
    command += ["--timeout", str(patience.LIMIT_S)]  # of a case
    answer = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **variables}
    )
    assert written.exists(), answer.stdout[-2000:] + answer.stderr[-2000:]
    return verdicts(written), answer.stdout


def unexplained(found, notice):
    """What is wrong and stands in no list; what stands in one and passes is told."""
    new = {}
    for file, cases in found.items():
        for case, wrong in cases.items():
            reason = BETTER.get(file, {}).get(case)
            if wrong and reason is None:
                new[f"{file}: {case}"] = wrong
            if not wrong and reason and "on our compiler it passes" not in reason:
                # A last bit may fall the other way on another processor.
                notice(f"golden case of a list that passes here: {file}: {case}")
    return json.dumps(new, indent=1) if new else None


def count(found):
    return sum(not wrong for cases in found.values() for wrong in cases.values())


def test_every_20th_case_has_the_recorded_outcome(tmp_path, notice):
    found, _ = replayed(tmp_path, "--every", str(STEP))
    assert count(found) >= 540, f"only {count(found)} cases pass"
    assert unexplained(found, notice) is None


@pytest.mark.parametrize("mode", ["interpreted", "compiled"])
def test_every_kernel_has_the_recorded_outcome(tmp_path, notice, mode):
    interpret = str(int(mode == "interpreted"))
    found, _ = replayed(tmp_path, "--file", "pallas", GOLDEN_PALLAS_INTERPRET=interpret)
    assert count(found) >= 249, f"only {count(found)} cases pass"
    assert unexplained(found, notice) is None


def test_the_checker_finds_the_faulty_kernels_and_no_others(tmp_path):
    found, _ = replayed(tmp_path, "--file", "pallas", JAX_PALLAS_CHECK="1")
    wrong = {case for case, text in found["pallas"].items() if text}
    assert wrong == set(FAULTY_KERNELS)


def test_every_case_on_eight_devices_has_the_recorded_outcome(tmp_path, notice):
    found, told = replayed(tmp_path, "--devices", "several")
    assert count(found) >= 1270, f"only {count(found)} cases pass"
    assert unexplained(found, notice) is None
    # Numbers alone do not distinguish a program that is divided from one that all devices run whole.
    placed = re.findall(r"(\d+)/(\d+) results placed", told)
    same, results = (sum(map(int, column)) for column in zip(*placed, strict=True))
    assert results > 200
    assert same >= 0.95 * results, f"{same} of {results} are where upstream puts them"


def test_the_newer_release_has_the_recorded_outcome_where_it_is_chosen(tmp_path):
    found, _ = replayed(tmp_path, "--file", "release_0_12", JAX_COMPAT="0.12.0")
    wrong = {case: text for case, text in found["release_0_12"].items() if text}
    assert {case: text for case, text in wrong.items() if case not in OF_0_12} == {}
    assert count(found) >= 241, f"only {count(found)} cases pass"


def test_what_is_listed_under_a_setting_does_not_come_from_it(tmp_path):
    # "strict: special: expi/f32" is the case expi/f32 of the file special, under a setting.
    without = {name: name.split(": ", 2)[1:] for name in BETTER["settings"]}
    for name, (file, case) in without.items():
        assert BETTER[file][case] == BETTER["settings"][name]
    chosen = [
        f"--file={file}" for file in {"settings", *(f for f, _ in without.values())}
    ]
    chosen += [f"--case={case}" for _, case in without.values()]
    found, _ = replayed(tmp_path, *chosen)
    for name, (file, case) in without.items():
        # How many elements differ, and which: the same ones. x64 may widen them.
        under, plain = (
            [re.sub(r"\(float\d+\)", "", text.replace(name, case)) for text in wrong]
            for wrong in (found["settings"][name], found[file][case])
        )
        assert under == plain != []


@pytest.mark.parametrize(
    "name", ["better", "real_xla_plugin", "release_0_12", "upstream_on_our_plugin"]
)
def test_the_list_of_exceptions_names_cases_and_says_why(name):
    listed = json.loads((HERE / f"baselines/{name}.json").read_text())
    for file, entries in listed.items():
        assert set(entries) <= case_ids(file), sorted(set(entries) - case_ids(file))
        assert all(len(reason) > 3 for reason in entries.values())
