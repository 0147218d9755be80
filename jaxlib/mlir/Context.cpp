//===- Context.cpp - Contexts, locations, diagnostics ---------------------===//

#include "jaxlib/mlir/Ir.h"

#include "mlir/IR/Diagnostics.h"
#include "xla/analysis/CheckBytecode.h"
#include "xla/analysis/CheckText.h"
#include "xla/dialect/Registration.h"
#include "llvm/ADT/TypeSwitch.h"

#include <pybind11/stl.h>

#include <mutex>

namespace jaxlib::mlir_python {

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  xla::registerDialects(registry);
  return registry;
}

namespace {
/// One context that nobody has at the moment.
class SpareContext {
public:
  using Context = std::unique_ptr<mlir::MLIRContext>;

  /// Takes it, and what it keeps; null: there is none.
  Context take(size_t &bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    bytes = keptBytes;
    return std::move(context);
  }

  void give(Context &given, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    std::swap(context, given);
    keptBytes = bytes;
  }

private:
  std::mutex mutex;
  Context context;
  size_t keptBytes = 0;
};
} // namespace

/// Never destroyed: Python may destroy modules after static objects.
static SpareContext &spareContext() {
  static auto *theContext = new SpareContext;
  return *theContext;
}

// Threads of its own would cost more than the modules that Python builds gain.
static std::unique_ptr<mlir::MLIRContext> takeContext(size_t &keptBytes) {
  std::unique_ptr<mlir::MLIRContext> context = spareContext().take(keptBytes);
  if (!context) {
    keptBytes = 0;
    context = std::make_unique<mlir::MLIRContext>(
        makeRegistry(), mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
  }
  return context;
}

PyContext::PyContext()
    : owned(takeContext(keptBytes)), context(*owned),
      dialects(context.getLoadedDialects().size()) {}

PyContext::~PyContext() {
  constexpr size_t most = 1 << 20;
  bool isUnchanged = !context.allowsUnregisteredDialects() &&
                     !context.isMultithreadingEnabled() &&
                     context.getLoadedDialects().size() == dialects;
  if (isUnchanged && keptBytes < most) {
    spareContext().give(owned, keptBytes);
  }
}

//===----------------------------------------------------------------------===//
// What is current
//===----------------------------------------------------------------------===//

namespace {

struct Frame {
  py::object entered; ///< the object that was entered
  ContextRef context;
  std::optional<PyInsertionPoint> insertionPoint;
  std::optional<PyLocation> location;
};

} // namespace

/// Exists only while something is entered, so that a thread ends without
/// Python objects to destroy.
static thread_local std::vector<Frame> *frames = nullptr;

static const Frame *currentFrame() {
  return frames && !frames->empty() ? &frames->back() : nullptr;
}

static void enter(Frame frame) {
  const Frame *outer = currentFrame();
  if (outer && outer->context == frame.context) {
    if (!frame.insertionPoint) {
      frame.insertionPoint = outer->insertionPoint;
    }
    if (!frame.location) {
      frame.location = outer->location;
    }
  }
  if (!frames) {
    frames = new std::vector<Frame>();
  }
  frames->push_back(std::move(frame));
}

static void leave(const py::object &object) {
  if (!currentFrame() || !frames->back().entered.is(object)) {
    throw std::runtime_error(
        "Unbalanced enter and exit: contexts, locations and insertion points "
        "are left in the opposite order, on the thread that entered them");
  }
  Frame last = std::move(frames->back());
  frames->pop_back();
  if (frames->empty()) {
    delete std::exchange(frames, nullptr);
  }
}

ContextRef resolveContext(const py::object &given) {
  if (!given.is_none()) {
    return given.cast<ContextRef>();
  }
  if (const Frame *frame = currentFrame()) {
    return frame->context;
  }
  throw std::runtime_error(
      "An MLIR function requires a Context but none was provided in the call "
      "or from the surrounding environment. Either pass to the function with "
      "a 'context=' argument or establish a default using 'with Context():'");
}

PyLocation resolveLocation(const py::object &given) {
  if (!given.is_none()) {
    return given.cast<PyLocation>();
  }
  const Frame *frame = currentFrame();
  if (frame && frame->location) {
    return *frame->location;
  }
  throw std::runtime_error(
      "An MLIR function requires a Location but none was provided in the call "
      "or from the surrounding environment. Either pass to the function with "
      "a 'loc=' argument or establish a default using 'with loc:'");
}

std::optional<PyInsertionPoint> resolveInsertionPoint(const py::object &given) {
  if (given.is_none()) {
    const Frame *frame = currentFrame();
    return frame ? frame->insertionPoint : std::nullopt;
  }
  if (given.ptr() == Py_False) {
    return std::nullopt;
  }
  return given.cast<PyInsertionPoint>();
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

namespace {

/// A diagnostic that outlives its report.
struct DiagnosticInfo {
  mlir::DiagnosticSeverity severity;
  PyLocation location;
  std::string message;
  std::vector<DiagnosticInfo> notes;
};

/// Calls a Python function for each diagnostic of a context until detached.
struct DiagnosticHandler {
  ContextRef context;
  uint64_t id = 0;
  bool isAttached = true;
  bool hadError = false;
  py::object callback;

  void detach() {
    if (std::exchange(isAttached, false)) {
      context->context.getDiagEngine().eraseHandler(id);
    }
  }
  ~DiagnosticHandler() { detach(); }
};

} // namespace

static py::object &errorClass() {
  static auto *object = new py::object();
  return *object;
}

static DiagnosticInfo copyDiagnostic(const ContextRef &context,
                                     mlir::Diagnostic &diagnostic) {
  DiagnosticInfo info{diagnostic.getSeverity(),
                      {context, diagnostic.getLocation()},
                      diagnostic.str(),
                      {}};
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    info.notes.push_back(copyDiagnostic(context, note));
  }
  return info;
}

static std::string print(mlir::Location location) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  location.print(stream);
  return text;
}

