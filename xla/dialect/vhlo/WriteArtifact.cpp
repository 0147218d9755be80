//===- WriteArtifact.cpp - Tables and operations of artifacts -------------===//

#include "xla/dialect/vhlo/ArtifactWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace xla::vhlo {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

uint64_t ArtifactWriter::text(StringRef value) {
  auto [entry, isNew] = texts.try_emplace(value.str(), texts.size());
  if (isNew) {
    sortedTexts.push_back(&entry->first);
  }
  return entry->second;
}

uint64_t ArtifactWriter::dialect(StringRef name) {
  auto found = llvm::find(dialects, name);
  if (found == dialects.end()) {
    dialects.push_back(name.str());
    return dialects.size() - 1;
  }
  return found - dialects.begin();
}

uint64_t ArtifactWriter::operationName(StringRef dialectName, StringRef name) {
  std::pair<uint64_t, uint64_t> key(dialect(dialectName), text(name));
  auto found = llvm::find(operationNames, key);
  if (found == operationNames.end()) {
    operationNames.push_back(key);
    return operationNames.size() - 1;
  }
  return found - operationNames.begin();
}

uint64_t ArtifactWriter::properties(const ByteWriter &content) {
  auto [entry, isNew] =
      propertyNumbers.try_emplace(content.bytes, propertyNumbers.size());
  if (isNew) {
    sortedProperties.push_back(&entry->first);
  }
  return entry->second;
}

uint64_t ArtifactWriter::dialectOf(AttributeKey key) {
  if (isOfOtherDialect(key.first)) {
    return dialect(key.first.getDialect().getNamespace());
  }
  Form form = Form(key.second);
  return form == Form::Builtin || form == Form::Mixed ? 0 : 1;
}

