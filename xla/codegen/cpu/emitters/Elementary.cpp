//===- Elementary.cpp - Calls of the math library -------------------------===//

#include "xla/codegen/cpu/emitters/Elementwise.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

namespace {
struct Row {
  llvm::StringLiteral op;
  const char *f32;
  const char *f64;
  bool ours64; ///< else of the C library, one element at a time
};
} // namespace

static constexpr Row rows[] = {
    {"stablehlo.atan2", "xla_atan2_f32", "atan2", false},
    {"stablehlo.cbrt", "xla_cbrt_f32", "xla_cbrt_f64", true},
    {"stablehlo.cosine", "xla_cos_f32", "cos", false},
    {"stablehlo.exponential", "xla_exp_f32", "xla_exp_f64", true},
    {"stablehlo.exponential_minus_one", "xla_expm1_f32", "xla_expm1_f64", true},
    {"stablehlo.log", "xla_log_f32", "xla_log_f64", true},
    {"stablehlo.log_plus_one", "xla_log1p_f32", "xla_log1p_f64", true},
    {"stablehlo.logistic", "xla_logistic_f32", "xla_logistic_f64", true},
    {"stablehlo.power", "xla_pow_f32", "pow", false},
    {"stablehlo.remainder", "xla_rem_f32", "fmod", false},
    {"stablehlo.sine", "xla_sin_f32", "sin", false},
    {"stablehlo.tan", "xla_tan_f32", "tan", false},
    {"stablehlo.tanh", "xla_tanh_f32", "xla_tanh_f64", true},
};

llvm::Value *callElementary(Emitter &e, mlir::Operation *op, ElementType type,
                            llvm::ArrayRef<llvm::Value *> x) {
  for (const Row &row : rows) {
    if (row.op != op->getName().getStringRef()) {
      continue;
    }
    if (type == ElementType::F32) {
      return e.callMath(row.f32, x);
    }
    return row.ours64 ? e.callMath(row.f64, x)
                      : e.callRuntime(row.f64, x.front()->getType(), x);
  }
  return nullptr;
}

} // namespace xla::cpu
