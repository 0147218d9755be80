//===- RuntimeSymbols.cpp - What generated code links against -------------===//

#include "xla/codegen/cpu/RuntimeSymbols.h"

#include "xla/runtime/abi/Runtime.h"

#include <cmath>
#include <cstring>

extern "C" {
// Of the compiler's own support library: 128-bit division and half floats on
// processors without instructions for them.
float __extendhfsf2(_Float16);
_Float16 __truncdfhf2(double);
_Float16 __truncsfhf2(float);
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
}

namespace xla::cpu {

template <typename Function>
static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

/// A symbol under its own name.
#define RUNTIME(name) {#name, addressOf(&::name)}
/// A function of <cmath> that is overloaded: the version in C.
#define MATH1(name, type) {#name, addressOf<type(type)>(&::name)}
#define MATH2(name, type) {#name, addressOf<type(type, type)>(&::name)}
#define MATH3(name, type) {#name, addressOf<type(type, type, type)>(&::name)}

llvm::ArrayRef<RuntimeSymbol> runtimeSymbols() {
  static const RuntimeSymbol symbols[] = {
      RUNTIME(xla_parallel_for),
      RUNTIME(xla_gemm_f32),
      RUNTIME(xla_gemm_f64),
      RUNTIME(xla_gemm_s32),
      RUNTIME(xla_gemm_bf16_f32),
      RUNTIME(xla_gemm_f16_f32),
      RUNTIME(xla_gemm_s8_s32),
      RUNTIME(xla_gemm_s8_u8_s32),
      RUNTIME(xla_gemm_u8_s8_s32),
      RUNTIME(xla_gemm_u8_s32),
      RUNTIME(xla_cholesky),
      RUNTIME(xla_fft),
      RUNTIME(xla_sort),
      RUNTIME(xla_sort_f32),
      RUNTIME(xla_sort_f32_total),
      RUNTIME(xla_sort_s32),
      RUNTIME(xla_sort_u32),
      RUNTIME(xla_sparse_product),
      RUNTIME(xla_triangular_solve),
      RUNTIME(__extendhfsf2),
      RUNTIME(__truncdfhf2),
      RUNTIME(__truncsfhf2),
      RUNTIME(xla_select_first),
      RUNTIME(__divti3),
      RUNTIME(__modti3),
      RUNTIME(__udivti3),
      RUNTIME(__umodti3),
      {"memcpy", addressOf(&::memcpy)},
      {"memmove", addressOf(&::memmove)},
      {"memset", addressOf(&::memset)},
      {"bcmp", addressOf(&::memcmp)},
      MATH1(sin, double),
      MATH1(cos, double),
      MATH1(tan, double),
      MATH1(cbrt, double),
      // What LLVM makes of powers of two and ten, of the power 1/2 of a
      // negative constant, and of a sine beside a cosine.
      MATH1(exp2, double),
      MATH1(exp2f, float),
      {"exp10", addressOf<double(double)>(&::exp10)},
      {"exp10f", addressOf<float(float)>(&::exp10f)},
      MATH1(sqrt, double),
      MATH1(sqrtf, float),
      {"ldexp", addressOf<double(double, int)>(&::ldexp)},
      {"ldexpf", addressOf<float(float, int)>(&::ldexpf)},
      {"sincos", addressOf(&::sincos)},
      MATH2(atan2, double),
      MATH2(pow, double),
      MATH2(fmod, double),
      MATH2(fmodf, float),
      MATH3(fma, double),
      MATH3(fmaf, float),
      MATH1(floor, double),
      MATH1(floorf, float),
      MATH1(ceil, double),
      MATH1(ceilf, float),
      MATH1(round, double),
      MATH1(roundf, float),
      MATH1(roundeven, double),
      MATH1(roundevenf, float),
      MATH1(trunc, double),
      MATH1(truncf, float),
      MATH1(rint, double),
      MATH1(rintf, float),
  };
  return symbols;
}

} // namespace xla::cpu
