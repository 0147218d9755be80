//===- Costs.cpp - What a program computes --------------------------------===//

#include "xla/analysis/Costs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
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

static bool hasNumbers(Value value) {
  RankedTensorType type = tensorOf(value);
  return type && isa<FloatType, ComplexType>(type.getElementType());
}

static void addTo(Costs &sum, Costs costs, double times = 1) {
  sum.flops += times * costs.flops;
  sum.transcendentals += times * costs.transcendentals;
  sum.bytes += times * costs.bytes;
}

/// A region that an operation applies to single elements moves no memory.
static Costs arithmeticOf(Costs costs) {
  return {costs.flops, costs.transcendentals, 0};
}

int additionsOf(Operation *op) {
  if (auto elementwise = dyn_cast<ElementwiseInterface>(op)) {
    return elementwise.getFacts().additions;
  }
  if (isa<ConstantOp, IotaOp, BroadcastInDimOp, BroadcastOp, ReshapeOp,
          TransposeOp, SliceOp>(op)) {
    return 0;
  }
  return isa<MapOp>(op) ? 40 : isa<ConcatenateOp, GatherOp>(op) ? 4 : 1;
}

double bytesOf(Value value) {
  RankedTensorType type = tensorOf(value);
  if (!type) {
    return 0;
  }
  Type element = type.getElementType();
  double parts = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    parts = 2;
  }
  if (!element.isIntOrFloat()) {
    return 0;
  }
  // Numbers of less than a byte take one each.
  return countOf(value) * parts *
         double((element.getIntOrFloatBitWidth() + 7) / 8);
}

/// So many products with sums for each element of an array: multiplications,
/// and the additions that follow them.
static Costs products(Value value, double perElement) {
  return {countOf(value) * perElement * 2, 0};
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

static int64_t at(std::optional<ArrayRef<int64_t>> values, size_t index) {
  return values ? (*values)[index] : 1;
}

/// The operation that puts zeros around a value, where one does: to multiply
/// these counts as little as to multiply padding.
static PadOp zerosAround(Value value) {
  auto pad = value.getDefiningOp<PadOp>();
  bool isPadding =
      pad &&
      (matchPattern(pad.getPaddingValue(), m_AnyZeroFloat()) ||
       matchPattern(pad.getPaddingValue(), m_Zero())) &&
      llvm::all_of(pad.getInteriorPadding(), [](int64_t x) { return x == 0; });
  return isPadding ? pad : PadOp();
}

/// Of the elements of a window along one dimension, for all positions of it,
/// the share that falls on elements of the input: neither on padding nor
/// between dilated elements.
static double shareOnInput(ConvolutionOp op, size_t dimension) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  auto sizeOf = [&](Value value, ArrayRef<int64_t> dimensions) {
    return tensorOf(value).getDimSize(dimensions[dimension]);
  };
  int64_t inputs = sizeOf(op.getLhs(), numbers.getInputSpatialDimensions());
  int64_t window = sizeOf(op.getRhs(), numbers.getKernelSpatialDimensions());
  int64_t outputs =
      sizeOf(op.getResult(), numbers.getOutputSpatialDimensions());
  // Who counts must end: of more positions than this, padding is a small part.
  constexpr int64_t most = 1 << 20;
  if (inputs <= 0 || window <= 0 || outputs <= 0 || window > most / outputs) {
    return 1;
  }
  int64_t before = 0;
  if (auto padding = op.getPadding()) {
    before = padding->getValues<int64_t>()[{dimension, 0}];
  }
  if (PadOp pad = zerosAround(op.getLhs())) {
    int64_t d = numbers.getInputSpatialDimensions()[dimension];
    before += pad.getEdgePaddingLow()[d];
    inputs = tensorOf(pad.getOperand()).getDimSize(d);
  }
  int64_t spread = at(op.getLhsDilation(), dimension);
  int64_t covered = 0;
  for (int64_t output = 0; output < outputs; ++output) {
    for (int64_t tap = 0; tap < window; ++tap) {
      int64_t position = output * at(op.getWindowStrides(), dimension) +
                         tap * at(op.getRhsDilation(), dimension) - before;
      covered += position >= 0 && position <= (inputs - 1) * spread &&
                 position % spread == 0;
    }
  }
  return double(covered) / double(outputs * window);
}

/// Multiplications for each element of a convolution's result.
static double windowSize(ConvolutionOp op) {
  RankedTensorType kernel = tensorOf(op.getRhs());
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  int64_t outputs =
      kernel.getDimSize(numbers.getKernelOutputFeatureDimension());
  double size = outputs == 0 ? 0 : countOf(op.getRhs()) / double(outputs);
  for (size_t i = 0; i < numbers.getInputSpatialDimensions().size(); ++i) {
    size *= shareOnInput(op, i);
  }
  return size;
}

