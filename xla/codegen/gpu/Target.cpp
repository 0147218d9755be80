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

static MatrixUnit unitOf(llvm::StringRef chip) {
  if (chip.starts_with("gfx9")) {
    return MatrixUnit::Mfma;
  }
  if (chip.starts_with("gfx")) {
    return MatrixUnit::Wmma;
  }
  // Those before sm_80 have none for most types.
  bool isOld = chip == "sm_70" || chip == "sm_75";
  return chip == "sm_90a" ? MatrixUnit::Wgmma
         : isOld          ? MatrixUnit::None
                          : MatrixUnit::Mma;
}

Target emulatedTarget() {
  Target target;
  target.unit = MatrixUnit::Mma;
  return target;
}

StatusOr<Target> parseTarget(llvm::StringRef name) {
  Target target;
  target.chip = name.str();
  if (llvm::StringRef ptx = ptxOf(name); !ptx.empty()) {
    target.vendor = Vendor::Nvidia;
    target.triple = "nvptx64-nvidia-cuda";
    target.features = ptx.str();
    target.unit = unitOf(name);
    return target;
  }
  for (llvm::StringRef chip : {"gfx90a", "gfx942", "gfx1100"}) {
    if (name == chip) {
      target.vendor = Vendor::Amd;
      target.triple = "amdgcn-amd-amdhsa";
      target.unit = unitOf(name);
      return target;
    }
  }
  if (name == "spirv") {
    target.vendor = Vendor::OpenCl;
    target.triple = "spirv64-unknown-unknown";
    target.chip = "";
    return target;
  }
  if (name == "emulated" || name == "emulated_mfma" ||
      name == "emulated_wmma") {
    target = emulatedTarget();
    target.unit = name == "emulated_mfma"   ? MatrixUnit::Mfma
                  : name == "emulated_wmma" ? MatrixUnit::Wmma
                                            : target.unit;
    return target;
  }
  return invalidArgument("there is no GPU target '" + name.str() +
                         "': targets are sm_70 to sm_120a, gfx90a, gfx942, "
                         "gfx1100, spirv and emulated");
}

} // namespace xla::gpu