DiagnosticCapture::DiagnosticCapture(const ContextRef &context)
    : context(context) {
  // The engine outlives this object, which erases its handler.
  handler = context->context.getDiagEngine().registerHandler(
      [this](mlir::Diagnostic &diagnostic) {
        diagnostics.append(py::cast(copyDiagnostic(this->context, diagnostic)));
        return mlir::success();
      });
}

DiagnosticCapture::~DiagnosticCapture() {
  context->context.getDiagEngine().eraseHandler(handler);
}

std::string DiagnosticCapture::firstMessage() const {
  return diagnostics.empty() ? ""
                             : diagnostics[0].cast<DiagnosticInfo &>().message;
}

void DiagnosticCapture::raise(const std::string &what) {
  std::string text = what;
  for (py::handle item : diagnostics) {
    auto &info = item.cast<DiagnosticInfo &>();
    text += "\nerror: " + print(info.location.location) + ": " + info.message;
    for (DiagnosticInfo &note : info.notes) {
      text += "\n note: " + print(note.location.location) + ": " + note.message;
    }
  }
  py::object error = errorClass()(text);
  error.attr("message") = what;
  error.attr("error_diagnostics") = diagnostics;
  PyErr_SetObject(errorClass().ptr(), error.ptr());
  throw py::error_already_set();
}

void DiagnosticCapture::requireReadable(llvm::StringRef source,
                                        const std::string &what) {
  std::optional<std::string> reason = source.starts_with("ML\xEFR")
                                          ? xla::explainDamage(source)
                                          : xla::explainNesting(source);
  if (reason) {
    mlir::emitError(mlir::UnknownLoc::get(&context->context), *reason);
    raise(what);
  }
}

