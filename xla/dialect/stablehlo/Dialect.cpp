//===- Dialect.cpp - StableHLO's dialect, attributes, types ---------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace xla::stablehlo {
static FailureOr<SmallVector<MeshAxisAttr>> parseMeshAxes(AsmParser &parser);
static void printMeshAxes(AsmPrinter &printer, ArrayRef<MeshAxisAttr> axes);
} // namespace xla::stablehlo

#include "xla/dialect/stablehlo/Dialect.cpp.inc"
#include "xla/dialect/stablehlo/Enums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "xla/dialect/stablehlo/Types.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "xla/dialect/stablehlo/Attributes.cpp.inc"

namespace xla::stablehlo {

void StablehloDialect::initialize() {
  addAttributes();
  addTypes();
  addElementwiseOps();
  addShapeOps();
  addIndexingOps();
  addContractionOps();
  addControlFlowOps();
  addCommunicationOps();
  addDynamicOps();
}

void StablehloDialect::addAttributes() {
  Dialect::addAttributes<
#define GET_ATTRDEF_LIST
#include "xla/dialect/stablehlo/Attributes.cpp.inc"
      >();
}

void StablehloDialect::addTypes() {
  Dialect::addTypes<
#define GET_TYPEDEF_LIST
#include "xla/dialect/stablehlo/Types.cpp.inc"
      >();
}

Operation *StablehloDialect::materializeConstant(OpBuilder &builder,
                                                 Attribute value, Type type,
                                                 Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type) {
    return nullptr;
  }
  return ConstantOp::create(builder, location, elements);
}

//===----------------------------------------------------------------------===//
// Parameters of attributes
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>> parseDimensionList(AsmParser &parser) {
  SmallVector<int64_t> values;
  if (failed(
          parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
            return parser.parseInteger(values.emplace_back());
          }))) {
    return failure();
  }
  return values;
}

void printDimensionList(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer.getStream());
  printer << ']';
}

FailureOr<bool> parseFlag(AsmParser &parser) {
  if (succeeded(parser.parseOptionalKeyword("true"))) {
    return true;
  }
  if (failed(parser.parseKeyword("false"))) {
    return failure();
  }
  return false;
}

FailureOr<APFloat> parseDouble(AsmParser &parser) {
  double value = 0;
  if (failed(parser.parseFloat(value))) {
    return failure();
  }
  return APFloat(value);
}

static FailureOr<SmallVector<MeshAxisAttr>> parseMeshAxes(AsmParser &parser) {
  SmallVector<MeshAxisAttr> axes;
  auto parseAxis = [&]() -> ParseResult {
    auto axis = dyn_cast_or_null<MeshAxisAttr>(MeshAxisAttr::parse(parser, {}));
    axes.push_back(axis);
    return success(axis != nullptr);
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseAxis))) {
    return failure();
  }
  return axes;
}

static void printMeshAxes(AsmPrinter &printer, ArrayRef<MeshAxisAttr> axes) {
  printer << '[';
  llvm::interleaveComma(axes, printer.getStream(), [&](MeshAxisAttr axis) {
    printer.printStrippedAttrOrType(axis);
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Bounds of dynamic dimensions
//===----------------------------------------------------------------------===//

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  auto parseBound = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      bounds.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(bounds.emplace_back());
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                            parseBound))) {
    return {};
  }
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer.getStream(), [&](int64_t bound) {
    if (ShapedType::isDynamic(bound)) {
      printer << '?';
    } else {
      printer << bound;
    }
  });
  printer << '>';
}

