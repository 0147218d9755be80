"""No function depends on a user's setting: where JAX 0.10.2 computes under one, so do we.

Each 40th expression of the public surface; `ci/settings` tries all of them.
"""

import json

import pytest
import under_settings

KNOWN = json.loads((under_settings.HERE / "baselines/under_settings.json").read_text())
CASES = under_settings.chosen_cases()[::40]


def test_expressions_name_most_of_the_public_surface():
    expressions = " ".join(case["expr"] for _, _, case in under_settings.chosen_cases())
    names = set(under_settings.NAME.findall(expressions))
    for module, least in [("jnp", 380), ("lax", 140), ("jsp", 190), ("random", 45)]:
        assert sum(name.startswith(f"{module}.") for name in names) >= least, module


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}: {case[2]['id']}")
def test_an_expression_computes_under_each_setting(case):
    (found,) = under_settings.replay([case], list(under_settings.SETTINGS))
    name, differences = found
    assert not under_settings.compare(name, differences, KNOWN.get(name, {}))
