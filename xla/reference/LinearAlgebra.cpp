//===- LinearAlgebra.cpp - FFT, factorizations, batch normalization -------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/reference/Interpreter.h"
#include "xla/reference/Scalars.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace xla::reference {

/// Elements of any floating-point or complex type as complex numbers.
static SmallVector<Complex> complexOf(const Tensor &tensor) {
  bool isComplex = kindOf(tensor.type()) == Kind::Complex;
  SmallVector<Complex> values;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    values.push_back(isComplex ? tensor.complex(i) : Complex(tensor.real(i)));
  }
  return values;
}

static void storeComplex(Tensor &out, int64_t i, Complex value) {
  if (kindOf(out.type()) == Kind::Complex) {
    out.setComplex(i, value);
  } else {
    out.setReal(i, value.real());
  }
}

//===----------------------------------------------------------------------===//
// fft
//===----------------------------------------------------------------------===//

/// The defining sum along one dimension: n^2 steps for each line.
static void transformDimension(SmallVectorImpl<Complex> &values, Index sizes,
                               int64_t dimension, bool isInverse) {
  Sizes strides = stridesOf(sizes), outer(sizes);
  int64_t n = sizes[dimension], stride = strides[dimension];
  outer[dimension] = 1;
  SmallVector<Complex> roots, line(n);
  for (int64_t k = 0; k < n; ++k) {
    double angle = (isInverse ? 2 : -2) * std::numbers::pi * k / n;
    roots.push_back({std::cos(angle), std::sin(angle)});
  }
  forEachIndex(outer, [&](Index index) {
    int64_t base = positionOf(index, strides);
    for (int64_t k = 0; k < n; ++k) {
      Complex sum = 0;
      for (int64_t j = 0; j < n; ++j) {
        Complex x = values[base + j * stride], w = roots[j * k % n];
        sum += Complex(x.real() * w.real() - x.imag() * w.imag(),
                       x.real() * w.imag() + x.imag() * w.real());
      }
      line[k] = isInverse ? sum / double(n) : sum;
    }
    for (int64_t k = 0; k < n; ++k) {
      values[base + k * stride] = line[k];
    }
    return true;
  });
}

/// The whole spectrum of a real signal from its first half.
static SmallVector<Complex> mirror(ArrayRef<Complex> half, Index halfSizes,
                                   Index sizes, size_t transformed) {
  Sizes halfStrides = stridesOf(halfSizes);
  SmallVector<Complex> whole;
  forEachIndex(sizes, [&](Index index) {
    Sizes element(index.begin(), index.end());
    int64_t last = element.back();
    bool isMirrored = last >= halfSizes.back();
    if (isMirrored) {
      for (size_t i = sizes.size() - transformed; i < sizes.size(); ++i) {
        element[i] = (sizes[i] - element[i]) % sizes[i];
      }
    }
    Complex value = half[positionOf(element, halfStrides)];
    whole.push_back(isMirrored ? std::conj(value) : value);
    return true;
  });
  return whole;
}

static Status evaluateFft(const Step &step) {
  auto op = cast<stablehlo::FftOp>(step.op);
  const Tensor &operand = step.operands[0];
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  SmallVector<Complex> values = complexOf(operand);
  Sizes sizes(operand.sizes());
  size_t count = op.getFftLength().size();
  bool isInverse = op.getFftType() == stablehlo::FftType::IFFT ||
                   op.getFftType() == stablehlo::FftType::IRFFT;
  int64_t first = sizes.size() - count;
  if (op.getFftType() == stablehlo::FftType::IRFFT) {
    // The other dimensions are complex; then each line is the spectrum of a
    // real signal, whose imaginary parts at 0 and n/2 are ignored.
    for (int64_t i = first; i + 1 < int64_t(sizes.size()); ++i) {
      transformDimension(values, sizes, i, true);
    }
    values = mirror(values, sizes, out.sizes(), 1);
    sizes.assign(out.sizes().begin(), out.sizes().end());
    first = sizes.size() - 1;
  }
  for (int64_t i = first; i < int64_t(sizes.size()); ++i) {
    transformDimension(values, sizes, i, isInverse);
  }
  Sizes strides = stridesOf(sizes);
  int64_t position = 0;
  forEachIndex(out.sizes(), [&](Index index) {
    storeComplex(out, position++, values[positionOf(index, strides)]);
    return true;
  });
  step.results.push_back(std::move(out));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// cholesky, triangular_solve
//===----------------------------------------------------------------------===//

/// Replaces the lower triangle of one n x n matrix by its factor; NaN all over
/// where it is not positive definite.
static void factorize(MutableArrayRef<Complex> a, int64_t n) {
  bool isDefinite = true;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      Complex sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k) {
        sum -= a[i * n + k] * std::conj(a[j * n + k]);
      }
      if (i == j) {
        isDefinite &= sum.real() > 0;
        a[i * n + j] = std::sqrt(sum.real());
      } else {
        a[i * n + j] = sum / a[j * n + j].real();
      }
    }
    for (int64_t i = 0; i < j; ++i) {
      a[i * n + j] = 0;
    }
  }
  if (!isDefinite) {
    double nan = std::numeric_limits<double>::quiet_NaN();
    std::fill(a.begin(), a.end(), Complex(nan, nan));
  }
}

