//===- Api.h - The entry point of a plugin ----------------------*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_API_H
#define XLA_PJRT_COMMON_API_H

#include "pjrt_c_api.h"

/// The plugin's function table, valid for the life of the process. The one
/// symbol that the shared object exports.
extern "C" __attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi();

#endif // XLA_PJRT_COMMON_API_H
