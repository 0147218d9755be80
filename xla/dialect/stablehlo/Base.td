//===- Base.td - The StableHLO dialect, its types, its op classes ---------===//
//
// What every family of operations includes: the dialect, the sets of element
// types that the specification names, and the classes of operations.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_STABLEHLO_BASE
#define XLA_DIALECT_STABLEHLO_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::xla::stablehlo";
  let summary = "The portable operations between a front end and a compiler";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // One member for each family of operations, each in a source of its own, so
  // that no source takes long to compile.
  let extraClassDeclaration = [{
    void addAttributes();
    void addTypes();
    void addElementwiseOps();
    void addShapeOps();
    void addIndexingOps();
    void addContractionOps();
    void addControlFlowOps();
    void addCommunicationOps();
    void addDynamicOps();
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class StableHLO_Type<string name, string typeMnemonic>
    : TypeDef<Stablehlo_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def StableHLO_Token : StableHLO_Type<"Token", "token"> {
  let summary = "Orders side effects; carries no data";
}

def StableHLO_Future : StableHLO_Type<"Future", "future"> {
  let summary = "The results of an operation that may still be running";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

def StableHLO_Pred : TypeAlias<I1, "pred">;
def StableHLO_SInt : AnyTypeOf<[I<2>, I<4>, I8, I16, I32, I64], "signed integer">;
def StableHLO_UInt
    : AnyTypeOf<[UI<2>, UI<4>, UI8, UI16, UI32, UI64], "unsigned integer">;
def StableHLO_Int : AnyTypeOf<[StableHLO_SInt, StableHLO_UInt], "integer">;
def StableHLO_Float
    : AnyTypeOf<[F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3FN,
                 F8E4M3FNUZ, F8E4M3B11FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, BF16,
                 F16, F32, F64], "floating-point">;
def StableHLO_Complex : AnyTypeOf<[Complex<F32>, Complex<F64>], "complex">;
def StableHLO_Quantized
    : Type<CPred<"::xla::stablehlo::isQuantizedType($_self)">, "quantized">;

class StableHLO_TensorOf<list<Type> elements, string name>
    : RankedTensorOf<elements> {
  let summary = "tensor of " # name # " values";
}

defvar NumberTypes = [StableHLO_Int, StableHLO_Float, StableHLO_Complex,
                      StableHLO_Quantized];
defvar ElementTypes = [StableHLO_Pred] # NumberTypes;

def StableHLO_Tensor : StableHLO_TensorOf<ElementTypes, "any">;
def StableHLO_NumberTensor : StableHLO_TensorOf<NumberTypes, "number">;
def StableHLO_PredTensor : StableHLO_TensorOf<[StableHLO_Pred], "pred">;
def StableHLO_IntTensor
    : StableHLO_TensorOf<[StableHLO_Int, StableHLO_Quantized], "integer">;
def StableHLO_PredOrIntTensor
    : StableHLO_TensorOf<[StableHLO_Pred, StableHLO_Int], "pred or integer">;
def StableHLO_FloatTensor
    : StableHLO_TensorOf<[StableHLO_Float, StableHLO_Quantized],
                         "floating-point">;
def StableHLO_FloatOrComplexTensor
    : StableHLO_TensorOf<[StableHLO_Float, StableHLO_Complex,
                          StableHLO_Quantized], "floating-point or complex">;
def StableHLO_SignedTensor
    : StableHLO_TensorOf<[StableHLO_SInt, StableHLO_Float, StableHLO_Complex,
                          StableHLO_Quantized],
                         "signed integer, floating-point or complex">;
def StableHLO_ComplexPartTensor
    : StableHLO_TensorOf<[F32, F64], "f32 or f64">;
def StableHLO_ComplexTensor
    : StableHLO_TensorOf<[StableHLO_Complex], "complex">;
def StableHLO_DimensionTensor
    : StableHLO_TensorOf<[StableHLO_Int, Index], "integer or index">;
def StableHLO_QuantizedTensor
    : StableHLO_TensorOf<[StableHLO_Quantized], "quantized">;

// What flows between operations without a shape of its own.
def StableHLO_TensorOrToken : AnyTypeOf<[StableHLO_Tensor, StableHLO_Token]>;
def StableHLO_CustomCallValue
    : AnyTypeOf<[StableHLO_Tensor, StableHLO_Token, AnyMemRef, StableHLO_Future,
                 NestedTupleOf<[StableHLO_Tensor, StableHLO_Token]>]>;
def StableHLO_Tuple : NestedTupleOf<[StableHLO_Tensor, StableHLO_Token]>;
def StableHLO_LoopValue
    : AnyTypeOf<[StableHLO_Tensor, StableHLO_Token, AnyMemRef,
                 StableHLO_Future]>;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<Stablehlo_Dialect, mnemonic, traits>;

// Declared by operations whose type inference is compared with actual types.
defvar StableHLO_CompatibleTypes = [{
  static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                      ::mlir::TypeRange actual) {
    return ::xla::stablehlo::areCompatibleTypes(inferred, actual);
  }
}];

// An operation whose result types follow from its operands: `inferReturnTypes`
// also checks what it needs, and the verifier calls it. A result may be more
// or less precise than inferred where dimensions are dynamic.
class StableHLO_InferOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [InferTypeOpAdaptor]> {
  let extraClassDeclaration = StableHLO_CompatibleTypes;
}

#endif // XLA_DIALECT_STABLEHLO_BASE
