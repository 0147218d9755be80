//===- Compile.cpp - From the text of a program to its executable ---------===//

#include "xla/pipeline/Compile.h"

#include "xla/codegen/cpu/NativeProgram.h"
#include "xla/pipeline/ParseModule.h"
#include "xla/reference/Program.h"

namespace xla {

StatusOr<std::unique_ptr<AbstractProgram>>
compileProgram(std::string_view module, const CompileOptions &options) {
  StatusOr<ParsedModule> parsed = parseModule(module);
  if (!parsed.ok()) {
    return parsed.status();
  }
  switch (options.backend) {
  case Backend::Reference:
    return reference::makeProgram(std::move(parsed->context),
                                  std::move(parsed->module),
                                  std::move(parsed->signature));
  case Backend::Native:
    return cpu::compileNatively(*parsed->module, std::move(parsed->signature));
  }
  return internalError("an unknown backend was asked for");
}

} // namespace xla
