#include "jaxlib/fastpath/Plan.h"

#include "jaxlib/fastpath/Context.h"

#include "jaxlib/py/Errors.h"
#include "jaxlib/py/Gil.h"

#include <pybind11/stl.h>

#include <optional>

using namespace jaxlib;
namespace py = pybind11;

/// Python's device_put(value, sharding), for what is not done here.
static PyObject *devicePut = nullptr;

//===----------------------------------------------------------------------===//
// Placing the arguments
//===----------------------------------------------------------------------===//

static size_t keptCount(const Plan &plan, size_t leafCount) {
  return plan.keepsAll ? leafCount : plan.kept.size();
}

static size_t keptIndex(const Plan &plan, size_t i) {
  return plan.keepsAll ? i : plan.kept[i];
}

/// Whether an array has the sharding that is required, though it is written in
/// another form. Called once per signature. False with an exception set on
/// error.
static bool hasRequiredSharding(const ArrayObject *array, PyObject *wanted) {
  Reference answer = Reference::steal(PyObject_CallMethod(
      array->sharding.get(), "is_equivalent_to", "On", wanted,
      static_cast<Py_ssize_t>(array->facts->dimensions.size())));
  return answer && PyObject_IsTrue(answer.get()) == 1;
}

/// Whether each device that holds a part of an array holds all of it, so that
/// the first buffer here has the value. Called once per signature.
static bool isFullyReplicated(const ArrayObject *array) {
  Reference answer = Reference::steal(
      PyObject_GetAttrString(array->sharding.get(), "is_fully_replicated"));
  return answer && PyObject_IsTrue(answer.get()) == 1;
}

/// How a leaf gets to several devices.
static bool putOverDevices(const Plan &plan, size_t i, PyObject *leaf,
                           const LeafKey &key, Placement &placement) {
  if (i < plan.inShardingKeys.size() &&
      key.shardingKey == plan.inShardingKeys[i]) {
    placement = Placement::InPlace;
    return true;
  }
  placement = Placement::Put;
  if (i >= plan.inShardings.size()) {
    return true;
  }
  if (isArray(leaf) &&
      hasRequiredSharding(asArray(leaf), plan.inShardings[i].get())) {
    placement = Placement::InPlace;
  } else if (PyErr_Occurred()) {
    return false;
  } else if (plan.wantsWhole[i] &&
             (!isArray(leaf) || (asArray(leaf)->buffers.size() == 1 &&
                                 isFullyReplicated(asArray(leaf))))) {
    placement = Placement::Spread;
  }
  return !PyErr_Occurred();
}

bool jaxlib::choosePlacements(const Plan &plan,
                              std::span<const Reference> leaves,
                              std::span<const LeafKey> keys,
                              std::vector<Placement> &placements) {
  size_t count = keptCount(plan, leaves.size());
  placements.clear();
  for (size_t i = 0; i < count; ++i) {
    size_t leaf = keptIndex(plan, i);
    if (leaf >= leaves.size()) {
      PyErr_Format(PyExc_ValueError,
                   "FastpathData: the call has %zu leaves, number %zu is kept",
                   leaves.size(), leaf);
      return false;
    }
    if (plan.hasInShardings) {
      Placement &placement = placements.emplace_back();
      if (!putOverDevices(plan, i, leaves[leaf].get(), keys[leaf], placement)) {
        return false;
      }
      continue;
    }
    if (keys[leaf].shardingKey == nullptr) {
      placements.push_back(Placement::Upload);
      continue;
    }
    const ArrayObject *array = asArray(leaves[leaf].get());
    if (array->buffers.size() == 0) {
      PyErr_Format(
          PyExc_ValueError,
          "the program runs on one device of this process, an argument "
          "%s is on other devices alone",
          describe(*array->facts.get()).c_str());
      return false;
    }
    StatusOr<Device *> device = array->buffers[0]->device();
    if (!device.ok()) {
      setError(device.status());
      return false;
    }
    bool isThere = array->buffers.size() == 1 &&
                   *device == plan.executable->devices().front();
    placements.push_back(isThere ? Placement::InPlace : Placement::Copy);
  }
  return true;
}

