//===- PlanProgram.cpp - A program as kernels and copies ------------------===//

#include "xla/codegen/gpu/PlanProgram.h"

#include "xla/analysis/Costs.h"
#include "xla/codegen/gpu/BuildKernels.h"
#include "xla/codegen/gpu/CutOut.h"
#include "xla/codegen/gpu/NarrowProducts.h"
#include "xla/codegen/gpu/SplitReductions.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/support/StatusMacros.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace xla::gpu {

using namespace stablehlo;
using cpu::Form;
using mlir::Operation;
using mlir::Value;

namespace {

class Planner {
public:
  Planner(mlir::Block &body, const Target &target,
          const WithoutCode &withoutCode, ProgramPlan &plan)
      : fusion(body, cpu::Scalars::InMemory), target(target),
        withoutCode(withoutCode), plan(plan) {
    fusion.planEpilogues(body);
  }

  void run(mlir::Block &body);

private:
  using Steps = std::vector<ProgramStep>;
  using Build = llvm::function_ref<kernel::Kernel(KernelSource &,
                                                  llvm::ArrayRef<BufferSlice>)>;

  void visitBlock(mlir::Block &block, Steps &steps);
  void visit(Operation *op, Steps &steps);
  void visitWhile(WhileOp op, Steps &steps);
  void visitBranches(Operation *op, Steps &steps);
  void visitUpdate(DynamicUpdateSliceOp op, Steps &steps);
  void visitScatter(ScatterOp op, Steps &steps);
  void emitInto(Value value, const BufferSlice &slice, Steps &steps);
  void copy(const BufferSlice &from, const BufferSlice &to, int64_t bytes,
            Steps &steps);
  /// The kernel that computes values into slices; or, where there is none, the
  /// host does. `build` is called for one whose operation may have code.
  void launch(Operation *op, llvm::ArrayRef<Value> outputs,
              llvm::ArrayRef<BufferSlice> slices, Steps &steps, Build build);
  /// That of all results of `op`.
  void launch(Operation *op, Steps &steps, Build build);
  /// One kernel more, unless it has no elements.
  void append(kernel::Kernel kernel, Operation *origin, Steps &steps);
  /// The kernel of a product, and in it what reads its result where it can.
  void launchProduct(
      Operation *product, Steps &steps,
      llvm::function_ref<kernel::Kernel(KernelSource &, const BufferSlice &)>
          build);
  void callHost(Operation *op, llvm::ArrayRef<Value> outputs,
                llvm::ArrayRef<BufferSlice> slices, const llvm::Twine &why,
                Steps &steps);
  BufferSlice allocate(int64_t bytes);
  /// In memory of the arena, unless it has a slice already.
  BufferSlice memoryOf(Value value);
  BufferSlice sliceOf(Value value);

  cpu::FusionPlan fusion;
  const Target &target;
  const WithoutCode &withoutCode;
  cpu::BufferPlan buffers;
  llvm::DenseSet<Value> placed;
  llvm::DenseSet<Operation *> inProducts; ///< nests that are done there
  llvm::DenseSet<Value> inRegisters;      ///< results that only those read
  ProgramPlan &plan;
};

} // namespace

/// The operation that there is no kernel for, and why.
static std::string explain(Operation *op, const llvm::Twine &why) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "the GPU compiler has no kernel for '" << op->getName() << "': " << why
      << "\n  types    ";
  llvm::interleaveComma(op->getOperandTypes(), out);
  out << " -> ";
  llvm::interleaveComma(op->getResultTypes(), out);
  out << "\n  at       " << op->getLoc();
  return text;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

BufferSlice Planner::allocate(int64_t bytes) {
  constexpr uint64_t alignment = 256;
  BufferSlice slice = {BufferSlice::Arena, plan.arenaBytes};
  plan.arenaBytes += static_cast<int64_t>(
      llvm::alignTo(std::max<int64_t>(bytes, 1), alignment));
  return slice;
}

BufferSlice Planner::memoryOf(Value value) {
  if (placed.insert(value).second) {
    buffers.setSlice(value, allocate(cpu::byteSizeOf(value)));
  }
  return buffers.sliceOf(value);
}

