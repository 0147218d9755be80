//===- Function.cpp - The callable that jax.jit returns -------------------===//
//
// A call goes from here to the device and back without Python, once its
// signature is known. Everything is guarded by the GIL; whatever may run Python
// code holds its own references, for that code may call and clear this very
// function.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/fastpath/Plan.h"
#include "jaxlib/fastpath/Register.h"
#include "jaxlib/fastpath/Signature.h"

#include <structmember.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

using namespace jaxlib;
namespace py = pybind11;

namespace {

/// A signature seen, and how it runs.
struct Entry {
  Signature signature;
  std::shared_ptr<Plan> plan;
  std::vector<Placement> placements;
};

using EntryPointer = std::shared_ptr<Entry>;

struct FunctionObject {
  PyObject_HEAD;
  vectorcallfunc call;
  PyObject *weakReferences;
  PyObject *dictionary;
  PyObject *fun;
  PyObject *cacheMiss;
  StaticArguments statics;
  /// Inside a trace, and for arguments that are Python's to handle, a call is a
  /// call of `fun` itself.
  bool inlines;
  /// The arguments say all: whatever trace is current does not matter.
  bool ignoresTrace;
  EntryPointer latest;
  std::unordered_multimap<size_t, EntryPointer> entries;
  int64_t hits;
  int64_t misses;
  // All functions alive, for clear_all_caches().
  FunctionObject *previous;
  FunctionObject *next;
};

} // namespace

/// A function with more signatures than this starts over.
static constexpr size_t entryLimit = 4096;

static PyTypeObject *functionType = nullptr;
static FunctionObject *newestFunction = nullptr;

