//===- Artifacts.cpp - Portable artifacts, and programs within programs ---===//

#include "jaxlib/mlir/Ir.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "xla/conversion/Conversion.h"
#include "xla/dialect/sdy/Sdy.h"
#include "xla/dialect/sdy/SdyOps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/dialect/vhlo/Vhlo.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <pybind11/stl.h>

namespace jaxlib::mlir_python {

[[noreturn]] static void raiseUnimplemented(const std::string &what) {
  py::set_error(PyExc_NotImplementedError, what.c_str());
  throw py::error_already_set();
}

static mlir::ModuleOp checkedModule(const PyModule &module) {
  mlir::ModuleOp op = module.module;
  module.check(op.getOperation());
  return op;
}

/// A module that others than us may have built or changed: valid, or an error.
static mlir::ModuleOp validModule(const PyModule &module,
                                  DiagnosticCapture &capture) {
  mlir::ModuleOp op = checkedModule(module);
  if (mlir::failed(mlir::verify(op))) {
    capture.raise("The module is not valid");
  }
  return op;
}

/// The module in VHLO of a version, with CHLO written out; `self` stays as it
/// is.
static py::bytes serializeArtifact(const PyModule &self,
                                   const std::string &target) {
  std::optional<xla::vhlo::Version> version = xla::vhlo::parseVersion(target);
  if (!version) {
    throw py::value_error("'" + target + "' is no version like 1.13.7");
  }
  DiagnosticCapture capture(self.context());
  mlir::OwningOpRef<mlir::ModuleOp> copy = validModule(self, capture).clone();
  if (mlir::failed(xla::lowerChlo(*copy)) ||
      mlir::failed(mlir::verify(*copy))) {
    capture.raise("The module cannot be written as a portable artifact");
  }
  xla::StatusOr<std::string> artifact =
      xla::vhlo::writeArtifact(*copy, *version);
  if (!artifact.ok()) {
    raiseUnimplemented(artifact.status().message());
  }
  return py::bytes(*artifact);
}

static void registerArtifactDialects(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  xla::vhlo::registerVhlo(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

/// The verified module of StableHLO that an artifact holds; without shardings
/// where it is for one device.
static PyModule deserializeArtifact(const py::object &given,
                                    const std::string &artifact) {
  const std::string problem = "The portable artifact cannot be read";
  ContextRef context = resolveContext(given);
  DiagnosticCapture capture(context);
  if (!llvm::StringRef(artifact).starts_with("ML\xEFR")) {
    throw py::value_error(problem +
                          ": it does not begin as MLIR bytecode does");
  }
  if (std::optional<std::string> newer =
          xla::vhlo::explainNewerProducer(artifact)) {
    raiseUnimplemented(*newer);
  }
  capture.requireReadable(artifact, problem);
  registerArtifactDialects(context->context);
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
          artifact.size(), "artifact", llvm::Align(4096));
  if (!buffer) {
    throw std::bad_alloc();
  }
  llvm::copy(artifact, buffer->getBufferStart());
  context->keeps(4 * artifact.size());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  // VHLO cannot be verified; what it becomes is.
  mlir::ParserConfig config(&context->context, /*verifyAfterParse=*/false);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, config);
  if (!module || !xla::vhlo::convertToStablehlo(*module) ||
      mlir::failed(mlir::verify(*module))) {
    capture.raise(problem);
  }
  if (!xla::sdy::isForSeveralDevices(*module) &&
      !xla::sdy::dropTrivialShardings(*module)) {
    raiseUnimplemented(problem + ": " + capture.firstMessage());
  }
  mlir::ModuleOp op = module.release();
  return PyModule(Tree::make(context, op), op);
}

//===----------------------------------------------------------------------===//
// Programs within programs
//===----------------------------------------------------------------------===//

static std::string freeName(const std::string &preferred, mlir::ModuleOp target,
                            mlir::ModuleOp source) {
  std::string name = preferred;
  for (int number = 0; target.lookupSymbol(name) != nullptr ||
                       source.lookupSymbol(name) != nullptr;
       ++number) {
    name = preferred + "_" + std::to_string(number);
  }
  return name;
}

/// Gives a symbol of `source` and all its uses there another name.
static void rename(mlir::Operation *symbol, const std::string &name,
                   mlir::ModuleOp source) {
  std::string before = mlir::SymbolTable::getSymbolName(symbol).str();
  auto attribute = mlir::StringAttr::get(source.getContext(), name);
  if (mlir::failed(
          mlir::SymbolTable::replaceAllSymbolUses(symbol, attribute, source))) {
    throw py::value_error("the uses of @" + before + " are not known");
  }
  mlir::SymbolTable::setSymbolName(symbol, attribute);
}

/// Takes a mesh out of `source` where `target` has its like, or gives it a name
/// that is free there.
static void includeMesh(xla::sdy::MeshOp mesh, mlir::ModuleOp target,
                        mlir::ModuleOp source) {
  for (auto own : target.getOps<xla::sdy::MeshOp>()) {
    if (own.getMesh() == mesh.getMesh()) {
      rename(mesh, own.getSymName().str(), source);
      mesh.erase();
      return;
    }
  }
  if (target.lookupSymbol(mesh.getSymName())) {
    rename(mesh, freeName(mesh.getSymName().str(), target, source), source);
  }
}

/// Copies the functions of `other` into `self`, as private functions under
/// names that are free there; returns these names, that of `main` first. Meshes
/// come along.
static std::vector<std::string> includeModule(const PyModule &self,
                                              const PyModule &other,
                                              const std::string &preferred) {
  DiagnosticCapture capture(other.context());
  mlir::ModuleOp target = checkedModule(self); // being built: not yet valid
  mlir::ModuleOp given = validModule(other, capture);
  requireSameContext(target.getContext(), given.getContext());
  if (!given.lookupSymbol<mlir::func::FuncOp>("main")) {
    throw py::value_error("the module has no function @main");
  }
  mlir::OwningOpRef<mlir::ModuleOp> source = given.clone();
  std::vector<std::string> names;
  for (mlir::Operation &op : llvm::make_early_inc_range(*source->getBody())) {
    if (auto mesh = llvm::dyn_cast<xla::sdy::MeshOp>(op)) {
      includeMesh(mesh, target, *source);
      continue;
    }
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
    if (!function) {
      throw py::value_error("the module holds " +
                            op.getName().getStringRef().str() +
                            " beside its functions");
    }
    bool isMain = function.getSymName() == "main";
    std::string name = freeName(
        isMain ? preferred : function.getSymName().str(), target, *source);
    rename(function, name, *source);
    function.setPrivate();
    names.insert(isMain ? names.begin() : names.end(), name);
  }
  for (mlir::Operation &op : *source->getBody()) {
    target.push_back(op.clone());
  }
  return names;
}

//===----------------------------------------------------------------------===//
// Programs for several platforms
//===----------------------------------------------------------------------===//

static std::optional<int64_t> constantInteger(mlir::Value value) {
  auto constant = value.getDefiningOp<xla::stablehlo::ConstantOp>();
  auto elements =
      constant ? llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue())
               : mlir::DenseIntElementsAttr();
  if (!elements || elements.getNumElements() != 1) {
    return std::nullopt;
  }
  return (*elements.begin()).getSExtValue();
}