namespace {

/// The arguments of one run, and what keeps them alive.
struct Placed {
  /// For one device: its buffers. For several: first all of the first device.
  std::vector<PJRT_Buffer *> buffers;
  /// Those that no array of the call holds.
  std::vector<BufferPointer> made;
};

} // namespace

/// One argument's buffers, on each device.
using Shards = std::vector<BufferPointer>;

static bool addArray(PyObject *object, size_t deviceCount,
                     std::vector<Shards> &arguments) {
  const ArrayObject *array = asArray(object);
  if (array->buffers.size() != deviceCount) {
    PyErr_Format(PyExc_ValueError,
                 "the program runs on %zu devices, an argument %s is on %zu",
                 deviceCount, describe(*array->facts.get()).c_str(),
                 array->buffers.size());
    return false;
  }
  // Some plugins notice it only on the way: devices that have begun then wait
  // for the others, and so does every later program.
  if (isDeleted(array)) {
    setDeletedError(array);
    return false;
  }
  Shards &shards = arguments.emplace_back();
  shards.reserve(deviceCount);
  for (size_t device = 0; device < deviceCount; ++device) {
    shards.push_back(array->buffers[device]);
  }
  return true;
}

/// The same on each device: copies of a buffer, or of a value of the host's.
static bool spread(const Plan &plan, PyObject *leaf, const LeafKey &key,
                   std::vector<Shards> &arguments) {
  Shards &shards = arguments.emplace_back();
  for (Device *device : plan.executable->devices()) {
    if (!isArray(leaf)) {
      shards.push_back(
          uploadLeaf(leaf, *key.facts.get(), *device, !plan.donates));
      if (!shards.back()) {
        return false;
      }
      continue;
    }
    ArrayObject *array = asArray(leaf);
    if (isDeleted(array)) {
      setDeletedError(array);
      return false;
    }
    StatusOr<BufferPointer> copy =
        array->buffers[0]->copyTo(*device, device->defaultMemory);
    if (!copy.ok()) {
      setError(copy.status());
      return false;
    }
    shards.push_back(std::move(*copy));
  }
  return true;
}

/// Through Python's device_put.
static bool put(const Plan &plan, size_t i, PyObject *leaf,
                std::vector<Shards> &arguments) {
  if (devicePut == nullptr || i >= plan.inShardings.size()) {
    PyErr_SetString(PyExc_RuntimeError,
                    "an argument is not where its program wants it");
    return false;
  }
  PyObject *given[] = {leaf, plan.inShardings[i].get()};
  Reference array =
      Reference::steal(PyObject_Vectorcall(devicePut, given, 2, nullptr));
  if (!array) {
    return false;
  }
  if (!isArray(array.get())) {
    PyErr_SetString(PyExc_TypeError, "device_put returned no Array");
    return false;
  }
  return addArray(array.get(), plan.executable->devices().size(), arguments);
}

/// Several devices: every argument gets a buffer on each.
static bool putOnAll(const Plan &plan, std::span<const Reference> leaves,
                     std::span<const LeafKey> keys,
                     std::span<const Placement> placements, Placed &placed) {
  size_t deviceCount = plan.executable->devices().size();
  std::vector<Shards> arguments;
  arguments.reserve(plan.constants.size() + placements.size());
  for (const Reference &constant : plan.constants) {
    if (!addArray(constant.get(), deviceCount, arguments)) {
      return false;
    }
  }
  for (size_t i = 0; i < placements.size(); ++i) {
    size_t index = keptIndex(plan, i);
    PyObject *leaf = leaves[index].get();
    bool isPlaced = placements[i] == Placement::Put
                        ? put(plan, i, leaf, arguments)
                    : placements[i] == Placement::Spread
                        ? spread(plan, leaf, keys[index], arguments)
                        : addArray(leaf, deviceCount, arguments);
    if (!isPlaced) {
      return false;
    }
  }
  placed.buffers.reserve(arguments.size() * deviceCount);
  placed.made.reserve(arguments.size() * deviceCount);
  for (size_t device = 0; device < deviceCount; ++device) {
    for (Shards &shards : arguments) {
      placed.buffers.push_back(shards[device]->handle());
      placed.made.push_back(std::move(shards[device]));
    }
  }
  return true;
}