static FunctionObject *asFunction(PyObject *object) {
  return reinterpret_cast<FunctionObject *>(object);
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// Finds the entry of `signature`: null if there is none, with an exception set
/// where comparing failed.
static EntryPointer find(FunctionObject *function, const Signature &signature) {
  // A copy: comparing may run Python, and that may change the cache.
  EntryPointer latest = function->latest;
  if (latest && latest->signature.hash == signature.hash) {
    int equal = latest->signature.equals(signature);
    if (equal != 0) {
      return equal > 0 ? latest : nullptr;
    }
  }
  std::vector<EntryPointer> candidates;
  auto range = function->entries.equal_range(signature.hash);
  for (auto it = range.first; it != range.second; ++it) {
    candidates.push_back(it->second);
  }
  for (EntryPointer &candidate : candidates) {
    int equal = candidate->signature.equals(signature);
    if (equal != 0) {
      if (equal > 0) {
        function->latest = candidate;
      }
      return equal > 0 ? candidate : nullptr;
    }
  }
  return nullptr;
}

static void clearEntries(FunctionObject *function) {
  // Destroying an entry may run Python: the cache is empty by then.
  EntryPointer latest = std::move(function->latest);
  std::unordered_multimap<size_t, EntryPointer> entries;
  entries.swap(function->entries);
}

/// Remembers how calls of this signature run. A second thread may have done so
/// too: then there are two entries, of which the first found serves.
static bool remember(FunctionObject *function, Signature signature,
                     std::shared_ptr<Plan> plan,
                     const std::vector<Reference> &leaves) {
  auto entry = std::make_shared<Entry>();
  entry->signature = std::move(signature);
  entry->plan = std::move(plan);
  if (!choosePlacements(*entry->plan, leaves, entry->signature.leaves,
                        entry->placements)) {
    return false;
  }
  if (function->entries.size() >= entryLimit) {
    clearEntries(function);
  }
  function->entries.emplace(entry->signature.hash, entry);
  function->latest = std::move(entry);
  return true;
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

/// Asks Python: (outputs, FastpathData or None).
static PyObject *askPython(FunctionObject *function, PyObject *const *arguments,
                           size_t flaggedCount, PyObject *names,
                           std::shared_ptr<Plan> *plan) {
  Reference cacheMiss = Reference::borrow(function->cacheMiss);
  Reference answer = Reference::steal(
      PyObject_Vectorcall(cacheMiss.get(), arguments, flaggedCount, names));
  if (!answer) {
    return nullptr;
  }
  if (!PyTuple_CheckExact(answer.get()) ||
      PyTuple_GET_SIZE(answer.get()) != 2) {
    PyErr_SetString(PyExc_TypeError,
                    "cache_miss returns a tuple (outputs, data)");
    return nullptr;
  }
  PyObject *data = PyTuple_GET_ITEM(answer.get(), 1);
  if (plan != nullptr && data != Py_None) {
    *plan = planFromObject(data);
    if (!*plan) {
      PyErr_SetString(PyExc_TypeError,
                      "cache_miss returned no FastpathData and not None");
      return nullptr;
    }
  }
  return Py_NewRef(PyTuple_GET_ITEM(answer.get(), 0));
}

/// A call that is never remembered.
static PyObject *leaveToPython(FunctionObject *function,
                               PyObject *const *arguments, size_t flaggedCount,
                               PyObject *names) {
  CallConfig config;
  if (function->inlines && !readConfig(config)) {
    return nullptr;
  }
  if (!function->inlines || config.keepsCalls) {
    return askPython(function, arguments, flaggedCount, names, nullptr);
  }
  Reference fun = Reference::borrow(function->fun);
  return PyObject_Vectorcall(fun.get(), arguments, flaggedCount, names);
}

/// Turns the arrays behind values of extended dtypes into these values.
static bool wrapOutputs(const Plan &plan, std::vector<Reference> &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (PyObject *wrap = plan.results[i].wrap.get(); wrap != nullptr) {
      outputs[i] =
          Reference::steal(PyObject_CallOneArg(wrap, outputs[i].get()));
      if (!outputs[i]) {
        return false;
      }
    }
  }
  return true;
}

static PyObject *buildOutput(const Plan &plan,
                             std::vector<Reference> &outputs) {
  if (!wrapOutputs(plan, outputs)) {
    return nullptr;
  }
  if (!plan.outTree) {
    return outputs.front().release();
  }
  const pytree::TreeDef *tree = pytree::treeDefFromObject(plan.outTree.get());
  if (tree == nullptr) {
    return nullptr;
  }
  std::vector<PyObject *> leaves;
  leaves.reserve(outputs.size());
  for (Reference &output : outputs) {
    leaves.push_back(output.get());
  }
  return tree->unflatten(leaves.data(), static_cast<Py_ssize_t>(leaves.size()));
}

static PyObject *runEntry(const Entry &entry,
                          const std::vector<Reference> &leaves,
                          const std::vector<LeafKey> &keys) {
  std::vector<Reference> outputs;
  if (!runPlan(*entry.plan, leaves, keys, entry.placements, outputs)) {
    return nullptr;
  }
  return buildOutput(*entry.plan, outputs);
}

/// Whether an int among the arguments does not fit into its dtype.
static bool hasWideInt(const std::vector<Reference> &leaves,
                       const std::vector<LeafKey> &keys) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!PyLong_CheckExact(leaves[i].get()) || !keys[i].facts) {
      continue;
    }
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(leaves[i].get(), &overflow);
    bool isWide = number < std::numeric_limits<int32_t>::min() ||
                  number > std::numeric_limits<int32_t>::max();
    if (overflow != 0 ||
        (isWide && keys[i].facts->type == xla::ElementType::S32)) {
      return true;
    }
  }
  return false;
}

static PyObject *answer(FunctionObject *function, PyObject *const *arguments,
                        size_t flaggedCount, PyObject *names) {
  int tracing = function->ignoresTrace ? 0 : isTracing();
  if (tracing != 0) {
    return tracing < 0
               ? nullptr
               : leaveToPython(function, arguments, flaggedCount, names);
  }
  Signature signature;
  std::vector<Reference> leaves;
  SignatureResult known =
      makeSignature(function->statics, arguments,
                    static_cast<size_t>(PyVectorcall_NARGS(flaggedCount)),
                    names, signature, leaves);
  if (known == SignatureResult::Error) {
    // A static value without a hash, keys that do not sort: Python says it
    // better.
    if (!PyErr_ExceptionMatches(PyExc_TypeError) &&
        !PyErr_ExceptionMatches(PyExc_ValueError)) {
      return nullptr;
    }
    PyErr_Clear();
  }
  if (known != SignatureResult::Known) {
    return leaveToPython(function, arguments, flaggedCount, names);
  }
  EntryPointer entry = find(function, signature);
  if (entry) {
    ++function->hits;
    PyObject *result = runEntry(*entry, leaves, signature.leaves);
    if (result != nullptr || !PyErr_ExceptionMatches(PyExc_OverflowError) ||
        !hasWideInt(leaves, signature.leaves)) {
      return result;
    }
    // Nothing ran: Python names the argument that does not fit.
    PyErr_Clear();
    return askPython(function, arguments, flaggedCount, names, nullptr);
  }
  if (PyErr_Occurred()) {
    return nullptr;
  }
  ++function->misses;
  std::shared_ptr<Plan> plan;
  Reference output = Reference::steal(
      askPython(function, arguments, flaggedCount, names, &plan));
  if (output && plan &&
      !remember(function, std::move(signature), std::move(plan), leaves)) {
    return nullptr;
  }
  return output.release();
}