/// Comparisons of a sort of `size` elements that are ordered one after the
/// other.
static double comparisons(SortOp op) {
  Value first = op.getInputs().front();
  double size = double(tensorOf(first).getDimSize(op.getDimension()));
  return size > 1 ? countOf(first) * std::log2(size) : 0;
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
  Counter(ModuleOp module, BytesOf bytesOf)
      : symbols(module), bytesOf(bytesOf) {}

  Costs block(Block &block) {
    Costs sum;
    for (Operation &op : block) {
      Costs costs = operation(&op);
      costs.bytes += bytesOf(&op);
      addTo(sum, costs);
    }
    return sum;
  }

  using Each = llvm::function_ref<void(Operation *, const Costs &, double)>;
  void visit(Block &block, double times, Each each);

private:
  Costs operation(Operation *op);
  /// Of branches, the one that costs most; null where all are empty.
  Region *dearest(Operation *op);
  /// Each region is counted once: branches are weighed at every level around
  /// them, and visited behind that.
  Costs region(Region &region) {
    if (region.empty()) {
      return Costs();
    }
    if (auto known = regions.find(&region); known != regions.end()) {
      return known->second;
    }
    Costs costs = block(region.front());
    regions[&region] = costs;
    return costs;
  }
  Costs applied(Region &region_, double times) {
    Costs sum;
    addTo(sum, arithmeticOf(region(region_)), std::max(times, 0.0));
    return sum;
  }
  Costs called(StringRef name);
  Costs looped(WhileOp loop);

  SymbolTable symbols;
  BytesOf bytesOf;
  DenseMap<Operation *, Costs> functions;
  DenseMap<Region *, Costs> regions;
};
} // namespace

Costs Counter::operation(Operation *op) {
  // Each element of a result counts once, of whatever type it is.
  auto elementwise = [&](double flops, double transcendentals) {
    Value result = op->getResult(0);
    double count = countOf(result);
    // Powers of integers are products.
    if (transcendentals > 0 && !hasNumbers(result)) {
      return Costs{count * (flops + transcendentals), 0};
    }
    return Costs{count * flops, count * transcendentals};
  };
  return llvm::TypeSwitch<Operation *, Costs>(op)
      .Case([&](ElementwiseInterface op) {
        const ElementwiseFacts &facts = op.getFacts();
        return elementwise(facts.flops, facts.functions);
      })
      .Case([&](BitcastConvertOp) { return elementwise(1, 0); })
      .Case([&](SortOp sort) { return Costs{comparisons(sort), 0}; })
      .Case([&](DotOp dot) {
        double size = double(tensorOf(dot.getLhs()).getShape().back());
        return products(dot.getResult(), size);
      })
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
        return applied(reduce.getBody(), countOf(reduce.getInputs().front()) -
                                             countOf(reduce.getResult(0)));
      })
      .Case([&](ReduceWindowOp reduce) {
        double window = 1;
        for (int64_t size : reduce.getWindowDimensions()) {
          window *= double(size);
        }
        return applied(reduce.getBody(),
                       countOf(reduce.getResult(0)) * (window - 1));
      })
      .Case([&](SelectAndScatterOp op) {
        double window = 1;
        for (int64_t size :
             op.getWindowDimensions().value_or(ArrayRef<int64_t>())) {
          window *= double(size);
        }
        double windows = countOf(op.getSource());
        Costs sum = applied(op.getSelect(), windows * (window - 1));
        addTo(sum, applied(op.getScatter(), windows));
        return sum;
      })
      .Case([&](ScatterOp scatter) {
        return applied(scatter.getUpdateComputation(),
                       countOf(scatter.getUpdates().front()));
      })
      .Case([&](MapOp map) {
        return applied(map.getComputation(), countOf(map.getResult()));
      })
      .Case([&](WhileOp loop) { return looped(loop); })
      .Case<IfOp, CaseOp>([&](auto) {
        Region *most = dearest(op);
        return most ? region(*most) : Costs();
      })
      .Case([&](func::CallOp call) { return called(call.getCallee()); })
      .Case([&](CompositeOp call) { return called(call.getDecomposition()); })
      .Default([&](Operation *) {
        // A function of numbers that is written out later.
        bool isFunction = op->getName().getDialectNamespace() == "chlo" &&
                          op->getNumResults() == 1;
        return isFunction ? elementwise(0, 1) : Costs();
      });
}

Region *Counter::dearest(Operation *op) {
  // Where nothing is computed, bytes decide.
  auto weight = [](const Costs &costs) {
    return std::pair(costs.flops + costs.transcendentals, costs.bytes);
  };
  Region *found = nullptr;
  Costs most;
  for (Region &branch : op->getRegions()) {
    Costs costs = region(branch);
    if (weight(costs) > weight(most)) {
      most = costs;
      found = &branch;
    }
  }
  return found;
}