static void bindDiagnostics(py::module_ &module) {
  errorClass() = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
      "jaxlib.mlir.ir.MLIRError",
      "What MLIR reports when parsing, verifying or a pass fails. `message` "
      "says what failed, `error_diagnostics` lists what was reported.",
      nullptr, nullptr));
  module.attr("MLIRError") = errorClass();
  py::enum_<mlir::DiagnosticSeverity>(module, "DiagnosticSeverity")
      .value("ERROR", mlir::DiagnosticSeverity::Error)
      .value("WARNING", mlir::DiagnosticSeverity::Warning)
      .value("NOTE", mlir::DiagnosticSeverity::Note)
      .value("REMARK", mlir::DiagnosticSeverity::Remark);
  py::class_<DiagnosticInfo>(module, "DiagnosticInfo")
      .def_readonly("severity", &DiagnosticInfo::severity)
      .def_property_readonly("location",
                             [](const DiagnosticInfo &self) {
                               return toPython(self.location.context,
                                               self.location.location);
                             })
      .def_readonly("message", &DiagnosticInfo::message)
      .def_readonly("notes", &DiagnosticInfo::notes)
      .def("__str__", [](const DiagnosticInfo &self) { return self.message; });
  module.attr("Diagnostic") = module.attr("DiagnosticInfo");
  py::class_<DiagnosticHandler, std::shared_ptr<DiagnosticHandler>>(
      module, "DiagnosticHandler")
      .def_readonly("attached", &DiagnosticHandler::isAttached)
      .def_readonly("had_error", &DiagnosticHandler::hadError)
      .def("detach", &DiagnosticHandler::detach)
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__",
           [](DiagnosticHandler &self, const py::args &) { self.detach(); });
}

