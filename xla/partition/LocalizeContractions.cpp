//===- LocalizeContractions.cpp - Sums and windows, in pieces -------------===//

#include "xla/partition/Localizer.h"

#include "mlir/IR/Matchers.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace xla::partition {

using namespace stablehlo;

using Values = SmallVectorImpl<Value>;

static int64_t sizeOf(Value value, int64_t dim) {
  return tensorType(value).getDimSize(dim);
}

std::optional<Combination> combinationOf(Region &region) {
  Block &body = region.front();
  Operation *terminator = body.getTerminator();
  if (terminator->getNumOperands() != 1 || body.getNumArguments() != 2) {
    return std::nullopt;
  }
  Operation *op = terminator->getOperand(0).getDefiningOp();
  // Marks of shardings mean nothing on scalars.
  while (op && op->getName().getDialectNamespace() == "sdy") {
    op = op->getOperand(0).getDefiningOp();
  }
  auto isArgument = [&](Value value, unsigned number) {
    return value == body.getArgument(number);
  };
  if (!op || op->getNumOperands() != 2 ||
      !((isArgument(op->getOperand(0), 0) &&
         isArgument(op->getOperand(1), 1)) ||
        (isArgument(op->getOperand(0), 1) &&
         isArgument(op->getOperand(1), 0)))) {
    return std::nullopt;
  }
  Type element = tensorType(op->getResult(0)).getElementType();
  bool isBoolean = element.isInteger(1);
  if (isa<AddOp>(op)) {
    return isBoolean ? Combination::Or : Combination::Sum;
  }
  if (isa<MulOp>(op)) {
    return isBoolean ? Combination::And : Combination::Product;
  }
  if (isa<ComplexType>(element)) {
    return std::nullopt;
  }
  if (isa<MinOp>(op)) {
    return Combination::Min;
  }
  if (isa<MaxOp>(op)) {
    return Combination::Max;
  }
  if (isa<AndOp>(op)) {
    return Combination::And;
  }
  if (isa<OrOp>(op)) {
    return Combination::Or;
  }
  if (isa<XorOp>(op)) {
    return Combination::Xor;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static std::optional<Combination> sum(Operation *op) {
  bool isBoolean = tensorType(op->getResult(0)).getElementType().isInteger(1);
  return isBoolean ? Combination::Or : Combination::Sum;
}

/// Zeros in the padding of both operands along what is summed: either alone
/// might meet a NaN of the other.
static void maskReduced(Emitter &emit, Operation *op, const Division &division,
                        Values &operands) {
  for (auto [t, operand] : llvm::enumerate(operands)) {
    for (auto [dim, factors] : llvm::enumerate(division.rule.operands[t])) {
      bool isReduced = llvm::any_of(factors, [&](int factor) {
        return division.rule.factors[factor].kind == FactorKind::Reduction;
      });
      ArrayRef<int> axes = division.operandAxes(t, dim);
      bool isEven =
          sizeOf(op->getOperand(t), dim) % emit.grid.countOf(axes) == 0;
      if (isReduced && !isEven) {
        Type element = tensorType(operand).getElementType();
        operand = emit.maskPadding(operand, dim, sizeOf(op->getOperand(t), dim),
                                   axes, emit.scalar(element, 0));
      }
    }
  }
}

static Status emitProduct(Localizer &localizer, Operation *op,
                          Division &division, Values &operands,
                          Values &results) {
  maskReduced(localizer.emit, op, division, operands);
  llvm::append_range(
      results, localizer.clone(op, operands, division.results)->getResults());
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// A convolution along one spatial dimension.
struct Spatial {
  int64_t stride, low, high, inputDilation, kernelDilation;
  int64_t inputDim, kernelDim, resultDim;

  Spatial(ConvolutionOp op, int64_t number) {
    auto at = [&](std::optional<ArrayRef<int64_t>> list) {
      return list ? (*list)[number] : 1;
    };
    stride = at(op.getWindowStrides());
    inputDilation = at(op.getLhsDilation());
    kernelDilation = at(op.getRhsDilation());
    low = high = 0;
    if (auto padding = op.getPadding()) {
      low = padding->getValues<int64_t>()[2 * number];
      high = padding->getValues<int64_t>()[2 * number + 1];
    }
    ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
    inputDim = dims.getInputSpatialDimensions()[number];
    kernelDim = dims.getKernelSpatialDimensions()[number];
    resultDim = dims.getOutputSpatialDimensions()[number];
  }
};

/// The rows of the input that a device needs, and the padding that is left.
struct LocalSpatial {
  RowWindow window;
  int64_t low, high;
};
} // namespace

static int64_t floorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// `first` and `step` in rows of the dilated input, of which `length` are
/// needed.
static std::optional<LocalSpatial>
undilate(const Spatial &spatial, int64_t first, int64_t step, int64_t length) {
  int64_t dilation = spatial.inputDilation;
  if (step % dilation != 0) {
    return std::nullopt;
  }
  int64_t row = floorDiv(first, dilation);
  // Where the window begins behind its first row, the difference is cut off.
  int64_t cut = first - row * dilation;
  int64_t rows = (cut + length - 1) / dilation + 1;
  int64_t covered = (rows - 1) * dilation + 1;
  return LocalSpatial{
      {row, step / dilation, rows}, -cut, cut + length - covered};
}

static std::optional<LocalSpatial> localSpatial(ConvolutionOp op,
                                                const Spatial &spatial,
                                                bool dividesKernel,
                                                int64_t pieces) {
  int64_t windows = sizeOf(op.getResult(), spatial.resultDim);
  int64_t taps = sizeOf(op.getRhs(), spatial.kernelDim);
  if (windows == 0 || taps == 0) {
    return std::nullopt;
  }
  int64_t localWindows = dividesKernel ? windows : ceilDiv(windows, pieces);
  int64_t localTaps = dividesKernel ? ceilDiv(taps, pieces) : taps;
  int64_t step = dividesKernel ? localTaps * spatial.kernelDilation
                               : localWindows * spatial.stride;
  int64_t length = (localWindows - 1) * spatial.stride +
                   (localTaps - 1) * spatial.kernelDilation + 1;
  return undilate(spatial, -spatial.low, step, length);
}

static std::optional<int64_t> spatialNumber(ConvolutionOp op,
                                            int64_t inputDim) {
  ArrayRef<int64_t> dims = op.getDimensionNumbers().getInputSpatialDimensions();
  const int64_t *found = llvm::find(dims, inputDim);
  if (found == dims.end()) {
    return std::nullopt;
  }
  return found - dims.begin();
}

/// Whether an input dimension is divided as the kernel is.
static bool goesWithKernel(ConvolutionOp op, int64_t number) {
  Spatial spatial(op, number);
  return sizeOf(op.getResult(), spatial.resultDim) <
         sizeOf(op.getRhs(), spatial.kernelDim);
}

static std::optional<RowWindow> convolutionWindow(Operation *op,
                                                  unsigned operand, int64_t dim,
                                                  int64_t pieces) {
  auto convolution = cast<ConvolutionOp>(op);
  std::optional<int64_t> number = spatialNumber(convolution, dim);
  if (operand != 0 || !number) {
    return std::nullopt;
  }
  bool dividesKernel = goesWithKernel(convolution, *number);
  std::optional<ArrayRef<bool>> reversal = convolution.getWindowReversal();
  if (dividesKernel && reversal && (*reversal)[*number]) {
    return std::nullopt;
  }
  auto local = localSpatial(convolution, Spatial(convolution, *number),
                            dividesKernel, pieces);
  return local ? std::optional(local->window) : std::nullopt;
}

/// Groups that are divided are fewer in each piece: as many as the grouped
/// dimension holds, or, where that is empty, as the result's features do.
static int64_t localGroups(ConvolutionOp whole, ConvolutionOp piece,
                           int64_t groups, int64_t size, int64_t groupSize) {
  if (groupSize != 0) {
    return size / groupSize;
  }
  int64_t dim = whole.getDimensionNumbers().getOutputFeatureDimension();
  int64_t features = sizeOf(whole.getResult(), dim) / groups;
  return features == 0 ? groups : sizeOf(piece.getResult(), dim) / features;
}

static Status emitConvolution(Localizer &localizer, Operation *op,
                              Division &division, Values &operands,
                              Values &results) {
  auto convolution = cast<ConvolutionOp>(op);
  Emitter &emit = localizer.emit;
  ConvDimensionNumbersAttr dims = convolution.getDimensionNumbers();
  // The input's rows beyond the array are zeros before they meet the kernel's.
  Division features = division;
  for (int64_t dim : dims.getInputSpatialDimensions()) {
    features.rule.operands[0][dim].clear();
  }
  maskReduced(emit, op, features, operands);
  SmallVector<int64_t> padding;
  for (int64_t i = 0; i < int64_t(dims.getInputSpatialDimensions().size());
       ++i) {
    Spatial spatial(convolution, i);
    ArrayRef<int> axes = division.operandAxes(0, spatial.inputDim);
    padding.append({spatial.low, spatial.high});
    if (axes.empty()) {
      continue;
    }
    LocalSpatial local =
        *localSpatial(convolution, spatial, goesWithKernel(convolution, i),
                      emit.grid.countOf(axes));
    Value zero = emit.scalar(tensorType(operands[0]).getElementType(), 0);
    operands[0] = emit.exchange(operands[0], spatial.inputDim,
                                sizeOf(op->getOperand(0), spatial.inputDim),
                                axes, local.window, zero);
    padding[2 * i] = local.low;
    padding[2 * i + 1] = local.high;
  }
  Operation *copy = localizer.clone(op, operands, division.results);
  auto own = cast<ConvolutionOp>(copy);
  if (!padding.empty()) {
    auto type = RankedTensorType::get({int64_t(padding.size()) / 2, 2},
                                      emit.builder.getI64Type());
    own.setPaddingAttr(
        DenseIntElementsAttr::get(type, ArrayRef<int64_t>(padding)));
  }
  if (convolution.getFeatureGroupCount() > 1) {
    own.setFeatureGroupCount(localGroups(
        convolution, own, convolution.getFeatureGroupCount(),
        sizeOf(own.getLhs(), dims.getInputFeatureDimension()),
        sizeOf(own.getRhs(), dims.getKernelInputFeatureDimension())));
  } else if (convolution.getBatchGroupCount() > 1) {
    own.setBatchGroupCount(
        localGroups(convolution, own, convolution.getBatchGroupCount(),
                    sizeOf(own.getLhs(), dims.getInputBatchDimension()),
                    sizeOf(own.getResult(), dims.getOutputBatchDimension())));
  }
  llvm::append_range(results, copy->getResults());
  return okStatus();
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

static std::optional<Combination> reduceCombination(Operation *op) {
  std::optional<Combination> simple = combinationOf(op->getRegion(0));
  // Others are combined by their own body, once the parts are together.
  return simple && op->getNumResults() == 1 ? simple
                                            : std::optional(Combination::Sum);
}

/// Whether a value is a constant that changes nothing in a combination.
static bool isIdentity(Emitter &emit, Value value, Combination combination) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat()) {
    return false;
  }
  if (combination == Combination::Sum || combination == Combination::Xor) {
    auto type = constant.getElementType();
    if (isa<FloatType>(type)) {
      return constant.getSplatValue<APFloat>().isZero();
    }
    return isa<IntegerType>(type) && constant.getSplatValue<APInt>().isZero();
  }
  // In extremes and most of bits it may be taken in many times.
  return combination != Combination::Product;
}

/// Parts of each device one behind the other along a new dimension, reduced by
/// the same body.
static void reduceTogether(Localizer &localizer, ReduceOp reduce,
                           Division &division, ArrayRef<Value> initial,
                           Values &results) {
  Emitter &emit = localizer.emit;
  SmallVector<Value> gathered;
  for (Value result : results) {
    RankedTensorType type = tensorType(result);
    Sizes shape(type.getShape());
    shape.insert(shape.begin(), 1);
    Value row = ReshapeOp::create(
        emit.builder, emit.loc,
        RankedTensorType::get(shape, type.getElementType()), result);
    gathered.push_back(emit.allGather(row, 0, division.reduced));
  }
  SmallVector<Value> operands(gathered);
  operands.append(initial.begin(), initial.end());
  for (Placement &placement : division.results) {
    placement.pending.clear();
  }
  auto copy =
      cast<ReduceOp>(localizer.clone(reduce, operands, division.results));
  copy.setDimensions({0});
  results.assign(copy->result_begin(), copy->result_end());
}

static Status emitReduce(Localizer &localizer, Operation *op,
                         Division &division, Values &operands,
                         Values &results) {
  auto reduce = cast<ReduceOp>(op);
  Emitter &emit = localizer.emit;
  size_t count = reduce.getInputs().size();
  std::optional<Combination> simple =
      count == 1 ? combinationOf(reduce.getBody()) : std::nullopt;
  Type element = tensorType(operands[0]).getElementType();
  for (size_t i = 0; i < count && !division.reduced.empty(); ++i) {
    for (int64_t dim : reduce.getDimensions()) {
      ArrayRef<int> axes = division.operandAxes(i, dim);
      int64_t global = sizeOf(op->getOperand(i), dim);
      if (axes.empty() || global % emit.grid.countOf(axes) == 0) {
        continue;
      }
      Value fill =
          simple ? emit.identity(element, *simple) : operands[count + i];
      operands[i] = emit.maskPadding(operands[i], dim, global, axes, fill);
    }
  }
  // What a sum begins with is to be counted once.
  if (!division.reduced.empty() && simple &&
      !isIdentity(emit, op->getOperand(1), *simple)) {
    operands[1] = emit.select(emit.isFirst(division.reduced), operands[1],
                              emit.identity(element, *simple));
  }
  llvm::append_range(
      results, localizer.clone(op, operands, division.results)->getResults());
  if (!division.reduced.empty() && !simple) {
    reduceTogether(localizer, reduce, division,
                   ArrayRef<Value>(operands).drop_front(count), results);
  }
  return okStatus();
}

//===----------------------------------------------------------------------===//
// reduce_window, select_and_scatter
//===----------------------------------------------------------------------===//

static std::optional<RowWindow>
reduceWindowWindow(Operation *op, unsigned, int64_t dim, int64_t pieces) {
  auto reduce = cast<ReduceWindowOp>(op);
  auto at = [&](std::optional<ArrayRef<int64_t>> list) {
    return list ? (*list)[dim] : 1;
  };
  int64_t rows = ceilDiv(sizeOf(reduce.getResult(0), dim), pieces);
  int64_t stride = at(reduce.getWindowStrides());
  if (at(reduce.getBaseDilations()) != 1 || rows == 0) {
    return std::nullopt;
  }
  int64_t low = 0;
  if (auto padding = reduce.getPadding()) {
    low = padding->getValues<int64_t>()[2 * dim];
  }
  int64_t span = (reduce.getWindowDimensions()[dim] - 1) *
                     at(reduce.getWindowDilations()) +
                 1;
  return RowWindow{-low, rows * stride, (rows - 1) * stride + span};
}

static Status emitReduceWindow(Localizer &localizer, Operation *op,
                               Division &division, Values &operands,
                               Values &results) {
  auto reduce = cast<ReduceWindowOp>(op);
  Emitter &emit = localizer.emit;
  int64_t rank = tensorType(operands[0]).getRank();
  size_t count = reduce.getInputs().size();
  SmallVector<int64_t> padding(2 * rank, 0);
  if (auto given = reduce.getPadding()) {
    padding = llvm::to_vector(given->getValues<int64_t>());
  }
  bool isMoved = false;
  for (int64_t dim = 0; dim < rank; ++dim) {
    ArrayRef<int> axes = division.operandAxes(0, dim);
    const DimMapping &factors = division.rule.operands[0][dim];
    if (axes.empty() ||
        division.rule.factors[factors[0]].kind != FactorKind::Permutation) {
      continue;
    }
    RowWindow window = *reduceWindowWindow(op, 0, dim, emit.grid.countOf(axes));
    for (size_t i = 0; i < count; ++i) {
      operands[i] =
          emit.exchange(operands[i], dim, sizeOf(op->getOperand(i), dim), axes,
                        window, operands[count + i]);
    }
    padding[2 * dim] = padding[2 * dim + 1] = 0;
    isMoved = true;
  }
  Operation *copy = localizer.clone(op, operands, division.results);
  if (isMoved) {
    auto type = RankedTensorType::get({rank, 2}, emit.builder.getI64Type());
    cast<ReduceWindowOp>(copy).setPaddingAttr(
        DenseIntElementsAttr::get(type, ArrayRef<int64_t>(padding)));
  }
  llvm::append_range(results, copy->getResults());
  return okStatus();
}

/// Windows that are side by side are divided with what they choose from.
/// Whether the windows along a dimension are side by side and cover it, so that
/// each row of the source belongs to a row of windows.
static bool windowsTile(SelectAndScatterOp select, int64_t dim) {
  auto at = [&](std::optional<ArrayRef<int64_t>> list) {
    return list ? (*list)[dim] : 1;
  };
  int64_t stride = at(select.getWindowStrides());
  if (auto padding = select.getPadding()) {
    auto values = padding->getValues<int64_t>();
    if (values[2 * dim] != 0 || values[2 * dim + 1] != 0) {
      return false;
    }
  }
  return at(select.getWindowDimensions()) == stride &&
         sizeOf(select.getOperand(), dim) ==
             stride * sizeOf(select.getSource(), dim);
}

static void adjustSelectAndScatter(Operation *op, ShardingRule &rule) {
  auto select = cast<SelectAndScatterOp>(op);
  int64_t rank = tensorType(select.getResult()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    const DimMapping &factors = rule.operands[0][dim];
    if (factors.size() != 1 ||
        rule.factors[factors[0]].kind != FactorKind::Permutation) {
      continue;
    }
    if (windowsTile(select, dim)) {
      rule.operands[1][dim] = factors;
    }
  }
}

static std::optional<RowWindow> selectAndScatterWindow(Operation *op,
                                                       unsigned operand,
                                                       int64_t dim,
                                                       int64_t pieces) {
  auto select = cast<SelectAndScatterOp>(op);
  int64_t stride =
      select.getWindowStrides() ? (*select.getWindowStrides())[dim] : 1;
  // Pieces of whole windows need nothing of their neighbours.
  if (!windowsTile(select, dim) ||
      sizeOf(select.getOperand(), dim) % (pieces * stride) != 0) {
    return std::nullopt;
  }
  int64_t size = sizeOf(op->getOperand(operand), dim) / pieces;
  return RowWindow{0, size, size};
}

void addContractions(Families &families) {
  auto add = [&](StringRef name) -> Family & {
    return families[("stablehlo." + name).str()];
  };
  for (StringRef name : {"dot", "dot_general"}) {
    add(name).combination = sum;
    add(name).emit = emitProduct;
  }
  add("convolution").combination = sum;
  add("convolution").window = convolutionWindow;
  add("convolution").emit = emitConvolution;
  add("reduce").combination = reduceCombination;
  add("reduce").emit = emitReduce;
  add("reduce_window").window = reduceWindowWindow;
  add("reduce_window").emit = emitReduceWindow;
  add("select_and_scatter").adjust = adjustSelectAndScatter;
  add("select_and_scatter").window = selectAndScatterWindow;
}

} // namespace xla::partition