Costs Counter::called(StringRef name) {
  auto callee = symbols.lookup<func::FuncOp>(name);
  // Each function once: calls may fan out. Entered first with nothing, which
  // ends a recursion.
  auto [known, isNew] = functions.try_emplace(callee, Costs());
  if (isNew && callee && !callee.isExternal()) {
    Costs costs = region(callee.getBody());
    functions[callee] = costs;
    return costs;
  }
  return known->second;
}

/// How often the condition and the body of a loop run: each once, where nobody
/// knows.
static std::pair<double, double> turnsOf(WhileOp loop) {
  std::optional<double> turns = tripCountOf(loop);
  return turns ? std::pair(*turns + 1, *turns) : std::pair(1.0, 1.0);
}

Costs Counter::looped(WhileOp loop) {
  auto [tests, turns] = turnsOf(loop);
  Costs sum;
  addTo(sum, region(loop.getCond()), tests);
  addTo(sum, region(loop.getBody()), turns);
  return sum;
}

void Counter::visit(Block &block, double times, Each each) {
  for (Operation &op : block) {
    Costs own;
    if (auto loop = dyn_cast<WhileOp>(op)) {
      auto [tests, turns] = turnsOf(loop);
      visit(loop.getCond().front(), times * tests, each);
      visit(loop.getBody().front(), times * turns, each);
    } else if (isa<IfOp, CaseOp>(op)) {
      if (Region *branch = dearest(&op)) {
        visit(branch->front(), times, each);
      }
    } else {
      own = operation(&op);
    }
    own.bytes += bytesOf(&op);
    each(&op, own, times);
  }
}

double bytesAlone(Operation *op) {
  auto sum = [](ValueRange values) {
    double bytes = 0;
    for (Value value : values) {
      bytes += bytesOf(value);
    }
    return bytes;
  };
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<WhileOp, IfOp, CaseOp, func::CallOp, CompositeOp, ConstantOp,
            OptimizationBarrierOp, TupleOp, GetTupleElementOp, ReshapeOp>(
          [](auto) { return 0.0; }) // nothing is moved but inside of them
      .Case<SliceOp, DynamicSliceOp, GatherOp>([&](Operation *read) {
        ValueRange indices = read->getOperands().drop_front();
        return 2 * bytesOf(read->getResult(0)) + sum(indices);
      })
      .Case([&](DynamicUpdateSliceOp update) {
        return 2 * bytesOf(update.getUpdate()) + sum(update.getStartIndices());
      })
      .Case([&](ScatterOp scatter) {
        return 3 * sum(scatter.getUpdates()) +
               bytesOf(scatter.getScatterIndices());
      })
      .Default([&](Operation *) {
        bool returns = op->hasTrait<OpTrait::IsTerminator>();
        return returns ? 0.0 : sum(op->getOperands()) + sum(op->getResults());
      });
}

Costs costsOf(ModuleOp module, BytesOf bytesOf) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return main && !main.isExternal()
             ? Counter(module, bytesOf).block(main.getBody().front())
             : Costs();
}

void forEachCost(
    ModuleOp module, BytesOf bytesOf,
    llvm::function_ref<void(Operation *, const Costs &, double)> each) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (main && !main.isExternal()) {
    Counter(module, bytesOf).visit(main.getBody().front(), 1, each);
  }
}

/// Before compilation an array that was transposed is the same one in another
/// order, and one that was reshaped another one.
static double bytesBefore(Operation *op) {
  if (isa<TransposeOp>(op)) {
    return 0;
  }
  return isa<ReshapeOp>(op)
             ? bytesOf(op->getOperand(0)) + bytesOf(op->getResult(0))
             : bytesAlone(op);
}

Costs costsOf(ModuleOp module) { return costsOf(module, bytesBefore); }

bool mayTakeLong(ModuleOp module, const Costs &costs) {
  // Tenths of a second at most.
  constexpr double mostWork = 1 << 28, mostTurns = 1 << 20;
  bool isLong = costs.flops + costs.transcendentals + costs.bytes > mostWork;
  DenseMap<Operation *, double> turnsOfLoop; // with those around it
  module.walk<WalkOrder::PreOrder>([&](WhileOp loop) {
    double turns = tripCountOf(loop).value_or(mostTurns + 1);
    if (auto outer = loop->getParentOfType<WhileOp>()) {
      turns *= turnsOfLoop.lookup(outer);
    }
    turnsOfLoop[loop] = turns;
    isLong |= turns > mostTurns;
  });
  return isLong;
}

} // namespace xla
