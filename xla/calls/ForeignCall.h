//===- ForeignCall.h - A custom call, ready to run --------------*- C++ -*-===//
//
// Binds a `stablehlo.custom_call` to the handler that was registered for its
// target: what the reference interpreter and the code generator share.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CALLS_FOREIGNCALL_H
#define XLA_CALLS_FOREIGNCALL_H

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/ffi/CustomCall.h"

#include <memory>
#include <vector>

namespace xla {

/// A call site with the shapes that its handler sees. Immutable: any number of
/// threads may run it at once.
class ForeignCall {
public:
  /// NotFound where no handler has the target's name, Unimplemented where the
  /// call speaks another interface than the typed FFI; both with the source
  /// location.
  static StatusOr<std::unique_ptr<ForeignCall>>
  create(stablehlo::CustomCallOp op);

  /// Whether the handler calls a function of the program's client, in Python.
  bool callsClient() const { return isOfClient; }

  /// Arrays are stored in memory as the call's layouts say; tokens have null
  /// pointers.
  Status run(const RunContext &context, void *const *operands,
             void *const *results) const;

private:
  /// What we offer ourselves, without a handler.
  using Builtin = void (*)(void *const *results);

  std::unique_ptr<custom_call::CallSite> site; ///< or
  Builtin builtin = nullptr;
  bool isOfClient = false;
  std::vector<Shape> operandShapes, resultShapes;
};

} // namespace xla

#endif // XLA_CALLS_FOREIGNCALL_H
