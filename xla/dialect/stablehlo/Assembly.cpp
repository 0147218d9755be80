//===- Assembly.cpp - Parts of the textual form of operations -------------===//

#include "xla/dialect/stablehlo/Assembly.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace xla::stablehlo {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Spreads `(operands) -> result` over `types`.
static ParseResult assignFunctionType(OpAsmParser &parser, SMLoc location,
                                      FunctionType function,
                                      ArrayRef<Type *> types) {
  if (function.getNumInputs() + 1 != types.size() ||
      function.getNumResults() != 1) {
    return parser.emitError(location)
           << "expected " << types.size() - 1
           << " operand types and one result type, not " << function;
  }
  for (auto [target, type] :
       llvm::zip_equal(types.drop_back(), function.getInputs())) {
    *target = type;
  }
  *types.back() = function.getResult(0);
  return success();
}

ParseResult parseOneTypeOrAll(OpAsmParser &parser, ArrayRef<Type *> types) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (failed(parser.parseType(type))) {
    return failure();
  }
  if (auto function = dyn_cast<FunctionType>(type)) {
    return assignFunctionType(parser, location, function, types);
  }
  for (Type *target : types) {
    *target = type;
  }
  return success();
}

static void printFunction(OpAsmPrinter &printer, ArrayRef<Type> types) {
  printer << '(';
  llvm::interleaveComma(types.drop_back(), printer);
  printer << ") -> " << types.back();
}

void printOneTypeOrAll(OpAsmPrinter &printer, ArrayRef<Type> types) {
  if (llvm::all_equal(types)) {
    printer << types.back();
    return;
  }
  printFunction(printer, types);
}

ParseResult
parseVariadicSameType(OpAsmParser &parser,
                      ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                      Types &operandTypes, Type &resultType) {
  operandTypes.resize(operands.size());
  SmallVector<Type *> types;
  for (Type &type : operandTypes) {
    types.push_back(&type);
  }
  types.push_back(&resultType);
  return parseOneTypeOrAll(parser, types);
}

void printVariadicSameType(OpAsmPrinter &printer, Operation *, OperandRange,
                           TypeRange operandTypes, Type resultType) {
  SmallVector<Type> types(operandTypes);
  types.push_back(resultType);
  printOneTypeOrAll(printer, types);
}

ParseResult parsePairwiseTypes(OpAsmParser &parser, Types &operandTypes,
                               Types &resultTypes) {
  if (failed(parser.parseTypeList(operandTypes))) {
    return failure();
  }
  resultTypes.assign(operandTypes.begin(), operandTypes.end());
  return success();
}

void printPairwiseTypes(OpAsmPrinter &printer, Operation *,
                        TypeRange operandTypes, TypeRange) {
  llvm::interleaveComma(operandTypes, printer);
}

ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs,
                               Type &result) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (failed(parser.parseType(type))) {
    return failure();
  }
  if (auto function = dyn_cast<FunctionType>(type)) {
    return assignFunctionType(parser, location, function,
                              {&lhs, &rhs, &result});
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto element =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  if (!element) {
    return parser.emitError(location)
           << "expected a tensor of complex values, not " << type;
  }
  result = type;
  lhs = rhs = tensor.clone(element.getElementType());
  return success();
}

void printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs,
                        Type result) {
  auto tensor = cast<RankedTensorType>(result);
  Type part = cast<ComplexType>(tensor.getElementType()).getElementType();
  if (lhs != rhs || lhs != tensor.clone(part)) {
    printFunction(printer, {lhs, rhs, result});
    return;
  }
  printer << result;
}

ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue,
                              Type &onFalse, Type &result) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (failed(parser.parseTypeList(types))) {
    return failure();
  }
  if (types.size() == 2) {
    pred = types[0];
    onTrue = onFalse = result = types[1];
    return success();
  }
  auto function =
      types.size() == 1 ? dyn_cast<FunctionType>(types[0]) : FunctionType();
  if (!function) {
    return parser.emitError(location)
           << "expected the predicate's type and the values' type";
  }
  return assignFunctionType(parser, location, function,
                            {&pred, &onTrue, &onFalse, &result});
}

void printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred,
                       Type onTrue, Type onFalse, Type result) {
  if (onTrue == onFalse && onTrue == result) {
    printer << pred << ", " << result;
    return;
  }
  printFunction(printer, {pred, onTrue, onFalse, result});
}

ParseResult parseTupleOpType(OpAsmParser &parser, Types &operands,
                             Type &result) {
  SMLoc location = parser.getCurrentLocation();
  if (failed(parser.parseType(result))) {
    return failure();
  }
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple) {
    return parser.emitError(location) << "expected a tuple, not " << result;
  }
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange,
                      Type result) {
  printer << result;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa) {
  SMLoc location = parser.getCurrentLocation();
  StringRef text;
  if (failed(parser.parseKeyword(&text))) {
    return failure();
  }
  StringRef rest = text;
  int32_t exponentBits, mantissaBits;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.getAsInteger(10, mantissaBits)) {
    return parser.emitError(location)
           << "expected a format such as e5m10, not " << text;
  }
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printExponentMantissa(OpAsmPrinter &printer, Operation *,
                           IntegerAttr exponent, IntegerAttr mantissa) {
  printer << 'e' << exponent.getValue() << 'm' << mantissa.getValue();
}

ParseResult parseConcatenateOperands(OpAsmParser &parser, Operands &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) {
      return success();
    }
    if (failed(*parsed) || failed(parser.parseComma())) {
      return failure();
    }
    operands.push_back(operand);
  }
}

void printConcatenateOperands(OpAsmPrinter &printer, Operation *,
                              OperandRange operands) {
  llvm::interleave(
      operands, [&](Value operand) { printer << operand << ','; },
      [&]() { printer << ' '; });
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                             DenseI64ArrayAttr &limits,
                             DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    if (failed(parser.parseInteger(start.emplace_back())) ||
        failed(parser.parseColon()) ||
        failed(parser.parseInteger(limit.emplace_back()))) {
      return failure();
    }
    stride.push_back(1);
    return succeeded(parser.parseOptionalColon())
               ? parser.parseInteger(stride.back())
               : ParseResult(success());
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseRange))) {
    return failure();
  }
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(start);
  limits = builder.getDenseI64ArrayAttr(limit);
  strides = builder.getDenseI64ArrayAttr(stride);
  return success();
}

void printSliceRanges(OpAsmPrinter &printer, Operation *,
                      DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                      DenseI64ArrayAttr strides) {
  printer << '[';
  // The printer also runs on operations that no verifier has seen.
  size_t rank = std::min({starts.size(), limits.size(), strides.size()});
  llvm::interleaveComma(llvm::seq<size_t>(0, rank), printer, [&](size_t i) {
    printer << starts[i] << ':' << limits[i];
    if (strides[i] != 1) {
      printer << ':' << strides[i];
    }
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `[0, 1] x [0, 2]`
static ParseResult parseDimensionPair(OpAsmParser &parser,
                                      SmallVectorImpl<int64_t> &lhs,
                                      SmallVectorImpl<int64_t> &rhs) {
  FailureOr<SmallVector<int64_t>> left = parseDimensionList(parser);
  if (failed(left) || failed(parser.parseKeyword("x"))) {
    return failure();
  }
  FailureOr<SmallVector<int64_t>> right = parseDimensionList(parser);
  if (failed(right)) {
    return failure();
  }
  lhs.assign(left->begin(), left->end());
  rhs.assign(right->begin(), right->end());
  return success();
}

ParseResult parseDotDimensionNumbers(OpAsmParser &parser,
                                     DotDimensionNumbersAttr &numbers) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims"))) {
    if (failed(parser.parseEqual()) ||
        failed(parseDimensionPair(parser, lhsBatching, rhsBatching)) ||
        failed(parser.parseComma())) {
      return failure();
    }
  }
  if (failed(parser.parseKeyword("contracting_dims")) ||
      failed(parser.parseEqual()) ||
      failed(parseDimensionPair(parser, lhsContracting, rhsContracting))) {
    return failure();
  }
  numbers =
      DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching,
                                   rhsBatching, lhsContracting, rhsContracting);
  return success();
}

