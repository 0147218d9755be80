//===- Target.cpp - The processors that kernels are made for --------------===//

#include "xla/codegen/gpu/Target.h"

namespace xla::gpu {

/// The oldest PTX that has the instructions of a chip, so that old drivers and
/// assemblers take it; empty for a chip that is not known.
static llvm::StringRef ptxOf(llvm::StringRef chip) {
  struct Row {
    llvm::StringLiteral chip, features;
  };
  static constexpr Row rows[] = {
      {"sm_70", "+ptx60"},  {"sm_75", "+ptx63"},   {"sm_80", "+ptx70"},
      {"sm_86", "+ptx71"},  {"sm_89", "+ptx78"},   {"sm_90", "+ptx78"},
      {"sm_90a", "+ptx80"}, {"sm_100", "+ptx86"},  {"sm_100a", "+ptx86"},
      {"sm_120", "+ptx87"}, {"sm_120a", "+ptx87"},
  };
  for (const Row &row : rows) {
    if (row.chip == chip) {
      return row.features;
    }
  }
  return "";
}

StatusOr<Target> parseTarget(llvm::StringRef name) {
  Target target;
  target.chip = name.str();
  if (llvm::StringRef ptx = ptxOf(name); !ptx.empty()) {
    target.vendor = Vendor::Nvidia;
    target.triple = "nvptx64-nvidia-cuda";
    target.features = ptx.str();
    return target;
  }
  for (llvm::StringRef chip : {"gfx90a", "gfx942", "gfx1100"}) {
    if (name == chip) {
      target.vendor = Vendor::Amd;
      target.triple = "amdgcn-amd-amdhsa";
      return target;
    }
  }
  if (name == "spirv") {
    target.vendor = Vendor::OpenCl;
    target.triple = "spirv64-unknown-unknown";
    target.chip = "";
    return target;
  }
  if (name == "emulated") {
    return target;
  }
  return invalidArgument("there is no GPU target '" + name.str() +
                         "': targets are sm_70 to sm_120a, gfx90a, gfx942, "
                         "gfx1100, spirv and emulated");
}

} // namespace xla::gpu
