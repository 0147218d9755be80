//===- OperationMarks.h - Marks between operations --------------*- C++ -*-===//
//
// Marks are in functions that list the steps of the program, not in the steps:
// equal steps stay equal functions, and their code is that of the program
// without marks. Within loops of the program a mark is skipped in iterations
// that are counted and not timed.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_OPERATIONMARKS_H
#define XLA_CODEGEN_CPU_OPERATIONMARKS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Value.h"

#include <cstdint>
#include <optional>

namespace xla::cpu {

class Emitter;

class OperationMarks {
public:
  explicit OperationMarks(Emitter &e) : e(e) {}

  /// Numbers what records of runs distinguish, and among loops; -1: no loop.
  /// Without it the code makes no records. See `OperationRecord`.
  struct Number {
    int64_t operation, loop;
  };
  using Numbers = llvm::function_ref<std::optional<Number>(mlir::Operation *)>;
  void setNumbers(Numbers given) { numbers = given; }

  void operation(mlir::Operation *op);
  /// `function`, one of the last three, for a loop of the program.
  void loop(mlir::Operation *op, const char *function);
  void iteration(mlir::Operation *op);

  static constexpr const char *markSymbol = "xla_mark_operation";
  static constexpr const char *enterLoopSymbol = "xla_enter_loop";
  static constexpr const char *nextIterationSymbol = "xla_next_iteration";
  static constexpr const char *leaveLoopSymbol = "xla_leave_loop";

private:
  std::optional<Number> numberOf(mlir::Operation *op);
  void emit(std::optional<Number> number);
  llvm::Value *recordOfRun();

  Emitter &e;
  Numbers numbers;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_OPERATIONMARKS_H
