"""Every operation of the dialects on every element type: what compiles and runs.

The example of each operation is the one in operation_examples.py, or in the dialects' own
tests with its element type replaced. `python -m tests.plugin.ops_types OPERATIONS… > docs/compiler/ops_types.md`
writes the table that the test compares, where `CPU_PLUGIN` names the plugin.
"""

import os
import pathlib
import re
import sys

import numpy as np
import pypjrt
from pypjrt import _loader, errors

from tests.plugin import element_types, operation_examples

GROUPS = {
    "pred": ["i1"],
    "int": "i2 i4 i8 i16 i32 i64 ui2 ui4 ui8 ui16 ui32 ui64".split(),
    "fp": (
        "f4E2M1FN f8E3M4 f8E4M3 f8E4M3B11FNUZ f8E4M3FN f8E4M3FNUZ f8E5M2 f8E5M2FNUZ "
        "f8E8M0FNU bf16 f16 f32 f64"
    ).split(),
    "complex": ["complex<f32>", "complex<f64>"],
}
TYPES = [name for names in GROUPS.values() for name in names]
VALUES = {"pred": "true", "int": "1", "fp": "1.0", "complex": "(1.0, 0.0)"}
NAME = re.compile(
    r'getOperationName\(\) \{\s*return ::llvm::StringLiteral\("([^"]+)"\)'
)


def examples(paths):
    """Text of a module by operation and form, `$T` where the element type stands."""
    found = dict(operation_examples.WRITTEN)
    for path in paths:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        for function in re.split(r"(?m)^  (?=func\.func)", text)[1:]:
            function = function.rsplit("  }", 1)[0] + "}"
            name = re.search(r'= "?((?:stablehlo|chlo)\.[\w-]+)', function)[1]
            if name in operation_examples.FORM_OF_EXAMPLE:
                name += ", " + operation_examples.FORM_OF_EXAMPLE[name]
            function = re.sub(r"@[\w]+\(", "@main(", function, count=1)
            base = "f32" if "f32" in function else "i32"
            typed = re.sub(rf"(?<=[x<]){base}>", "$T>", function)
            if not any(key.split(",")[0] == name for key in found):
                found[name] = typed
    return found


def registered(paths):
    """The operations of the dialects, from the declarations that TableGen makes of them."""
    names = set()
    for path in paths:
        names |= set(NAME.findall(pathlib.Path(path).read_text(encoding="utf-8")))
    return names


def module_of(template, name):
    """The example with its type filled in."""
    part = name[8:-1] if name.startswith("complex") else name
    group = next(group for group, members in GROUPS.items() if name in members)
    attribute = VALUES[group] if name == "i1" else f"{VALUES[group]} : {name}"
    if group == "complex":
        attribute = f"#complex.number<:{part} 1.0, 0.0> : {name}"
    text = template.replace("complex<$T>", f"complex<{name}>")
    text = text.replace("$V", VALUES[group]).replace("$A", attribute)
    return text.replace("$T", name).replace("$P", part)


class Runner:
    """A client of the plugin with one of its back ends."""

    def __init__(self, plugin, backend):
        self.backend = backend
        self.context = pypjrt.Client.create(plugin, options={"backend": backend})

    def __enter__(self):
        self.client = self.context.__enter__()
        return self

    def __exit__(self, *problem):
        return self.context.__exit__(*problem)

    def arguments(self, module):
        """Buffers of zeros for what @main takes."""
        signature = module.split(" -> ", 1)[0]
        buffers = []
        with self.client.device(0) as device:
            for kind in re.findall(
                r"%\w+: tensor<((?:\d+x)*[\w<>]+?)>(?=[,)])", signature
            ):
                *sizes, name = re.fullmatch(r"((?:\d+x)*)(.*)", kind).groups()
                dims = [int(n) for n in sizes[0].split("x") if n]
                code, dtype = element_types.TYPES[name]
                count = 1
                for n in dims:
                    count *= n
                data = bytearray(np.dtype(dtype).itemsize * count)
                buffers.append(self.client.buffer_from_host(data, code, dims, device))
        return buffers

    def is_valid(self, module):
        """Whether the verifier accepts it."""
        try:
            self.client.compile(module)
        except errors.InvalidArgument:
            return False
        except (errors.Unimplemented, errors.NotFound):
            pass
        return True

    def verdict(self, module):
        """Says "yes", or the reason of the refusal."""
        try:
            executable = self.client.compile(module)
            if can_run(module):
                for out in executable(*self.arguments(module)):
                    out.to_host()
        except (errors.Unimplemented, errors.InvalidArgument) as refusal:
            return reason_of(str(refusal).splitlines()[0])
        except errors.NotFound:
            return "it calls a handler that a program must register first"
        return "yes"

    def verdicts(self, modules):
        """The verdict of each module: of all together where they are one program."""
        names = list(modules)
        if len(names) > 1 and all(can_run(module) for module in modules.values()):
            if self.verdict(together(modules.values())) == "yes":
                return dict.fromkeys(names, "yes")
            half = len(names) // 2
            parts = names[:half], names[half:]
            return {
                name: answer
                for part in parts
                for name, answer in self.verdicts({n: modules[n] for n in part}).items()
            }
        return {name: self.verdict(module) for name, module in modules.items()}


