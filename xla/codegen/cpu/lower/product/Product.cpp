//===- Product.cpp - Which product a dot_general is -----------------------===//
//
// Dimensions of a kind (shared, free, contracted) that follow each other in
// memory are merged. What is left, sizes, types and where factors are decide
// between the kernels.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/product/Product.h"

#include "xla/codegen/cpu/lower/product/SmallProducts.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Value;

/// Looks through transposes and slices that were left to the product.
static View viewOf(const FusionPlan &fusion, Value value) {
  size_t rank = shapeOf(value).size();
  // Of each dimension, its axis in `value` and how far apart its elements are;
  // of each axis, where the piece starts.
  llvm::SmallVector<int64_t> axes, steps(rank, 1), starts(rank, 0);
  for (size_t d = 0; d < rank; ++d) {
    axes.push_back(static_cast<int64_t>(d));
  }
  while (fusion.formOf(value) == Form::Inline) {
    if (auto transpose = value.getDefiningOp<TransposeOp>()) {
      llvm::SmallVector<int64_t> permuted(rank);
      for (auto [d, axis] : llvm::enumerate(transpose.getPermutation())) {
        permuted[axis] = starts[d];
      }
      starts = permuted;
      for (int64_t &axis : axes) {
        axis = transpose.getPermutation()[axis];
      }
      value = transpose.getOperand();
    } else if (auto slice = value.getDefiningOp<SliceOp>()) {
      for (size_t d = 0; d < rank; ++d) {
        steps[d] *= slice.getStrides()[axes[d]];
      }
      for (size_t axis = 0; axis < rank; ++axis) {
        starts[axis] = slice.getStartIndices()[axis] +
                       slice.getStrides()[axis] * starts[axis];
      }
      value = slice.getOperand();
    } else {
      break;
    }
  }
  View view;
  view.buffer = value;
  llvm::ArrayRef<int64_t> shape = shapeOf(value);
  llvm::SmallVector<int64_t> strides(rank, 1);
  for (size_t d = rank; d-- > 1;) {
    strides[d - 1] = strides[d] * shape[d];
  }
  for (size_t d = 0; d < rank; ++d) {
    view.strides.push_back(steps[d] * strides[axes[d]]);
    view.offset += starts[d] * strides[d];
  }
  return view;
}

/// Puts neighbours together that are one in every array.
static void merge(llvm::SmallVector<Axis> &axes) {
  llvm::SmallVector<Axis> merged;
  for (const Axis &axis : axes) {
    if (axis.size == 1) {
      continue;
    }
    if (!merged.empty()) {
      Axis &last = merged.back();
      if (last.lhs == axis.size * axis.lhs &&
          last.rhs == axis.size * axis.rhs &&
          last.result == axis.size * axis.result) {
        last = {last.size * axis.size, axis.lhs, axis.rhs, axis.result};
        continue;
      }
    }
    merged.push_back(axis);
  }
  axes = std::move(merged);
}

Product analyze(const FusionPlan &fusion, DotGeneralOp op) {
  Product p;
  auto numbers = op.getDotDimensionNumbers();
  p.lhs = viewOf(fusion, op.getLhs());
  p.rhs = viewOf(fusion, op.getRhs());
  p.lhsType = elementTypeOf(op.getLhs().getType());
  p.rhsType = elementTypeOf(op.getRhs().getType());
  p.resultType = elementTypeOf(op.getType());
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getResult());
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * shape[d];
  }
  size_t next = 0;
  auto lhsBatch = numbers.getLhsBatchingDimensions();
  auto rhsBatch = numbers.getRhsBatchingDimensions();
  for (auto [l, r] : llvm::zip_equal(lhsBatch, rhsBatch)) {
    p.batch.push_back(
        {shape[next], p.lhs.strides[l], p.rhs.strides[r], strides[next]});
    ++next;
  }
  auto lhsInner = numbers.getLhsContractingDimensions();
  auto rhsInner = numbers.getRhsContractingDimensions();
  for (auto [l, r] : llvm::zip_equal(lhsInner, rhsInner)) {
    p.inner.push_back(
        {shapeOf(op.getLhs())[l], p.lhs.strides[l], p.rhs.strides[r], 0});
  }
  for (int64_t d = 0; d < static_cast<int64_t>(p.lhs.strides.size()); ++d) {
    if (!llvm::is_contained(lhsBatch, d) && !llvm::is_contained(lhsInner, d)) {
      p.rows.push_back({shape[next], p.lhs.strides[d], 0, strides[next]});
      ++next;
    }
  }
  for (int64_t d = 0; d < static_cast<int64_t>(p.rhs.strides.size()); ++d) {
    if (!llvm::is_contained(rhsBatch, d) && !llvm::is_contained(rhsInner, d)) {
      p.columns.push_back({shape[next], 0, p.rhs.strides[d], strides[next]});
      ++next;
    }
  }
  merge(p.batch);
  merge(p.rows);
  merge(p.columns);
  merge(p.inner);
  return p;
}

