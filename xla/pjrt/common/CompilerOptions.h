//===- CompilerOptions.h - Options that only a compiler knows ---*- C++ -*-===//
//
// `jax.jit(f, compiler_options={...})` sends names and values that the front
// end does not look into. One table says which exist here, and what becomes of
// them; every other name is refused.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PJRT_COMMON_COMPILEROPTIONS_H
#define XLA_PJRT_COMMON_COMPILEROPTIONS_H

#include "xla/runtime/OptimizableProgram.h"
#include "xla/support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace xla::pjrt {

/// An option's value as it was sent; nothing where the message holds none.
using CompilerOptionValue =
    std::variant<std::monostate, std::string, bool, int64_t, double>;

/// InvalidArgument for a name that the table lacks, or a value of another type
/// or out of range; Unimplemented for a name that asks for what is not here.
Status checkCompilerOption(std::string_view name,
                           const CompilerOptionValue &value);

/// The one option that is made use of: "auto", "best", "fast" or
/// "plan".
inline constexpr const char *compileTierOption = "xla_cpu_compile_tier";
std::optional<Tier> asTier(const CompilerOptionValue &value);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_COMPILEROPTIONS_H
