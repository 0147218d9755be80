//===- Interpreter.h - Evaluates operations one by one ----------*- C++ -*-===//

#ifndef XLA_REFERENCE_INTERPRETER_H
#define XLA_REFERENCE_INTERPRETER_H

#include "xla/calls/ForeignCall.h"
#include "xla/reference/Tensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>

namespace xla::reference {

class Interpreter;

/// The values that are visible in a block: its own, then those around it.
class Scope {
public:
  explicit Scope(const Scope *parent) : parent(parent) {}

  void set(mlir::Value value, Tensor tensor) {
    values[value] = std::move(tensor);
  }
  const Tensor &get(mlir::Value value) const;

private:
  const Scope *parent;
  llvm::DenseMap<mlir::Value, Tensor> values;
};

/// One operation about to be evaluated: appends its results to `results`.
struct Step {
  Interpreter &interpreter;
  mlir::Operation *op;
  const Scope &scope;
  llvm::ArrayRef<Tensor> operands;
  Tensors &results;

  /// Zeros of the type of the operation's result number `index`.
  StatusOr<Tensor> zeros(unsigned index = 0) const;

  /// Evaluates a region of the operation on `arguments`.
  Status run(mlir::Region &region, llvm::ArrayRef<Tensor> arguments,
             Tensors &outputs) const;
};

using Handler = Status (*)(const Step &);
using Handlers = llvm::StringMap<Handler>;

// Each family of operations enters its handlers under the operations' names.
void addElementwise(Handlers &handlers);
void addConversions(Handlers &handlers);
void addShapes(Handlers &handlers);
void addIndexing(Handlers &handlers);
void addReductions(Handlers &handlers);
void addContractions(Handlers &handlers);
void addLinearAlgebra(Handlers &handlers);
void addRandom(Handlers &handlers);
void addControlFlow(Handlers &handlers);
void addCollectives(Handlers &handlers);
void addCustomCalls(Handlers &handlers);

/// Of @ragged_all_to_all too, which is a custom call.
Status evaluateCollective(const Step &step);

/// What all runs of a module share.
class Tables {
public:
  explicit Tables(mlir::ModuleOp module);

  /// Unimplemented, with name, types and source location, for the first
  /// operation that cannot be evaluated; InvalidArgument for functions that
  /// call themselves. Binds custom calls to their handlers.
  Status check();

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<ForeignCall>> calls;
  Handlers handlers;
  llvm::StringMap<mlir::Operation *> functions;
};

/// One run. Its device has its turn while it holds `turn`; it lets others have
/// theirs where it waits for them.
class Interpreter {
public:
  Interpreter(const Tables &tables, const RunContext &context, std::mutex &turn)
      : tables(tables), context(context), theTurn(turn) {}

  Status call(mlir::StringRef name, llvm::ArrayRef<Tensor> arguments,
              Tensors &results);

  const ForeignCall &foreignCall(mlir::Operation *op) const {
    return *tables.calls.find(op)->second;
  }
  const RunContext &runContext() const { return context; }
  std::mutex &turn() { return theTurn; }

  /// Evaluates a block up to its terminator, whose operands are the results.
  Status run(mlir::Block &block, const Scope *parent,
             llvm::ArrayRef<Tensor> arguments, Tensors &results);

private:
  const Tables &tables;
  const RunContext &context;
  std::mutex &theTurn;
  int depth = 0;
};

/// What an operation is, for messages: name, types, source location.
std::string describe(mlir::Operation *op);

} // namespace xla::reference

#endif // XLA_REFERENCE_INTERPRETER_H
