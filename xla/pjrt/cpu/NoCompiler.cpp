// Stands where the compiler will: a plugin that keeps arrays and compiles none.

#include "xla/pipeline/Compile.h"

namespace xla {

StatusOr<std::unique_ptr<AbstractProgram>>
compileProgram(std::string_view, const CompileOptions &) {
  return unimplemented("this build of the CPU plugin has no compiler");
}

} // namespace xla
