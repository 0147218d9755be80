//===- RuleText.cpp - Rules of operations as text -------------------------===//
//
// Factors are named i, j, ... z, z_1, z_2, ...; the names of a dimension's
// factors stand side by side, and `*` is a dimension without any.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/sdy/SdyOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace xla::sdy {

using Delimiter = AsmParser::Delimiter;

static constexpr int64_t letterCount = 'z' - 'i' + 1;

static void printFactor(AsmPrinter &printer, int64_t factor) {
  if (factor < letterCount) {
    printer << char('i' + factor);
  } else {
    printer << "z_" << factor - letterCount + 1;
  }
}

/// Takes the first factor's name off `word`.
static std::optional<int64_t> takeFactor(StringRef &word) {
  if (word.empty() || word.front() < 'i' || word.front() > 'z') {
    return std::nullopt;
  }
  int64_t factor = word.front() - 'i';
  word = word.drop_front();
  if (factor + 1 < letterCount || !word.consume_front("_")) {
    return factor;
  }
  unsigned number;
  if (word.consumeInteger(10, number) || number == 0 || number > 1000000) {
    return std::nullopt;
  }
  return factor + number;
}

static ParseResult parseFactors(AsmParser &parser,
                                SmallVectorImpl<int64_t> &factors) {
  if (succeeded(parser.parseOptionalStar())) {
    return success();
  }
  SMLoc location = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word)) {
    return failure();
  }
  while (!word.empty()) {
    std::optional<int64_t> factor = takeFactor(word);
    if (!factor) {
      return parser.emitError(location,
                              "expected factors, named i to z, z_1, ...");
    }
    factors.push_back(*factor);
  }
  return success();
}

static void printFactors(AsmPrinter &printer, ArrayRef<int64_t> factors) {
  if (factors.empty()) {
    printer << '*';
  }
  for (int64_t factor : factors) {
    printFactor(printer, factor);
  }
}

//===----------------------------------------------------------------------===//
// Dimensions and tensors: <ij>, [i, jk]
//===----------------------------------------------------------------------===//

Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> factors;
  if (parser.parseLess() || parseFactors(parser, factors) ||
      parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printFactors(printer, getFactors());
  printer << '>';
}

Attribute TensorMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimMappingAttr> dims;
  auto parseDim = [&]() -> ParseResult {
    SmallVector<int64_t> factors;
    if (parseFactors(parser, factors)) {
      return failure();
    }
    dims.push_back(DimMappingAttr::get(parser.getContext(), factors));
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Square, parseDim)) {
    return {};
  }
  return get(parser.getContext(), dims);
}

void TensorMappingAttr::print(AsmPrinter &printer) const {
  printer << '[';
  llvm::interleaveComma(
      getDimMappings(), printer.getStream(),
      [&](DimMappingAttr dim) { printFactors(printer, dim.getFactors()); });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Rules: <([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>
//===----------------------------------------------------------------------===//

static ParseResult parseMappings(AsmParser &parser,
                                 SmallVectorImpl<TensorMappingAttr> &mappings) {
  return parser.parseCommaSeparatedList(Delimiter::Paren, [&]() -> ParseResult {
    auto mapping = dyn_cast_or_null<TensorMappingAttr>(
        TensorMappingAttr::parse(parser, {}));
    mappings.push_back(mapping);
    return success(mapping != nullptr);
  });
}

static void printMappings(AsmPrinter &printer,
                          ArrayRef<TensorMappingAttr> mappings) {
  printer << '(';
  llvm::interleaveComma(mappings, printer.getStream(),
                        [&](TensorMappingAttr mapping) {
                          printer.printStrippedAttrOrType(mapping);
                        });
  printer << ')';
}

static ParseResult parseSizes(AsmParser &parser,
                              SmallVectorImpl<int64_t> &sizes) {
  auto parseSize = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    SmallVector<int64_t> factor;
    if (parseFactors(parser, factor) || parser.parseEqual()) {
      return failure();
    }
    if (factor.size() != 1 || factor[0] != int64_t(sizes.size())) {
      return parser.emitError(location,
                              "sizes are of the factors i, j, ... in order");
    }
    return parser.parseInteger(sizes.emplace_back());
  };
  return parser.parseCommaSeparatedList(Delimiter::OptionalBraces, parseSize);
}

/// ` reduction={i, k}`, or nothing.
static ParseResult parseKind(AsmParser &parser, StringRef kind,
                             SmallVectorImpl<int64_t> &factors) {
  if (failed(parser.parseOptionalKeyword(kind))) {
    return success();
  }
  auto parseFactor = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    size_t before = factors.size();
    if (parseFactors(parser, factors)) {
      return failure();
    }
    if (factors.size() != before + 1) {
      return parser.emitError(location, "expected one factor");
    }
    return success();
  };
  if (parser.parseEqual()) {
    return failure();
  }
  return parser.parseCommaSeparatedList(Delimiter::Braces, parseFactor);
}

Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<TensorMappingAttr> operands, results;
  SmallVector<int64_t> sizes, reduction, needReplication, permutation, blocked;
  bool isCustom = false;
  if (parser.parseLess() || parseMappings(parser, operands) ||
      parser.parseArrow() || parseMappings(parser, results) ||
      parseSizes(parser, sizes) || parseKind(parser, "reduction", reduction) ||
      parseKind(parser, "need_replication", needReplication) ||
      parseKind(parser, "permutation", permutation) ||
      parseKind(parser, "blocked_propagation", blocked)) {
    return {};
  }
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("custom")) {
      return {};
    }
    isCustom = true;
  }
  if (parser.parseGreater()) {
    return {};
  }
  auto emitError = [&] { return parser.emitError(location); };
  return getChecked(emitError, parser.getContext(), ArrayRef(sizes),
                    ArrayRef(operands), ArrayRef(results), ArrayRef(reduction),
                    ArrayRef(needReplication), ArrayRef(permutation),
                    ArrayRef(blocked), isCustom);
}

void OpShardingRuleAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printMappings(printer, getOperandMappings());
  printer << "->";
  printMappings(printer, getResultMappings());
  if (!getFactorSizes().empty()) {
    printer << " {";
    llvm::interleaveComma(llvm::enumerate(getFactorSizes()),
                          printer.getStream(), [&](auto entry) {
                            printFactor(printer, entry.index());
                            printer << '=' << entry.value();
                          });
    printer << '}';
  }
  auto printKind = [&](StringRef kind, ArrayRef<int64_t> factors) {
    if (factors.empty()) {
      return;
    }
    printer << ' ' << kind << "={";
    llvm::interleaveComma(factors, printer.getStream(), [&](int64_t factor) {
      printFactor(printer, factor);
    });
    printer << '}';
  };
  printKind("reduction", getReductionFactors());
  printKind("need_replication", getNeedReplicationFactors());
  printKind("permutation", getPermutationFactors());
  printKind("blocked_propagation", getBlockedPropagationFactors());
  if (getIsCustom()) {
    printer << ", custom";
  }
  printer << '>';
}

} // namespace xla::sdy