static std::shared_ptr<DiagnosticHandler>
attachDiagnosticHandler(ContextRef context, py::object callback) {
  auto handler = std::make_shared<DiagnosticHandler>();
  handler->context = context;
  handler->callback = std::move(callback);
  // A weak pointer: the engine must not keep the context alive, which owns it.
  std::weak_ptr<DiagnosticHandler> weak = handler;
  handler->id = context->context.getDiagEngine().registerHandler(
      [weak](mlir::Diagnostic &diagnostic) {
        auto self = weak.lock();
        if (!self) {
          return mlir::failure();
        }
        try {
          return mlir::success(
              self->callback(copyDiagnostic(self->context, diagnostic))
                  .cast<bool>());
        } catch (py::error_already_set &error) {
          error.discard_as_unraisable("an MLIR diagnostic handler");
        } catch (const std::exception &) {
          self->hadError = true;
        }
        self->hadError = true;
        return mlir::failure();
      });
  return handler;
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

static void bindContextClass(py::module_ &module) {
  py::class_<PyContext, ContextRef>(module, "Context", py::dynamic_attr())
      .def(py::init([]() { return std::make_shared<PyContext>(); }))
      .def("__enter__",
           [](py::object self) {
             enter({self, self.cast<ContextRef>(), std::nullopt, std::nullopt});
             return self;
           })
      .def("__exit__", [](py::object self, const py::args &) { leave(self); })
      .def_property_readonly_static("current",
                                    [](py::object) -> py::object {
                                      const Frame *frame = currentFrame();
                                      return frame ? py::cast(frame->context)
                                                   : py::none();
                                    })
      .def_property(
          "allow_unregistered_dialects",
          [](PyContext &self) {
            return self.context.allowsUnregisteredDialects();
          },
          [](PyContext &self, bool value) {
            self.context.allowUnregisteredDialects(value);
          })
      .def(
          "enable_multithreading",
          [](PyContext &self, bool enable) {
            self.context.enableMultithreading(enable);
          },
          py::arg("enable"))
      .def("get_num_threads",
           [](PyContext &self) { return self.context.getNumThreads(); })
      .def(
          "is_registered_operation",
          [](PyContext &self, const std::string &name) {
            return mlir::RegisteredOperationName::lookup(name, &self.context)
                .has_value();
          },
          py::arg("operation_name"))
      .def("load_all_available_dialects",
           [](PyContext &self) { self.context.loadAllAvailableDialects(); })
      .def("attach_diagnostic_handler", &attachDiagnosticHandler,
           py::arg("callback"))
      .def("_loaded_dialects", [](PyContext &self) {
        std::vector<std::string> names;
        for (mlir::Dialect *dialect : self.context.getLoadedDialects()) {
          names.push_back(dialect->getNamespace().str());
        }
        return names;
      });
}

//===----------------------------------------------------------------------===//
// Location
//===----------------------------------------------------------------------===//

template <typename LocationClass>
struct LocationOf : PyLocation {};

template <typename LocationClass>
static py::object castLocation(const ContextRef &context,
                               mlir::Location location) {
  return py::cast(LocationOf<LocationClass>{{context, location}});
}

py::object toPython(const ContextRef &context, mlir::Location location) {
  return llvm::TypeSwitch<mlir::LocationAttr, py::object>(location)
      .Case([&](mlir::UnknownLoc) {
        return castLocation<mlir::UnknownLoc>(context, location);
      })
      .Case([&](mlir::FileLineColRange) {
        return castLocation<mlir::FileLineColRange>(context, location);
      })
      .Case([&](mlir::NameLoc) {
        return castLocation<mlir::NameLoc>(context, location);
      })
      .Case([&](mlir::CallSiteLoc) {
        return castLocation<mlir::CallSiteLoc>(context, location);
      })
      .Case([&](mlir::FusedLoc) {
        return castLocation<mlir::FusedLoc>(context, location);
      })
      .Default([&](mlir::LocationAttr) {
        return py::cast(PyLocation{context, location});
      });
}

static std::vector<mlir::Location> locationsFrom(const ContextRef &context,
                                                 py::handle sequence) {
  std::vector<mlir::Location> locations;
  for (py::handle item : py::reinterpret_borrow<py::object>(sequence)) {
    locations.push_back(item.cast<PyLocation &>().location);
    requireSameContext(locations.back().getContext(), &context->context);
  }
  return locations;
}

/// Not as an attribute, which every location also is.
static py::object asLocation(const ContextRef &context,
                             mlir::LocationAttr location) {
  return toPython(context, mlir::Location(location));
}

static py::object fileLocation(const std::string &name, unsigned line,
                               unsigned column, const py::object &given) {
  ContextRef context = resolveContext(given);
  return asLocation(context, mlir::FileLineColLoc::get(&context->context, name,
                                                       line, column));
}

static py::object fileRangeLocation(const std::string &name, unsigned startLine,
                                    unsigned startColumn, unsigned endLine,
                                    unsigned endColumn,
                                    const py::object &given) {
  ContextRef context = resolveContext(given);
  return asLocation(
      context, mlir::FileLineColRange::get(&context->context, name, startLine,
                                           startColumn, endLine, endColumn));
}

static py::object nameLocation(const std::string &name, const py::object &child,
                               const py::object &given) {
  ContextRef context = child.is_none() ? resolveContext(given)
                                       : child.cast<PyLocation &>().context;
  auto text = mlir::StringAttr::get(&context->context, name);
  return asLocation(
      context,
      child.is_none()
          ? mlir::NameLoc::get(text)
          : mlir::NameLoc::get(text, child.cast<PyLocation &>().location));
}

static py::object callsiteLocation(const PyLocation &callee,
                                   const py::object &callers,
                                   const py::object &) {
  std::vector<mlir::Location> frames = locationsFrom(callee.context, callers);
  if (frames.empty()) {
    throw py::value_error("No caller frames provided.");
  }
  mlir::Location caller = frames.back();
  for (size_t i = frames.size() - 1; i-- > 0;) {
    caller = mlir::CallSiteLoc::get(frames[i], caller);
  }
  return asLocation(callee.context,
                    mlir::CallSiteLoc::get(callee.location, caller));
}

static py::object fusedLocation(const py::object &locations,
                                const py::object &metadata,
                                const py::object &given) {
  ContextRef context = resolveContext(given);
  mlir::Attribute data = metadata.is_none()
                             ? mlir::Attribute()
                             : metadata.cast<PyAttribute &>().attribute;
  if (data) {
    requireSameContext(data.getContext(), &context->context);
  }
  return asLocation(
      context, mlir::FusedLoc::get(&context->context,
                                   locationsFrom(context, locations), data));
}

static void bindLocationClasses(py::module_ &module) {
  py::class_<PyLocation>(module, "Location")
      .def("__enter__",
           [](py::object self) {
             auto &location = self.cast<PyLocation &>();
             enter({self, location.context, std::nullopt, location});
             return self;
           })
      .def("__exit__", [](py::object self, const py::args &) { leave(self); })
      .def("__eq__",
           [](const PyLocation &self, py::handle other) {
             return py::isinstance<PyLocation>(other) &&
                    self.location == other.cast<PyLocation &>().location;
           })
      .def("__hash__",
           [](const PyLocation &self) {
             return static_cast<Py_hash_t>(mlir::hash_value(self.location)) >>
                    1;
           })
      .def("__repr__",
           [](const PyLocation &self) { return print(self.location); })
      .def_property_readonly_static(
          "current",
          [](py::object) -> py::object {
            const Frame *frame = currentFrame();
            if (!frame || !frame->location) {
              throw py::value_error("No current Location");
            }
            return toPython(frame->location->context,
                            frame->location->location);
          })
      .def_readonly("context", &PyLocation::context)
      .def_property_readonly(
          "attr",
          [](const PyLocation &self) {
            return toPython(self.context,
                            mlir::Attribute(mlir::LocationAttr(self.location)));
          })
      .def_static(
          "unknown",
          [](const py::object &given) {
            ContextRef context = resolveContext(given);
            return asLocation(context,
                              mlir::UnknownLoc::get(&context->context));
          },
          py::arg("context") = py::none())
      .def_static("file", &fileLocation, py::arg("filename"), py::arg("line"),
                  py::arg("col"), py::arg("context") = py::none())
      .def_static("file", &fileRangeLocation, py::arg("filename"),
                  py::arg("start_line"), py::arg("start_col"),
                  py::arg("end_line"), py::arg("end_col"),
                  py::arg("context") = py::none())
      .def_static("name", &nameLocation, py::arg("name"),
                  py::arg("childLoc") = py::none(),
                  py::arg("context") = py::none())
      .def_static("callsite", &callsiteLocation, py::arg("callee"),
                  py::arg("frames"), py::arg("context") = py::none())
      .def_static("fused", &fusedLocation, py::arg("locations"),
                  py::arg("metadata") = py::none(),
                  py::arg("context") = py::none())
      .def_static(
          "from_attr",
          [](const PyAttribute &attribute, const py::object &) {
            auto location =
                llvm::dyn_cast<mlir::LocationAttr>(attribute.attribute);
            if (!location) {
              throw py::value_error("the attribute is no location");
            }
            return toPython(attribute.context, mlir::Location(location));
          },
          py::arg("attribute"), py::arg("context") = py::none())
      .def(
          "emit_error",
          [](const PyLocation &self, const std::string &message) {
            mlir::emitError(self.location) << message;
          },
          py::arg("message"));

  py::class_<LocationOf<mlir::UnknownLoc>, PyLocation>(module, "UnknownLoc");
  using File = LocationOf<mlir::FileLineColRange>;
  auto file = [](const File &self) {
    return llvm::cast<mlir::FileLineColRange>(
        mlir::LocationAttr(self.location));
  };
  py::class_<File, PyLocation>(module, "FileLineColLoc")
      .def_property_readonly(
          "filename",
          [=](const File &self) { return file(self).getFilename().str(); })
      .def_property_readonly(
          "start_line",
          [=](const File &self) { return file(self).getStartLine(); })
      .def_property_readonly(
          "start_col",
          [=](const File &self) { return file(self).getStartColumn(); })
      .def_property_readonly(
          "end_line", [=](const File &self) { return file(self).getEndLine(); })
      .def_property_readonly("end_col", [=](const File &self) {
        return file(self).getEndColumn();
      });
  using Name = LocationOf<mlir::NameLoc>;
  auto name = [](const Name &self) {
    return llvm::cast<mlir::NameLoc>(mlir::LocationAttr(self.location));
  };
  py::class_<Name, PyLocation>(module, "NameLoc")
      .def_property_readonly(
          "name_str",
          [=](const Name &self) { return name(self).getName().str(); })
      .def_property_readonly("child_loc", [=](const Name &self) {
        return toPython(self.context, name(self).getChildLoc());
      });
  using CallSite = LocationOf<mlir::CallSiteLoc>;
  auto callSite = [](const CallSite &self) {
    return llvm::cast<mlir::CallSiteLoc>(mlir::LocationAttr(self.location));
  };
  py::class_<CallSite, PyLocation>(module, "CallSiteLoc")
      .def_property_readonly("callee",
                             [=](const CallSite &self) {
                               return toPython(self.context,
                                               callSite(self).getCallee());
                             })
      .def_property_readonly("caller", [=](const CallSite &self) {
        return toPython(self.context, callSite(self).getCaller());
      });
  using Fused = LocationOf<mlir::FusedLoc>;
  py::class_<Fused, PyLocation>(module, "FusedLoc")
      .def_property_readonly("locations", [](const Fused &self) {
        py::list list;
        for (mlir::Location part :
             llvm::cast<mlir::FusedLoc>(mlir::LocationAttr(self.location))
                 .getLocations()) {
          list.append(toPython(self.context, part));
        }
        return list;
      });
}

//===----------------------------------------------------------------------===//
// InsertionPoint
//===----------------------------------------------------------------------===//

static PyInsertionPoint before(const PyOperationBase &operation) {
  mlir::Operation *op = operation.get();
  if (!op->getBlock()) {
    throw py::value_error(
        "Cannot insert beside an operation that is in no block");
  }
  return {PyBlock(operation.tree, op->getBlock()),
          PyOperation(operation.tree, op)};
}

static PyInsertionPoint at(const PyBlock &block, mlir::Operation *op) {
  if (!op) {
    return {block, std::nullopt};
  }
  return {block, PyOperation(block.tree, op)};
}

static void bindInsertionPoint(py::module_ &module) {
  py::class_<PyInsertionPoint>(module, "InsertionPoint")
      .def(py::init([](const PyBlock &block) { return at(block, nullptr); }),
           py::arg("block"))
      .def(py::init(&before), py::arg("beforeOperation"))
      .def_static(
          "at_block_begin",
          [](const PyBlock &block) {
            mlir::Block *target = block.get();
            return at(block, target->empty() ? nullptr : &target->front());
          },
          py::arg("block"))
      .def_static(
          "at_block_terminator",
          [](const PyBlock &block) {
            mlir::Block *target = block.get();
            if (target->empty() ||
                !target->back().hasTrait<mlir::OpTrait::IsTerminator>()) {
              throw py::value_error("Block has no terminator");
            }
            return at(block, &target->back());
          },
          py::arg("block"))
      .def_static(
          "after",
          [](const PyOperationBase &operation) {
            PyInsertionPoint point = before(operation);
            return at(point.block, operation.get()->getNextNode());
          },
          py::arg("operation"))
      .def("__enter__",
           [](py::object self) {
             auto &point = self.cast<PyInsertionPoint &>();
             enter({self, point.block.context(), point, std::nullopt});
             return self;
           })
      .def("__exit__", [](py::object self, const py::args &) { leave(self); })
      .def_property_readonly_static("current",
                                    [](py::object) {
                                      const Frame *frame = currentFrame();
                                      if (!frame || !frame->insertionPoint) {
                                        throw py::value_error(
                                            "No current InsertionPoint");
                                      }
                                      return *frame->insertionPoint;
                                    })
      .def(
          "insert",
          [](const PyInsertionPoint &self, const PyOperationBase &operation) {
            self.insert(operation.get(), operation.tree);
          },
          py::arg("operation"))
      .def_readonly("block", &PyInsertionPoint::block)
      .def_property_readonly(
          "ref_operation", [](const PyInsertionPoint &self) -> py::object {
            return self.before ? toOpView(self.before->tree, self.before->get())
                               : py::none();
          });
}

void bindContext(py::module_ &module) {
  bindDiagnostics(module);
  bindContextClass(module);
  bindLocationClasses(module);
  bindInsertionPoint(module);
}

} // namespace jaxlib::mlir_python
