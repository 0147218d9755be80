//===- CollectGpu.cpp - The GPU kernels of many programs ------------------===//

#include "xla/tools/CollectGpu.h"

#include "xla/analysis/Costs.h"
#include "xla/codegen/gpu/Assemble.h"
#include "xla/codegen/gpu/KernelCosts.h"
#include "xla/codegen/gpu/PlanProgram.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/pipeline/Pipeline.h"
#include "xla/support/StatusMacros.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace xla::tools {

namespace json = llvm::json;

namespace {

/// A program as a device runs it. Kernels refer to the module.
struct Planned {
  Compilation lowered;
  gpu::ProgramPlan plan;
};

} // namespace

/// Plans what all targets can compute.
static StatusOr<Planned> planFile(const std::string &file,
                                  llvm::ArrayRef<gpu::Target> targets) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file);
  if (!buffer) {
    return invalidArgument(buffer.getError().message());
  }
  Planned planned;
  XLA_ASSIGN_OR_RETURN(planned.lowered,
                       lowerToOneDevice((*buffer)->getBuffer(), {}));
  XLA_RETURN_IF_ERROR(runStage(optimize, planned.lowered));
  const gpu::Target *least =
      llvm::find_if(targets, [](const gpu::Target &target) {
        return target.unit == gpu::MatrixUnit::None;
      });
  XLA_ASSIGN_OR_RETURN(
      planned.plan,
      gpu::planProgram(planned.lowered.module,
                       least == targets.end() ? targets.front() : *least));
  return planned;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

static json::Object describe(const kernel::Kernel &kernel,
                             mlir::Operation *origin,
                             const gpu::Target &target) {
  gpu::KernelCosts costs = gpu::costsOf(kernel, target);
  return json::Object{{"operation", origin->getName().getStringRef()},
                      {"blocks", costs.blocks},
                      {"threads", costs.threads},
                      {"operations", costs.operations},
                      {"wide_operations", costs.wideOperations},
                      {"index_operations", costs.indexOperations},
                      {"products", costs.products},
                      {"product_type", costs.productType},
                      {"accessed_bytes", costs.accessedBytes},
                      {"memory_bytes", costs.memoryBytes},
                      {"scratch_bytes", costs.scratchBytes},
                      {"longest_thread", costs.longestThread}};
}

/// What the steps do, and how often; of branches, those with the most steps.
static void addSteps(const gpu::ProgramPlan &plan,
                     llvm::ArrayRef<gpu::ProgramStep> steps, double times,
                     json::Array &out) {
  using gpu::ProgramStep;
  for (const ProgramStep &step : steps) {
    json::Object record{{"times", times}};
    switch (step.kind) {
    case ProgramStep::Launch:
      record["kernel"] = static_cast<int64_t>(step.number);
      break;
    case ProgramStep::Copy:
      record["copied_bytes"] = step.bytes;
      break;
    case ProgramStep::Host: {
      const gpu::HostCall &call = plan.hostCalls[step.number];
      record["host"] = call.origin->getName().getStringRef();
      double bytes = 0;
      for (mlir::Value value : call.origin->getOperands()) {
        bytes += bytesOf(value);
      }
      for (mlir::Value value : call.origin->getResults()) {
        bytes += bytesOf(value);
      }
      record["bytes"] = bytes;
      break;
    }
    case ProgramStep::While: {
      double rounds = step.rounds.value_or(1);
      addSteps(plan, step.regions[0], times * (rounds + 1), out);
      addSteps(plan, step.regions[1], times * rounds, out);
      record["read"] = step.turns ? 0 : times * (rounds + 1);
      record["knows_rounds"] = step.rounds.has_value();
      break;
    }
    case ProgramStep::Branch: {
      auto most =
          llvm::max_element(step.regions, [](const auto &x, const auto &y) {
            return x.size() < y.size();
          });
      record["read"] = times;
      addSteps(plan, *most, times, out);
      break;
    }
    }
    out.push_back(std::move(record));
  }
}

/// Products with their sums, by the type of what they are of.
static json::Object productsOf(mlir::ModuleOp module) {
  llvm::StringMap<double> found;
  auto nothing = [](mlir::Operation *) { return 0.0; };
  forEachCost(
      module, nothing,
      [&](mlir::Operation *op, const Costs &costs, double times) {
        if (llvm::isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
          ElementType type = elementTypeOf(op->getOperand(0).getType());
          found[name(type)] += costs.flops * times;
        }
      });
  json::Object products;
  for (const auto &entry : found) {
    products[entry.getKey()] = entry.getValue();
  }
  return products;
}

static double sizeOf(llvm::ArrayRef<Shape> shapes) {
  double bytes = 0;
  for (const Shape &shape : shapes) {
    bytes += static_cast<double>(byteSize(shape).value_or(0));
  }
  return bytes;
}

static json::Object describe(const std::string &file, const Planned &planned) {
  json::Array steps;
  addSteps(planned.plan, planned.plan.steps, 1, steps);
  const ProgramSignature &types = planned.lowered.signature;
  return json::Object{
      {"program", file},
      {"boundary_bytes", sizeOf(types.arguments) + sizeOf(types.results)},
      {"products", productsOf(planned.lowered.module)},
      {"flops", costsOf(planned.lowered.module).flops},
      {"steps", std::move(steps)}};
}

