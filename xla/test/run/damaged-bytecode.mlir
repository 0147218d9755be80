// Files that MLIR's own reader would crash on or never finish.
// RUN: not xla-run %S/type_within_itself.mlirbc 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not xla-run %S/entries_beyond_section.mlirbc 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not xla-run %S/strings_beyond_file.mlirbc 2>&1 | FileCheck %s --check-prefix=STRINGS
// RUN: not xla-run %S/values_beyond_file.mlirbc 2>&1 | FileCheck %s --check-prefix=OPERATIONS

// TABLE: the module cannot be read: the bytecode is damaged: what its table of attributes and types holds disagrees with its counts
// STRINGS: the bytecode is damaged: what its string section holds
// OPERATIONS: the bytecode is damaged: what its operation section holds