static void adjoint(MutableArrayRef<Complex> a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      Complex value = a[i * n + j];
      a[i * n + j] = std::conj(a[j * n + i]);
      a[j * n + i] = std::conj(value);
    }
  }
}

static Status evaluateCholesky(const Step &step) {
  bool isLower = cast<stablehlo::CholeskyOp>(step.op).getLower();
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  SmallVector<Complex> values = complexOf(step.operands[0]);
  int64_t n = out.sizes().back();
  for (int64_t start = 0; n > 0 && start < out.count(); start += n * n) {
    MutableArrayRef<Complex> matrix(values.data() + start, n * n);
    if (!isLower) {
      adjoint(matrix, n);
    }
    factorize(matrix, n);
    if (!isLower) {
      adjoint(matrix, n);
    }
  }
  for (int64_t i = 0; i < out.count(); ++i) {
    storeComplex(out, i, values[i]);
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

namespace {
/// op(a), seen as a lower or upper triangular matrix.
struct Triangle {
  ArrayRef<Complex> a;
  int64_t n;
  stablehlo::Transpose transpose;
  bool isLower;
  bool isUnit;

  Complex at(int64_t i, int64_t j) const {
    if (i == j && isUnit) {
      return 1;
    }
    bool isPlain = transpose == stablehlo::Transpose::NO_TRANSPOSE;
    Complex value = isPlain ? a[i * n + j] : a[j * n + i];
    return transpose == stablehlo::Transpose::ADJOINT ? std::conj(value)
                                                      : value;
  }
  bool startsAtTop() const {
    return isLower == (transpose == stablehlo::Transpose::NO_TRANSPOSE);
  }
};
} // namespace

/// Solves op(a) x = b for one vector, or x op(a) = b; `step` is the distance of
/// the vector's elements.
static void solve(const Triangle &triangle, bool isLeft, Complex *b,
                  int64_t step) {
  int64_t n = triangle.n;
  bool isForward = triangle.startsAtTop() == isLeft;
  for (int64_t count = 0; count < n; ++count) {
    int64_t i = isForward ? count : n - 1 - count;
    Complex sum = b[i * step];
    for (int64_t done = 0; done < count; ++done) {
      int64_t j = isForward ? done : n - 1 - done;
      sum -= (isLeft ? triangle.at(i, j) : triangle.at(j, i)) * b[j * step];
    }
    b[i * step] = sum / triangle.at(i, i);
  }
}

static Status evaluateTriangularSolve(const Step &step) {
  auto op = cast<stablehlo::TriangularSolveOp>(step.op);
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  SmallVector<Complex> a = complexOf(step.operands[0]);
  SmallVector<Complex> b = complexOf(step.operands[1]);
  int64_t n = step.operands[0].sizes().back();
  int64_t rows = out.sizes()[out.rank() - 2], columns = out.sizes().back();
  int64_t batches = rows * columns == 0 ? 0 : out.count() / (rows * columns);
  for (int64_t batch = 0; batch < batches; ++batch) {
    Triangle triangle{ArrayRef<Complex>(a).slice(batch * n * n, n * n), n,
                      op.getTransposeA(), op.getLower(), op.getUnitDiagonal()};
    Complex *start = b.data() + batch * rows * columns;
    bool isLeft = op.getLeftSide();
    for (int64_t i = 0; i < (isLeft ? columns : rows); ++i) {
      solve(triangle, isLeft, start + i * (isLeft ? 1 : columns),
            isLeft ? columns : 1);
    }
  }
  for (int64_t i = 0; i < out.count(); ++i) {
    storeComplex(out, i, b[i]);
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Batch normalization
//===----------------------------------------------------------------------===//

namespace {
/// Walks a tensor by feature.
struct Features {
  Features(const Tensor &tensor, int64_t dimension)
      : size(tensor.sizes()[dimension]),
        stride(stridesOf(tensor.sizes())[dimension]),
        perFeature(size == 0 ? 0 : tensor.count() / size) {}
  int64_t of(int64_t position) const { return position / stride % size; }
  int64_t size, stride, perFeature;
};
} // namespace

static Status evaluateBatchNormInference(const Step &step) {
  auto op = cast<stablehlo::BatchNormInferenceOp>(step.op);
  const Tensor &x = step.operands[0];
  Features features(x, op.getFeatureIndex());
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  double epsilon = op.getEpsilon().convertToFloat();
  for (int64_t i = 0; i < x.count(); ++i) {
    int64_t f = features.of(i);
    double scale = step.operands[1].real(f) /
                   std::sqrt(step.operands[4].real(f) + epsilon);
    out.setReal(i, (x.real(i) - step.operands[3].real(f)) * scale +
                       step.operands[2].real(f));
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluateBatchNormTraining(const Step &step) {
  auto op = cast<stablehlo::BatchNormTrainingOp>(step.op);
  const Tensor &x = step.operands[0];
  Features features(x, op.getFeatureIndex());
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros(0));
  XLA_ASSIGN_OR_RETURN(Tensor means, step.zeros(1));
  XLA_ASSIGN_OR_RETURN(Tensor variances, step.zeros(2));
  double epsilon = op.getEpsilon().convertToFloat();
  SmallVector<double> mean(features.size, 0), variance(features.size, 0);
  for (int64_t i = 0; i < x.count(); ++i) {
    mean[features.of(i)] += x.real(i) / features.perFeature;
  }
  for (int64_t i = 0; i < x.count(); ++i) {
    double distance = x.real(i) - mean[features.of(i)];
    variance[features.of(i)] += distance * distance / features.perFeature;
  }
  for (int64_t i = 0; i < x.count(); ++i) {
    int64_t f = features.of(i);
    out.setReal(i, (x.real(i) - mean[f]) / std::sqrt(variance[f] + epsilon) *
                           step.operands[1].real(f) +
                       step.operands[2].real(f));
  }
  for (int64_t f = 0; f < features.size; ++f) {
    means.setReal(f, mean[f]);
    variances.setReal(f, variance[f]);
  }
  step.results.append({std::move(out), std::move(means), std::move(variances)});
  return okStatus();
}

static Status evaluateBatchNormGrad(const Step &step) {
  auto op = cast<stablehlo::BatchNormGradOp>(step.op);
  const Tensor &x = step.operands[0], &scale = step.operands[1],
               &mean = step.operands[2], &variance = step.operands[3],
               &gradient = step.operands[4];
  Features features(x, op.getFeatureIndex());
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros(0));
  XLA_ASSIGN_OR_RETURN(Tensor gradScale, step.zeros(1));
  XLA_ASSIGN_OR_RETURN(Tensor gradOffset, step.zeros(2));
  double epsilon = op.getEpsilon().convertToFloat();
  SmallVector<double> sum(features.size, 0), weighted(features.size, 0);
  for (int64_t i = 0; i < x.count(); ++i) {
    int64_t f = features.of(i);
    sum[f] += gradient.real(i);
    weighted[f] += gradient.real(i) * (x.real(i) - mean.real(f));
  }
  double count = features.perFeature;
  for (int64_t i = 0; i < x.count(); ++i) {
    int64_t f = features.of(i);
    double inverse = 1 / std::sqrt(variance.real(f) + epsilon);
    double centered = (x.real(i) - mean.real(f)) * inverse * inverse;
    out.setReal(i, scale.real(f) * inverse *
                       (gradient.real(i) - sum[f] / count -
                        centered * weighted[f] / count));
  }
  for (int64_t f = 0; f < features.size; ++f) {
    gradScale.setReal(f, weighted[f] / std::sqrt(variance.real(f) + epsilon));
    gradOffset.setReal(f, sum[f]);
  }
  step.results.append(
      {std::move(out), std::move(gradScale), std::move(gradOffset)});
  return okStatus();
}

void addLinearAlgebra(Handlers &handlers) {
  handlers["stablehlo.fft"] = evaluateFft;
  handlers["stablehlo.cholesky"] = evaluateCholesky;
  handlers["stablehlo.triangular_solve"] = evaluateTriangularSolve;
  handlers["stablehlo.batch_norm_inference"] = evaluateBatchNormInference;
  handlers["stablehlo.batch_norm_training"] = evaluateBatchNormTraining;
  handlers["stablehlo.batch_norm_grad"] = evaluateBatchNormGrad;
}

} // namespace xla::reference
