//===- LowerRng.cpp - Random numbers without a state of the user's --------===//
//
// `stablehlo.rng` hands nothing in and nothing on: each execution takes the
// next state of the process, by a call of `xla.random_state`.
//
//===----------------------------------------------------------------------===//

#include "xla/conversion/Arithmetic.h"
#include "xla/conversion/Conversion.h"

#include <numbers>

using namespace mlir;

namespace xla {

using namespace stablehlo;

namespace {
/// Where one stablehlo.rng stands: makes bits, and numbers of them.
class Source {
public:
  Source(OpBuilder &builder, RngOp op)
      : builder(builder), op(op),
        shape(cast<RankedTensorType>(op.getType()).getShape()) {
    NamedAttribute effect =
        builder.getNamedAttr("has_side_effect", builder.getBoolAttr(true));
    NamedAttribute target = builder.getNamedAttr(
        "call_target_name", builder.getStringAttr("xla.random_state"));
    NamedAttribute version =
        builder.getNamedAttr("api_version", builder.getI32IntegerAttr(4));
    auto type = RankedTensorType::get({3}, unsignedType(64));
    state =
        CustomCallOp::create(builder, op.getLoc(), TypeRange{type},
                             ValueRange(), ArrayRef{effect, target, version})
            ->getResult(0);
  }

  Type unsignedType(unsigned width) {
    return IntegerType::get(builder.getContext(), width, IntegerType::Unsigned);
  }

  /// Random bits; each call takes further ones.
  Expr bits(Arithmetic &a, unsigned width) {
    auto type = RankedTensorType::get(shape, unsignedType(width));
    auto next = RngBitGeneratorOp::create(builder, op.getLoc(),
                                          TypeRange{state.getType(), type},
                                          RngAlgorithm::PHILOX, state);
    state = next->getResult(0);
    return a.wrap(next->getResult(1));
  }

  /// Uniform in [0, 1), as many bits as the significand holds.
  Expr unit(Arithmetic &a, FloatType type) {
    unsigned width = type.getWidth();
    unsigned digits = type.getFPMantissaWidth();
    Expr all = bits(a, width);
    Expr high = a.make<ShiftRightLogicalOp>(
        all.value, a.integer(all, width - digits).value);
    return a.convert(high, type) * std::ldexp(1.0, -int(digits));
  }

  Expr spread(Arithmetic &a, Value scalar) {
    auto type = cast<RankedTensorType>(scalar.getType());
    return a.make<BroadcastInDimOp>(type.clone(shape), scalar,
                                    builder.getDenseI64ArrayAttr({}));
  }

private:
  OpBuilder &builder;
  RngOp op;
  ArrayRef<int64_t> shape;
  Value state;
};
} // namespace

/// Normal: sqrt(-2 log u) cos(2 pi v) of uniform u and v (Box, Muller, 1958).
static Expr floats(Arithmetic &a, Source &source, RngOp op, FloatType type) {
  Type wide = type.getWidth() < 32 ? a.builder.getF32Type() : Type(type);
  auto computed = cast<FloatType>(wide);
  Expr x = a.convert(source.spread(a, op.getA()), computed);
  Expr y = a.convert(source.spread(a, op.getB()), computed);
  Expr u = source.unit(a, computed);
  if (op.getRngDistribution() == RngDistribution::UNIFORM) {
    return a.convert(x + (y - x) * u, type);
  }
  Expr v = source.unit(a, computed);
  Expr radius = sqrt(-2.0 * log1p(-u));
  return a.convert(x + y * radius * cos(2 * std::numbers::pi * v), type);
}

/// Uniform in [x, y): the remainder of 64 bits by the range.
static Expr integers(Arithmetic &a, Source &source, RngOp op, Type type) {
  Type wide = source.unsignedType(64);
  Expr x = a.convert(source.spread(a, op.getA()), wide);
  Expr y = a.convert(source.spread(a, op.getB()), wide);
  Expr range = y - x;
  Expr offset = a.make<RemOp>(source.bits(a, 64).value, range.value);
  Expr sum = x + offset;
  return type.isInteger(1) ? sum != a.constant(sum, 0) : a.convert(sum, type);
}

void lowerRng(ModuleOp module) {
  module.walk([](RngOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !type.hasStaticShape()) {
      return; // said by whoever meets it
    }
    OpBuilder builder(op);
    Arithmetic a(builder, op.getLoc());
    Source source(builder, op);
    Type element = type.getElementType();
    auto floating = dyn_cast<FloatType>(element);
    Expr result = floating ? floats(a, source, op, floating)
                           : integers(a, source, op, element);
    op->replaceAllUsesWith(ValueRange{result.value});
    op->erase();
  });
}

} // namespace xla