BufferSlice Planner::sliceOf(Value value) {
  if (placed.contains(value) || !value.getDefiningOp<ConstantOp>()) {
    return memoryOf(value);
  }
  placed.insert(value);
  buffers.setSlice(value, {BufferSlice::Constant, 0, value});
  return buffers.sliceOf(value);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Planner::copy(const BufferSlice &from, const BufferSlice &to,
                   int64_t bytes, Steps &steps) {
  if (from == to || bytes == 0) {
    return;
  }
  ProgramStep step = {ProgramStep::Copy};
  step.from = from;
  step.to = to;
  step.bytes = bytes;
  steps.push_back(std::move(step));
}

void Planner::callHost(Operation *op, llvm::ArrayRef<Value> outputs,
                       llvm::ArrayRef<BufferSlice> slices,
                       const llvm::Twine &why, Steps &steps) {
  llvm::SmallVector<Operation *> roots = {op};
  for (Value output : outputs) {
    if (!llvm::is_contained(roots, output.getDefiningOp())) {
      roots.push_back(output.getDefiningOp());
    }
  }
  CutOut cut = cutOut(roots, outputs, [&](Value value) {
    return fusion.formOf(value) == Form::Buffer;
  });
  HostCall call;
  call.module = std::move(cut.module);
  for (Value input : cut.inputs) {
    call.arguments.push_back(sliceOf(input));
  }
  call.results.assign(slices.begin(), slices.end());
  call.reason = explain(op, why);
  call.origin = op;
  ProgramStep step = {ProgramStep::Host};
  step.number = plan.hostCalls.size();
  plan.hostCalls.push_back(std::move(call));
  steps.push_back(std::move(step));
}

void Planner::launch(Operation *op, llvm::ArrayRef<Value> outputs,
                     llvm::ArrayRef<BufferSlice> slices, Steps &steps,
                     Build build) {
  if (auto found = withoutCode.find(op); found != withoutCode.end()) {
    callHost(op, outputs, slices, found->second, steps);
    return;
  }
  KernelSource source(fusion, buffers, target.unit);
  kernel::Kernel kernel = build(source, slices);
  std::string why = source.reason();
  if (source.failed() || !kernel::verify(kernel, why)) {
    callHost(op, outputs, slices, why, steps);
    return;
  }
  append(std::move(kernel), op, steps);
}

void Planner::append(kernel::Kernel kernel, Operation *origin, Steps &steps) {
  if (llvm::none_of(kernel.steps, [](const kernel::Step &step) {
        return step.code == kernel::Code::Store;
      })) {
    return; // it has no elements
  }
  kernel.name += std::to_string(plan.kernels.size());
  ProgramStep step = {ProgramStep::Launch};
  step.number = plan.kernels.size();
  plan.kernels.push_back(std::move(kernel));
  plan.origins.push_back(origin);
  steps.push_back(std::move(step));
}

void Planner::launch(Operation *op, Steps &steps, Build build) {
  llvm::SmallVector<Value> outputs;
  llvm::SmallVector<BufferSlice> slices;
  for (Value result : op->getResults()) {
    if (cpu::isTensor(result)) {
      outputs.push_back(result);
      slices.push_back(memoryOf(result));
    }
  }
  launch(op, outputs, slices, steps, build);
}

void Planner::launchProduct(
    Operation *product, Steps &steps,
    llvm::function_ref<kernel::Kernel(KernelSource &, const BufferSlice &)>
        build) {
  auto [nest, isAlone] = fusion.epilogueOf(product);
  if (nest && !withoutCode.contains(nest) && !withoutCode.contains(product)) {
    llvm::ArrayRef<Value> outputs = fusion.regionAt(nest);
    llvm::SmallVector<BufferSlice> slices;
    for (Value output : outputs) {
      slices.push_back(memoryOf(output));
    }
    KernelSource source(fusion, buffers, target.unit,
                        {outputs, slices, isAlone});
    kernel::Kernel kernel = build(
        source, isAlone ? BufferSlice() : memoryOf(product->getResult(0)));
    std::string why;
    if (!source.failed() && kernel::verify(kernel, why)) {
      // Where there is no code for it, each is tried by itself.
      append(std::move(kernel), nest, steps);
      inProducts.insert(nest);
      if (isAlone) {
        inRegisters.insert(product->getResult(0));
      }
      return;
    }
  }
  launch(product, steps, [&](KernelSource &source, auto slices) {
    return build(source, slices.front());
  });
}

void Planner::emitInto(Value value, const BufferSlice &slice, Steps &steps) {
  if (!cpu::isTensor(value)) {
    return;
  }
  if (fusion.formOf(value) == Form::Buffer) {
    copy(sliceOf(value), slice, cpu::byteSizeOf(value), steps);
    return;
  }
  launch(value.getDefiningOp(), value, slice, steps,
         [&](KernelSource &source, auto) { return source.nest(value, slice); });
}

void Planner::visitUpdate(DynamicUpdateSliceOp op, Steps &steps) {
  BufferSlice slice = memoryOf(op.getResult());
  if (!withoutCode.contains(op)) {
    emitInto(op.getOperand(), slice, steps);
  }
  launch(op, op.getResult(), slice, steps,
         [&](KernelSource &source, auto) { return source.update(op, slice); });
}

void Planner::visitScatter(ScatterOp op, Steps &steps) {
  if (!op.getUniqueIndices()) {
    launch(op, steps, [&](KernelSource &source, auto slices) {
      return source.scatter(op, slices);
    });
    return;
  }
  for (auto [input, result] :
       llvm::zip_equal(op.getInputs(), op.getResults())) {
    if (!withoutCode.contains(op)) {
      emitInto(input, memoryOf(result), steps);
    }
  }
  launch(op, steps, [&](KernelSource &source, auto slices) {
    return source.scatterUnique(op, slices);
  });
}

void Planner::visitWhile(WhileOp op, Steps &steps) {
  mlir::Block &condition = op.getCond().front(), &body = op.getBody().front();
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (!cpu::isTensor(result)) {
      continue;
    }
    BufferSlice carry = memoryOf(result);
    for (Value argument : {condition.getArgument(i), body.getArgument(i)}) {
      placed.insert(argument);
      buffers.setSlice(argument, carry);
    }
    emitInto(op->getOperand(i), carry, steps);
  }
  ProgramStep step = {ProgramStep::While};
  step.regions.resize(2);
  step.rounds = tripCountOf(op);
  step.turns = exactTripCountOf(op);
  if (!step.turns) {
    step.bytes = 1;
    step.from = allocate(1);
    visitBlock(condition, step.regions[0]);
    emitInto(condition.getTerminator()->getOperand(0), step.from,
             step.regions[0]);
  }
  visitBlock(body, step.regions[1]);
  // All next carries are made before the first is written over.
  llvm::SmallVector<std::pair<BufferSlice, Value>> waiting;
  for (auto [yielded, result] :
       llvm::zip_equal(body.getTerminator()->getOperands(), op.getResults())) {
    bool isSame = fusion.formOf(yielded) == Form::Buffer &&
                  cpu::isTensor(yielded) &&
                  sliceOf(yielded) == buffers.sliceOf(result);
    if (cpu::isTensor(result) && !isSame) {
      waiting.push_back({allocate(cpu::byteSizeOf(result)), result});
      emitInto(yielded, waiting.back().first, step.regions[1]);
    }
  }
  for (auto &[slice, result] : waiting) {
    copy(slice, buffers.sliceOf(result), cpu::byteSizeOf(result),
         step.regions[1]);
  }
  steps.push_back(std::move(step));
}

