//===- TabledOperations.h - Operations that are rows of a table -*- C++ -*-===//
//
// Of a dialect that is read and not written: names and fields are all that the
// bytecode reader needs to know. No operation has rules of its own.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_TABLEDOPERATIONS_H
#define XLA_DIALECT_TABLEDOPERATIONS_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace xla {

struct OperationRow {
  llvm::StringRef name;
  llvm::StringRef fields; ///< separated by spaces
};

using OperationTable = llvm::StringMap<llvm::SmallVector<llvm::StringRef>>;

/// The fields of each operation.
inline OperationTable splitFields(llvm::ArrayRef<OperationRow> rows) {
  OperationTable table;
  for (const OperationRow &row : rows) {
    llvm::SplitString(row.fields, table[row.name]);
  }
  return table;
}

/// Reads an operation's properties: its fields, one required attribute each.
template <const OperationTable &(*table)()>
struct FieldsReader
    : mlir::BytecodeOpInterface::FallbackModel<FieldsReader<table>> {
  static llvm::LogicalResult readProperties(mlir::DialectBytecodeReader &reader,
                                            mlir::OperationState &state) {
    for (llvm::StringRef field : table().lookup(state.name.stripDialect())) {
      mlir::Attribute attribute;
      if (failed(reader.readAttribute(attribute))) {
        return mlir::failure();
      }
      state.addAttribute(field, attribute);
    }
    return mlir::success();
  }

  /// Gone before anything is written.
  void writeProperties(mlir::Operation *, mlir::DialectBytecodeWriter &) const {
  }
};

template <const OperationTable &(*table)()>
void registerOperations(mlir::ExtensibleDialect &dialect,
                        llvm::ArrayRef<OperationRow> rows) {
  auto accept = [](mlir::Operation *) { return mlir::success(); };
  for (const OperationRow &row : rows) {
    dialect.registerDynamicOp(
        mlir::DynamicOpDefinition::get(row.name, &dialect, accept, accept));
    std::string name = (dialect.getNamespace() + "." + row.name).str();
    mlir::RegisteredOperationName::lookup(name, dialect.getContext())
        ->attachInterface<FieldsReader<table>>();
  }
}

} // namespace xla

#endif // XLA_DIALECT_TABLEDOPERATIONS_H
