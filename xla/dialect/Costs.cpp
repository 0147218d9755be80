//===- Costs.cpp - What a program computes --------------------------------===//

#include "xla/conversion/Costs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

static RankedTensorType tensorOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static double countOf(Value value) {
  RankedTensorType type = tensorOf(value);
  return type && type.hasStaticShape() ? double(type.getNumElements()) : 0;
}

static bool isComplex(Value value) {
  RankedTensorType type = tensorOf(value);
  return type && isa<ComplexType>(type.getElementType());
}

static bool hasNumbers(Value value) {
  RankedTensorType type = tensorOf(value);
  return type && isa<FloatType, ComplexType>(type.getElementType());
}

static void addTo(Costs &sum, Costs costs, double times = 1) {
  sum.flops += times * costs.flops;
  sum.transcendentals += times * costs.transcendentals;
}

/// A multiplication with the addition that follows it.
static double multiplyAdd(Value value) { return isComplex(value) ? 8 : 2; }

/// So many products with sums for each element of an array of floats.
static Costs products(Value value, double perElement) {
  return {hasNumbers(value) ? countOf(value) * perElement * multiplyAdd(value)
                            : 0,
          0};
}

static double contractedSize(DotGeneralOp op) {
  double size = 1;
  RankedTensorType lhs = tensorOf(op.getLhs());
  for (int64_t dimension :
       op.getDotDimensionNumbers().getLhsContractingDimensions()) {
    size *= double(lhs.getDimSize(dimension));
  }
  return size;
}

/// Multiplications for each element of a convolution's result.
static double windowSize(ConvolutionOp op) {
  RankedTensorType kernel = tensorOf(op.getRhs());
  int64_t outputs = kernel.getDimSize(
      op.getDimensionNumbers().getKernelOutputFeatureDimension());
  return outputs == 0 ? 0 : countOf(op.getRhs()) / double(outputs);
}

static double transformFlops(FftOp op) {
  double length = 1;
  for (int64_t size : op.getFftLength()) {
    length *= double(size);
  }
  double count = std::max(countOf(op.getOperand()), countOf(op.getResult()));
  return length > 1 ? 5 * count * std::log2(length) : 0;
}

namespace {
class Counter {
public:
  explicit Counter(ModuleOp module) : symbols(module) {}

  Costs block(Block &block) {
    Costs sum;
    for (Operation &op : block) {
      addTo(sum, operation(&op));
    }
    return sum;
  }

private:
  Costs operation(Operation *op);
  Costs region(Region &region) {
    return region.empty() ? Costs() : block(region.front());
  }

  SymbolTable symbols;
  DenseMap<Operation *, Costs> functions;
};
} // namespace

Costs Counter::operation(Operation *op) {
  auto elementwise = [&](double flops, double transcendentals) {
    Value result = op->getResult(0);
    Value judged = op->getNumOperands() ? op->getOperand(0) : result;
    double count = hasNumbers(judged) ? countOf(result) : 0;
    double parts = isComplex(judged) ? 2 : 1;
    return Costs{count * flops * parts, count * transcendentals};
  };
  return llvm::TypeSwitch<Operation *, Costs>(op)
      .Case<AddOp, SubtractOp, NegOp, AbsOp, MaxOp, MinOp, SignOp, FloorOp,
            CeilOp, CompareOp>([&](auto) { return elementwise(1, 0); })
      .Case([&](MulOp) {
        return elementwise(isComplex(op->getResult(0)) ? 3 : 1, 0);
      })
      .Case([&](DivOp) {
        return elementwise(isComplex(op->getResult(0)) ? 5 : 1, 0);
      })
      .Case([&](RemOp) { return elementwise(1, 0); })
      .Case<ExpOp, Expm1Op, LogOp, Log1pOp, LogisticOp, TanhOp, SineOp,
            CosineOp, TanOp, CbrtOp, SqrtOp, RsqrtOp, PowOp, Atan2Op>(
          [&](auto) { return elementwise(0, 1); })
      .Case([&](DotGeneralOp dot) {
        return products(dot.getResult(), contractedSize(dot));
      })
      .Case([&](ConvolutionOp convolution) {
        return products(convolution.getResult(), windowSize(convolution));
      })
      .Case([&](FftOp fft) { return Costs{transformFlops(fft), 0}; })
      .Case([&](CholeskyOp cholesky) {
        double n = double(tensorOf(cholesky.getA()).getShape().back());
        return products(cholesky.getA(), n / 6);
      })
      .Case([&](TriangularSolveOp solve) {
        double n = double(tensorOf(solve.getA()).getShape().back());
        return products(solve.getB(), n / 2);
      })
      .Case([&](ReduceOp reduce) {
        Costs sum;
        double steps =
            countOf(reduce.getInputs().front()) - countOf(reduce.getResult(0));
        addTo(sum, region(reduce.getBody()), std::max(steps, 0.0));
        return sum;
      })
      .Case([&](ReduceWindowOp reduce) {
        Costs sum;
        double window = 1;
        for (int64_t size : reduce.getWindowDimensions()) {
          window *= double(size);
        }
        addTo(sum, region(reduce.getBody()),
              countOf(reduce.getResult(0)) * window);
        return sum;
      })
      .Case([&](ScatterOp scatter) {
        Costs sum;
        addTo(sum, region(scatter.getUpdateComputation()),
              countOf(scatter.getUpdates().front()));
        return sum;
      })
      .Case([&](MapOp map) {
        Costs sum;
        addTo(sum, region(map.getComputation()), countOf(map.getResult()));
        return sum;
      })
      .Case([&](WhileOp loop) {
        Costs sum = region(loop.getCond());
        addTo(sum, region(loop.getBody()));
        return sum;
      })
      .Case<IfOp, CaseOp>([&](auto) {
        Costs most;
        for (Region &branch : op->getRegions()) {
          Costs costs = region(branch);
          if (costs.flops + costs.transcendentals >
              most.flops + most.transcendentals) {
            most = costs;
          }
        }
        return most;
      })
      .Case([&](func::CallOp call) {
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        // Each function once: calls may fan out. Entered first with nothing,
        // which ends a recursion.
        auto [known, isNew] = functions.try_emplace(callee, Costs());
        if (isNew && callee && !callee.isExternal()) {
          Costs costs = region(callee.getBody());
          functions[callee] = costs;
          return costs;
        }
        return known->second;
      })
      .Default([](Operation *) { return Costs(); });
}

Costs costsOf(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return main && !main.isExternal()
             ? Counter(module).block(main.getBody().front())
             : Costs();
}

} // namespace xla
