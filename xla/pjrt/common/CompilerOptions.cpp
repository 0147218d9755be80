#include "xla/pjrt/common/CompilerOptions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

namespace xla::pjrt {

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

enum class Type { Boolean, Integer, Number, Text, Tier };

struct Row {
  const char *name;
  Type type = Type::Boolean;
  double minimum = 0; ///< of an integer or a number
  double maximum = 0;
};

// Leave to be inexact, which is never made use of: whatever is requested, NaN
// and infinities follow IEEE 754, and each operation rounds to its own type.
constexpr Row exactness[] = {
    {"xla_allow_excess_precision"},        {"xla_cpu_enable_fast_math"},
    {"xla_cpu_enable_fast_min_max"},       {"xla_cpu_fast_math_honor_division"},
    {"xla_cpu_fast_math_honor_functions"}, {"xla_cpu_fast_math_honor_infs"},
    {"xla_cpu_fast_math_honor_nans"},      {"xla_enable_fast_math"},
};

// How hard to work, and how to share work out: results are the same, and the
// one way to compile that there is here is taken.
constexpr Row effort[] = {
    {"exec_time_optimization_effort", Type::Number, -1, 1},
    {"memory_fitting_effort", Type::Number, -1, 1},
    {"xla_backend_optimization_level", Type::Integer, 0, 3},
    {"xla_cpu_copy_insertion_use_region_analysis"},
    {"xla_cpu_enable_concurrency_optimized_scheduler"},
    {"xla_cpu_multi_thread_eigen"},
    {"xla_cpu_parallel_codegen_split_count", Type::Integer, 1, 1024},
    {"xla_cpu_prefer_vector_width", Type::Integer, 0, 4096},
    {"xla_cpu_use_fusion_emitters"},
    {"xla_cpu_use_onednn"},
    {"xla_cpu_use_xnnpack"},
    {"xla_embed_ir_in_executable"}, // as_text() always has the program
    {"xla_llvm_disable_expensive_passes"},
};

// What is made use of.
constexpr Row used[] = {{compileTierOption, Type::Tier}};

// Of other kinds of devices: one set of options may serve programs for several.
constexpr Row otherDevices[] = {
    {"xla_gpu_autotune_level", Type::Integer, 0, 5},
    {"xla_gpu_deterministic_ops"},
    {"xla_gpu_enable_command_buffer", Type::Text},
    {"xla_gpu_enable_fast_min_max"},
    {"xla_gpu_enable_latency_hiding_scheduler"},
    {"xla_gpu_enable_triton_gemm"},
    {"xla_gpu_triton_gemm_any"},
};

/// What XLA has, this compiler lacks, and a caller would miss.
struct Absent {
  const char *name;
  const char *way;
};

constexpr Absent absent[] = {
    {"xla_cpu_max_isa",
     "Leave it out: code is made for the processor that it runs on."},
    {"xla_disable_hlo_passes",
     "Leave it out: create the client with the option backend=\"reference\" "
     "to run without the passes of the compiler."},
    {"xla_dump_hlo_as_text",
     "Leave it out: jax.jit(f).lower(...).compile().as_text() is the text."},
    {"xla_dump_to",
     "Leave it out: jax.jit(f).lower(...).compile().as_text() is the text."},
    {"xla_force_host_platform_device_count",
     "Set jax.config.update(\"jax_num_cpu_devices\", n) before the first "
     "call instead."},
};

} // namespace

static std::vector<Row> rows() {
  std::vector<Row> all(std::begin(exactness), std::end(exactness));
  all.insert(all.end(), std::begin(effort), std::end(effort));
  all.insert(all.end(), std::begin(used), std::end(used));
  all.insert(all.end(), std::begin(otherDevices), std::end(otherDevices));
  return all;
}

//===----------------------------------------------------------------------===//
// Reading values
//===----------------------------------------------------------------------===//

/// A value may come as the text of its type, as the options of a command line
/// do: "True", "3".
static std::optional<bool> asBoolean(const CompilerOptionValue &value) {
  if (const auto *flag = std::get_if<bool>(&value)) {
    return *flag;
  }
  const auto *text = std::get_if<std::string>(&value);
  if (text && (*text == "True" || *text == "true")) {
    return true;
  }
  if (text && (*text == "False" || *text == "false")) {
    return false;
  }
  return std::nullopt;
}

