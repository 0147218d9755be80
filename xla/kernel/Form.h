//===- Form.h - A kernel between StableHLO and machine code -----*- C++ -*-===//
//
// What one kernel does, without saying for which processor: buffers, a grid
// whose axes are shared out or sequential, loops, and steps that compute
// indices and elements. Code generation builds it, checks it, and emits code
// from it; `print` and `parseKernel` are its text, which tests are written in.
// docs/internals/kernel_form.md describes it.
//
// A kernel is a flat list of steps. A step is known by its number, which is
// also the value that it computes; operands are numbers of earlier steps. Steps
// that hold others (axes, loops, conditions) last until their `End`.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_KERNEL_FORM_H
#define XLA_KERNEL_FORM_H

#include "xla/dialect/ElementTypes.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace xla::kernel {

/// A step, and the value that it computes.
using Id = int32_t;
inline constexpr Id noId = -1;

/// The most threads that may exchange elements without memory.
inline constexpr int64_t exchangeLanes = 32;

/// Who shares scratch memory, or waits at a barrier.
enum class Scope : uint8_t { Thread, Block, Grid };

/// Elements in memory, row-major.
struct Buffer {
  /// Rows: of the block of rows that a row group computes.
  enum Memory : uint8_t { Argument, Result, Arena, Constant, Rows, Scratch };
  Memory memory = Argument;
  int64_t number = 0; ///< of an argument or result; bytes from the beginning
  Scope scope = Scope::Block; ///< of scratch memory
  ElementType type = ElementType::Invalid;
  llvm::SmallVector<int64_t, 4> shape;
  bool isWritten = false;
  mlir::Value constant = {}; ///< whose elements a constant buffer has

  bool operator==(const Buffer &other) const {
    return memory == other.memory && number == other.number &&
           type == other.type && shape == other.shape &&
           constant == other.constant;
  }
};

enum class Code : uint8_t {
  // Structure. An axis shares `number` indices out: its own value is the first
  // index that one member takes, and `RangeEnd`, which follows, is the end.
  Parallel,   ///< members run at the same time
  Sequential, ///< one after the other
  OfRows,     ///< the indices that belong to the rows of the group's block
  RangeEnd,
  Loop, ///< from operand 0 to operand 1, whose index is its value
  When, ///< if operand 0 is true
  End,
  Barrier,  ///< all of a scope have come here before one goes on
  Call,     ///< of a function of the runtime, with buffers
  Prefetch, ///< `least` elements of buffer `number` from operand 0 on, which
            ///< are read soon
  // Indices, signed integers of 64 bits
  Number,
  Add,
  Subtract,
  Multiply,
  Divide, ///< of numbers that are not negative
  Remainder,
  SignedDivide, ///< towards zero
  SignedRemainder,
  Least,
  Most,
  UnsignedLeast,
  OfElement, ///< an integer element, extended by its type
  // Conditions
  Truth,
  AtLeast,
  AtMost,
  Equal,
  And,
  // Elements
  Constant, ///< the value of the operation `of`
  Zero,
  Neutral,  ///< what the operation `of`, of two elements, leaves as it is
  Scalar,   ///< `value`, computed once, outside of the kernel
  Load,     ///< of buffer `number` at operand 0, a row-major number
  Store,    ///< operand 1 into buffer `number` at operand 0
  Compute,  ///< the operation `of` on elements
  Greatest, ///< of its operands; a NaN if one of them is
  Smallest,
  GreatestOf, ///< of elements operand 1 to operand 2 of a row: the `least`
              ///< elements of buffer `number` from operand 0 on
  SmallestOf,
  Fold,    ///< operand 1 into operand 0 by the operation `of`; if `number` is
           ///< not 0, a loop may put its folds into any order
  Convert, ///< a real float as one of another width
  OfIndex, ///< index operand 0, below `number`, as a number of `type`
  Part,    ///< bits of an element: the one of number operand 1
  Join,    ///< elements as the bits of one, the least significant first
  Choose,  ///< operand 1 if condition operand 0 is true, else operand 2; also
           ///< of indices
  // What a loop carries from round to round: an element or an index. `Carried`
  // stands at the beginning of the loop and is operand 0 in the first round;
  // `Next`, at its end, makes operand 1 the value of carry operand 0 in the
  // next round; `Last`, behind the loop, is what the last round made of it.
  Carried,
  Next,
  Last,
  Exchange, ///< operand 0 as the thread has it whose index in the innermost
            ///< vector loop differs in the bits of `number`
};

/// What a loop may become: lanes of vectors or threads of a block, copies of
/// its body, or just a loop.
enum class Mark : uint8_t { None, Vector, Unroll };

struct Step {
  Code code;
  Mark mark = Mark::None;
  Scope scope = Scope::Block;
  ElementType type = ElementType::Invalid; ///< of an element
  llvm::SmallVector<Id, 3> operands = {};
  int64_t number = 0;
  /// A parallel axis: how many indices a member takes at least; 0: all.
  /// A loop: the least number that its index can be, and in `number` the most.
  /// A prefetch: how many elements. An extreme of a row: how many it has.
  int64_t least = 0;
  mlir::Operation *of = nullptr;
  mlir::Value value = {};
  llvm::StringRef entry = {};

  bool isIndex() const;
  bool isCondition() const { return code >= Code::Truth && code <= Code::And; }
  bool isElement() const { return type != ElementType::Invalid; }
  /// Whether it divides by operand 1, which is a number other than 0.
  bool divides() const {
    return code >= Code::Divide && code <= Code::SignedRemainder;
  }
  bool opensScope() const {
    return code <= Code::OfRows || code == Code::Loop || code == Code::When;
  }
};

struct Kernel {
  std::string name;
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  /// Operations that a parsed kernel computes with; else they are the
  /// program's.
  std::shared_ptr<mlir::Block> operations;

  Id add(Step step) {
    steps.push_back(std::move(step));
    return static_cast<Id>(steps.size()) - 1;
  }
  /// The number of an equal buffer, or a new one's.
  int64_t bufferOf(Buffer buffer);
  void print(llvm::raw_ostream &out) const;
};

/// Says in `why` what is wrong with a kernel, if anything: operands that are
/// not computed where they are used, of the wrong kind, type or number; buffers
/// that are not there, or written though they are not to be; scopes that do not
/// close; barriers that not all members come to; carries without a next value.
bool verify(const Kernel &kernel, std::string &why);

/// Reads what `print` writes. Says in `why` what is wrong, if anything. The
/// operations of `Compute` are made in `context`.
bool parseKernel(llvm::StringRef text, mlir::MLIRContext &context,
                 Kernel &kernel, std::string &why);

} // namespace xla::kernel

#endif // XLA_KERNEL_FORM_H