static PyObject *callFunction(PyObject *self, PyObject *const *arguments,
                              size_t flaggedCount, PyObject *names) {
  Reference keepsSelf = Reference::borrow(self);
  PyObject *output = answer(asFunction(self), arguments, flaggedCount, names);
  if (output == nullptr) {
    filterError();
  }
  return output;
}

//===----------------------------------------------------------------------===//
// The object
//===----------------------------------------------------------------------===//

static bool parseStatics(PyObject *positions, PyObject *names,
                         StaticArguments &statics) {
  Reference sequence = Reference::steal(
      PySequence_Fast(positions, "static_argnums is a sequence of int"));
  if (!sequence) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.get()); ++i) {
    Py_ssize_t position = PyNumber_AsSsize_t(
        PySequence_Fast_GET_ITEM(sequence.get(), i), PyExc_OverflowError);
    if (position == -1 && PyErr_Occurred()) {
      return false;
    }
    statics.positions.push_back(position);
  }
  Reference set = Reference::steal(PyFrozenSet_New(names));
  if (!set) {
    return false;
  }
  if (PySet_GET_SIZE(set.get()) > 0) {
    statics.names = std::move(set);
  }
  return true;
}

static PyObject *functionNew(PyTypeObject *type, PyObject *arguments,
                             PyObject *keywords) {
  static const char *names[] = {
      "fun",    "cache_miss",   "static_argnums", "static_argnames",
      "inline", "ignore_trace", nullptr};
  Reference empty = Reference::steal(PyTuple_New(0));
  PyObject *fun, *cacheMiss;
  PyObject *positions = empty.get(), *staticNames = empty.get();
  int inlines = 0, ignoresTrace = 0;
  StaticArguments statics;
  if (!empty ||
      !PyArg_ParseTupleAndKeywords(
          arguments, keywords, "OO|$OOpp", const_cast<char **>(names), &fun,
          &cacheMiss, &positions, &staticNames, &inlines, &ignoresTrace) ||
      !parseStatics(positions, staticNames, statics)) {
    return nullptr;
  }
  PyObject *self = type->tp_alloc(type, 0);
  if (self == nullptr) {
    return nullptr;
  }
  FunctionObject *function = asFunction(self);
  function->call = callFunction;
  function->fun = Py_NewRef(fun);
  function->cacheMiss = Py_NewRef(cacheMiss);
  function->inlines = inlines != 0;
  function->ignoresTrace = ignoresTrace != 0;
  new (&function->statics) StaticArguments(std::move(statics));
  new (&function->latest) EntryPointer();
  new (&function->entries) std::unordered_multimap<size_t, EntryPointer>();
  function->next = newestFunction;
  if (newestFunction != nullptr) {
    newestFunction->previous = function;
  }
  newestFunction = function;
  return self;
}