uint64_t ArtifactWriter::dialectOf(TypeKey key) {
  return Form(key.second) == Form::Builtin ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static Form formOf(Value value) {
  return hasBuiltinType(value) ? Form::Builtin : Form::Vhlo;
}

static uint64_t directValues(Region &region) {
  uint64_t count = 0;
  for (Block &block : region) {
    count += block.getNumArguments();
    for (Operation &op : block) {
      count += op.getNumResults();
    }
  }
  return count;
}

void ArtifactWriter::writeRegion(Region &region, uint64_t firstValue,
                                 ByteWriter &out) {
  out.number(region.getBlocks().size());
  if (region.empty()) {
    return;
  }
  uint64_t count = directValues(region), next = firstValue;
  out.number(count);
  // Regions within number their values behind all of this one's.
  for (Block &block : region) {
    out.flagged(block.getOperations().size(), block.getNumArguments() > 0);
    if (block.getNumArguments() > 0) {
      out.number(block.getNumArguments());
      for (BlockArgument argument : block.getArguments()) {
        values[argument] = next++;
        out.flagged(type(argument.getType(), formOf(argument)), true);
        out.number(attribute(argument.getLoc(), Form::Builtin));
      }
      out.byte(0); // no order of uses
    }
    for (Operation &op : block) {
      for (Value result : op.getResults()) {
        values[result] = next++;
      }
      writeOperation(&op, firstValue + count, out);
    }
  }
}

/// The fields of an operation as properties: their number, or nothing where
/// there are none. Names the operation.
std::optional<uint64_t> ArtifactWriter::writeFields(Operation *op,
                                                    uint64_t &name) {
  ByteWriter content;
  if (auto module = dyn_cast<ModuleOp>(op)) {
    name = operationName("builtin", "module");
    for (Attribute optional : {Attribute(module.getSymNameAttr()),
                               Attribute(module.getSymVisibilityAttr())}) {
      if (optional) {
        content.flagged(attribute(optional, Form::Builtin), true);
      } else {
        content.number(0);
      }
    }
    return properties(content);
  }
  if (isa<UnrealizedConversionCastOp>(op)) {
    name = operationName("builtin", op->getName().stripDialect());
    return std::nullopt;
  }
  if (keepsDialect(op)) {
    return writeOwnFields(op, name);
  }
  StatusOr<VhloOperation> described = describe(op, target);
  if (!described.ok()) {
    status = status.ok() ? described.status() : status;
    return std::nullopt;
  }
  name = operationName("vhlo", described->name);
  for (auto [field, value] : described->fields) {
    content.number(attribute(value, field == "api_version" ? Form::ApiVersion
                                                           : Form::Vhlo));
  }
  return described->fields.empty() ? std::nullopt
                                   : std::optional(properties(content));
}

void ArtifactWriter::writeOperation(Operation *op, uint64_t firstValue,
                                    ByteWriter &out) {
  enum Mask : uint8_t {
    HasAttributes = 0x01,
    HasResults = 0x02,
    HasOperands = 0x04,
    HasRegions = 0x10,
    HasProperties = 0x40,
  };
  uint64_t name = 0;
  std::optional<uint64_t> fields = writeFields(op, name);
  DictionaryAttr others = op->getDiscardableAttrDictionary();
  bool isForeign = isa<ModuleOp>(op) || keepsDialect(op);
  bool isIsolated = op->hasTrait<OpTrait::IsIsolatedFromAbove>();
  out.number(name);
  out.byte((others.empty() ? 0 : HasAttributes) |
           (op->getNumResults() ? HasResults : 0) |
           (op->getNumOperands() ? HasOperands : 0) |
           (op->getNumRegions() ? HasRegions : 0) |
           (fields ? HasProperties : 0));
  out.number(attribute(op->getLoc(), Form::Builtin));
  if (!others.empty()) {
    out.number(attribute(others, isForeign ? Form::Builtin : Form::Mixed));
  }
  if (fields) {
    out.number(*fields);
  }
  if (op->getNumResults()) {
    out.number(op->getNumResults());
    for (Value result : op->getResults()) {
      out.number(type(result.getType(), formOf(result)));
    }
  }
  if (op->getNumOperands()) {
    out.number(op->getNumOperands());
    for (Value operand : op->getOperands()) {
      out.number(values.lookup(operand));
    }
  }
  if (!op->getNumRegions()) {
    return;
  }
  out.flagged(op->getNumRegions(), isIsolated);
  for (Region &region : op->getRegions()) {
    if (isIsolated) {
      ByteWriter inner;
      writeRegion(region, 0, inner);
      out.section(IrSection, inner);
    } else {
      writeRegion(region, firstValue, out);
    }
  }
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// (dialect, how many) for entries in the order of their dialects.
template <typename Entries, typename DialectOf, typename Write>
static void writeGroups(const Entries &entries, DialectOf dialectOf,
                        ByteWriter &out, Write write) {
  for (size_t begin = 0; begin < entries.size();) {
    uint64_t dialect = dialectOf(entries[begin]);
    size_t end = begin;
    while (end < entries.size() && dialectOf(entries[end]) == dialect) {
      ++end;
    }
    out.number(dialect);
    out.number(end - begin);
    for (; begin < end; ++begin) {
      write(begin);
    }
  }
}

/// Writes everything, with the numbers that entries have by now; new entries
/// get numbers, too.
std::string ArtifactWriter::writeAll(ModuleOp module) {
  sortedProperties.clear();
  propertyNumbers.clear();
  values.clear();
  ByteWriter ir;
  ir.flagged(1, false); // a block with the module
  writeOperation(module, 0, ir);

  // Entries name further entries.
  struct Entry {
    uint64_t size;
    bool isEncoded;
  };
  std::vector<Entry> attributeEntries, typeEntries;
  std::vector<std::string> attributeBytes, typeBytes;
  auto grow = [&](auto &table, auto &list, auto &bytes, auto write) {
    while (list.size() < table.entries.size()) {
      ByteWriter out;
      bool isEncoded = write(table.entries[list.size()], out);
      list.push_back({out.bytes.size(), isEncoded});
      bytes.push_back(std::move(out.bytes));
    }
  };
  size_t met;
  do {
    met = attributes.entries.size() + types.entries.size();
    grow(attributes, attributeEntries, attributeBytes,
         [&](AttributeKey key, ByteWriter &out) {
           return writeAttribute(key, out);
         });
    grow(types, typeEntries, typeBytes,
         [&](TypeKey key, ByteWriter &out) { return writeType(key, out); });
  } while (met != attributes.entries.size() + types.entries.size());

  ByteWriter offsets, entries;
  offsets.number(attributeEntries.size());
  offsets.number(typeEntries.size());
  writeGroups(
      attributes.entries, [&](AttributeKey key) { return dialectOf(key); },
      offsets,
      [&](size_t i) {
        offsets.flagged(attributeEntries[i].size,
                        attributeEntries[i].isEncoded);
        entries.bytes += attributeBytes[i];
      });
  writeGroups(
      types.entries, [&](TypeKey key) { return dialectOf(key); }, offsets,
      [&](size_t i) {
        offsets.flagged(typeEntries[i].size, typeEntries[i].isEncoded);
        entries.bytes += typeBytes[i];
      });

  ByteWriter names;
  names.number(dialects.size());
  for (const std::string &name : dialects) {
    names.flagged(text(name), false);
  }
  names.number(operationNames.size());
  writeGroups(
      operationNames, [](const auto &name) { return name.first; }, names,
      [&](size_t i) { names.flagged(operationNames[i].second, true); });

  ByteWriter strings;
  strings.number(sortedTexts.size());
  for (const std::string *string : llvm::reverse(sortedTexts)) {
    strings.number(string->size() + 1);
  }
  for (const std::string *string : sortedTexts) {
    strings.terminated(*string);
  }

  ByteWriter propertyTable;
  propertyTable.number(sortedProperties.size());
  for (const std::string *content : sortedProperties) {
    propertyTable.blob(*content);
  }

  ByteWriter none, noGroups, file;
  noGroups.number(0);
  for (char letter : StringRef("ML\xefR")) {
    file.byte(static_cast<uint8_t>(letter));
  }
  file.number(6);
  file.terminated("StableHLO_v" + toText(target));
  file.section(DialectSection, names);
  file.section(AttrTypeOffsetSection, offsets);
  file.section(AttrTypeSection, entries);
  file.section(IrSection, ir);
  file.section(ResourceOffsetSection, noGroups);
  file.section(ResourceSection, none);
  file.section(StringSection, strings);
  file.section(PropertiesSection, propertyTable);
  return std::move(file.bytes);
}

StatusOr<std::string> ArtifactWriter::write(ModuleOp module) {
  writeAll(module); // to meet everything
  XLA_RETURN_IF_ERROR(status);
  size_t count = dialects.size();
  attributes.sortBy([&](AttributeKey key) { return dialectOf(key); }, count);
  types.sortBy([&](TypeKey key) { return dialectOf(key); }, count);
  sortEntries(
      operationNames, [](const auto &name) { return name.first; }, count);
  return writeAll(module);
}

StatusOr<std::string> writeArtifact(ModuleOp module, Version target) {
  const Version newest, oldest{1, 0, 0};
  if (isOlder(target, oldest) || isOlder(newest, target)) {
    return invalidArgument("portable artifacts are written for StableHLO " +
                           toText(oldest) + " to " + toText(newest) +
                           ", not for " + toText(target));
  }
  bool hasOthers = module
                       .walk([](Operation *op) {
                         return keepsDialect(op) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
                       })
                       .wasInterrupted();
  if (!hasOthers) {
    return ArtifactWriter(target).write(module);
  }
  OwningOpRef<ModuleOp> copy = module.clone();
  insertCasts(*copy);
  return ArtifactWriter(target).write(*copy);
}

} // namespace xla::vhlo
