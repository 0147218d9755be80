//===- Communication.cpp - The world outside: tokens, calls, devices ------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "xla/dialect/stablehlo/Assembly.h"
#include "xla/dialect/stablehlo/Verification.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "xla/dialect/stablehlo/Communication.cpp.inc"

namespace xla::stablehlo {

void StablehloDialect::addCommunicationOps() {
  addOperations<
#define GET_OP_LIST
#include "xla/dialect/stablehlo/Communication.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Numbers of processes
//===----------------------------------------------------------------------===//

static Type processIdType(MLIRContext *context) {
  return RankedTensorType::get(
      {}, IntegerType::get(context, 32, IntegerType::Unsigned));
}

LogicalResult PartitionIdOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location>, Adaptor,
                                              SmallVectorImpl<Type> &types) {
  types.push_back(processIdType(context));
  return success();
}

LogicalResult ReplicaIdOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>, Adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(processIdType(context));
  return success();
}

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

LogicalResult RngOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType a = tensorType(adaptor.getA());
  if (a.getRank() != 0 || a != adaptor.getB().getType()) {
    return inferError<RngOp>(location,
                             "a and b are not scalars of one type: ", a,
                             " and ", adaptor.getB().getType(), " [C1]");
  }
  RankedTensorType shapeType = tensorType(adaptor.getShape());
  if (shapeType.getRank() != 1) {
    return inferError<RngOp>(location, "shape is not a vector: ", shapeType,
                             " [C3]");
  }
  if (ShapedType::isDynamic(shapeType.getDimSize(0))) {
    return inferError<RngOp>(
        location, "rank of the result is not known: ", shapeType, " [C3]");
  }
  SmallVector<int64_t> shape(shapeType.getDimSize(0), ShapedType::kDynamic);
  DenseIntElementsAttr constant;
  if (matchPattern(adaptor.getShape(), m_Constant(&constant))) {
    shape.clear();
    for (const APInt &size : constant.getValues<APInt>()) {
      if (size.isNegative()) {
        return inferError<RngOp>(
            location, "shape has a negative size: ", constant, " [C3]");
      }
      shape.push_back(size.getSExtValue());
    }
  }
  types.push_back(withShape(a, shape));
  return success();
}

LogicalResult RngBitGeneratorOp::verify() {
  if (!areCompatibleTypes(getInitialState().getType(),
                          getOutputState().getType())) {
    return emitOpError("states differ in type: ")
           << getInitialState().getType() << " and "
           << getOutputState().getType() << " [C1]";
  }
  auto output = cast<ShapedType>(getOutput().getType());
  if (isa<ComplexType>(output.getElementType())) {
    return emitOpError("makes integers and floating-point numbers, not ")
           << output;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// CustomCallOp
//===----------------------------------------------------------------------===//

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getHasSideEffect()) {
    return;
  }
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// `layouts` holds one permutation for each type that is a tensor.
static LogicalResult verifyLayouts(CustomCallOp op, ArrayAttr layouts,
                                   TypeRange types, StringRef name) {
  if (layouts.size() != types.size()) {
    return op.emitOpError("has ") << layouts.size() << " " << name << " for "
                                  << types.size() << " values";
  }
  for (auto [layout, type] : llvm::zip_equal(layouts, types)) {
    auto permutation = dyn_cast<DenseIntElementsAttr>(layout);
    if (!permutation || !permutation.getElementType().isIndex() ||
        permutation.getType().getRank() != 1) {
      return op.emitOpError(name)
             << " are vectors of index values, not " << layout;
    }
    SmallVector<int64_t> order;
    for (const APInt &dimension : permutation.getValues<APInt>()) {
      order.push_back(dimension.getSExtValue());
    }
    auto tensor = dyn_cast<RankedTensorType>(type);
    int64_t rank = tensor ? tensor.getRank() : 0;
    if (int64_t(order.size()) != rank || !areUnique(order) ||
        !areBelow(order, rank)) {
      return op.emitOpError("layout [")
             << order << "] is no permutation of the dimensions of " << type;
    }
  }
  return success();
}

static SmallVector<int64_t> orderIn(std::optional<ArrayAttr> layouts,
                                    unsigned index, Type type) {
  SmallVector<int64_t> order;
  if (layouts) {
    // A layout names the fastest dimension first.
    for (const APInt &dimension :
         cast<DenseIntElementsAttr>((*layouts)[index]).getValues<APInt>()) {
      order.insert(order.begin(), dimension.getSExtValue());
    }
  } else if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    llvm::append_range(order, llvm::seq<int64_t>(0, tensor.getRank()));
  }
  return order;
}

