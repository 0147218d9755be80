//===- Additions.h - What versions 0.4 and 0.5 add to the FFI ---*- C++ -*-===//
//
// The public header here is that of version 0.3: handlers that it builds load
// into older runtimes too. Handlers of 0.4 and 0.5 are taken as well: these
// versions add fields to the ends of structures and a stage to the bundle, and
// `struct_size` says which form the other side has. Inside this folder only.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_FFI_ADDITIONS_H
#define XLA_FFI_ADDITIONS_H

#include "xla/ffi/api/c_api.h"

#include <cstddef>
#include <cstdint>

namespace xla::custom_call {

/// The newest minor version of which handlers are taken.
constexpr int minorVersion = 5;
static_assert(XLA_FFI_API_MAJOR == 0 && XLA_FFI_API_MINOR <= minorVersion);

/// The message of an error and, since 0.4, its code.
struct ErrorDetails {
  XLA_FFI_Error_GetMessage_Args message;
  XLA_FFI_Error_Code code; // out
};

/// A handler's functions by stage, with the one that records into a command
/// buffer: devices with such buffers have it called, CPUs have none.
struct BundleWithRecord {
  XLA_FFI_Handler_Bundle stages;
  XLA_FFI_Handler *record;
};

/// XLA_FFI_Handler_Register_Args with the longer bundle, which moves `traits`.
struct RegisterWithRecord {
  size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_ByteSpan platform;
  BundleWithRecord bundle;
  XLA_FFI_Handler_Traits traits;
};

/// What a runtime attaches to a call for handlers that know the type.
struct CallExtension;

struct FindExtensionArguments {
  size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  int64_t extension_type;
  const CallExtension *extension; // out: null where there is none
};

struct CustomOptionsArguments {
  size_t struct_size;
  XLA_FFI_Extension_Base *extension_start;
  XLA_FFI_ExecutionContext *ctx;
  const XLA_FFI_Attrs *attrs; // out
};

/// The table of 0.5.
struct InterfaceTable {
  XLA_FFI_Api older;
  XLA_FFI_Error *(*findExtension)(FindExtensionArguments *arguments);
  XLA_FFI_Error *(*customOptions)(CustomOptionsArguments *arguments);
};

static_assert(offsetof(ErrorDetails, code) == 32);
static_assert(sizeof(RegisterWithRecord) ==
              sizeof(XLA_FFI_Handler_Register_Args) + sizeof(void *));
static_assert(offsetof(InterfaceTable, findExtension) ==
              XLA_FFI_Api_STRUCT_SIZE);

} // namespace xla::custom_call

#endif // XLA_FFI_ADDITIONS_H
