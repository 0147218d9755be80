//===- Assembly.h - Parts of the textual form of operations -----*- C++ -*-===//
//
// The functions behind `custom<...>` in the .td files: parseX reads what
// printX wrote.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_STABLEHLO_ASSEMBLY_H
#define XLA_DIALECT_STABLEHLO_ASSEMBLY_H

#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::stablehlo {

using mlir::ArrayAttr;
using mlir::DenseBoolArrayAttr;
using mlir::DenseI64ArrayAttr;
using mlir::DenseIntElementsAttr;
using mlir::IntegerAttr;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::OperandRange;
using mlir::Operation;
using mlir::ParseResult;
using mlir::StringAttr;
using mlir::Type;
using mlir::TypeRange;
using Operands = llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand>;
using Types = llvm::SmallVectorImpl<Type>;

/// `tensor<2xf32>` where all types are this one, else `(a, b) -> c`. The last
/// of `types` is the result's.
ParseResult parseOneTypeOrAll(OpAsmParser &parser,
                              llvm::ArrayRef<Type *> types);
void printOneTypeOrAll(OpAsmPrinter &printer, llvm::ArrayRef<Type> types);

template <typename... T>
ParseResult parseSameOperandsAndResultType(OpAsmParser &parser, T &...types) {
  return parseOneTypeOrAll(parser, {&types...});
}
template <typename... T>
void printSameOperandsAndResultType(OpAsmPrinter &printer, Operation *,
                                    T... types) {
  printOneTypeOrAll(printer, {types...});
}

/// One type for any number of operands and the result.
ParseResult
parseVariadicSameType(OpAsmParser &parser,
                      llvm::ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                      Types &operandTypes, Type &resultType);
void printVariadicSameType(OpAsmPrinter &printer, Operation *op,
                           OperandRange operands, TypeRange operandTypes,
                           Type resultType);

/// The types of the operands, which are those of the results.
ParseResult parsePairwiseTypes(OpAsmParser &parser, Types &operandTypes,
                               Types &resultTypes);
void printPairwiseTypes(OpAsmPrinter &printer, Operation *op,
                        TypeRange operandTypes, TypeRange resultTypes);

/// `tensor<2xcomplex<f32>>`: the result's type, which says the parts'.
ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs,
                               Type &result);
void printComplexOpType(OpAsmPrinter &printer, Operation *op, Type lhs,
                        Type rhs, Type result);

/// `tensor<i1>, tensor<2xf32>`: the predicate's and all others'.
ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue,
                              Type &onFalse, Type &result);
void printSelectOpType(OpAsmPrinter &printer, Operation *op, Type pred,
                       Type onTrue, Type onFalse, Type result);

/// `tuple<tensor<f32>>`: the result's type, which says the operands'.
ParseResult parseTupleOpType(OpAsmParser &parser, Types &operands,
                             Type &result);
void printTupleOpType(OpAsmPrinter &printer, Operation *op, TypeRange operands,
                      Type result);

/// `e5m10`
ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa);
void printExponentMantissa(OpAsmPrinter &printer, Operation *op,
                           IntegerAttr exponent, IntegerAttr mantissa);

/// `%a, %b,` with a comma after each, before a keyword.
ParseResult parseConcatenateOperands(OpAsmParser &parser, Operands &operands);
void printConcatenateOperands(OpAsmPrinter &printer, Operation *op,
                              OperandRange operands);

/// `[1:4, 0:6:2]`
ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                             DenseI64ArrayAttr &limits,
                             DenseI64ArrayAttr &strides);
void printSliceRanges(OpAsmPrinter &printer, Operation *op,
                      DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                      DenseI64ArrayAttr strides);

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`
ParseResult parseDotDimensionNumbers(OpAsmParser &parser,
                                     DotDimensionNumbersAttr &numbers);
void printDotDimensionNumbers(OpAsmPrinter &printer, Operation *op,
                              DotDimensionNumbersAttr numbers);

/// `, precision = [DEFAULT, HIGH]`, or nothing
ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precision);
void printPrecisionConfig(OpAsmPrinter &printer, Operation *op,
                          ArrayAttr precision);

/// The same, and `, algorithm = <...>`
ParseResult parsePrecisionAndAlgorithm(OpAsmParser &parser,
                                       ArrayAttr &precision,
                                       DotAlgorithmAttr &algorithm);
void printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                ArrayAttr precision,
                                DotAlgorithmAttr algorithm);

/// `[b, 0, f]x[0, i, o]->[b, 0, f]`
ParseResult parseConvDimensionNumbers(OpAsmParser &parser,
                                      ConvDimensionNumbersAttr &numbers);
void printConvDimensionNumbers(OpAsmPrinter &printer, Operation *op,
                               ConvDimensionNumbersAttr numbers);

/// `stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1],
/// reverse = [false]`, each or none
ParseResult parseConvWindow(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                            DenseIntElementsAttr &padding,
                            DenseI64ArrayAttr &lhsDilation,
                            DenseI64ArrayAttr &rhsDilation,
                            DenseBoolArrayAttr &reversal);
void printConvWindow(OpAsmPrinter &printer, Operation *op,
                     DenseI64ArrayAttr strides, DenseIntElementsAttr padding,
                     DenseI64ArrayAttr lhsDilation,
                     DenseI64ArrayAttr rhsDilation,
                     DenseBoolArrayAttr reversal);

/// `@target`
ParseResult parseCustomCallTarget(OpAsmParser &parser, StringAttr &target);
void printCustomCallTarget(OpAsmPrinter &printer, Operation *op,
                           StringAttr target);

/// `({...}, {...})`, or nothing where there are no regions
ParseResult parseCompositeRegions(
    OpAsmParser &parser,
    llvm::SmallVectorImpl<std::unique_ptr<mlir::Region>> &regions);
void printCompositeRegions(OpAsmPrinter &printer, Operation *op,
                           llvm::MutableArrayRef<mlir::Region> regions);

// Defined in Dialect.cpp.
mlir::FailureOr<ConvDimensionNumbersAttr>
parseConvDimensions(mlir::AsmParser &parser);
void printConvDimensions(mlir::AsmPrinter &printer,
                         ConvDimensionNumbersAttr numbers);

} // namespace xla::stablehlo

#endif // XLA_DIALECT_STABLEHLO_ASSEMBLY_H
