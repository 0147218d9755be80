// Functions in C++ that JAX programs call: `normalize` scales rows by their
// root mean square, `count` keeps state from call to call.

#include "xla/ffi/api/ffi.h"

#include <cmath>
#include <cstdint>
#include <memory>

namespace ffi = xla::ffi;

static ffi::Error normalize(float epsilon, ffi::Buffer<ffi::F32> x,
                            ffi::ResultBuffer<ffi::F32> y) {
  if (x.dimensions().size() == 0) {
    return ffi::Error::InvalidArgument("normalize takes arrays with axes");
  }
  const int64_t size = x.dimensions().back();
  for (int64_t row = 0; size > 0 && row < int64_t(x.element_count()) / size;
       ++row) {
    const float *from = x.typed_data() + row * size;
    float *to = y->typed_data() + row * size;
    float squares = 0;
    for (int64_t i = 0; i < size; ++i) {
      squares += from[i] * from[i];
    }
    const float scale = 1 / std::sqrt(squares / float(size) + epsilon);
    for (int64_t i = 0; i < size; ++i) {
      to[i] = from[i] * scale;
    }
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(Normalize, normalize,
                              ffi::Ffi::Bind()
                                  .Attr<float>("epsilon")
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());

// What one call in a compiled program keeps, made when it is compiled and
// deleted with it.
struct Counter {
  static ffi::TypeId id;
  int64_t next;
};

ffi::TypeId Counter::id = {};
static ffi::TypeInfo counterInfo = ffi::MakeTypeInfo<Counter>();

static ffi::ErrorOr<std::unique_ptr<Counter>> makeCounter(int64_t start) {
  if (start < 0) {
    return ffi::Unexpected(
        ffi::Error::InvalidArgument("counting starts at 0 or above"));
  }
  return std::make_unique<Counter>(Counter{start});
}

static ffi::Error count(Counter *counter, ffi::ResultBuffer<ffi::S32> out) {
  *out->typed_data() = int32_t(counter->next++);
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    MakeCounter, makeCounter,
    ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Count, count,
    ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<ffi::Buffer<ffi::S32>>());

extern "C" void *counterTypeId() { return &Counter::id; }
extern "C" void *counterTypeInfo() { return &counterInfo; }