static void replaceByInteger(mlir::BlockArgument argument, int64_t value) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(argument.getOwner());
  auto type = llvm::cast<mlir::RankedTensorType>(argument.getType());
  auto number = builder.getIntegerAttr(type.getElementType(), value);
  argument.replaceAllUsesWith(xla::stablehlo::ConstantOp::create(
      builder, argument.getLoc(), type,
      mlir::DenseElementsAttr::get(type, {mlir::Attribute(number)})));
}

static bool isInteger(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         tensor.getElementType().isSignlessInteger(32);
}

/// Puts the branch that is taken in place of each choice by a constant.
static bool takeBranches(mlir::ModuleOp module) {
  bool changed = false;
  // Choices within others come first, and indices before their uses.
  llvm::SmallVector<xla::stablehlo::CaseOp> found;
  module.walk([&](xla::stablehlo::CaseOp op) { found.push_back(op); });
  for (xla::stablehlo::CaseOp op : found) {
    std::optional<int64_t> index = constantInteger(op->getOperand(0));
    if (!index) {
      continue;
    }
    int64_t last = op->getNumRegions() - 1;
    int64_t taken = *index < 0 || *index > last ? last : *index;
    mlir::Block &block = op->getRegion(taken).front();
    mlir::Operation *end = block.getTerminator();
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           block.getOperations(), block.begin(),
                                           end->getIterator());
    op->replaceAllUsesWith(end->getOperands());
    op->erase();
    changed = true;
  }
  return changed;
}

