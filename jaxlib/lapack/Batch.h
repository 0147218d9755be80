//===- Batch.h - Batches of column-major matrices ---------------*- C++ -*-===//
//
// What all handlers share: they check shapes and types before they touch
// memory, copy an operand where the compiler did not alias it, and walk over
// the leading dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_LAPACK_BATCH_H
#define JAXLIB_LAPACK_BATCH_H

#include "jaxlib/lapack/Routines.h"

#include "xla/ffi/api/ffi.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace jaxlib::lapack {

namespace ffi = ::xla::ffi;
using ffi::AnyBuffer;
using Output = ffi::Result<AnyBuffer>;

/// What a handler is called with: so many arrays first; attributes may follow.
/// Bindings cannot be moved, hence the references.
template <int count, typename Binding = decltype(ffi::Ffi::Bind())>
auto arguments(Binding &&binding = ffi::Ffi::Bind()) {
  static_assert(count > 0);
  if constexpr (count == 1) {
    return std::move(binding).template Arg<AnyBuffer>();
  } else {
    return arguments<count - 1>(std::move(binding).template Arg<AnyBuffer>());
  }
}

/// And so many arrays that it writes.
template <int count, typename Binding>
auto results(Binding &&binding) {
  static_assert(count > 0);
  if constexpr (count == 1) {
    return std::move(binding).template Ret<AnyBuffer>();
  } else {
    return results<count - 1>(std::move(binding).template Ret<AnyBuffer>());
  }
}

/// Calls `add` with each element type that LAPACK has.
template <typename Add>
void forEachType(Add add) {
  add.template operator()<float>();
  add.template operator()<double>();
  add.template operator()<std::complex<float>>();
  add.template operator()<std::complex<double>>();
}

template <typename T>
constexpr ffi::DataType dataType = ffi::DataType::S32;
template <>
inline constexpr ffi::DataType dataType<float> = ffi::DataType::F32;
template <>
inline constexpr ffi::DataType dataType<double> = ffi::DataType::F64;
template <>
inline constexpr ffi::DataType dataType<std::complex<float>> =
    ffi::DataType::C64;
template <>
inline constexpr ffi::DataType dataType<std::complex<double>> =
    ffi::DataType::C128;

/// A batch of arrays with `trailing` dimensions each.
struct Batch {
  int64_t count = 1;    ///< how many
  bool isStack = false; ///< whether there are dimensions of the batch
  int64_t rows = 1;     ///< the last dimension but one, 1 for vectors
  int64_t cols = 1;     ///< the last dimension
  int64_t stride() const { return rows * cols; }
};

/// Collects the first thing that is wrong with a call.
class Checker {
public:
  explicit Checker(std::string routine) : routine(std::move(routine)) {}

  /// A buffer of element type T with `trailing` dimensions after the batch.
  template <typename T>
  Batch batch(const AnyBuffer &buffer, const char *name, int trailing) {
    auto dimensions = buffer.dimensions();
    const int64_t rank = static_cast<int64_t>(dimensions.size());
    if (buffer.element_type() != dataType<T>) {
      fail(std::string(name) + " has another element type than the routine");
    }
    if (rank < trailing) {
      fail(std::string(name) + " has rank " + std::to_string(rank) + ", " +
           std::to_string(trailing) + " or more is needed");
      return {};
    }
    Batch result;
    result.isStack = rank > trailing;
    for (int64_t i = 0; i < rank - trailing; ++i) {
      result.count *= dimensions[i];
    }
    if (trailing >= 2) {
      result.rows = dimensions[rank - 2];
    }
    if (trailing >= 1) {
      result.cols = dimensions[rank - 1];
    }
    if (result.rows > INT_MAX || result.cols > INT_MAX) {
      fail(std::string(name) + " has a dimension beyond 2^31 - 1");
    }
    return result;
  }

  void require(bool holds, const char *rule) {
    if (!holds) {
      fail(rule);
    }
  }

  void available(Routine which, int type) {
    if (!address(which, type)) {
      fail("the routine " + routineName(which, type) +
           " is not loaded; import scipy.linalg through jaxlib first");
    }
  }

  bool ok() const { return message.empty(); }
  ffi::Error error() const {
    return ffi::Error(ffi::ErrorCode::kInvalidArgument,
                      routine + ": " + message);
  }

private:
  void fail(std::string text) {
    if (message.empty()) {
      message = std::move(text);
    }
  }

  std::string routine;
  std::string message;
};

/// Scratch memory that may be refused.
template <typename T>
class Workspace {
public:
  explicit Workspace(int64_t count)
      : memory(new (std::nothrow) T[count > 0 ? count : 1]) {}
  T *get() { return memory.get(); }
  explicit operator bool() const { return memory != nullptr; }

private:
  std::unique_ptr<T[]> memory;
};

inline ffi::Error outOfMemory() {
  return ffi::Error(ffi::ErrorCode::kResourceExhausted,
                    "no memory for LAPACK's workspace");
}

template <typename T>
T *data(const AnyBuffer &buffer) {
  return static_cast<T *>(buffer.untyped_data());
}
template <typename T>
T *data(Output &buffer) {
  return static_cast<T *>(buffer->untyped_data());
}

/// Copies an operand into the result that replaces it, unless they share
/// memory. Both have the same size: the caller has checked.
inline void copyOperand(const AnyBuffer &from, Output &to) {
  if (from.untyped_data() != to->untyped_data() && from.element_count() > 0) {
    std::memcpy(to->untyped_data(), from.untyped_data(), from.size_bytes());
  }
}

/// The size that a workspace query answered: a count in a floating-point type,
/// rounded up because float32 may have lost its last bits.
template <typename T>
int64_t queriedSize(T answer) {
  auto size = static_cast<double>(std::real(answer));
  return static_cast<int64_t>(size + size * 1e-6) + 1;
}

inline int asInt(int64_t value) { return static_cast<int>(value); }
inline int leading(int64_t rows) { return rows > 1 ? asInt(rows) : 1; }

} // namespace jaxlib::lapack

#endif // JAXLIB_LAPACK_BATCH_H
