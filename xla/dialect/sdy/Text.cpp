//===- Text.cpp - Attributes as text --------------------------------------===//
//
// An attribute's text begins behind its mnemonic: `#sdy.sharding<...>` where it
// is in angle brackets, `#sdy<axis_ref"x">` where it is not.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/sdy/SdyOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace xla::sdy {

using Delimiter = AsmParser::Delimiter;

/// Parses one attribute of a class, by its own text.
template <typename AttributeClass>
static ParseResult parseOne(AsmParser &parser,
                            SmallVectorImpl<AttributeClass> &list) {
  auto value =
      dyn_cast_or_null<AttributeClass>(AttributeClass::parse(parser, {}));
  list.push_back(value);
  return success(value != nullptr);
}

template <typename AttributeClass>
static ParseResult parseList(AsmParser &parser, Delimiter delimiter,
                             SmallVectorImpl<AttributeClass> &list) {
  return parser.parseCommaSeparatedList(delimiter,
                                        [&] { return parseOne(parser, list); });
}

template <typename AttributeClass>
static void printList(AsmPrinter &printer, ArrayRef<AttributeClass> list) {
  llvm::interleaveComma(list, printer.getStream(), [&](AttributeClass one) {
    printer.printStrippedAttrOrType(one);
  });
}

static void printAxes(AsmPrinter &printer, ArrayRef<AxisRefAttr> axes) {
  printer << '{';
  printList(printer, axes);
  printer << '}';
}

/// An attribute whose verifier asks; null after a diagnostic.
template <typename AttributeClass, typename... Parameters>
static Attribute check(AsmParser &parser, SMLoc location,
                       Parameters &&...parameters) {
  auto emitError = [&] { return parser.emitError(location); };
  return AttributeClass::getChecked(emitError, parser.getContext(),
                                    std::forward<Parameters>(parameters)...);
}

//===----------------------------------------------------------------------===//
// Meshes: <["x"=4, "y"=2], device_ids=[1, 0, ...]>
//===----------------------------------------------------------------------===//

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  std::string name;
  int64_t size = 0;
  if (parser.parseString(&name) || parser.parseEqual() ||
      parser.parseInteger(size)) {
    return {};
  }
  return check<MeshAxisAttr>(parser, location, StringRef(name), size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  printer << '=' << getSize();
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> ids;
  if (parser.parseLess() || parseList(parser, Delimiter::Square, axes)) {
    return {};
  }
  if (succeeded(parser.parseOptionalComma())) {
    auto parseId = [&] { return parser.parseInteger(ids.emplace_back()); };
    if (parser.parseKeyword("device_ids") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(Delimiter::Square, parseId)) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return check<MeshAttr>(parser, location, ArrayRef(axes), ArrayRef(ids));
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  printList(printer, getAxes());
  printer << ']';
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer.getStream());
    printer << ']';
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Axes in use: "x", "x":(2)4
//===----------------------------------------------------------------------===//

Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  int64_t preSize = 0, size = 0;
  if (parser.parseLParen() || parser.parseInteger(preSize) ||
      parser.parseRParen() || parser.parseInteger(size)) {
    return {};
  }
  return check<SubAxisInfoAttr>(parser, location, preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << '(' << getPreSize() << ')' << getSize();
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SubAxisInfoAttr factor;
  if (parser.parseString(&name)) {
    return {};
  }
  if (succeeded(parser.parseOptionalColon())) {
    factor =
        dyn_cast_or_null<SubAxisInfoAttr>(SubAxisInfoAttr::parse(parser, {}));
    if (!factor) {
      return {};
    }
  }
  return get(parser.getContext(), name, factor);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  if (getSubAxis()) {
    printer << ':';
    printer.printStrippedAttrOrType(getSubAxis());
  }
}

Attribute AxisRefListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  if (parseList(parser, Delimiter::Braces, axes)) {
    return {};
  }
  return get(parser.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter &printer) const {
  printAxes(printer, getValue());
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefListAttr> lists;
  if (parseList(parser, Delimiter::Square, lists)) {
    return {};
  }
  return get(parser.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter &printer) const {
  printer << '[';
  printList(printer, getValue());
  printer << ']';
}

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  auto parseName = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name)) {
      return failure();
    }
    axes.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parseName)) {
    return {};
  }
  return get(parser.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter &printer) const {
  printer << '{';
  llvm::interleaveComma(getValue(), printer.getStream(), [&](StringAttr name) {
    printer.printString(name.getValue());
  });
  printer << '}';
}

