//===- Platform.h - What plugins differ in ----------------------*- C++ -*-===//
//
// The C API, arrays, queues and launches are the same for all devices that see
// the host's memory. A plugin is linked of them and of one definition of
// `platform`, which names its devices and its compiler.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_PJRT_COMMON_PLATFORM_H
#define XLA_PJRT_COMMON_PLATFORM_H

#include "xla/pipeline/Compile.h"

#include <string>
#include <string_view>

namespace xla::pjrt {

struct Platform {
  std::string_view name;         ///< for clients: "cpu"
  std::string_view title;        ///< in messages: "CPU"
  std::string_view devicePrefix; ///< of devices: "CpuDevice"
  /// The client's option that says how many devices there are.
  std::string_view deviceCountOption;
  /// The first bytes of a serialized executable; they differ where the meaning
  /// of the rest does.
  std::string_view serializedMagic;

  /// What a client does first: opens what runs its programs.
  Status (*prepare)(Backend backend);
  /// Whether programs take arrays in any memory of the host, or in that of the
  /// allocator alone.
  bool seesHostMemory;
  std::string_view (*deviceKind)();

  // The compiler, as Compile.h has it.
  decltype(&compileProgram) compile;
  decltype(&describeProgram) describe;
  decltype(&loadProgram) load;
  decltype(&xla::codeIdentity) codeIdentity;
  /// How many operations of a program the device leaves to its host.
  int64_t (*hostOperations)(const AbstractProgram &program);

  /// "the CPU plugin"
  std::string plugin() const { return "the " + std::string(title) + " plugin"; }
};

/// That of the plugin which this is linked into.
const Platform &platform();

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_PLATFORM_H