/// Puts the constant in place of an argument that is the same in all calls.
static bool passConstants(mlir::ModuleOp module) {
  llvm::StringMap<llvm::SmallVector<mlir::func::CallOp>> calls;
  module.walk([&](mlir::func::CallOp call) {
    calls[call.getCallee()].push_back(call);
  });
  bool changed = false;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    auto found = calls.find(function.getSymName());
    if (found == calls.end() || function.isPublic() || function.isExternal()) {
      continue;
    }
    for (mlir::BlockArgument argument : function.getArguments()) {
      if (argument.use_empty() || !isInteger(argument.getType())) {
        continue;
      }
      auto given = [&](mlir::func::CallOp call) {
        return constantInteger(call.getOperand(argument.getArgNumber()));
      };
      std::optional<int64_t> value = given(found->second.front());
      if (value && llvm::all_of(found->second, [&](mlir::func::CallOp call) {
            return given(call) == value;
          })) {
        replaceByInteger(argument, *value);
        changed = true;
      }
    }
  }
  return changed;
}

/// Erases the functions that nothing calls any more.
static void eraseUnused(mlir::ModuleOp module) {
  llvm::StringSet<> used = {"main"};
  std::vector<mlir::Operation *> waiting = {module.lookupSymbol("main")};
  while (!waiting.empty()) {
    auto uses = mlir::SymbolTable::getSymbolUses(waiting.back());
    waiting.pop_back();
    if (!uses) {
      return; // not known: nothing goes
    }
    for (const mlir::SymbolTable::SymbolUse &use : *uses) {
      llvm::StringRef name = use.getSymbolRef().getRootReference();
      mlir::Operation *target = module.lookupSymbol(name);
      if (target && used.insert(name).second) {
        waiting.push_back(target);
      }
    }
  }
  for (auto function : llvm::to_vector(module.getOps<mlir::func::FuncOp>())) {
    if (!used.contains(function.getSymName())) {
      function.erase();
    }
  }
}

/// A copy whose main has lost its first argument: it is `number`, and what that
/// leaves out is gone. Other platforms' calls could not be compiled.
static PyModule choosePlatform(const PyModule &self, int64_t number) {
  DiagnosticCapture capture(self.context());
  mlir::OwningOpRef<mlir::ModuleOp> copy = validModule(self, capture).clone();
  auto main = copy->lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal() || main.getNumArguments() == 0 ||
      !isInteger(main.getArgument(0).getType())) {
    throw py::value_error("the module's main takes no number of a platform");
  }
  replaceByInteger(main.getArgument(0), number);
  if (mlir::failed(main.eraseArgument(0))) {
    throw py::value_error("the argument of main cannot be taken out");
  }
  while (takeBranches(*copy) || passConstants(*copy)) {
  }
  eraseUnused(*copy);
  if (mlir::failed(mlir::verify(*copy))) {
    capture.raise("The module is not valid on one of its platforms");
  }
  mlir::ModuleOp op = copy.release();
  return PyModule(Tree::make(self.context(), op), op);
}

void bindArtifacts(py::module_ &module) {
  module.def("serialize_portable_artifact", &serializeArtifact,
             py::arg("module"), py::arg("target"),
             "Writes a module for readers of a version of StableHLO: bytes.");
  module.def("deserialize_portable_artifact", &deserializeArtifact,
             py::arg("context"), py::arg("artifact"),
             "Reads a module that was written for any version up to ours.");
  module.def("include_module", &includeModule, py::arg("module"),
             py::arg("other"), py::arg("name"),
             "Copies the functions of another module; returns their names, "
             "main's first.");
  module.def("choose_platform", &choosePlatform, py::arg("module"),
             py::arg("number"),
             "A copy of the module for one of its platforms.");
}

} // namespace jaxlib::mlir_python