static void printDimensionPair(OpAsmPrinter &printer, ArrayRef<int64_t> lhs,
                               ArrayRef<int64_t> rhs) {
  printDimensionList(printer, lhs);
  printer << " x ";
  printDimensionList(printer, rhs);
}

void printDotDimensionNumbers(OpAsmPrinter &printer, Operation *,
                              DotDimensionNumbersAttr numbers) {
  if (!numbers.getLhsBatchingDimensions().empty() ||
      !numbers.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printDimensionPair(printer, numbers.getLhsBatchingDimensions(),
                       numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printDimensionPair(printer, numbers.getLhsContractingDimensions(),
                     numbers.getRhsContractingDimensions());
}

/// `[DEFAULT, HIGH]`
static ParseResult parsePrecisionList(OpAsmParser &parser,
                                      ArrayAttr &precision) {
  SmallVector<Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    values.push_back(PrecisionAttr::parse(parser, {}));
    return success(values.back() != nullptr);
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseOne))) {
    return failure();
  }
  precision = parser.getBuilder().getArrayAttr(values);
  return success();
}

ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precision) {
  DotAlgorithmAttr none;
  SMLoc location = parser.getCurrentLocation();
  if (failed(parsePrecisionAndAlgorithm(parser, precision, none))) {
    return failure();
  }
  if (none) {
    return parser.emitError(location, "an algorithm is not allowed here");
  }
  return success();
}

ParseResult parsePrecisionAndAlgorithm(OpAsmParser &parser,
                                       ArrayAttr &precision,
                                       DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc location = parser.getCurrentLocation();
    StringRef keyword;
    if (failed(parser.parseKeyword(&keyword)) || failed(parser.parseEqual())) {
      return failure();
    }
    if (keyword == "precision" && !precision && !algorithm) {
      if (failed(parsePrecisionList(parser, precision))) {
        return failure();
      }
    } else if (keyword == "algorithm" && !algorithm) {
      algorithm = dyn_cast_or_null<DotAlgorithmAttr>(
          DotAlgorithmAttr::parse(parser, {}));
      if (!algorithm) {
        return failure();
      }
    } else {
      return parser.emitError(location)
             << "expected 'precision' and then 'algorithm', each at most once";
    }
  }
  return success();
}

void printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                          ArrayAttr precision) {
  if (!precision) {
    return;
  }
  printer << ", precision = [";
  llvm::interleaveComma(precision, printer, [&](Attribute value) {
    printer << stringifyPrecision(cast<PrecisionAttr>(value).getValue());
  });
  printer << ']';
}

void printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                ArrayAttr precision,
                                DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (algorithm) {
    printer << ", algorithm = ";
    printer.printStrippedAttrOrType(algorithm);
  }
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

ParseResult parseConvDimensionNumbers(OpAsmParser &parser,
                                      ConvDimensionNumbersAttr &numbers) {
  FailureOr<ConvDimensionNumbersAttr> parsed = parseConvDimensions(parser);
  if (failed(parsed)) {
    return failure();
  }
  numbers = *parsed;
  return success();
}

void printConvDimensionNumbers(OpAsmPrinter &printer, Operation *,
                               ConvDimensionNumbersAttr numbers) {
  printConvDimensions(printer, numbers);
}

/// `[[1, 1], [0, 2]]`
static ParseResult parsePadding(OpAsmParser &parser,
                                DenseIntElementsAttr &padding) {
  SmallVector<int64_t> values;
  auto parsePair = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    FailureOr<SmallVector<int64_t>> pair = parseDimensionList(parser);
    if (failed(pair)) {
      return failure();
    }
    if (pair->size() != 2) {
      return parser.emitError(location, "expected a low and a high padding");
    }
    llvm::append_range(values, *pair);
    return success();
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parsePair))) {
    return failure();
  }
  auto type = RankedTensorType::get({int64_t(values.size() / 2), 2},
                                    parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, values);
  return success();
}

static ParseResult parseI64Array(OpAsmParser &parser,
                                 DenseI64ArrayAttr &result) {
  FailureOr<SmallVector<int64_t>> values = parseDimensionList(parser);
  if (failed(values)) {
    return failure();
  }
  result = parser.getBuilder().getDenseI64ArrayAttr(*values);
  return success();
}

