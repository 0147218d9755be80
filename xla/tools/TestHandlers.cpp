//===- TestHandlers.cpp - Targets of custom calls for tests ---------------===//

#include "xla/tools/TestHandlers.h"

#include "xla/ffi/CustomCall.h"

#include "xla/ffi/api/ffi.h"

#include <cstring>

namespace api = ::xla::ffi;
using api::AnyBuffer;
using Output = api::Result<AnyBuffer>;

/// y = factor * x, of f32.
static api::Error scale(api::Buffer<api::F32> x, float factor,
                        api::Result<api::Buffer<api::F32>> y) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    y->typed_data()[i] = factor * x.typed_data()[i];
  }
  return api::Error::Success();
}

/// The bytes of x as they are stored in memory.
static api::Error copy(AnyBuffer x, Output y) {
  if (x.size_bytes() != y->size_bytes()) {
    return api::Error(api::ErrorCode::kInvalidArgument, "the sizes differ");
  }
  if (x.size_bytes() > 0) {
    std::memcpy(y->untyped_data(), x.untyped_data(), x.size_bytes());
  }
  return api::Error::Success();
}

/// The dimensions of x, one s64 each.
static api::Error sizes(AnyBuffer x, api::Result<api::Buffer<api::S64>> y) {
  if (y->element_count() != x.dimensions().size()) {
    return api::Error(api::ErrorCode::kInvalidArgument, "the ranks differ");
  }
  std::copy(x.dimensions().begin(), x.dimensions().end(), y->typed_data());
  return api::Error::Success();
}

/// How often the target `count` was called in this process, in each result
/// that is no token.
static api::Error count(api::RemainingArgs, api::RemainingRets results) {
  static int32_t calls = 0;
  ++calls;
  for (size_t i = 0; i < results.size(); ++i) {
    auto result = results.get<AnyBuffer>(i);
    if (result.has_value() && (*result)->element_type() == api::DataType::S32) {
      *(*result)->typed_data<int32_t>() = calls;
    }
  }
  return api::Error::Success();
}

/// Adds 1 to each s32, if the result is where the operand is.
static api::Error increment(api::Buffer<api::S32> x,
                            api::Result<api::Buffer<api::S32>> y) {
  if (x.typed_data() != y->typed_data()) {
    return api::Error(api::ErrorCode::kInternal, "the alias was not kept");
  }
  for (size_t i = 0; i < x.element_count(); ++i) {
    ++y->typed_data()[i];
  }
  return api::Error::Success();
}

static api::Error fail(std::string_view why, api::RemainingArgs,
                       api::RemainingRets) {
  return api::Error(api::ErrorCode::kFailedPrecondition, std::string(why));
}

XLA_FFI_DEFINE_HANDLER(scaleHandler, scale,
                       api::Ffi::Bind()
                           .Arg<api::Buffer<api::F32>>()
                           .Attr<float>("factor")
                           .Ret<api::Buffer<api::F32>>());
XLA_FFI_DEFINE_HANDLER(copyHandler, copy,
                       api::Ffi::Bind().Arg<AnyBuffer>().Ret<AnyBuffer>());
XLA_FFI_DEFINE_HANDLER(
    sizesHandler, sizes,
    api::Ffi::Bind().Arg<AnyBuffer>().Ret<api::Buffer<api::S64>>());
XLA_FFI_DEFINE_HANDLER(countHandler, count,
                       api::Ffi::Bind().RemainingArgs().RemainingRets());
XLA_FFI_DEFINE_HANDLER(
    incrementHandler, increment,
    api::Ffi::Bind().Arg<api::Buffer<api::S32>>().Ret<api::Buffer<api::S32>>());
XLA_FFI_DEFINE_HANDLER(failHandler, fail,
                       api::Ffi::Bind()
                           .Attr<std::string_view>("why")
                           .RemainingArgs()
                           .RemainingRets());

xla::Status xla::registerTestHandlers() {
  const std::pair<const char *, XLA_FFI_Handler *> handlers[] = {
      {"test.scale", scaleHandler},
      {"test.copy", copyHandler},
      {"test.sizes", sizesHandler},
      {"test.count", countHandler},
      {"test.increment_in_place", incrementHandler},
      {"test.fail", failHandler},
  };
  for (auto [name, handler] : handlers) {
    custom_call::HandlerBundle bundle;
    bundle.execute = reinterpret_cast<void *>(handler);
    XLA_RETURN_IF_ERROR(custom_call::registerHandler(name, "Host", bundle, 0));
  }
  return okStatus();
}
