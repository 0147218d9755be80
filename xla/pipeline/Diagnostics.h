//===- Diagnostics.h - What MLIR says of a module, as text ------*- C++ -*-===//

#ifndef XLA_PIPELINE_DIAGNOSTICS_H
#define XLA_PIPELINE_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace xla {

/// Collects errors in place of printing them; the first few are enough.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          return collect(diagnostic);
        }) {}

  std::string text() const {
    return messages.empty() ? "no reason was given" : messages;
  }

private:
  static constexpr int kMaxErrors = 5;

  mlir::LogicalResult collect(mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error ||
        ++count > kMaxErrors) {
      return mlir::success();
    }
    llvm::raw_string_ostream stream(messages);
    if (count > 1) {
      stream << "\n";
    }
    stream << diagnostic.getLocation() << ": " << diagnostic.str();
    for (mlir::Diagnostic &note : diagnostic.getNotes()) {
      // The operation in full would repeat the program.
      if (!llvm::StringRef(note.str()).starts_with("see current operation")) {
        stream << "\n  " << note.str();
      }
    }
    return mlir::success();
  }

  std::string messages;
  int count = 0;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace xla

#endif // XLA_PIPELINE_DIAGNOSTICS_H