def reason_of(line):
    """What a refusal says, without the types and the source location."""
    line = re.sub(r"^.*?'[a-z_.0-9-]+'( op)?:? ", "", line)
    line = re.sub(r"^of .* at loc\(.*?\)(: )?", "", line)
    line = re.sub(r"^the module cannot be read: loc\(.*?\): `.*?` ", "", line)
    line = line.split(". If this is intended")[0]
    line = re.sub(r" of type [\w<>]+$", " of this type", line)
    line = re.sub(r"(\w+) \d of main: type .+? is", r"\1s of this type are", line)
    return line or "it does not know this operation"


def can_run(module):
    """Whether what @main takes and gives are arrays of known shapes."""
    return not re.match(r"[^\n]*(!|tuple<|\?)", module)


def together(modules):
    """One program that calls the @main of each."""
    functions, parameters, calls, results, types = [], [], [], [], []
    for n, module in enumerate(modules):
        module = module.replace("@helper", f"@helper{n}")
        functions.append(module.replace("func.func @main", f"func.func private @f{n}"))
        head = re.match(r"func\.func @main\((.*)\) -> (.*) \{", module)
        kinds = re.findall(r"%\w+: (tensor<[\w<>]*>)(?=,|$)", head[1])
        outs = re.findall(r"tensor<[\w<>]*>(?=,|\)|$)", head[2])
        own = [f"%a{n}_{i}" for i in range(len(kinds))]
        parameters += [f"{a}: {kind}" for a, kind in zip(own, kinds, strict=True)]
        calls.append(
            f"  %r{n}:{len(outs)} = func.call @f{n}({', '.join(own)}) : "
            f"({', '.join(kinds)}) -> ({', '.join(outs)})"
        )
        results += [f"%r{n}#{i}" for i in range(len(outs))]
        types += outs
    main = (
        f"func.func @main({', '.join(parameters)}) -> ({', '.join(types)}) {{\n"
        + "\n".join(calls)
        + f"\n  return {', '.join(results)} : {', '.join(types)}\n}}"
    )
    return "\n".join([main, *functions])


def words(names):
    """Types, whole groups by the group's name."""
    parts = []
    for group, members in GROUPS.items():
        chosen = [name for name in members if name in names]
        parts += [group] if chosen == members else [f"`{name}`" for name in chosen]
    return ", ".join(parts) or "none"


def row(runners, name, template):
    """The table's line for one operation."""
    modules = {"": template}
    if "$T" in template:
        modules = {kind: module_of(template, kind) for kind in TYPES}
    valid = {n: m for n, m in modules.items() if runners[1].is_valid(m)}
    # Operations that no type makes valid: one refusal shows why.
    valid = valid or {"f32": modules["f32"]}
    answers = {runner: runner.verdicts(valid) for runner in runners}
    columns = []
    for runner in runners:
        found = answers[runner]
        yes = [t for t, answer in found.items() if answer == "yes"]
        text = "yes" if yes == [""] else words(yes) if yes else "none"
        for reason in sorted(set(found.values()) - {"yes"}):
            refused = [t for t, answer in found.items() if answer == reason]
            text += (
                f"; refused{': ' + words(refused) if refused != [''] else ''}: {reason}"
            )
        columns.append(text)
    if columns[1] == columns[0]:
        columns[1] = "the same"
    return f"| `{name}` | " + " | ".join(columns) + " |"


HEAD = """# Operations and element types

What the CPU plugin's two back ends do with each operation that the dialects declare, on each element type; some have a
line for each of their forms. "refused" gives the message that the compiler prints. Types that are not named are not in the
dialect: the verifier refuses the program. `tests/plugin/ops_types_test.py` compiles and runs a program for each entry,
compares what happens, and fails where a declared operation has no line; `tests/plugin/ops_types.py` writes the file. pred
is `i1`; int are the signed and unsigned integers of 2 to 64 bits; fp are the floats of 4 to 64 bits; complex are
`complex<f32>` and `complex<f64>`.

| Operation | compiled | interpreted |
|---|---|---|
"""


def main():
    plugin = _loader.Plugin(os.path.abspath(os.environ["CPU_PLUGIN"]))
    with Runner(plugin, "native") as native, Runner(plugin, "reference") as reference:
        sys.stdout.write(HEAD)
        for name, template in sorted(examples(sys.argv[1:]).items()):
            print(row([native, reference], name, template), flush=True)


if __name__ == "__main__":
    main()