void Planner::visitBranches(Operation *op, Steps &steps) {
  ProgramStep step = {ProgramStep::Branch};
  Value chooser = op->getOperand(0);
  step.bytes = cpu::byteSizeOf(chooser);
  step.from = allocate(step.bytes);
  emitInto(chooser, step.from, steps);
  for (Value result : op->getResults()) {
    if (cpu::isTensor(result)) {
      memoryOf(result);
    }
  }
  for (mlir::Region &region : op->getRegions()) {
    Steps &inner = step.regions.emplace_back();
    mlir::Block &block = region.front();
    visitBlock(block, inner);
    for (auto [yielded, result] : llvm::zip_equal(
             block.getTerminator()->getOperands(), op->getResults())) {
      if (cpu::isTensor(result)) {
        emitInto(yielded, buffers.sliceOf(result), inner);
      }
    }
  }
  steps.push_back(std::move(step));
}

void Planner::visit(Operation *op, Steps &steps) {
  // Arrays that are read are somewhere before the kernel that reads them.
  for (Value operand : op->getOperands()) {
    if (cpu::isTensor(operand) && fusion.formOf(operand) == Form::Buffer &&
        !inRegisters.contains(operand)) {
      sliceOf(operand);
    }
  }
  if (llvm::isa<ConstantOp>(op) &&
      fusion.formOf(op->getResult(0)) == Form::Buffer) {
    sliceOf(op->getResult(0));
  }
  if (inProducts.contains(op)) {
    return;
  }
  if (cpu::isElementOp(op)) {
    llvm::ArrayRef<Value> outputs = fusion.regionAt(op);
    if (outputs.empty()) {
      return;
    }
    llvm::SmallVector<BufferSlice> slices;
    for (Value output : outputs) {
      slices.push_back(memoryOf(output));
    }
    launch(op, outputs, slices, steps, [&](KernelSource &source, auto) {
      return source.nest(outputs, slices);
    });
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](WhileOp op) { visitWhile(op, steps); })
      .Case<IfOp, CaseOp>([&](Operation *op) { visitBranches(op, steps); })
      .Case([&](DynamicUpdateSliceOp op) { visitUpdate(op, steps); })
      .Case([&](OptimizationBarrierOp op) {
        for (auto [operand, result] :
             llvm::zip_equal(op->getOperands(), op->getResults())) {
          if (cpu::isTensor(result)) {
            emitInto(operand, memoryOf(result), steps);
          }
        }
      })
      .Case([&](ReduceOp op) {
        launch(op, steps, [&](KernelSource &source, auto slices) {
          return source.reduce(op, slices);
        });
      })
      .Case([&](ReduceWindowOp op) {
        launch(op, steps, [&](KernelSource &source, auto slices) {
          return source.reduceWindow(op, slices);
        });
      })
      .Case([&](DotGeneralOp op) {
        launchProduct(op, steps,
                      [&](KernelSource &source, const BufferSlice &slice) {
                        return source.product(op, slice);
                      });
      })
      .Case([&](ConvolutionOp op) {
        launchProduct(op, steps,
                      [&](KernelSource &source, const BufferSlice &slice) {
                        return source.convolution(op, slice);
                      });
      })
      .Case([&](SortOp op) {
        launch(op, steps, [&](KernelSource &source, auto slices) {
          return source.sort(op, slices);
        });
      })
      .Case([&](ScatterOp op) { visitScatter(op, steps); })
      .Case<AfterAllOp, CreateTokenOp>([](Operation *) {})
      .Default([&](Operation *op) {
        llvm::SmallVector<Value> outputs;
        llvm::SmallVector<BufferSlice> slices;
        for (Value result : op->getResults()) {
          if (cpu::isTensor(result)) {
            outputs.push_back(result);
            slices.push_back(memoryOf(result));
          }
        }
        callHost(op, outputs, slices,
                 "it is not among those that docs/compiler/gpu.md lists",
                 steps);
      });
}