int64_t sizeOf(llvm::ArrayRef<Axis> axes) {
  int64_t size = 1;
  for (const Axis &axis : axes) {
    size *= axis.size;
  }
  return size;
}

/// The runtime's entry for sums of 32 bits of bytes, if they are that.
static llvm::StringRef entryForBytes(const Product &p) {
  auto isByte = [](ElementType type) {
    return type == ElementType::S8 || type == ElementType::U8;
  };
  bool isWord =
      p.resultType == ElementType::S32 || p.resultType == ElementType::U32;
  if (!isByte(p.lhsType) || !isByte(p.rhsType) || !isWord) {
    return "";
  }
  if (p.lhsType == p.rhsType) {
    return p.lhsType == ElementType::S8 ? "xla_gemm_s8_s32" : "xla_gemm_u8_s32";
  }
  return p.lhsType == ElementType::S8 ? "xla_gemm_s8_u8_s32"
                                      : "xla_gemm_u8_s8_s32";
}

ElementType sumTypeOf(const Product &p) {
  return isHalf(p.lhsType) ? ElementType::F32 : p.resultType;
}

/// The runtime's entry for these element types.
static llvm::StringRef entryFor(const Product &p) {
  if (llvm::StringRef entry = entryForBytes(p); !entry.empty()) {
    return entry;
  }
  bool isWidened = isHalf(p.lhsType) && p.resultType == ElementType::F32;
  if (p.lhsType != p.rhsType || (p.resultType != p.lhsType && !isWidened)) {
    return "";
  }
  switch (p.lhsType) {
  case ElementType::F32:
    return "xla_gemm_f32";
  case ElementType::F64:
    return "xla_gemm_f64";
  case ElementType::S32:
  case ElementType::U32:
    return "xla_gemm_s32";
  case ElementType::F16:
    return "xla_gemm_f16_f32";
  case ElementType::BF16:
    return "xla_gemm_bf16_f32";
  default:
    return "";
  }
}

/// Whether the last dimension of the right factor, as it is in memory, is one
/// of columns.
static bool areColumnsTogether(DotGeneralOp op) {
  auto numbers = op.getDotDimensionNumbers();
  int64_t last = static_cast<int64_t>(shapeOf(op.getRhs()).size()) - 1;
  if (auto transpose = op.getRhs().getDefiningOp<TransposeOp>()) {
    auto found = llvm::find(transpose.getPermutation(), last);
    last = found - transpose.getPermutation().begin();
  }
  return !llvm::is_contained(numbers.getRhsBatchingDimensions(), last) &&
         !llvm::is_contained(numbers.getRhsContractingDimensions(), last);
}

/// Whether a product is computed in line: small, or many small ones, each of
/// which would cost less than a call of the runtime's kernel.
static bool isInLineProduct(DotGeneralOp op) {
  auto numbers = op.getDotDimensionNumbers();
  auto sizeOf = [&](llvm::ArrayRef<int64_t> dimensions) {
    int64_t size = 1;
    for (int64_t d : dimensions) {
      size *= shapeOf(op.getLhs())[d];
    }
    return size;
  };
  int64_t terms = sizeOf(numbers.getLhsContractingDimensions());
  int64_t batch = sizeOf(numbers.getLhsBatchingDimensions());
  int64_t count = elementCountOf(op.getResult());
  constexpr int64_t mostTerms = 64, small = 1024, most = 4096, mostApart = 512;
  if (terms > mostTerms || count == 0) {
    return false;
  }
  // One at a time their columns must be together; of real numbers, they are
  // laid so.
  ElementType type = elementTypeOf(op.getType());
  bool together = type == ElementType::F32 || type == ElementType::F64 ||
                  areColumnsTogether(op);
  int64_t each = count / batch * terms;
  if (count * terms <= small ||
      (batch > 1 && each <= (together ? most : mostApart))) {
    return true;
  }
  // Of a narrow matrix on the right all elements stay in registers.
  int64_t right = elementCountOf(op.getRhs()) / batch;
  return terms <= 8 && right <= 64;
}

