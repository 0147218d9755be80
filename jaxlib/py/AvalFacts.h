//===- AvalFacts.h - Shape, dtype and weak type, interned -------*- C++ -*-===//
//
// What is known of an array's type is one object per distinct type: two arrays
// have the same type where the pointers are equal. All of it needs the GIL.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_PY_AVALFACTS_H
#define JAXLIB_PY_AVALFACTS_H

#include "jaxlib/py/Numpy.h"
#include "jaxlib/py/Reference.h"

#include "xla/support/Shape.h"

#include <span>
#include <vector>

namespace jaxlib {

struct AvalFacts {
  xla::ElementType type;
  bool weakType;
  std::vector<int64_t> dimensions;
  /// The axes in the order in which memory stores them, from the one with the
  /// largest step; empty: in row-major order. The buffers of an array then are
  /// dense arrays of `memoryDimensions`, and nothing below this type knows of
  /// it.
  std::vector<int64_t> order;
  int64_t elementCount;
  int64_t byteCount; ///< of the dense array, in the host's form
  Reference shape;   ///< a tuple of int
  Reference aval;    ///< made on first demand
  int64_t owners = 0;

  PyArray_Descr *dtype() const;
  bool isRowMajor() const { return order.empty(); }
  /// The sizes of the axes in the order of `order`.
  std::vector<int64_t> memoryDimensions() const;
};

/// The sizes of the axes of an array in `order`, of which the memory's are
/// given.
std::vector<int64_t> fromMemoryOrder(std::span<const int64_t> dimensions,
                                     std::span<const int64_t> order);

/// Shares an AvalFacts.
class FactsReference {
public:
  FactsReference() = default;
  explicit FactsReference(AvalFacts *facts) : facts(facts) {
    if (facts != nullptr) {
      ++facts->owners;
    }
  }
  FactsReference(const FactsReference &other) : FactsReference(other.facts) {}
  FactsReference(FactsReference &&other) noexcept
      : facts(std::exchange(other.facts, nullptr)) {}
  FactsReference &operator=(FactsReference other) noexcept {
    std::swap(facts, other.facts);
    return *this;
  }
  ~FactsReference();

  AvalFacts *get() const { return facts; }
  AvalFacts *operator->() const { return facts; }
  explicit operator bool() const { return facts != nullptr; }

private:
  AvalFacts *facts = nullptr;
};

/// The one object for these facts; null with an exception set where the size
/// overflows or memory is out. `order` is empty or a permutation of the axes.
FactsReference internFacts(xla::ElementType type,
                           std::span<const int64_t> dimensions, bool weakType,
                           std::span<const int64_t> order = {});

/// From Python: `shape` is a sequence of int, `dtype` what NumPy takes for one.
FactsReference parseFacts(PyObject *shape, PyObject *dtype, bool weakType);

/// The aval as the front end has it (new reference), by the function given to
/// `setAvalMaker`.
PyObject *avalOf(AvalFacts *facts);
void setAvalMaker(Reference function);

/// "float32[3,4]", for messages.
std::string describe(const AvalFacts &facts);

} // namespace jaxlib

#endif // JAXLIB_PY_AVALFACTS_H
