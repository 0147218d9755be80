// Functions that programs for Acme's devices call by name.

#include "xla/ffi/api/ffi.h"

#include <cmath>

namespace ffi = xla::ffi;

using Input = ffi::Buffer<ffi::F32>;
using Output = ffi::ResultBuffer<ffi::F32>;

static ffi::Error scaledAdd(float factor, Input x, Input y, Output out) {
  if (x.element_count() != y.element_count()) {
    return ffi::Error::InvalidArgument("acme_scaled_add: sizes differ");
  }
  for (size_t i = 0; i < x.element_count(); ++i) {
    out->typed_data()[i] = factor * x.typed_data()[i] + y.typed_data()[i];
  }
  return ffi::Error::Success();
}

// Rounds as Acme's devices do, to sixteen bits: so that it can be seen who
// answered.
static ffi::Error roundedErf(Input x, Output out) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    out->typed_data()[i] =
        std::round(std::erf(x.typed_data()[i]) * 65536) / 65536;
  }
  return ffi::Error::Success();
}

#pragma GCC visibility push(default)
XLA_FFI_DEFINE_HANDLER_SYMBOL(AcmeScaledAdd, scaledAdd,
                              ffi::Ffi::Bind()
                                  .Attr<float>("factor")
                                  .Arg<Input>()
                                  .Arg<Input>()
                                  .Ret<Input>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(AcmeErf, roundedErf,
                              ffi::Ffi::Bind().Arg<Input>().Ret<Input>());
#pragma GCC visibility pop
