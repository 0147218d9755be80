//===- ControlFlow.cpp - Loops, branches, calls, tuples -------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "xla/dialect/stablehlo/Assembly.h"
#include "xla/dialect/stablehlo/Verification.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "xla/dialect/stablehlo/ControlFlow.cpp.inc"

namespace xla::stablehlo {

void StablehloDialect::addControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "xla/dialect/stablehlo/ControlFlow.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// WhileOp
//===----------------------------------------------------------------------===//

void WhileOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments()) {
    setName(argument, "iterArg");
  }
}

void WhileOp::print(OpAsmPrinter &printer) {
  // The block arguments are printed once, for both regions: with unequal or
  // missing blocks only the generic form says what is there.
  printer << '(';
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperand()),
                        printer, [&](auto pair) {
                          printer.printOperand(std::get<0>(pair));
                          printer << " = " << std::get<1>(pair);
                        });
  printer << ')';
  if (getNumOperands() != 0) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  // Both regions are printed with the body's names.
  if (!getCond().empty()) {
    printer.shadowRegionArgs(getCond(), getBody().getArguments());
  }
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  auto parsePair = [&]() -> ParseResult {
    if (failed(parser.parseArgument(arguments.emplace_back())) ||
        failed(parser.parseEqual())) {
      return failure();
    }
    return parser.parseOperand(operands.emplace_back());
  };
  SMLoc location = parser.getCurrentLocation();
  if (failed(parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                            parsePair))) {
    return failure();
  }
  SmallVector<Type> types;
  if (!operands.empty() && failed(parser.parseColonTypeList(types))) {
    return failure();
  }
  if (types.size() != operands.size()) {
    return parser.emitError(location)
           << "expected " << operands.size() << " types, got " << types.size();
  }
  if (failed(
          parser.resolveOperands(operands, types, location, result.operands)) ||
      failed(parser.parseOptionalAttrDictWithKeyword(result.attributes)) ||
      failed(parser.parseKeyword("cond"))) {
    return failure();
  }
  result.addTypes(types);
  for (auto [argument, type] : llvm::zip_equal(arguments, types)) {
    argument.type = type;
  }
  Region *cond = result.addRegion(), *body = result.addRegion();
  return failure(failed(parser.parseRegion(*cond, arguments)) ||
                 failed(parser.parseKeyword("do")) ||
                 failed(parser.parseRegion(*body, arguments)));
}

LogicalResult WhileOp::verifyRegions() {
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (!areCompatibleTypes(getResultTypes(), getOperandTypes())) {
    return emitOpError("results differ from operands in type: ")
           << getResultTypes() << " and " << getOperandTypes() << " [C3]";
  }
  if (failed(verifyRegion(*this, getCond(), "cond", getOperandTypes(), pred,
                          "C1"))) {
    return failure();
  }
  return verifyRegion(*this, getBody(), "body", getOperandTypes(),
                      getOperandTypes(), "C2");
}

//===----------------------------------------------------------------------===//
// IfOp, CaseOp
//===----------------------------------------------------------------------===//

LogicalResult IfOp::verify() {
  if (tensorType(getPred()).getRank() != 0) {
    return emitOpError("predicate is not a scalar: ")
           << getPred().getType() << " [I1]";
  }
  return success();
}

LogicalResult IfOp::verifyRegions() {
  if (failed(verifyRegion(*this, getTrueBranch(), "true_branch", {},
                          getResultTypes(), "C3"))) {
    return failure();
  }
  return verifyRegion(*this, getFalseBranch(), "false_branch", {},
                      getResultTypes(), "C3");
}

LogicalResult CaseOp::verify() {
  if (tensorType(getIndex()).getRank() != 0) {
    return emitOpError("index is not a scalar: ")
           << getIndex().getType() << " [I1]";
  }
  if (getBranches().empty()) {
    return emitOpError("needs a branch [C1]");
  }
  return success();
}

LogicalResult CaseOp::verifyRegions() {
  for (auto [index, branch] : llvm::enumerate(getBranches())) {
    if (failed(verifyRegion(*this, branch, "branch " + std::to_string(index),
                            {}, getResultTypes(), "C4"))) {
      return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(TupleType::get(context, adaptor.getVal().getTypes()));
  return success();
}

LogicalResult GetTupleElementOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto tuple = cast<TupleType>(adaptor.getOperand().getType());
  int64_t index = int32_t(adaptor.getIndex());
  if (!areBelow(index, tuple.size())) {
    return inferError<GetTupleElementOp>(location, "index ", index,
                                         " is out of range for ", Type(tuple),
                                         " [C1]");
  }
  types.push_back(tuple.getType(index));
  return success();
}

//===----------------------------------------------------------------------===//
// CompositeOp
//===----------------------------------------------------------------------===//

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getDecompositionAttr());
  if (!callee) {
    return emitOpError("decomposition ")
           << getDecompositionAttr() << " is not a function here [C2]";
  }
  if (!areCompatibleTypes(callee.getArgumentTypes(), getOperandTypes())) {
    return emitOpError("decomposition takes (")
           << callee.getArgumentTypes() << "), but is given ("
           << getOperandTypes() << ") [C3]";
  }
  if (!areCompatibleTypes(callee.getResultTypes(), getResultTypes())) {
    return emitOpError("decomposition returns (")
           << callee.getResultTypes() << ") where (" << getResultTypes()
           << ") is needed [C4]";
  }
  return success();
}

} // namespace xla::stablehlo