void Planner::visitBlock(mlir::Block &block, Steps &steps) {
  for (Operation &op : block.without_terminator()) {
    visit(&op, steps);
  }
}

void Planner::run(mlir::Block &body) {
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    if (cpu::isTensor(argument)) {
      placed.insert(argument);
      buffers.setSlice(argument,
                       {BufferSlice::Argument, static_cast<int64_t>(i)});
    }
  }
  // A result is computed where it is to be, the first time that it is returned.
  Operation *end = body.getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    Operation *op = value.getDefiningOp();
    if (cpu::isTensor(value) && op && !llvm::isa<ConstantOp>(op) &&
        fusion.formOf(value) == Form::Buffer && placed.insert(value).second) {
      buffers.setSlice(value, {BufferSlice::Result, static_cast<int64_t>(i)});
    }
  }
  visitBlock(body, plan.steps);
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    emitInto(value, {BufferSlice::Result, static_cast<int64_t>(i)}, plan.steps);
  }
}

StatusOr<ProgramPlan> planProgram(mlir::ModuleOp module, const Target &target,
                                  const WithoutCode &withoutCode) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) {
    return invalidArgument("a program has no function @main");
  }
  splitReductions(module);
  if (target.unit != MatrixUnit::None) {
    narrowProducts(module);
  }
  mlir::Block &body = main.getBody().front();
  ProgramPlan plan;
  Planner(body, target, withoutCode, plan).run(body);
  return plan;
}

Status requireKernels(const ProgramPlan &plan) {
  return plan.hostCalls.empty() ? okStatus()
                                : unimplemented(plan.hostCalls.front().reason);
}

} // namespace xla::gpu
