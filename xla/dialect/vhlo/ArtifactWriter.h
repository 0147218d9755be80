//===- ArtifactWriter.h - StableHLO as a portable artifact ------*- C++ -*-===//
//
// Writes MLIR bytecode, version 6, in VHLO of a wanted version: strings,
// attributes and types in tables, operations that refer to them by number. The
// numbers follow the tables' order, which is known only when everything has
// been met; so all is written twice. Inside this folder only.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_VHLO_ARTIFACTWRITER_H
#define XLA_DIALECT_VHLO_ARTIFACTWRITER_H

#include "xla/dialect/vhlo/ByteWriter.h"
#include "xla/dialect/vhlo/FromStablehlo.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <memory>
#include <vector>

namespace xla::vhlo {

/// How an attribute or type is written: as MLIR's own, as VHLO's, as a
/// dictionary of MLIR's with values of VHLO's, or as VHLO's api_version.
enum class Form : uint8_t { Builtin, Vhlo, Mixed, ApiVersion };

using AttributeKey = std::pair<mlir::Attribute, uint8_t>;
using TypeKey = std::pair<mlir::Type, uint8_t>;

enum Section : uint8_t {
  StringSection = 0,
  DialectSection = 1,
  AttrTypeSection = 2,
  AttrTypeOffsetSection = 3,
  IrSection = 4,
  ResourceSection = 5,
  ResourceOffsetSection = 6,
  PropertiesSection = 8,
};

/// Sorts by dialect, each dialect's entries in the order in which they are.
template <typename Entries, typename DialectOf>
void sortEntries(Entries &entries, DialectOf dialectOf, size_t dialectCount) {
  Entries sorted;
  for (size_t dialect = 0; dialect < dialectCount; ++dialect) {
    for (const auto &entry : entries) {
      if (dialectOf(entry) == dialect) {
        sorted.push_back(entry);
      }
    }
  }
  entries = std::move(sorted);
}

/// Things in the order in which they were met, then in the order of their
/// dialects.
template <typename Key>
class Table {
public:
  /// The number of `key`; new ones are appended.
  uint64_t number(Key key) {
    auto [entry, isNew] = numbers.try_emplace(key, entries.size());
    if (isNew) {
      entries.push_back(key);
    }
    return entry->second;
  }

  /// Orders the entries by the numbers of their dialects, and renumbers them.
  template <typename DialectOf>
  void sortBy(DialectOf dialectOf, size_t dialectCount) {
    sortEntries(entries, dialectOf, dialectCount);
    for (auto [i, entry] : llvm::enumerate(entries)) {
      numbers[entry] = i;
    }
  }

  std::vector<Key> entries;

private:
  llvm::DenseMap<Key, uint64_t> numbers;
};

/// Whether an attribute is neither MLIR's own nor what VHLO has a form for.
bool isOfOtherDialect(mlir::Attribute value);

/// Whether an operation keeps its dialect, and MLIR's types, in an artifact.
bool keepsDialect(mlir::Operation *op);
/// Whether a value has MLIR's type there in place of VHLO's.
bool hasBuiltinType(mlir::Value value);
/// Puts casts between operations that keep their dialect and others.
void insertCasts(mlir::ModuleOp module);

class ArtifactWriter {
public:
  explicit ArtifactWriter(Version target) : target(target) {
    dialects = {"builtin", "vhlo"};
  }

  StatusOr<std::string> write(mlir::ModuleOp module);

private:
  // Numbers of entries.
  uint64_t text(llvm::StringRef value);
  uint64_t attribute(mlir::Attribute value, Form form) {
    form = isOfOtherDialect(value) ? Form::Builtin : form;
    return attributes.number({value, uint8_t(form)});
  }
  uint64_t type(mlir::Type value, Form form = Form::Vhlo) {
    return types.number({value, uint8_t(form)});
  }
  uint64_t dialect(llvm::StringRef name);
  uint64_t operationName(llvm::StringRef dialectName, llvm::StringRef name);
  uint64_t properties(const ByteWriter &content);

  friend class DialectWriter;

  // Entries. False where the dialect's text stands in place of an encoding.
  bool writeBuiltin(mlir::Attribute value, ByteWriter &out);
  bool writeLocation(mlir::LocationAttr location, ByteWriter &out);
  bool writeVhlo(mlir::Attribute value, ByteWriter &out);
  bool writeEnum(mlir::Attribute value, ByteWriter &out);
  bool writeOther(mlir::Attribute value, ByteWriter &out);
  bool writeAttribute(AttributeKey key, ByteWriter &out);
  bool writeBuiltin(mlir::Type value, ByteWriter &out);
  bool writeVhlo(mlir::Type value, ByteWriter &out);
  bool writeType(TypeKey key, ByteWriter &out);
  void writeTensor(mlir::DenseElementsAttr value, ByteWriter &out);

  // Operations.
  void writeOperation(mlir::Operation *op, uint64_t firstValue,
                      ByteWriter &out);
  std::optional<uint64_t> writeFields(mlir::Operation *op, uint64_t &name);
  std::optional<uint64_t> writeOwnFields(mlir::Operation *op, uint64_t &name);
  void writeRegion(mlir::Region &region, uint64_t firstValue, ByteWriter &out);

  std::string writeAll(mlir::ModuleOp module);
  uint64_t dialectOf(AttributeKey key);
  uint64_t dialectOf(TypeKey key);
  void refuse(const llvm::Twine &what) {
    status = status.ok() ? unimplemented(what.str()) : status;
  }

  Version target;
  Status status;
  std::vector<std::string> dialects;
  std::map<std::string, uint64_t, std::less<>> texts;
  std::vector<const std::string *> sortedTexts;
  Table<AttributeKey> attributes;
  Table<TypeKey> types;
  /// (dialect, text), sorted by dialect before the second round.
  std::vector<std::pair<uint64_t, uint64_t>> operationNames;
  std::map<std::string, uint64_t> propertyNumbers;
  std::vector<const std::string *> sortedProperties;
  llvm::DenseMap<mlir::Value, uint64_t> values;
};

} // namespace xla::vhlo

#endif // XLA_DIALECT_VHLO_ARTIFACTWRITER_H
