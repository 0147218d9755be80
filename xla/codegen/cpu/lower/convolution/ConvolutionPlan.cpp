#include "xla/codegen/cpu/lower/convolution/ConvolutionPlan.h"

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Value;

static llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * shape[d];
  }
  return strides;
}

ConvolutionPlan::ConvolutionPlan(ConvolutionOp op) : ConvolutionArrays(op) {
  auto lhsStrides = stridesOf(lhs), rhsStrides = stridesOf(rhs);
  auto outStrides = stridesOf(out);
  for (int64_t d : numbers.getInputSpatialDimensions()) {
    lhsSpatial.push_back(lhsStrides[d]);
  }
  lhsBatch = lhsStrides[numbers.getInputBatchDimension()];
  lhsFeature = lhsStrides[numbers.getInputFeatureDimension()];
  lhsGroup = groupsBatch ? batches * lhsBatch : inputs * lhsFeature;
  int64_t outFeatureDim = numbers.getOutputFeatureDimension();
  int64_t rhsFeatureDim = numbers.getKernelOutputFeatureDimension();
  outFeature = outStrides[outFeatureDim];
  outGroup = features * outFeature;
  rhsFeature = rhsStrides[rhsFeatureDim];
  rhsGroup = features * rhsFeature;
  featuresLast = outFeature == 1;
  // What is before the features in memory is walked over around the tiles,
  // unless nothing is behind them.
  for (int64_t d = 0; d < static_cast<int64_t>(out.size()); ++d) {
    if (d == outFeatureDim) {
      continue;
    }
    const auto *found = llvm::find(numbers.getOutputSpatialDimensions(), d);
    bool isBatch = d == static_cast<int64_t>(numbers.getOutputBatchDimension());
    int64_t spatial =
        isBatch ? -1 : found - numbers.getOutputSpatialDimensions().begin();
    ConvolutionAxis axis = {out[d], outStrides[d], spatial};
    bool isInner = featuresLast || d > outFeatureDim;
    (isInner ? positions : outerAxes).push_back(axis);
    (isInner ? positionCount : outerCount) *= out[d];
  }
  // The last one says what is side by side.
  llvm::erase_if(positions, [this](const ConvolutionAxis &axis) {
    return axis.size == 1 && positionCount > 1;
  });
  outPosition = featuresLast ? out[outFeatureDim] : 1;
  for (int64_t d = 0; d < static_cast<int64_t>(rhs.size()); ++d) {
    if (d == rhsFeatureDim) {
      continue;
    }
    const auto *found = llvm::find(numbers.getKernelSpatialDimensions(), d);
    bool isInput =
        d == static_cast<int64_t>(numbers.getKernelInputFeatureDimension());
    int64_t spatial =
        isInput ? -1 : found - numbers.getKernelSpatialDimensions().begin();
    terms.push_back({rhs[d], rhsStrides[d], spatial});
    termCount *= rhs[d];
  }
  // One stride for all terms, or the kernel would have to be copied.
  rhsTerm = terms.empty() ? 1 : terms.back().stride;
  int64_t expected = rhsTerm;
  for (const ConvolutionAxis &axis : llvm::reverse(terms)) {
    merges &= axis.size == 1 || axis.stride == expected;
    expected *= axis.size;
  }
  planTiles();
}

int64_t ConvolutionPlan::stepOf(const ConvolutionAxis &axis, Kind kind) const {
  if (axis.spatial < 0) {
    return kind == Terms ? lhsFeature : lhsBatch;
  }
  const ConvolutionWindow &w = windows[axis.spatial];
  return (kind == Terms ? w.rhsDilation : w.stride) * lhsSpatial[axis.spatial];
}

llvm::SmallVector<int64_t> ConvolutionPlan::reachOf(Kind kind) const {
  llvm::SmallVector<int64_t> reach(windows.size(), 0);
  for (const ConvolutionAxis &axis : axes(kind)) {
    if (axis.spatial >= 0) {
      const ConvolutionWindow &w = windows[axis.spatial];
      reach[axis.spatial] =
          (axis.size - 1) * (kind == Terms ? w.rhsDilation : w.stride);
    }
  }
  return reach;
}

llvm::SmallVector<int64_t> ConvolutionPlan::runOffsets(Kind kind) const {
  llvm::SmallVector<int64_t> offsets;
  int64_t count = kind == Terms ? termCount : positionCount;
  for (int64_t number = 0; number < count; number += windowRun) {
    int64_t offset = 0, rest = number;
    for (const ConvolutionAxis &axis : llvm::reverse(axes(kind))) {
      int64_t i = rest % axis.size;
      rest /= axis.size;
      bool turns =
          kind == Terms && axis.spatial >= 0 && windows[axis.spatial].reversed;
      offset += (turns ? axis.size - 1 - i : i) * stepOf(axis, kind);
    }
    offsets.push_back(offset);
  }
  return offsets;
}

/// Whether every window is on the input.
bool ConvolutionPlan::staysInside() const {
  llvm::SmallVector<int64_t> ends = reachOf(Terms);
  for (Axes each : {Axes(positions), Axes(outerAxes)}) {
    for (const ConvolutionAxis &axis : each) {
      if (axis.spatial >= 0) {
        ends[axis.spatial] += (axis.size - 1) * windows[axis.spatial].stride;
      }
    }
  }
  return !hasHoles() &&
         llvm::all_of(llvm::zip_equal(windows, ends), [](auto x) {
           const auto &[w, end] = x;
           return w.low <= 0 && end - w.low < w.size;
         });
}

