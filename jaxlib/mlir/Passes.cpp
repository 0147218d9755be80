//===- Passes.cpp - Running passes from Python ----------------------------===//

#include "jaxlib/mlir/Ir.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "xla/analysis/CheckText.h"

namespace jaxlib::mlir_python {

namespace {

struct PyPassManager {
  ContextRef context;
  std::unique_ptr<mlir::PassManager> passes;
};

} // namespace

static void registerPasses() {
  static bool isDone = [] {
    mlir::registerTransformsPasses();
    return true;
  }();
  (void)isDone;
}

/// MLIR's parser of pipelines calls itself for what is nested.
static void requireReadable(const std::string &pipeline) {
  if (std::optional<std::string> reason = xla::explainNesting(pipeline)) {
    throw py::value_error("the pipeline cannot be read: " + *reason);
  }
}

static void addPipeline(PyPassManager &self, const std::string &pipeline) {
  requireReadable(pipeline);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (mlir::failed(mlir::parsePassPipeline(pipeline, *self.passes, stream))) {
    throw py::value_error(problem);
  }
}

static PyPassManager parsePipeline(const std::string &pipeline,
                                   const py::object &given) {
  ContextRef context = resolveContext(given);
  requireReadable(pipeline);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  mlir::FailureOr<mlir::OpPassManager> parsed =
      mlir::parsePassPipeline(pipeline, stream);
  if (mlir::failed(parsed)) {
    throw py::value_error(problem);
  }
  auto passes = std::make_unique<mlir::PassManager>(&context->context,
                                                    parsed->getOpAnchorName());
  static_cast<mlir::OpPassManager &>(*passes) = std::move(*parsed);
  return {context, std::move(passes)};
}

static void run(PyPassManager &self, const PyOperationBase &operation) {
  mlir::Operation *op = operation.get();
  if (op->getContext() != &self.context->context) {
    throw py::value_error(
        "the operation and the pass manager belong to different contexts");
  }
  auto anchor = self.passes->getOpName(self.context->context);
  if (anchor && *anchor != op->getName()) {
    throw py::value_error("the pass manager runs on '" +
                          anchor->getStringRef().str() + "', not on '" +
                          op->getName().getStringRef().str() + "'");
  }
  if (op->getParentOp()) {
    throw py::value_error("passes run on a whole program; this operation is "
                          "inside another one. Run them on the outermost, or "
                          "detach or clone this one");
  }
  // Passes may destroy what wrappers point to.
  operation.tree.get().invalidateWrappers();
  DiagnosticCapture capture(self.context);
  if (mlir::failed(self.passes->run(op))) {
    capture.raise("Failure while executing pass pipeline");
  }
}

void bindPasses(py::module_ &module) {
  registerPasses();
  py::class_<PyPassManager>(module, "PassManager")
      .def(py::init([](const std::string &anchor, const py::object &given) {
             ContextRef context = resolveContext(given);
             return PyPassManager{context, std::make_unique<mlir::PassManager>(
                                               &context->context, anchor)};
           }),
           py::arg("anchor_op") = "any", py::arg("context") = py::none())
      .def_static("parse", &parsePipeline, py::arg("pipeline"),
                  py::arg("context") = py::none())
      .def("add", &addPipeline, py::arg("pipeline"))
      .def("run", &run, py::arg("operation"))
      .def(
          "enable_verifier",
          [](PyPassManager &self, bool enable) {
            self.passes->enableVerifier(enable);
          },
          py::arg("enable") = true)
      .def("enable_timing",
           [](PyPassManager &self) { self.passes->enableTiming(); })
      .def("__str__", [](PyPassManager &self) {
        std::string text;
        llvm::raw_string_ostream stream(text);
        self.passes->printAsTextualPipeline(stream);
        return text;
      });
}

} // namespace jaxlib::mlir_python
