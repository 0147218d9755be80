//===- Choose.cpp - Everything that is decided before code ----------------===//

#include "xla/codegen/cpu/Choose.h"

#include "xla/codegen/cpu/BufferPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;

static mlir::Block *bodyOfMain(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  return &main.getBody().front();
}

Schedule::Schedule(mlir::ModuleOp module)
    : block(bodyOfMain(module)), values(*block) {
  block->walk([&](Operation *op) {
    if (auto dot = llvm::dyn_cast<DotGeneralOp>(op)) {
      setKernel(op, chooseProduct(values, dot));
    } else if (auto convolution = llvm::dyn_cast<ConvolutionOp>(op)) {
      setKernel(op, chooseConvolution(convolution));
    }
  });
  values.planEpilogues(*block);
  groups.emplace(*block, values);
  llvm::DenseSet<Operation *> ofProducts;
  block->walk([&](Operation *op) {
    if (Operation *nest = values.epilogueOf(op).nest) {
      ofProducts.insert(nest);
    }
  });
  block->walk([&](Operation *op) {
    std::optional<Kernel> kernel =
        llvm::TypeSwitch<Operation *, std::optional<Kernel>>(op)
            .Case([&](ReduceOp op) {
              return chooseReduction(op, values, *groups);
            })
            .Case([](SortOp op) { return chooseSort(op); })
            .Case([](ScatterOp op) { return chooseScatter(op); })
            .Case([](SelectAndScatterOp op) { return chooseSelection(op); })
            .Case([](FftOp op) { return chooseTransform(op); })
            .Case([&](ReduceWindowOp op) {
              return chooseWindow(op, values, *groups);
            })
            .Case([&](DynamicUpdateSliceOp op) {
              return chooseUpdate(op, values, *groups);
            })
            .Default(std::nullopt);
    if (isWideConcatenate(op)) {
      kernel = chooseConcatenate(llvm::cast<ConcatenateOp>(op), *groups);
    } else if (!values.regionAt(op).empty() && !ofProducts.contains(op)) {
      kernel = chooseNest(op, values, *groups);
    }
    if (kernel) {
      setKernel(op, *kernel);
    }
  });
}

void Schedule::annotate() const {
  mlir::Builder builder(block->getParentOp()->getContext());
  auto number = [&](Operation *op, llvm::StringRef name, int64_t value) {
    op->setAttr(name, builder.getI64IntegerAttr(value));
  };
  llvm::DenseMap<Operation *, int64_t> nests;
  block->walk([&](Operation *op) {
    for (mlir::Value output : values.regionAt(op)) {
      int64_t nest = nests.try_emplace(op, nests.size()).first->second;
      number(output.getDefiningOp(), "xla_cpu.nest", nest);
    }
    if (isElementOp(op)) {
      Form form = values.formOf(op->getResult(0));
      if (form != Form::Buffer) {
        op->setAttr("xla_cpu.form",
                    builder.getStringAttr(form == Form::Inline ? "inline"
                                                               : "register"));
      }
    }
  });
  block->walk([&](Operation *op) {
    if (Operation *nest = values.epilogueOf(op).nest) {
      number(op, "xla_cpu.epilogue", nests.lookup(nest));
    }
  });
  for (auto [i, group] : llvm::enumerate(groups->all())) {
    for (const RowMember &member : group->members) {
      number(member.step, "xla_cpu.row_group", static_cast<int64_t>(i));
    }
  }
}

namespace {
struct ChoosePass
    : mlir::PassWrapper<ChoosePass, mlir::OperationPass<mlir::ModuleOp>> {
  llvm::StringRef getArgument() const override { return "xla-cpu-choose"; }
  llvm::StringRef getDescription() const override {
    return "Writes on each operation of @main by which code it is computed";
  }
  void runOnOperation() override {
    if (getOperation().lookupSymbol("main")) {
      Schedule(getOperation()).annotate();
    }
  }
};

struct KernelsPass
    : mlir::PassWrapper<KernelsPass, mlir::OperationPass<mlir::ModuleOp>> {
  llvm::StringRef getArgument() const override { return "xla-cpu-kernels"; }
  llvm::StringRef getDescription() const override {
    return "Prints the kernels that @main's loop nests become";
  }
  void runOnOperation() override {
    if (getOperation().lookupSymbol("main")) {
      Schedule schedule(getOperation());
      BufferPlan buffers(schedule.body(), schedule.fusion(), schedule.rows(),
                         {});
      printKernels(schedule, buffers, llvm::outs());
    }
  }
};
} // namespace

void registerChoosePasses() {
  mlir::PassRegistration<ChoosePass>();
  mlir::PassRegistration<KernelsPass>();
}

} // namespace xla::cpu