template <typename T>
static std::optional<double> parsed(const std::string &text) {
  T number;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return static_cast<double>(number);
}

static std::optional<double> asNumber(const CompilerOptionValue &value,
                                      Type type) {
  if (const auto *number = std::get_if<int64_t>(&value)) {
    return static_cast<double>(*number);
  }
  if (const auto *text = std::get_if<std::string>(&value)) {
    return type == Type::Integer ? parsed<int64_t>(*text)
                                 : parsed<double>(*text);
  }
  const auto *real = std::get_if<double>(&value);
  return real && type == Type::Number ? std::optional<double>(*real)
                                      : std::nullopt;
}

std::optional<Tier> asTier(const CompilerOptionValue &value) {
  const auto *text = std::get_if<std::string>(&value);
  if (text && *text == "auto") {
    return Tier::Auto;
  }
  if (text && *text == "fast") {
    return Tier::Fast;
  }
  if (text && *text == "plan") {
    return Tier::Plan;
  }
  return text && *text == "best" ? std::optional(Tier::Best) : std::nullopt;
}

static bool isFitting(const Row &row, const CompilerOptionValue &value) {
  switch (row.type) {
  case Type::Boolean:
    return asBoolean(value).has_value();
  case Type::Text:
    return std::holds_alternative<std::string>(value);
  case Type::Tier:
    return asTier(value).has_value();
  case Type::Integer:
  case Type::Number:
    break;
  }
  std::optional<double> number = asNumber(value, row.type);
  return number && *number >= row.minimum && *number <= row.maximum;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string shown(const CompilerOptionValue &value) {
  if (const auto *text = std::get_if<std::string>(&value)) {
    return "\"" + text->substr(0, 80) + "\", a string";
  }
  if (const auto *flag = std::get_if<bool>(&value)) {
    return *flag ? "True, a boolean" : "False, a boolean";
  }
  if (const auto *number = std::get_if<int64_t>(&value)) {
    return std::to_string(*number) + ", an integer";
  }
  if (const auto *real = std::get_if<double>(&value)) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%g", *real);
    return std::string(digits) + ", a float";
  }
  return "none";
}

static std::string wanted(const Row &row) {
  if (row.type == Type::Boolean) {
    return "a boolean: True or False";
  }
  if (row.type == Type::Text) {
    return "a string";
  }
  if (row.type == Type::Tier) {
    return "\"auto\", \"best\", \"fast\" or \"plan\"";
  }
  char range[64];
  std::snprintf(range, sizeof range, "%s from %g to %g",
                row.type == Type::Integer ? "an integer" : "a number",
                row.minimum, row.maximum);
  return range;
}

/// How many letters must be put in, taken out or exchanged to make `b` of `a`
/// (Wagner and Fischer, "The string-to-string correction problem", 1974).
static size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

static Status unknownOption(std::string_view name) {
  std::string_view given = name.substr(0, 80);
  std::string way = "Leave it out.";
  size_t least = 1 + given.size() / 4;
  for (const Row &row : rows()) {
    size_t letters = distance(given, row.name);
    if (letters <= least) {
      least = letters;
      way = "Did you mean " + std::string(row.name) + "?";
    }
  }
  return invalidArgument("No such compile option: '" + std::string(given) +
                         "'.\nThe CPU compiler takes the options of its table "
                         "(docs/internals/cpu_plugin.md) and no others.\n" +
                         way);
}

Status checkCompilerOption(std::string_view name,
                           const CompilerOptionValue &value) {
  for (const Absent &option : absent) {
    if (name == option.name) {
      return unimplemented("The compiler option '" + std::string(name) +
                           "' is not supported.\n  value  " + shown(value) +
                           "\nThe CPU compiler has nothing that it could "
                           "change.\n" +
                           option.way);
    }
  }
  std::vector<Row> all = rows();
  auto row = std::find_if(all.begin(), all.end(),
                          [&](const Row &each) { return name == each.name; });
  if (row == all.end()) {
    return unknownOption(name);
  }
  if (isFitting(*row, value)) {
    return okStatus();
  }
  return invalidArgument("The compiler option '" + std::string(name) +
                         "' has a value that it cannot have.\n  value   " +
                         shown(value) + "\n  wanted  " + wanted(*row) +
                         "\nGive such a value, or leave the option out.");
}

} // namespace xla::pjrt
