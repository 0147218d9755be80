//===- Shapes.cpp - Constants, shapes, movement of data -------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/reference/ShapeOperands.h"

using namespace mlir;

namespace xla::reference {

//===----------------------------------------------------------------------===//
// constant, iota
//===----------------------------------------------------------------------===//

static void setFloat(Tensor &out, int64_t i, const APFloat &value) {
  APFloat wide = value;
  bool losesInfo;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  out.setReal(i, wide.convertToDouble());
}

static std::complex<double> asComplex(const std::complex<APFloat> &value) {
  auto part = [](APFloat number) {
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return number.convertToDouble();
  };
  return {part(value.real()), part(value.imag())};
}

static Status evaluateConstant(const Step &step) {
  auto dense =
      cast<DenseElementsAttr>(cast<stablehlo::ConstantOp>(step.op).getValue());
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  int64_t i = 0;
  switch (kindOf(out.type())) {
  case Kind::Integer:
    for (const APInt &value : dense.getValues<APInt>()) {
      out.setInteger(i++, value.getZExtValue());
    }
    break;
  case Kind::Float:
    for (const APFloat &value : dense.getValues<APFloat>()) {
      setFloat(out, i++, value);
    }
    break;
  default:
    for (const std::complex<APFloat> &value :
         dense.getValues<std::complex<APFloat>>()) {
      out.setComplex(i++, asComplex(value));
    }
    break;
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

static void setNumber(Tensor &out, int64_t i, int64_t value) {
  switch (kindOf(out.type())) {
  case Kind::Integer:
    return out.setInteger(i, value);
  case Kind::Complex:
    return out.setComplex(i, double(value));
  default:
    return out.setReal(i, double(value));
  }
}

static Status evaluateIota(const Step &step) {
  uint64_t dimension = cast<stablehlo::IotaOp>(step.op).getIotaDimension();
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  int64_t position = 0;
  forEachIndex(out.sizes(), [&](Index index) {
    setNumber(out, position++, index[dimension]);
    return true;
  });
  step.results.push_back(std::move(out));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

static Status evaluateReshape(const Step &step) {
  XLA_ASSIGN_OR_RETURN(Shape shape, shapeOf(step.op->getResult(0).getType()));
  step.results.push_back(step.operands[0].reshaped(shape.dimensions));
  return okStatus();
}

/// out[index] = operand[positionOf(index)], a row-major position.
static Status rearrange(const Step &step,
                        llvm::function_ref<int64_t(Index)> positionOf) {
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  int64_t position = 0;
  forEachIndex(out.sizes(), [&](Index index) {
    out.copyElement(position++, step.operands[0], positionOf(index));
    return true;
  });
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluateTranspose(const Step &step) {
  ArrayRef<int64_t> permutation =
      cast<stablehlo::TransposeOp>(step.op).getPermutation();
  Sizes strides = stridesOf(step.operands[0].sizes());
  return rearrange(step, [&](Index index) {
    int64_t position = 0;
    for (auto [i, dimension] : llvm::enumerate(permutation)) {
      position += index[i] * strides[dimension];
    }
    return position;
  });
}

static Status broadcastInDim(const Step &step, ArrayRef<int64_t> dimensions) {
  const Tensor &operand = step.operands[0];
  Sizes strides = stridesOf(operand.sizes());
  return rearrange(step, [&](Index index) {
    int64_t position = 0;
    for (auto [i, dimension] : llvm::enumerate(dimensions)) {
      position += operand.sizes()[i] == 1 ? 0 : index[dimension] * strides[i];
    }
    return position;
  });
}

static Status evaluateBroadcastInDim(const Step &step) {
  return broadcastInDim(
      step,
      cast<stablehlo::BroadcastInDimOp>(step.op).getBroadcastDimensions());
}

static Status evaluateBroadcast(const Step &step) {
  auto op = cast<stablehlo::BroadcastOp>(step.op);
  int64_t added = op.getBroadcastSizes().size();
  auto dimensions = llvm::to_vector(
      llvm::seq<int64_t>(added, added + step.operands[0].rank()));
  return broadcastInDim(step, dimensions);
}

static Status evaluateReverse(const Step &step) {
  ArrayRef<int64_t> dimensions =
      cast<stablehlo::ReverseOp>(step.op).getDimensions();
  const Tensor &operand = step.operands[0];
  Sizes strides = stridesOf(operand.sizes());
  return rearrange(step, [&](Index index) {
    int64_t position = 0;
    for (int64_t i = 0; i < operand.rank(); ++i) {
      int64_t step = llvm::is_contained(dimensions, i)
                         ? operand.sizes()[i] - 1 - index[i]
                         : index[i];
      position += step * strides[i];
    }
    return position;
  });
}

static Status evaluateConcatenate(const Step &step) {
  int64_t dimension = cast<stablehlo::ConcatenateOp>(step.op).getDimension();
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  Sizes strides = stridesOf(out.sizes());
  int64_t offset = 0;
  for (const Tensor &input : step.operands) {
    int64_t position = 0;
    forEachIndex(input.sizes(), [&](Index index) {
      out.copyElement(positionOf(index, strides) + offset * strides[dimension],
                      input, position++);
      return true;
    });
    offset += input.sizes()[dimension];
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluateSlice(const Step &step) {
  auto op = cast<stablehlo::SliceOp>(step.op);
  Index starts = op.getStartIndices(), steps = op.getStrides();
  Sizes strides = stridesOf(step.operands[0].sizes());
  return rearrange(step, [&](Index index) {
    int64_t position = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      position += (starts[i] + index[i] * steps[i]) * strides[i];
    }
    return position;
  });
}

static Status evaluatePad(const Step &step) {
  auto op = cast<stablehlo::PadOp>(step.op);
  Index lows = op.getEdgePaddingLow(), interiors = op.getInteriorPadding();
  const Tensor &operand = step.operands[0], &value = step.operands[1];
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  for (int64_t i = 0; i < out.count(); ++i) {
    out.copyElement(i, value, 0);
  }
  Sizes strides = stridesOf(out.sizes());
  int64_t from = -1;
  forEachIndex(operand.sizes(), [&](Index index) {
    ++from;
    int64_t position = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      int64_t step = lows[i] + index[i] * (interiors[i] + 1);
      if (step < 0 || step >= out.sizes()[i]) {
        return true; // cut off by a negative padding
      }
      position += step * strides[i];
    }
    out.copyElement(position, operand, from);
    return true;
  });
  step.results.push_back(std::move(out));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

static Status evaluateIdentity(const Step &step) {
  step.results.append(step.operands.begin(), step.operands.end());
  return okStatus();
}

static Status evaluateGetDimensionSize(const Step &step) {
  auto op = cast<stablehlo::GetDimensionSizeOp>(step.op);
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  out.setInteger(0, step.operands[0].sizes()[op.getDimension()]);
  step.results.push_back(std::move(out));
  return okStatus();
}

/// Arrays have the sizes of their types: any other is refused.
static Status evaluateSetDimensionSize(const Step &step) {
  auto op = cast<stablehlo::SetDimensionSizeOp>(step.op);
  int64_t size = step.operands[1].integer(0);
  int64_t whole = step.operands[0].sizes()[op.getDimension()];
  if (size != whole || op.getType() != op.getOperand().getType()) {
    return unimplemented("size " + std::to_string(size) + " of dimension " +
                         std::to_string(op.getDimension()) + ", which has " +
                         std::to_string(whole) +
                         " elements: arrays have the sizes of their types");
  }
  step.results.push_back(step.operands[0]);
  return okStatus();
}

void addShapes(Handlers &handlers) {
  handlers["stablehlo.constant"] = evaluateConstant;
  handlers["stablehlo.iota"] = evaluateIota;
  handlers["stablehlo.dynamic_iota"] = withoutShapeOperands<evaluateIota>;
  handlers["stablehlo.reshape"] = evaluateReshape;
  handlers["stablehlo.dynamic_reshape"] = withoutShapeOperands<evaluateReshape>;
  handlers["stablehlo.transpose"] = evaluateTranspose;
  handlers["stablehlo.broadcast_in_dim"] = evaluateBroadcastInDim;
  handlers["stablehlo.dynamic_broadcast_in_dim"] =
      withoutShapeOperands<evaluateBroadcastInDim>;
  handlers["stablehlo.broadcast"] = evaluateBroadcast;
  handlers["stablehlo.reverse"] = evaluateReverse;
  handlers["stablehlo.concatenate"] = evaluateConcatenate;
  handlers["stablehlo.slice"] = evaluateSlice;
  handlers["stablehlo.real_dynamic_slice"] =
      withoutShapeOperands<evaluateSlice>;
  handlers["stablehlo.pad"] = evaluatePad;
  handlers["stablehlo.dynamic_pad"] = withoutShapeOperands<evaluatePad>;
  handlers["stablehlo.optimization_barrier"] = evaluateIdentity;
  handlers["stablehlo.get_dimension_size"] = evaluateGetDimensionSize;
  handlers["stablehlo.set_dimension_size"] = evaluateSetDimensionSize;
}

} // namespace xla::reference