static ParseResult parseBoolArray(OpAsmParser &parser,
                                  DenseBoolArrayAttr &result) {
  SmallVector<bool> values;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<bool> value = parseFlag(parser);
    values.push_back(succeeded(value) && *value);
    return success(succeeded(value));
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseOne))) {
    return failure();
  }
  result = parser.getBuilder().getDenseBoolArrayAttr(values);
  return success();
}

ParseResult parseConvWindow(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                            DenseIntElementsAttr &padding,
                            DenseI64ArrayAttr &lhsDilation,
                            DenseI64ArrayAttr &rhsDilation,
                            DenseBoolArrayAttr &reversal) {
  bool isFirst = true;
  while (true) {
    SMLoc location = parser.getCurrentLocation();
    StringRef keyword;
    if (isFirst ? failed(parser.parseOptionalKeyword(&keyword))
                : failed(parser.parseOptionalComma())) {
      return success();
    }
    if ((!isFirst && failed(parser.parseKeyword(&keyword))) ||
        failed(parser.parseEqual())) {
      return failure();
    }
    isFirst = false;
    ParseResult result = failure();
    if (keyword == "stride" && !strides) {
      result = parseI64Array(parser, strides);
    } else if (keyword == "pad" && !padding) {
      result = parsePadding(parser, padding);
    } else if (keyword == "lhs_dilate" && !lhsDilation) {
      result = parseI64Array(parser, lhsDilation);
    } else if (keyword == "rhs_dilate" && !rhsDilation) {
      result = parseI64Array(parser, rhsDilation);
    } else if (keyword == "reverse" && !reversal) {
      result = parseBoolArray(parser, reversal);
    } else {
      return parser.emitError(location)
             << "expected one of stride, pad, lhs_dilate, rhs_dilate, "
                "reverse, each at most once, not "
             << keyword;
    }
    if (failed(result)) {
      return failure();
    }
  }
}

void printConvWindow(OpAsmPrinter &printer, Operation *,
                     DenseI64ArrayAttr strides, DenseIntElementsAttr padding,
                     DenseI64ArrayAttr lhsDilation,
                     DenseI64ArrayAttr rhsDilation,
                     DenseBoolArrayAttr reversal) {
  StringRef separator = "";
  auto name = [&](StringRef text) {
    printer << separator << text << " = ";
    separator = ", ";
  };
  auto list = [&](StringRef text, DenseI64ArrayAttr values) {
    if (values) {
      name(text);
      printDimensionList(printer, values);
    }
  };
  list("stride", strides);
  if (padding) {
    name("pad");
    SmallVector<int64_t> values(padding.getValues<int64_t>());
    printer << '[';
    llvm::interleaveComma(
        llvm::seq<size_t>(0, values.size() / 2), printer, [&](size_t i) {
          printDimensionList(printer, {values[2 * i], values[2 * i + 1]});
        });
    printer << ']';
  }
  list("lhs_dilate", lhsDilation);
  list("rhs_dilate", rhsDilation);
  if (reversal) {
    name("reverse");
    printer << '[';
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool value) {
      printer << (value ? "true" : "false");
    });
    printer << ']';
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

ParseResult parseCustomCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

void printCustomCallTarget(OpAsmPrinter &printer, Operation *,
                           StringAttr target) {
  printer.printSymbolName(target.getValue());
}

ParseResult
parseCompositeRegions(OpAsmParser &parser,
                      SmallVectorImpl<std::unique_ptr<Region>> &regions) {
  if (failed(parser.parseOptionalLParen())) {
    return success();
  }
  do {
    auto region = std::make_unique<Region>();
    if (failed(parser.parseRegion(*region))) {
      return failure();
    }
    regions.push_back(std::move(region));
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseRParen();
}

void printCompositeRegions(OpAsmPrinter &printer, Operation *,
                           MutableArrayRef<Region> regions) {
  if (regions.empty()) {
    return;
  }
  printer << " (";
  llvm::interleaveComma(regions, printer,
                        [&](Region &region) { printer.printRegion(region); });
  printer << ')';
}

} // namespace xla::stablehlo
