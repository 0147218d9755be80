//===- Shapes.cpp - Constants, shapes, movement of data -------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/reference/Interpreter.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

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
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(
      cast<stablehlo::ConstantOp>(step.op).getValue());
  if (!dense) {
    return unimplemented("only dense literals are supported");
  }
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
  uint64_t dimension =
      isa<stablehlo::IotaOp>(step.op)
          ? cast<stablehlo::IotaOp>(step.op).getIotaDimension()
          : cast<stablehlo::DynamicIotaOp>(step.op).getIotaDimension();
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
  if (*elementCount(shape) != step.operands[0].count()) {
    return invalidArgument("the operand has " +
                           std::to_string(step.operands[0].count()) +
                           " elements, the result " + toString(shape));
  }
  step.results.push_back(step.operands[0].reshaped(shape.dimensions));
  return okStatus();
}

/// out[index] = operand[place(index)], place giving a position.
static Status rearrange(const Step &step,
                        llvm::function_ref<int64_t(Index)> place) {
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  int64_t position = 0;
  forEachIndex(out.sizes(), [&](Index index) {
    out.copyElement(position++, step.operands[0], place(index));
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
  return llvm::TypeSwitch<Operation *, Status>(step.op)
      .Case<stablehlo::BroadcastInDimOp, stablehlo::DynamicBroadcastInDimOp>(
          [&](auto op) {
            return broadcastInDim(step, op.getBroadcastDimensions());
          });
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
      int64_t place = llvm::is_contained(dimensions, i)
                          ? operand.sizes()[i] - 1 - index[i]
                          : index[i];
      position += place * strides[i];
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

static Status slice(const Step &step, Index starts, Index steps) {
  Sizes strides = stridesOf(step.operands[0].sizes());
  return rearrange(step, [&](Index index) {
    int64_t position = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      position += (starts[i] + index[i] * steps[i]) * strides[i];
    }
    return position;
  });
}

static Status evaluateSlice(const Step &step) {
  auto op = cast<stablehlo::SliceOp>(step.op);
  return slice(step, op.getStartIndices(), op.getStrides());
}

static Sizes integersOf(const Tensor &tensor) {
  Sizes values;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    values.push_back(tensor.integer(i));
  }
  return values;
}

/// Checks that lists of sizes have one for each dimension of operand and
/// result.
static Status checkCounts(const Step &step, ArrayRef<Tensor> lists) {
  int64_t rank = step.operands[0].rank();
  XLA_ASSIGN_OR_RETURN(Shape result, shapeOf(step.op->getResult(0).getType()));
  if (int64_t(result.dimensions.size()) != rank) {
    return invalidArgument("the result has another rank than the operand");
  }
  for (const Tensor &list : lists) {
    if (list.count() != rank) {
      return invalidArgument(std::to_string(list.count()) + " numbers for " +
                             std::to_string(rank) + " dimensions");
    }
  }
  return okStatus();
}

static Status evaluateRealDynamicSlice(const Step &step) {
  XLA_RETURN_IF_ERROR(checkCounts(step, step.operands.drop_front(1)));
  Sizes starts = integersOf(step.operands[1]);
  Sizes steps = integersOf(step.operands[3]);
  XLA_ASSIGN_OR_RETURN(Shape result, shapeOf(step.op->getResult(0).getType()));
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t size = result.dimensions[i];
    if (starts[i] < 0 || steps[i] < 1 ||
        (size > 0 &&
         starts[i] + (size - 1) * steps[i] >= step.operands[0].sizes()[i])) {
      return invalidArgument("slice of dim " + std::to_string(i) +
                             " reaches outside the operand");
    }
  }
  return slice(step, starts, steps);
}

static Status pad(const Step &step, Index lows, Index interiors) {
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
      int64_t place = lows[i] + index[i] * (interiors[i] + 1);
      if (place < 0 || place >= out.sizes()[i]) {
        return true; // cut off by a negative padding
      }
      position += place * strides[i];
    }
    out.copyElement(position, operand, from);
    return true;
  });
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluatePad(const Step &step) {
  auto op = cast<stablehlo::PadOp>(step.op);
  return pad(step, op.getEdgePaddingLow(), op.getInteriorPadding());
}

static Status evaluateDynamicPad(const Step &step) {
  XLA_RETURN_IF_ERROR(checkCounts(step, step.operands.drop_front(2)));
  Sizes lows = integersOf(step.operands[2]);
  Sizes highs = integersOf(step.operands[3]);
  Sizes interiors = integersOf(step.operands[4]);
  XLA_ASSIGN_OR_RETURN(Shape result, shapeOf(step.op->getResult(0).getType()));
  for (size_t i = 0; i < lows.size(); ++i) {
    int64_t size = step.operands[0].sizes()[i];
    int64_t gaps = std::max<int64_t>(size - 1, 0), padded = 0;
    if (interiors[i] < 0 || llvm::MulOverflow(gaps, interiors[i], padded) ||
        llvm::AddOverflow(padded, lows[i], padded) ||
        llvm::AddOverflow(padded, highs[i], padded) ||
        llvm::AddOverflow(padded, size, padded) ||
        padded != result.dimensions[i]) {
      return invalidArgument("the padding of dim " + std::to_string(i) +
                             " does not give the result's size " +
                             std::to_string(result.dimensions[i]));
    }
  }
  return pad(step, lows, interiors);
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
  handlers["stablehlo.dynamic_iota"] = evaluateIota;
  handlers["stablehlo.reshape"] = evaluateReshape;
  handlers["stablehlo.dynamic_reshape"] = evaluateReshape;
  handlers["stablehlo.transpose"] = evaluateTranspose;
  handlers["stablehlo.broadcast_in_dim"] = evaluateBroadcastInDim;
  handlers["stablehlo.dynamic_broadcast_in_dim"] = evaluateBroadcastInDim;
  handlers["stablehlo.broadcast"] = evaluateBroadcast;
  handlers["stablehlo.reverse"] = evaluateReverse;
  handlers["stablehlo.concatenate"] = evaluateConcatenate;
  handlers["stablehlo.slice"] = evaluateSlice;
  handlers["stablehlo.real_dynamic_slice"] = evaluateRealDynamicSlice;
  handlers["stablehlo.pad"] = evaluatePad;
  handlers["stablehlo.dynamic_pad"] = evaluateDynamicPad;
  handlers["stablehlo.optimization_barrier"] = evaluateIdentity;
  handlers["stablehlo.get_dimension_size"] = evaluateGetDimensionSize;
  handlers["stablehlo.set_dimension_size"] = evaluateSetDimensionSize;
}

} // namespace xla::reference
