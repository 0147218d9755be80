"""Every declared primitive has the rules that transformations and law tests ask for, or says why not.

The gaps below may only shrink: what is filled must leave the table.
"""

import importlib
import pathlib
import re

import jax
from jax._src.core import primitive as primitive_lib

Trait = primitive_lib.Trait
SOURCES = pathlib.Path(jax.__file__).parent
DECLARES = re.compile(r"\b(?:declare|named|Primitive|set_rule)\(")

# What a primitive declares, and the samples that another module adds, depends on
# no earlier test's imports.
for path in sorted((SOURCES / "_src").rglob("*.py")):
    if DECLARES.search(path.read_text()):
        importlib.import_module(
            ".".join(("jax", *path.relative_to(SOURCES).with_suffix("").parts))
        )

HOLDS_PROGRAMS = "holds programs; tests/transforms and tests/lax cover it"
NEEDS_AN_AXIS = "needs a named axis; tests/lax covers it"

SPARSE = [
    "bcoo_dot_general",
    "bcoo_dot_general_sampled",
    "bcoo_extract",
    "bcoo_fromdense",
    "bcoo_sort_indices",
    "bcoo_spdot_general",
    "bcoo_sum_duplicates",
    "bcoo_todense",
    "bcoo_transpose",
    "bcsr_dot_general",
    "bcsr_extract",
    "bcsr_fromdense",
    "bcsr_todense",
    "coo_fromdense",
    "coo_matmat",
    "coo_matvec",
    "coo_todense",
    "csr_fromdense",
    "csr_matmat",
    "csr_matvec",
    "csr_todense",
    "spsolve",
    "todense",
]

GAPS = {
    "batch": {
        "dim_as_value": "takes no operands",
        "platform_index": "takes no operands",
        "rng_uniform": "stateful and obsolete: no batch is meaningful",
    },
    "sharding": {
        "shard_alike": "it says itself that two arrays are sharded alike",
        **dict.fromkeys(
            [*SPARSE, "sparse_times_dense"],
            "sparse arrays are not sharded over Explicit axes; the error says so",
        ),
    },
    "reference": {
        "global_array_to_host_local_array": "wants several processes",
        "host_local_array_to_global_array": "wants several processes",
        **dict.fromkeys(
            [
                "custom_jvp_call",
                "custom_lin",
                "custom_root",
                "custom_vjp_call",
                "custom_vmap_call",
                "fused_call",
                "fusible",
                "jit",
                "linear_call",
                "remat2",
                "shard_map",
            ],
            HOLDS_PROGRAMS,
        ),
        **dict.fromkeys(
            [
                "all_gather",
                "all_gather_invariant",
                "all_gather_reduced",
                "all_to_all",
                "axis_index",
                "pbroadcast",
                "pmax",
                "pmin",
                "ppermute",
                "precv",
                "preduced",
                "psend",
                "psum",
                "psum_invariant",
                "pvary",
                "ragged_all_to_all",
                "reduce_scatter",
                "reduced_vary_cast",
                "unreduced_psum",
                "unreduced_reduce_scatter",
                "vary_unreduced_cast",
            ],
            NEEDS_AN_AXIS,
        ),
        **dict.fromkeys(
            ["debug_callback", "ffi_call", "io_callback", "pure_callback"],
            "they call any function; tests/callbacks and tests/ffi cover them",
        ),
        **dict.fromkeys(
            ["after_all", "create_token"], "tokens hold no data; tests/lax covers them"
        ),
        **dict.fromkeys(
            ["from_edtype", "to_edtype"],
            "NumPy has no such values; tests/lax/extended_dtypes_test.py covers them",
        ),
        **dict.fromkeys(
            ["call_hi_primitive", "call_hi_primitive_linearized"],
            "their class says what they compute; tests/compat covers it",
        ),
        "assert_consumed_value": "marks a key as used; tests/random covers it",
        "check": "raises or becomes a finding; tests/checkify covers it",
        "control_dep": "orders two calls; tests/ffi covers it",
        "name": "the identity",
        "pallas_call": "its kernel is written against references; tests/pallas covers it",
        "random_gamma": "its operand is a key; tests/random covers it",
        "random_unwrap": "keys are no arrays of NumPy; tests/random covers it",
        "random_use": "keys are no arrays of NumPy; tests/random covers it",
        "random_wrap": "keys are no arrays of NumPy; tests/random covers it",
        "rng_uniform": "its numbers are the backend's own",
    },
}
GAPS["samples"] = {
    **GAPS["reference"],
    "dim_as_value": "outside of exported programs no dimension has a value",
    **dict.fromkeys(
        ["cond", "custom_linear_solve", "reduce_window", "scan", "while"],
        HOLDS_PROGRAMS,
    ),
}

# Their samples are there: laws of derivatives and batches need no reference.
GAPS["reference"] |= {
    "custom_partitioning": HOLDS_PROGRAMS,
    **dict.fromkeys(SPARSE, "NumPy has no such arrays; tests/sparse covers them"),
}

IMPLIED = {
    "batch": Trait.ELEMENTWISE,
    "jvp": Trait.LINEAR | Trait.MULTILINEAR | Trait.NOT_DIFFERENTIABLE,
}
ALTERNATIVES = {
    "types": ("types", "types_and_effects"),
    "lower": ("lower", "decompose"),
    "jvp": ("jvp", "jvp_all", "linearize"),
    "batch": ("batch",),
    "reference": ("reference",),
    "samples": ("samples",),
    "sharding": ("sharding",),
}


def lacking(kind):
    """The declared primitives that neither have the rule nor imply it by a trait."""
    return {
        name
        for name, primitive in primitive_lib.declared_primitives().items()
        if not any(rule in primitive.rules for rule in ALTERNATIVES[kind])
        and not primitive.traits & IMPLIED.get(kind, Trait(0))
    }


def test_primitives_lack_only_the_rules_that_the_table_names():
    unexplained = {
        kind: sorted(lacking(kind) - set(GAPS.get(kind, ()))) for kind in ALTERNATIVES
    }
    assert not any(unexplained.values()), unexplained


def test_the_table_names_no_gap_that_is_filled():
    filled = {kind: sorted(set(gaps) - lacking(kind)) for kind, gaps in GAPS.items()}
    assert not any(filled.values()), filled


def test_the_page_on_primitives_lists_the_rules():
    page = pathlib.Path(__file__).parents[2] / "docs/internals/primitives.md"
    table = page.read_text().partition("| Rule |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(primitive_lib.RULES)


def test_what_is_unsupported_says_why():
    silent = [
        f"{name}.{kind}"
        for name, primitive in primitive_lib.declared_primitives().items()
        for kind, rule in primitive.rules.items()
        if isinstance(rule, primitive_lib.Unsupported) and len(rule.reason) < 10
    ]
    assert not silent, silent