/// Whether many columns of complex numbers are side by side: then each line of
/// rhs is read along, not an element of each. LLVM finds this for real ones.
static bool hasStretches(const Product &p) {
  constexpr int64_t few = 16;
  if (!isComplex(p.resultType) || p.columns.empty()) {
    return false;
  }
  const Axis &last = p.columns.back();
  return last.rhs == 1 && last.lhs == 0 && last.result == 1 &&
         last.size >= few && sizeOf(p.inner) > few;
}

/// Loops over results, or over stretches of the columns of lines.
static LoopPlan planInLine(const Product &p, bool inStretches, LoopSite site) {
  llvm::SmallVector<int64_t> sizes;
  for (const auto *axes : {&p.batch, &p.rows, &p.columns}) {
    for (const Axis &axis : *axes) {
      sizes.push_back(axis.size);
    }
  }
  int64_t terms = sizeOf(p.inner);
  if (!inStretches) {
    return planLoops(sizes, false, 2.0 * static_cast<double>(terms), site, {},
                     terms);
  }
  int64_t columns = std::exchange(
      sizes.back(), (sizes.back() + columnsOfStretch - 1) / columnsOfStretch);
  int64_t each = std::min(columns, columnsOfStretch);
  return planLoops(sizes, false, static_cast<double>(terms * each), site);
}

/// A loop over the batch of small products.
static LoopPlan planBatch(const Product &p, LoopSite site) {
  llvm::SmallVector<int64_t> sizes;
  for (const Axis &axis : p.batch) {
    sizes.push_back(axis.size);
  }
  int64_t terms = 1;
  for (const auto *axes : {&p.rows, &p.columns, &p.inner}) {
    terms *= sizeOf(llvm::ArrayRef(*axes).take_back(1));
  }
  return planLoops(sizes, false, 2.0 * static_cast<double>(terms), site, {},
                   terms);
}

Kernel chooseProduct(const FusionPlan &fusion, DotGeneralOp op) {
  LoopSite site = {op->getParentOfType<WhileOp>() != nullptr};
  int64_t count = elementCountOf(op.getResult());
  if (count == 0) {
    return {};
  }
  Product p = analyze(fusion, op);
  bool inMemory = fusion.formOf(p.lhs.buffer) == Form::Buffer &&
                  fusion.formOf(p.rhs.buffer) == Form::Buffer;
  if (int64_t scratch = inMemory ? complexScratchBytes(p) : 0) {
    return {Strategy::ComplexLines, scratch};
  }
  bool isInLine = isInLineProduct(op);
  Strategy small = isInLine && inMemory ? smallProductOf(p) : Strategy::InLine;
  if (small != Strategy::InLine) {
    Kernel kernel = {small};
    kernel.loops = planBatch(p, site);
    return kernel;
  }
  llvm::StringRef entry = entryFor(p);
  if (entry.empty() || !inMemory || isInLine || sizeOf(p.inner) == 0) {
    bool inStretches = hasStretches(p);
    Kernel kernel = {inStretches ? Strategy::Stretches : Strategy::InLine};
    kernel.loops = planInLine(p, inStretches, site);
    return kernel;
  }
  if (isMatrixVector(p)) {
    Kernel kernel = {Strategy::MatrixVector};
    kernel.loops = planBatch(p, site);
    return kernel;
  }
  bool isRounded = sumTypeOf(p) != p.resultType;
  return {Strategy::Gemm, isRounded ? count * byteWidth(sumTypeOf(p)) : 0,
          entry};
}

} // namespace xla::cpu