/// One device: what is not there is uploaded or copied.
static bool putOnOne(const Plan &plan, std::span<const Reference> leaves,
                     std::span<const LeafKey> keys,
                     std::span<const Placement> placements, Placed &placed) {
  Device &device = *plan.executable->devices().front();
  auto use = [&](BufferPointer buffer) {
    placed.buffers.push_back(buffer->handle());
    placed.made.push_back(std::move(buffer));
  };
  placed.buffers.reserve(plan.constants.size() + placements.size());
  // The caller holds the arrays, and these their buffers for as long as they
  // live.
  for (const Reference &constant : plan.constants) {
    placed.buffers.push_back(asArray(constant.get())->buffers[0]->handle());
  }
  for (size_t i = 0; i < placements.size(); ++i) {
    size_t index = keptIndex(plan, i);
    PyObject *leaf = leaves[index].get();
    if (placements[i] == Placement::InPlace) {
      placed.buffers.push_back(asArray(leaf)->buffers[0]->handle());
      continue;
    }
    if (placements[i] == Placement::Upload) {
      BufferPointer buffer =
          uploadLeaf(leaf, *keys[index].facts.get(), device, !plan.donates);
      if (!buffer) {
        return false;
      }
      use(std::move(buffer));
      continue;
    }
    ArrayObject *array = asArray(leaf);
    if (isDeleted(array)) {
      setDeletedError(array);
      return false;
    }
    StatusOr<BufferPointer> copy =
        array->buffers[0]->copyTo(device, device.defaultMemory);
    if (!copy.ok()) {
      setError(copy.status());
      return false;
    }
    use(std::move(*copy));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Says why a run failed: most often an argument was deleted.
static void setRunError(const Status &status,
                        std::span<const Reference> leaves) {
  if (PyErr_Occurred()) {
    return; // a signal's handler raised during a wait
  }
  if (status.code() == xla::StatusCode::InvalidArgument) {
    for (const Reference &leaf : leaves) {
      if (isArray(leaf.get()) && isDeleted(asArray(leaf.get()))) {
        setDeletedError(asArray(leaf.get()));
        return;
      }
    }
  }
  setError(status);
}

static bool wrapResults(const Plan &plan, std::vector<PJRT_Buffer *> &handles,
                        std::vector<Reference> &outputs) {
  size_t deviceCount = plan.executable->devices().size();
  size_t count = plan.results.size();
  std::shared_ptr<Client> client = plan.executable->client().shared_from_this();
  auto add = [&](size_t i, BufferList buffers) {
    const ResultPlan &result = plan.results[i];
    outputs.push_back(Reference::steal(
        newArray(result.facts, result.sharding.get(), result.shardingKey,
                 plan.isCommitted, std::move(buffers))));
    return outputs.back().get() != nullptr;
  };
  outputs.reserve(count);
  bool isMade = true;
  if (deviceCount == 1) {
    // Every handle gets its owner, after a failure too.
    for (size_t i = 0; i < count; ++i) {
      BufferList buffers(std::make_shared<Buffer>(client, handles[i]));
      isMade = isMade && add(i, std::move(buffers));
    }
    return isMade;
  }
  std::vector<BufferPointer> buffers;
  buffers.reserve(handles.size());
  for (PJRT_Buffer *handle : handles) {
    buffers.push_back(std::make_shared<Buffer>(client, handle));
  }
  for (size_t i = 0; i < count && isMade; ++i) {
    std::vector<BufferPointer> shards;
    for (size_t device = 0; device < deviceCount; ++device) {
      shards.push_back(std::move(buffers[device * count + i]));
    }
    isMade = add(i, BufferList(std::move(shards)));
  }
  return isMade;
}

bool jaxlib::runPlan(const Plan &plan, std::span<const Reference> leaves,
                     std::span<const LeafKey> keys,
                     std::span<const Placement> placements,
                     std::vector<Reference> &outputs) {
  size_t deviceCount = plan.executable->devices().size();
  Placed placed;
  bool isPlaced = deviceCount == 1 && !plan.hasInShardings
                      ? putOnOne(plan, leaves, keys, placements, placed)
                      : putOnAll(plan, leaves, keys, placements, placed);
  if (!isPlaced) {
    return false;
  }
  std::vector<PJRT_Buffer *> results;
  Status status;
  {
    GilRelease release;
    status = plan.executable->execute(
        placed.buffers.data(), placed.buffers.size() / deviceCount, results);
  }
  if (!status.ok()) {
    setRunError(status, leaves);
    return false;
  }
  return wrapResults(plan, results, outputs);
}

//===----------------------------------------------------------------------===//
// FastpathData
//===----------------------------------------------------------------------===//

static Reference take(py::handle object) {
  return Reference::borrow(object.ptr());
}

static PyObject *internOrThrow(py::handle sharding) {
  PyObject *key = internObject(sharding.ptr());
  if (key == nullptr) {
    throw py::error_already_set();
  }
  return key;
}

static void setResults(Plan &plan, const py::list &types,
                       const py::list &shardings) {
  if (types.size() != plan.executable->resultCount() ||
      types.size() != shardings.size()) {
    throw py::value_error("FastpathData: " + std::to_string(types.size()) +
                          " out_types and " + std::to_string(shardings.size()) +
                          " out_shardings were given for an executable of " +
                          std::to_string(plan.executable->resultCount()) +
                          " results");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    auto type = py::cast<py::tuple>(types[i]);
    FactsReference facts =
        parseFacts(type[0].ptr(), type[1].ptr(), py::cast<bool>(type[2]));
    if (!facts) {
      throw py::error_already_set();
    }
    plan.results.push_back({std::move(facts),
                            take(shardings[i]),
                            internOrThrow(shardings[i]),
                            {}});
  }
}

static void setWrappers(Plan &plan, const py::list &wrappers) {
  if (wrappers.size() != plan.results.size()) {
    throw py::value_error("FastpathData: out_wrappers has " +
                          std::to_string(wrappers.size()) + " entries for " +
                          std::to_string(plan.results.size()) + " results");
  }
  for (size_t i = 0; i < wrappers.size(); ++i) {
    if (!wrappers[i].is_none()) {
      plan.results[i].wrap = take(wrappers[i]);
    }
  }
}

/// Whether a sharding has the whole array on each device, in the memory where
/// things are put by default.
static bool isWhole(const Plan &plan, py::handle sharding) {
  const Memory *memory = plan.executable->devices().front()->defaultMemory;
  py::object kind = sharding.attr("memory_kind");
  bool isDefault = kind.is_none() || memory == nullptr ||
                   py::cast<std::string>(kind) == memory->kind;
  return isDefault && py::cast<bool>(sharding.attr("is_fully_replicated"));
}

static std::shared_ptr<Plan>
makePlan(std::shared_ptr<Executable> executable, py::object outTree,
         const py::list &outTypes, const py::list &outShardings,
         bool outCommitted, const std::optional<std::vector<uint32_t>> &kept,
         const py::list &constants, py::object inShardings, bool donates,
         py::object keepalive, const std::optional<py::list> &outWrappers) {
  auto plan = std::make_shared<Plan>();
  plan->executable = std::move(executable);
  if (plan->executable->devices().empty()) {
    throw py::value_error("FastpathData: the executable has no device here");
  }
  if (!outTree.is_none()) {
    plan->outTree = take(outTree);
  } else if (outTypes.size() != 1) {
    throw py::value_error("FastpathData: out_tree is None, so the executable "
                          "must have one result");
  }
  setResults(*plan, outTypes, outShardings);
  if (outWrappers) {
    setWrappers(*plan, *outWrappers);
  }
  plan->isCommitted = outCommitted;
  plan->keepsAll = !kept.has_value();
  plan->kept = kept.value_or(std::vector<uint32_t>());
  for (py::handle constant : constants) {
    if (!isArray(constant.ptr())) {
      throw py::type_error("FastpathData: a constant is no device array");
    }
    plan->constants.push_back(take(constant));
  }
  plan->hasInShardings = !inShardings.is_none();
  if (plan->hasInShardings) {
    for (py::handle sharding : inShardings) {
      plan->inShardings.push_back(take(sharding));
      plan->inShardingKeys.push_back(internOrThrow(sharding));
      plan->wantsWhole.push_back(isWhole(*plan, sharding));
    }
  }
  plan->donates = donates;
  plan->keepalive = take(keepalive);
  return plan;
}

/// Runs for Python: leaves in, leaves out.
static py::list runForPython(const Plan &plan, const py::list &list) {
  CallConfig config;
  if (!readConfig(config)) {
    throw py::error_already_set();
  }
  std::vector<Reference> leaves;
  std::vector<LeafKey> keys;
  for (py::handle leaf : list) {
    Reference &owner = leaves.emplace_back(take(leaf));
    LeafKind kind = classifyLeaf(owner, config.isX64, keys.emplace_back());
    if (kind == LeafKind::Foreign) {
      PyErr_Format(PyExc_TypeError,
                   "an argument of type %R is no array: a compiled program "
                   "takes arrays, NumPy arrays and Python numbers",
                   reinterpret_cast<PyObject *>(Py_TYPE(leaf.ptr())));
    }
    if (kind != LeafKind::Value) {
      throw py::error_already_set();
    }
  }
  std::vector<Placement> placements;
  std::vector<Reference> outputs;
  if (!choosePlacements(plan, leaves, keys, placements) ||
      !runPlan(plan, leaves, keys, placements, outputs)) {
    throw py::error_already_set();
  }
  py::list result;
  for (Reference &output : outputs) {
    result.append(py::reinterpret_steal<py::object>(output.release()));
  }
  return result;
}

std::shared_ptr<Plan> jaxlib::planFromObject(PyObject *object) {
  py::handle handle(object);
  if (!py::isinstance<Plan>(handle)) {
    return nullptr;
  }
  return py::cast<std::shared_ptr<Plan>>(handle);
}

void jaxlib::registerPlan(py::module_ &module) {
  py::class_<Plan, std::shared_ptr<Plan>>(module, "FastpathData",
                                          "How a call of known signature runs.")
      .def(py::init(&makePlan), py::kw_only(), py::arg("executable"),
           py::arg("out_tree"), py::arg("out_types"), py::arg("out_shardings"),
           py::arg("out_committed"), py::arg("kept") = py::none(),
           py::arg("constants") = py::list(),
           py::arg("in_shardings") = py::none(), py::arg("donates") = false,
           py::arg("keepalive") = py::none(),
           py::arg("out_wrappers") = py::none())
      .def_property_readonly("executable",
                             [](const Plan &plan) { return plan.executable; })
      .def("run", &runForPython, py::arg("leaves"),
           "Runs on the leaves of a call, and returns those of its outputs, "
           "not wrapped.");
  module.def("set_device_put", [](py::object function) {
    Py_XDECREF(std::exchange(devicePut, function.release().ptr()));
  });
}