static void print(json::Object object) {
  llvm::outs() << json::Value(std::move(object)) << "\n";
}

void printCosts(llvm::ArrayRef<std::string> files, const gpu::Target &target) {
  for (const std::string &file : files) {
    StatusOr<Planned> planned = planFile(file, target);
    if (!planned.ok()) {
      print(json::Object{{"program", file},
                         {"failed", planned.status().message()}});
      continue;
    }
    json::Object record = describe(file, *planned);
    json::Array kernels;
    const gpu::ProgramPlan &plan = planned->plan;
    for (auto [kernel, origin] : llvm::zip_equal(plan.kernels, plan.origins)) {
      kernels.push_back(describe(kernel, origin, target));
    }
    record["kernels"] = std::move(kernels);
    print(std::move(record));
  }
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {

class Collection {
public:
  Collection(llvm::ArrayRef<gpu::Target> targets, const std::string &folder)
      : targets(targets), folder(folder) {}

  Status add(const std::string &file, Planned planned);
  /// Writes what was added since the last time.
  Status flush();

private:
  Status write(llvm::ArrayRef<kernel::Kernel> kernels,
               const gpu::Target &target, const llvm::Twine &name);

  static constexpr size_t together = 64; ///< kernels of one file

  llvm::ArrayRef<gpu::Target> targets;
  std::string folder;
  llvm::StringMap<size_t> known; ///< kernels by their text
  std::vector<Planned> programs; ///< which `waiting` refers to
  std::vector<kernel::Kernel> waiting;
  int64_t files = 0;
};

} // namespace

/// Without its name.
static std::string textOf(const kernel::Kernel &kernel) {
  std::string text;
  llvm::raw_string_ostream out(text);
  kernel.print(out);
  return text.substr(text.find('{'));
}

Status Collection::add(const std::string &file, Planned planned) {
  json::Object record = describe(file, planned);
  gpu::ProgramPlan &plan = planned.plan;
  json::Array numbers;
  for (auto [kernel, origin] : llvm::zip_equal(plan.kernels, plan.origins)) {
    auto [found, isNew] = known.try_emplace(textOf(kernel), known.size());
    numbers.push_back(static_cast<int64_t>(found->second));
    if (!isNew) {
      continue;
    }
    kernel.name = "k" + std::to_string(found->second);
    json::Object own = describe(kernel, origin, targets.front());
    own["kernel"] = kernel.name;
    own["file"] = files;
    own["program"] = file;
    print(std::move(own));
    waiting.push_back(kernel);
  }
  record["kernels"] = std::move(numbers);
  print(std::move(record));
  programs.push_back(std::move(planned));
  return waiting.size() >= together ? flush() : okStatus();
}

Status Collection::write(llvm::ArrayRef<kernel::Kernel> kernels,
                         const gpu::Target &target, const llvm::Twine &name) {
  llvm::LLVMContext context;
  XLA_ASSIGN_OR_RETURN(auto module, gpu::emitNeutral(kernels, target, context));
  XLA_ASSIGN_OR_RETURN(std::string code,
                       gpu::assemble(*module, target, gpu::CodeFormat::Binary));
  std::string path = folder + "/" + target.chip;
  llvm::sys::fs::create_directories(path);
  const char *ending = target.vendor == gpu::Vendor::Nvidia ? ".ptx" : ".o";
  std::error_code error;
  llvm::raw_fd_ostream out((path + "/" + name + ending).str(), error);
  if (error) {
    return invalidArgument(path + ": " + error.message());
  }
  out << code;
  return okStatus();
}

Status Collection::flush() {
  if (waiting.empty()) {
    return okStatus();
  }
  for (const gpu::Target &target : targets) {
    std::vector<kernel::Kernel> kernels;
    Status all = write(waiting, target, llvm::Twine(files));
    for (size_t i = 0; !all.ok() && i < waiting.size(); ++i) {
      llvm::LLVMContext context;
      auto code = gpu::emitNeutral(waiting[i], target, context);
      if (code.ok()) {
        kernels.push_back(waiting[i]);
      } else {
        print(json::Object{{"kernel", waiting[i].name},
                           {"target", target.chip},
                           {"lacks", code.status().message()}});
      }
    }
    if (!kernels.empty()) {
      XLA_RETURN_IF_ERROR(write(kernels, target, llvm::Twine(files)));
    }
  }
  ++files;
  waiting.clear();
  programs.clear();
  return okStatus();
}

Status collectKernels(llvm::ArrayRef<std::string> files,
                      llvm::ArrayRef<gpu::Target> targets,
                      const std::string &folder) {
  Collection collection(targets, folder);
  for (const std::string &file : files) {
    StatusOr<Planned> planned = planFile(file, targets);
    if (planned.ok()) {
      XLA_RETURN_IF_ERROR(collection.add(file, std::move(*planned)));
    } else {
      print(json::Object{{"program", file},
                         {"failed", planned.status().message()}});
    }
  }
  return collection.flush();
}

} // namespace xla::tools
