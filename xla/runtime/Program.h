//===- Program.h - A compiled program, ready to run -------------*- C++ -*-===//
//
// What a compiler hands to the PJRT plugin: the one thing that the native code
// generator and the reference interpreter have in common. Neither LLVM nor
// MLIR shows here.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_PROGRAM_H
#define XLA_RUNTIME_PROGRAM_H

#include "xla/runtime/OperationRecord.h"
#include "xla/support/Shape.h"
#include "xla/support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace xla {

/// Says that `result` may be written into the memory of `argument`: the caller
/// donated it. Both have the same size in bytes.
struct Donation {
  int32_t argument;
  int32_t result;
};

struct ProgramSignature {
  std::string name; ///< the module's name, for people
  std::vector<Shape> arguments;
  std::vector<Shape> results;
  std::vector<Donation> donations;
  /// The kinds of memory that each of them asks for, or "": any.
  std::vector<std::string> argumentMemories;
  std::vector<std::string> resultMemories;
  /// Of a program for several partitions, whose shapes are those of one: how
  /// each whole array is sharded over them, as serialized OpSharding messages.
  /// Empty where the program does not say.
  std::vector<std::string> argumentShardings;
  std::vector<std::string> resultShardings;
};

struct ProgramStatistics {
  int64_t temporaryBytes = 0;     ///< planned scratch memory of one run
  int64_t generatedCodeBytes = 0; ///< machine code
  double flops = 0;               ///< floating-point operations of one run
  double transcendentals = 0;     ///< evaluations of exp, sin, ... in one run
  double bytesAccessed = 0;       ///< read and written in memory in one run
  bool mayTakeLong = false;       ///< a run, although runs before it did not
  bool hasCollectives = false;    ///< its partitions wait for each other
  bool hasCalls = false;          ///< of handlers, which may do anything
  bool callsClient = false;       ///< of handlers that call the client back
};

class LaunchGroup;

/// What one run may use besides its arguments. Owned by the caller.
struct RunContext {
  int32_t deviceOrdinal = 0;
  int64_t launchId = 0;
  int32_t partition = 0; ///< of the program, from 0
  LaunchGroup *launchGroup =
      nullptr; ///< the partitions that run with it; null: none
  /// Added to the numbers of its collectives, where several programs run in one
  /// launch: partitions may be in different ones at a time.
  int64_t firstCollective = 0;
  void *ffiUserData =
      nullptr; ///< the plugin's per-run FFI context, opaque here
  OperationRecord *record =
      nullptr; ///< of a program with records: where they go
};

/// A compiled program. Immutable: any number of threads may run it at once.
class AbstractProgram {
public:
  virtual ~AbstractProgram() = default;

  virtual const ProgramSignature &signature() const = 0;
  virtual ProgramStatistics statistics() const = 0;

  /// What a record of a run has times of. Empty unless the program was compiled
  /// with records; one that has at most one operation then cannot be run.
  virtual const std::vector<OperationFacts> &operations() const {
    static const std::vector<OperationFacts> none;
    return none;
  }

  /// The program as bytes, which this build of the compiler loads again on a
  /// processor of this kind: see `loadProgram`. Empty where it cannot.
  virtual std::string image() const { return {}; }

  /// Runs once, on the calling thread and the helpers it forks. Arrays are
  /// dense, row-major, and aligned to 64 bytes. `arguments[i]` is read only,
  /// unless `results[r] == arguments[i]` for a donation {i, r}. No result
  /// otherwise overlaps an argument or another result. Results are undefined
  /// after an error.
  virtual Status run(const RunContext &context, void *const *arguments,
                     void *const *results) const = 0;
};

} // namespace xla

#endif // XLA_RUNTIME_PROGRAM_H