/// The distance in the input from each position, or term, to the next one, if
/// it is the same for all.
std::optional<int64_t> ConvolutionPlan::commonStep(Kind kind) const {
  std::optional<int64_t> step;
  int64_t expected = 0;
  for (const ConvolutionAxis &axis : llvm::reverse(axes(kind))) {
    if (axis.size == 1) {
      continue;
    }
    bool turns =
        kind == Terms && axis.spatial >= 0 && windows[axis.spatial].reversed;
    int64_t distance = stepOf(axis, kind);
    if (turns || (step && distance != expected)) {
      return std::nullopt;
    }
    step = step.value_or(distance);
    expected = distance * axis.size;
  }
  return step.value_or(1);
}

/// The largest divisor of a size that is at most so large.
static int64_t divisorOf(int64_t size, int64_t most) {
  for (int64_t d = std::min(size, most); d > 1; --d) {
    if (size % d == 0) {
      return d;
    }
  }
  return 1;
}

/// What is together in the input: terms or positions, `wanted` at most where
/// they go over several dimensions.
void ConvolutionPlan::planRuns(int64_t wanted) {
  Kind kind = isByTerms ? Terms : Positions;
  Axes left = axes(kind);
  windowRun = 1;
  if (isByTerms || (left.back().spatial < 0 && lhsBatch == 1)) {
    windowRun = left.back().size;
    left = left.drop_back();
  }
  run = windowRun;
  if (run == 1 && !isByTerms) {
    if (!staysInside()) {
      return; // pieces of lines: few of them exist as a whole
    }
    runStep = stepOf(left.back(), kind);
  }
  for (const ConvolutionAxis &axis : llvm::reverse(left)) {
    bool follows = axis.size == 1 || stepOf(axis, kind) == windowRun * runStep;
    if (axis.spatial >= 0) {
      const ConvolutionWindow &w = windows[axis.spatial];
      follows &= w.lhsDilation == 1 && !(kind == Terms && w.reversed);
    }
    if (!follows || windowRun >= wanted) {
      break;
    }
    int64_t part = divisorOf(axis.size, wanted / windowRun);
    windowRun *= part;
    if (part < axis.size) {
      break;
    }
  }
}

/// A block of terms whose part of the kernel stays in the first-level cache,
/// and as many positions as the second-level cache holds of such lines.
void ConvolutionPlan::planTiles() {
  constexpr int64_t elements = cpuTarget.secondCache / 32,
                    kernelElements = cpuTarget.firstCache / 2;
  if (positions.empty() || terms.empty() || features == 0 || termCount == 0 ||
      positionCount == 0 || outerCount == 0) {
    return;
  }
  std::optional<int64_t> ofPositions = commonStep(Positions);
  std::optional<int64_t> ofTerms = commonStep(Terms);
  isMatrix = ofPositions && ofTerms && staysInside();
  if (isMatrix) {
    positionStep = *ofPositions;
    termStep = *ofTerms;
    tile = positionCount;
    termBlock = termCount;
    return;
  }
  int64_t wanted = std::clamp<int64_t>(kernelElements / features, 64, 512);
  int64_t blocks = std::max<int64_t>((termCount + wanted - 1) / wanted, 1);
  termBlock = (termCount + blocks - 1) / blocks;
  isByTerms = terms.back().spatial < 0 && lhsFeature == 1;
  if (isByTerms) {
    planRuns(wanted);
    termBlock = (termCount / windowRun + blocks - 1) / blocks * windowRun;
  }
  tile = std::clamp<int64_t>(elements / termBlock, 1, positionCount);
  int64_t unit = tile > 24 ? 12 : 1;
  if (!isByTerms) {
    planRuns(tile);
    unit = windowRun > 1 && windowRun <= tile ? windowRun : unit;
  }
  // Tiles of about equal size, and some for each of a few threads.
  constexpr int64_t fewTasks = 4, smallTile = 64;
  auto upTo = [](int64_t count, int64_t of) { return (count + of - 1) / of; };
  tile = tile / unit * unit;
  int64_t tiles = std::max(
      upTo(positionCount, tile),
      std::min(fewTasks / (groups * outerCount), positionCount / smallTile));
  tile = upTo(upTo(positionCount, tiles), unit) * unit;
  tile = std::min(std::max<int64_t>(tile, 8), positionCount);
}

bool ConvolutionPlan::isWorthwhile() const {
  bool known = lhsType == rhsType &&
               ((lhsType == ElementType::F32 && resultType == lhsType) ||
                (lhsType == ElementType::F64 && resultType == lhsType) ||
                (isHalf(lhsType) &&
                 (resultType == lhsType || resultType == ElementType::F32)));
  // Along the positions' last dimension the input is read in strides.
  bool strides = isByTerms || positions.empty() ||
                 positions.back().spatial < 0 ||
                 windows[positions.back().spatial].lhsDilation == 1 ||
                 windows[positions.back().spatial].stride == 1;
  bool fits = isMatrix || (strides && termBlock <= 4096);
  return known && fits && (features >= 8 || groups == 1) && termCount >= 8 &&
         positionCount >= 8 && tile >= 8 &&
         static_cast<double>(features) * termCount * positionCount *
                 outerCount * groups >=
             64 * 1024;
}

/// The sums of narrow floats; a copy of the kernel follows.
int64_t ConvolutionPlan::sumsBytes() const {
  int64_t bytes = elementCountOf(op->getResult(0)) * byteWidth(type);
  return type == resultType ? 0 : (bytes + 63) & ~int64_t(63);
}

int64_t ConvolutionPlan::scratchBytes() const {
  return sumsBytes() + (merges ? 0 : byteSizeOf(op->getOperand(1)));
}

} // namespace xla::cpu