SmallVector<int64_t> CustomCallOp::operandOrder(unsigned index) {
  return orderIn(getOperandLayouts(), index, getOperand(index).getType());
}

SmallVector<int64_t> CustomCallOp::resultOrder(unsigned index) {
  return orderIn(getResultLayouts(), index, getResult(index).getType());
}

int64_t CustomCallOp::aliasedOperand(unsigned index) {
  for (Attribute attribute : getOutputOperandAliases()) {
    auto alias = cast<OutputOperandAliasAttr>(attribute);
    ArrayRef<int64_t> path = alias.getOutputTupleIndices();
    if ((path.empty() ? 0 : path.front()) == index) {
      return alias.getOperandIndex();
    }
  }
  return -1;
}

/// The types of the results, those in a tuple that is the only result.
static SmallVector<Type> flatResultTypes(CustomCallOp op) {
  SmallVector<Type> types(op->getResultTypes());
  if (types.size() == 1) {
    if (auto tuple = dyn_cast<TupleType>(types[0])) {
      types.assign(tuple.begin(), tuple.end());
    }
  }
  return types;
}

static LogicalResult verifyAliases(CustomCallOp op) {
  SmallVector<Type> results = flatResultTypes(op);
  SmallVector<int64_t> taken, given;
  for (Attribute attribute : op.getOutputOperandAliases()) {
    auto alias = cast<OutputOperandAliasAttr>(attribute);
    ArrayRef<int64_t> path = alias.getOutputTupleIndices();
    int64_t result = path.empty() ? 0 : path.front();
    int64_t operand = alias.getOperandIndex();
    if (path.size() > 1 || !alias.getOperandTupleIndices().empty()) {
      return op.emitOpError("aliases parts of nested tuples");
    }
    if (!areBelow({result}, results.size()) ||
        !areBelow({operand}, op->getNumOperands()) ||
        llvm::is_contained(taken, result) ||
        llvm::is_contained(given, operand)) {
      return op.emitOpError("aliases result ")
             << result << " with operand " << operand
             << ", one of which does not exist or is aliased twice";
    }
    taken.push_back(result);
    given.push_back(operand);
    Type type = op->getOperand(operand).getType();
    if (results[result] != type ||
        orderIn(op.getOperandLayouts(), operand, type) !=
            orderIn(op.getResultLayouts(), result, type)) {
      return op.emitOpError("aliases result ")
             << result << ", " << results[result] << ", with operand "
             << operand << ", " << type << ": their types or layouts differ";
    }
  }
  return success();
}

LogicalResult CustomCallOp::verify() {
  if (getOperandLayouts().has_value() != getResultLayouts().has_value()) {
    return emitOpError("has layouts for one of operands and results, but not "
                       "for the other");
  }
  if (!getOperandLayouts()) {
    return verifyAliases(*this);
  }
  if (failed(verifyLayouts(*this, *getOperandLayouts(), getOperandTypes(),
                           "operand layouts"))) {
    return failure();
  }
  if (failed(verifyLayouts(*this, *getResultLayouts(), flatResultTypes(*this),
                           "result layouts"))) {
    return failure();
  }
  return verifyAliases(*this);
}

LogicalResult CustomCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (Attribute name : getCalledComputations()) {
    if (!symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
            *this, cast<FlatSymbolRefAttr>(name))) {
      return emitOpError("called computation ")
             << name << " is not a function here";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// AllToAllOp
//===----------------------------------------------------------------------===//

LogicalResult AllToAllOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  int64_t split = adaptor.getSplitDimension();
  int64_t concat = adaptor.getConcatDimension();
  int64_t count = adaptor.getSplitCount();
  for (Value operand : adaptor.getOperands()) {
    RankedTensorType type = tensorType(operand);
    if (!areBelow({split, concat}, type.getRank())) {
      return inferError<AllToAllOp>(location, "dimensions ", split, " and ",
                                    concat, " are out of range for ", type,
                                    " [C1]");
    }
    SmallVector<int64_t> shape(type.getShape());
    if (count <= 0 ||
        (!ShapedType::isDynamic(shape[split]) && shape[split] % count != 0)) {
      return inferError<AllToAllOp>(location, "dim ", split, " of ", type,
                                    " cannot be split in ", count,
                                    " equal parts [C2]");
    }
    if (!ShapedType::isDynamic(shape[split])) {
      shape[split] /= count;
    }
    if (!ShapedType::isDynamic(shape[concat])) {
      shape[concat] *= count;
    }
    types.push_back(withShape(type, shape));
  }
  return success();
}

} // namespace xla::stablehlo
