//===- LoadProgram.cpp - Programs that were compiled before ---------------===//

#include "xla/codegen/cpu/NativeProgram.h"
#include "xla/pipeline/Compile.h"

namespace xla {

StatusOr<std::unique_ptr<AbstractProgram>> loadProgram(std::string_view image) {
  return cpu::loadNatively(image);
}

const std::string &codeIdentity() { return cpu::codeIdentity(); }

} // namespace xla