LogicalResult TypeExtensionsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (getBounds().size() != shape.size()) {
    return emitError() << "a tensor of rank " << shape.size() << " has "
                       << getBounds().size() << " bounds";
  }
  for (auto [size, bound] : llvm::zip_equal(shape, getBounds())) {
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(bound)) {
      return emitError() << "a bound belongs to a dynamic dimension, not to "
                         << size;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Dimensions of a convolution: [b, 0, f]x[0, i, o]->[b, 0, f]
//===----------------------------------------------------------------------===//

/// One side: where the two lettered dimensions and the spatial ones are.
static ParseResult parseConvSide(AsmParser &parser, StringRef first,
                                 StringRef second, int64_t &firstPosition,
                                 int64_t &secondPosition,
                                 SmallVectorImpl<int64_t> &spatial) {
  firstPosition = secondPosition = -1;
  SmallVector<std::pair<int64_t, int64_t>> numbered;
  int64_t position = 0;
  SMLoc start = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    int64_t number;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      numbered.push_back({number, position++});
      return *parsed;
    }
    StringRef letter;
    SMLoc location = parser.getCurrentLocation();
    if (failed(parser.parseKeyword(&letter))) {
      return failure();
    }
    int64_t *target = letter == first    ? &firstPosition
                      : letter == second ? &secondPosition
                                         : nullptr;
    if (!target || *target >= 0) {
      return parser.emitError(location)
             << "expected '" << first << "', '" << second
             << "' or the number of a spatial dimension, each once";
    }
    *target = position++;
    return success();
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseOne))) {
    return failure();
  }
  spatial.assign(numbered.size(), -1);
  for (auto [number, dimension] : numbered) {
    if (number < 0 || number >= int64_t(spatial.size()) ||
        spatial[number] != -1) {
      return parser.emitError(start)
             << "spatial dimensions are numbered from 0, each once";
    }
    spatial[number] = dimension;
  }
  if (firstPosition < 0 || secondPosition < 0) {
    return parser.emitError(start)
           << "expected '" << first << "' and '" << second << "'";
  }
  return success();
}

static void printConvSide(AsmPrinter &printer, StringRef first,
                          StringRef second, int64_t firstPosition,
                          int64_t secondPosition, ArrayRef<int64_t> spatial) {
  SmallVector<std::string> names(spatial.size() + 2, "?");
  auto put = [&](int64_t position, std::string name) {
    if (position >= 0 && position < int64_t(names.size())) {
      names[position] = std::move(name);
    }
  };
  put(firstPosition, first.str());
  put(secondPosition, second.str());
  for (auto [number, position] : llvm::enumerate(spatial)) {
    put(position, std::to_string(number));
  }
  printer << '[' << llvm::join(names, ", ") << ']';
}

FailureOr<ConvDimensionNumbersAttr> parseConvDimensions(AsmParser &parser) {
  int64_t inputBatch, inputFeature, kernelInput, kernelOutput, outputBatch,
      outputFeature;
  SmallVector<int64_t> input, kernel, output;
  if (failed(
          parseConvSide(parser, "b", "f", inputBatch, inputFeature, input)) ||
      failed(parser.parseKeyword("x")) ||
      failed(
          parseConvSide(parser, "i", "o", kernelInput, kernelOutput, kernel)) ||
      failed(parser.parseArrow()) ||
      failed(parseConvSide(parser, "b", "f", outputBatch, outputFeature,
                           output))) {
    return failure();
  }
  return ConvDimensionNumbersAttr::get(
      parser.getContext(), inputBatch, inputFeature, input, kernelInput,
      kernelOutput, kernel, outputBatch, outputFeature, output);
}

void printConvDimensions(AsmPrinter &printer,
                         ConvDimensionNumbersAttr numbers) {
  printConvSide(printer, "b", "f", numbers.getInputBatchDimension(),
                numbers.getInputFeatureDimension(),
                numbers.getInputSpatialDimensions());
  printer << 'x';
  printConvSide(printer, "i", "o", numbers.getKernelInputFeatureDimension(),
                numbers.getKernelOutputFeatureDimension(),
                numbers.getKernelSpatialDimensions());
  printer << "->";
  printConvSide(printer, "b", "f", numbers.getOutputBatchDimension(),
                numbers.getOutputFeatureDimension(),
                numbers.getOutputSpatialDimensions());
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (failed(parser.parseLess())) {
    return {};
  }
  FailureOr<ConvDimensionNumbersAttr> numbers = parseConvDimensions(parser);
  if (failed(numbers) || failed(parser.parseGreater())) {
    return {};
  }
  return *numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printConvDimensions(printer, *this);
  printer << '>';
}

} // namespace xla::stablehlo