//===----------------------------------------------------------------------===//
// Shardings: {"x", ?}p1, <@mesh, [{"x"}], replicated={...}, unreduced={...}>
//===----------------------------------------------------------------------===//

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  auto parseEntry = [&]() -> ParseResult {
    if (!isClosed) {
      return parser.emitError(parser.getCurrentLocation(),
                              "'?' is the last of a dimension");
    }
    if (succeeded(parser.parseOptionalQuestion())) {
      isClosed = false;
      return success();
    }
    return parseOne(parser, axes);
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parseEntry)) {
    return {};
  }
  std::optional<int64_t> priority;
  StringRef word;
  SMLoc wordLocation = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    int64_t number;
    if (!word.consume_front("p") || word.getAsInteger(10, number)) {
      parser.emitError(wordLocation, "expected a priority such as p1");
      return {};
    }
    priority = number;
  }
  return check<DimensionShardingAttr>(parser, location, ArrayRef(axes),
                                      isClosed, priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << '{';
  printList(printer, getAxes());
  if (!getIsClosed()) {
    printer << (getAxes().empty() ? "?" : ", ?");
  }
  printer << '}';
  if (getPriority()) {
    printer << 'p' << *getPriority();
  }
}

static ParseResult parseMeshOrRef(AsmParser &parser, Attribute &result) {
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    result = MeshAttr::parse(parser, {});
    return success(result != nullptr);
  }
  StringAttr symbol;
  if (parser.parseSymbolName(symbol)) {
    return failure();
  }
  result = FlatSymbolRefAttr::get(symbol);
  return success();
}

/// `unreduced=max{"x"}`; a sum where no kind is said.
static ParseResult parseUnreduced(AsmParser &parser, ReductionKind &kind,
                                  SmallVectorImpl<AxisRefAttr> &axes) {
  StringRef word;
  SMLoc location = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    std::optional<ReductionKind> named = symbolizeReductionKind(word);
    if (!named) {
      return parser.emitError(location, "expected sum, max or min");
    }
    kind = *named;
  }
  return parseList(parser, Delimiter::Braces, axes);
}

Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  Attribute mesh;
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  ReductionKind kind = ReductionKind::Sum;
  if (parser.parseLess() || parseMeshOrRef(parser, mesh) ||
      parser.parseComma() || parseList(parser, Delimiter::Square, dims)) {
    return {};
  }
  bool hasReplicated = false, hasUnreduced = false;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc wordLocation = parser.getCurrentLocation();
    if (parser.parseKeyword(&word) || parser.parseEqual()) {
      return {};
    }
    bool *isMet = word == "replicated"  ? &hasReplicated
                  : word == "unreduced" ? &hasUnreduced
                                        : nullptr;
    if (!isMet || *isMet) {
      parser.emitError(wordLocation, "expected replicated or unreduced, once");
      return {};
    }
    *isMet = true;
    if (isMet == &hasReplicated
            ? parseList(parser, Delimiter::Braces, replicated)
            : parseUnreduced(parser, kind, unreduced)) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return check<TensorShardingAttr>(parser, location, mesh, ArrayRef(dims),
                                   ArrayRef(replicated), ArrayRef(unreduced),
                                   kind);
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(getMeshOrRef())) {
    printer.printSymbolName(symbol.getValue());
  } else {
    printer << "mesh";
    printer.printStrippedAttrOrType(cast<MeshAttr>(getMeshOrRef()));
  }
  printer << ", [";
  printList(printer, getDimShardings());
  printer << ']';
  if (!getReplicatedAxes().empty()) {
    printer << ", replicated=";
    printAxes(printer, getReplicatedAxes());
  }
  if (!getUnreducedAxes().empty()) {
    printer << ", unreduced=";
    if (getUnreducedKind() != ReductionKind::Sum) {
      printer << stringifyReductionKind(getUnreducedKind());
    }
    printAxes(printer, getUnreducedAxes());
  }
  printer << '>';
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorShardingAttr> shardings;
  if (parser.parseLess() || parseList(parser, Delimiter::Square, shardings) ||
      parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), shardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  printList(printer, getShardings());
  printer << "]>";
}

//===----------------------------------------------------------------------===//
// Exchanges: {"x"}: 0->2
//===----------------------------------------------------------------------===//

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source = 0, target = 0;
  if (parseList(parser, Delimiter::Braces, axes) || parser.parseColon() ||
      parser.parseInteger(source) || parser.parseArrow() ||
      parser.parseInteger(target)) {
    return {};
  }
  return get(parser.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printAxes(printer, getAxes());
  printer << ": " << getSrcDim() << "->" << getTgtDim();
}

Attribute AllToAllParamListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AllToAllParamAttr> params;
  if (parseList(parser, Delimiter::Square, params)) {
    return {};
  }
  return get(parser.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter &printer) const {
  printer << '[';
  printList(printer, getValue());
  printer << ']';
}

} // namespace xla::sdy
