"""Runs test files under LLVM's lit. Arguments: the files and what they read, then `--tools` and the tools that RUN lines call by base name."""

import os
import pathlib
import sys

llvm = pathlib.Path(os.environ["TEST_SRCDIR"], "llvm")
split = sys.argv.index("--tools")
sources, tools = (
    [pathlib.Path(argument).absolute() for argument in part]
    for part in (sys.argv[1:split], sys.argv[split + 1 :])
)
suite = pathlib.Path(os.environ["TEST_TMPDIR"], "suite")
(suite / "bin").mkdir(parents=True)
for tool in [*tools, llvm / "bin/FileCheck", llvm / "bin/not"]:
    (suite / "bin" / tool.name).symlink_to(tool)
for source in sources:
    (suite / source.name).write_bytes(source.read_bytes())
(suite / "lit.cfg.py").write_text(f"""import lit.formats
config.name, config.suffixes, config.excludes = "lit", [".mlir"], ["bin"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.environment["PATH"] = "{suite}/bin:/usr/bin:/bin"
""")

sys.path.insert(0, str(llvm))
sys.argv = ["lit", "-v", "--no-progress-bar", str(suite)]

from lit.main import main  # noqa: E402

main()
