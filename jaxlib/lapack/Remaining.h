//===- Remaining.h - What of a batch is left to LAPACK ----------*- C++ -*-===//

#ifndef JAXLIB_LAPACK_REMAINING_H
#define JAXLIB_LAPACK_REMAINING_H

#include "jaxlib/lapack/Batch.h"
#include "jaxlib/lapack/lanes/Lanes.h"

namespace jaxlib::lapack {

/// The matrices of a batch that LAPACK works on: all of them at first, and then
/// those that the lanes could not do.
class Remaining {
public:
  explicit Remaining(int64_t count) : count(count) {}

  int64_t size() const { return count; }
  int64_t operator[](int64_t i) const { return indices ? indices.get()[i] : i; }
  bool isAll() const { return !indices; }

  /// Takes a stack of small real matrices through the lanes. `run(kernels,
  /// first, count, scratch)` does matrices [first, first + count) and answers
  /// which are done. A matrix that is no member of a stack stays, for its
  /// vectors to have LAPACK's signs; those of a stack do not depend on how many
  /// it holds, or on where it is divided. Everything stays if there is no
  /// memory.
  template <typename T, typename Run>
  void takeByLanes(const Batch &stack, Run run) {
    if constexpr (!isComplex<T>) {
      if (!stack.isStack || count < 1 || stack.rows < 1 || stack.cols < 1 ||
          stack.rows > lanes::largest || stack.cols > lanes::largest) {
        return;
      }
      auto left = std::unique_ptr<int64_t[]>(new (std::nothrow) int64_t[count]);
      const std::unique_ptr<Scratch> scratch(new (std::nothrow) Scratch);
      if (!left || !scratch) {
        return;
      }
      int64_t found = 0;
      for (int64_t first = 0; first < count; first += lanes::width<T>) {
        const int64_t size = std::min(lanes::width<T>, count - first);
        const lanes::Done done =
            run(lanes::kernels<T>(), first, size, scratch->bytes);
        for (int64_t i = 0; i < size; ++i) {
          if (!(done >> i & 1)) {
            left[found++] = first + i;
          }
        }
      }
      indices = std::move(left);
      count = found;
    }
  }

private:
  struct Scratch {
    alignas(64) char bytes[lanes::scratchBytes];
  };

  int64_t count;
  std::unique_ptr<int64_t[]> indices;
};

/// Copies the matrices that remain of an operand into the result that replaces
/// it, unless they share memory. Both have the same size.
inline void copyRemaining(const Remaining &matrices, const AnyBuffer &from,
                          Output &to, int64_t bytesOfOne) {
  if (matrices.isAll()) {
    copyOperand(from, to);
    return;
  }
  const auto *source = static_cast<const char *>(from.untyped_data());
  auto *target = static_cast<char *>(to->untyped_data());
  for (int64_t i = 0; i < matrices.size() && source != target; ++i) {
    std::memcpy(target + matrices[i] * bytesOfOne,
                source + matrices[i] * bytesOfOne, bytesOfOne);
  }
}

/// Calls `run(i, work, size)` for the matrices that remain. The workspace has
/// the size that the routine itself asks for, and at least `least` elements.
template <typename T, typename Run>
ffi::Error runWithWorkspace(const Remaining &matrices, int64_t least, Run run) {
  if (matrices.size() == 0) {
    return ffi::Error::Success();
  }
  T answer = 0;
  int query = -1;
  run(0, &answer, &query);
  int size = asInt(std::max(queriedSize(answer), least));
  Workspace<T> work(size);
  if (!work) {
    return outOfMemory();
  }
  for (int64_t i = 0; i < matrices.size(); ++i) {
    run(matrices[i], work.get(), &size);
  }
  return ffi::Error::Success();
}

} // namespace jaxlib::lapack

#endif // JAXLIB_LAPACK_REMAINING_H