static int functionTraverse(PyObject *self, visitproc visit, void *arg) {
  FunctionObject *function = asFunction(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(function->dictionary);
  Py_VISIT(function->fun);
  Py_VISIT(function->cacheMiss);
  for (auto &[hash, entry] : function->entries) {
    for (Reference &value : entry->signature.statics) {
      // An entry that another call uses has references that are not ours to
      // count.
      if (entry.use_count() <= 1 + (entry == function->latest)) {
        Py_VISIT(value.get());
      }
    }
  }
  return 0;
}

static int functionClear(PyObject *self) {
  FunctionObject *function = asFunction(self);
  clearEntries(function);
  Py_CLEAR(function->dictionary);
  Py_CLEAR(function->fun);
  Py_CLEAR(function->cacheMiss);
  return 0;
}

static void functionDealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  FunctionObject *function = asFunction(self);
  if (function->weakReferences != nullptr) {
    PyObject_ClearWeakRefs(self);
  }
  (function->previous != nullptr ? function->previous->next : newestFunction) =
      function->next;
  if (function->next != nullptr) {
    function->next->previous = function->previous;
  }
  functionClear(self);
  function->entries.~unordered_multimap();
  function->latest.~EntryPointer();
  function->statics.~StaticArguments();
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject *functionBind(PyObject *self, PyObject *instance, PyObject *) {
  if (instance == nullptr || instance == Py_None) {
    return Py_NewRef(self);
  }
  return PyMethod_New(self, instance);
}

static PyObject *functionRepr(PyObject *self) {
  return PyUnicode_FromFormat("<PjitFunction of %R>", asFunction(self)->fun);
}

static PyObject *cacheSize(PyObject *self, PyObject *) {
  return PyLong_FromSize_t(asFunction(self)->entries.size());
}

static PyObject *clearCache(PyObject *self, PyObject *) {
  clearEntries(asFunction(self));
  Py_RETURN_NONE;
}

static PyObject *cacheStatistics(PyObject *self, PyObject *) {
  FunctionObject *function = asFunction(self);
  return Py_BuildValue("{s:n,s:L,s:L}", "size",
                       static_cast<Py_ssize_t>(function->entries.size()),
                       "hits", static_cast<long long>(function->hits), "misses",
                       static_cast<long long>(function->misses));
}

static PyMethodDef functionMethods[] = {
    {"_cache_size", cacheSize, METH_NOARGS,
     "The number of signatures that are remembered."},
    {"clear_cache", clearCache, METH_NOARGS, "Forgets all signatures."},
    {"_cache_statistics", cacheStatistics, METH_NOARGS,
     "size, hits and misses of the cache of signatures."},
    {nullptr, nullptr, 0, nullptr},
};

static PyMemberDef functionMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, call),
     READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weakReferences),
     READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dictionary),
     READONLY, nullptr},
    {"_fun", T_OBJECT, offsetof(FunctionObject, fun), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

static PyGetSetDef functionAttributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

static PyTypeObject *makeFunctionType() {
  auto slot = [](auto *function) { return reinterpret_cast<void *>(function); };
  PyType_Slot slots[] = {
      {Py_tp_new, slot(functionNew)},
      {Py_tp_dealloc, slot(functionDealloc)},
      {Py_tp_traverse, slot(functionTraverse)},
      {Py_tp_clear, slot(functionClear)},
      {Py_tp_call, slot(PyVectorcall_Call)},
      {Py_tp_descr_get, slot(functionBind)},
      {Py_tp_repr, slot(functionRepr)},
      {Py_tp_methods, functionMethods},
      {Py_tp_members, functionMembers},
      {Py_tp_getset, functionAttributes},
      {0, nullptr},
  };
  PyType_Spec spec = {
      "jaxlib._native.fastpath.Function", sizeof(FunctionObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
      slots};
  return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}

static void clearAllCaches() {
  // Clearing may run Python, which may make and drop functions: keep them.
  std::vector<Reference> functions;
  for (FunctionObject *function = newestFunction; function != nullptr;
       function = function->next) {
    auto *object = reinterpret_cast<PyObject *>(function);
    if (Py_REFCNT(object) > 0) {
      functions.push_back(Reference::borrow(object));
    }
  }
  for (Reference &function : functions) {
    clearEntries(asFunction(function.get()));
  }
  clearScalars();
}

void jaxlib::registerFastpath(py::module_ &native) {
  py::module_ module = native.def_submodule(
      "fastpath", "Calls of jitted functions; docs/internals/dispatch.md.");
  registerContext(module);
  registerLeaves(module);
  registerPlan(module);
  functionType = makeFunctionType();
  if (functionType == nullptr) {
    throw py::error_already_set();
  }
  module.attr("Function") =
      py::handle(reinterpret_cast<PyObject *>(functionType));
  module.def("clear_all_caches", &clearAllCaches,
             "Forgets the signatures of all functions.");
}
