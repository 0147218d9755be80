#include "jaxlib/fastpath/Signature.h"

#include <algorithm>

using namespace jaxlib;

bool StaticArguments::hasPosition(size_t position, size_t count) const {
  auto index = static_cast<Py_ssize_t>(position);
  auto size = static_cast<Py_ssize_t>(count);
  return std::any_of(positions.begin(), positions.end(),
                     [=](Py_ssize_t candidate) {
                       return candidate == index || candidate == index - size;
                     });
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static void mix(size_t &hash, size_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
}

static void mix(size_t &hash, const void *pointer) {
  mix(hash, reinterpret_cast<size_t>(pointer));
}

bool Signature::computeHash() {
  hash = positionalCount;
  mix(hash, config.key);
  for (const LeafKey &leaf : leaves) {
    mix(hash, leaf.facts.get());
    mix(hash, leaf.shardingKey);
    mix(hash, size_t(leaf.isCommitted));
  }
  for (const Reference &name : names) {
    mix(hash, static_cast<size_t>(PyObject_Hash(name.get())));
  }
  for (const ArgumentTree &tree : trees) {
    size_t treeHash = 0;
    if (tree && !tree->hash(treeHash)) {
      return false;
    }
    mix(hash, treeHash);
  }
  for (const Reference &value : statics) {
    Py_hash_t valueHash = PyObject_Hash(value.get());
    if (valueHash == -1 && PyErr_Occurred()) {
      return false;
    }
    mix(hash, static_cast<size_t>(valueHash));
  }
  return true;
}

/// Says of the exception that is set that a comparison of settings raised it.
static void explainComparison(PyObject *a, PyObject *b) {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) {
    return; // as when the user interrupts it
  }
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) {
    PyException_SetTraceback(value, traceback);
  }
  Reference owners[] = {Reference::steal(type), Reference::steal(traceback)};
  const char *name = reinterpret_cast<PyTypeObject *>(type)->tp_name;
  PyErr_Format(PyExc_ValueError,
               "static arguments should be comparable using __eq__. The "
               "following error was raised when comparing two objects of types "
               "%R and %R. The error was:\n%s: %S",
               Py_TYPE(a), Py_TYPE(b), name, value);
  PyObject *newType, *newValue, *newTraceback;
  PyErr_Fetch(&newType, &newValue, &newTraceback);
  PyErr_NormalizeException(&newType, &newValue, &newTraceback);
  if (PyErr_GivenExceptionMatches(newType, PyExc_ValueError)) {
    Py_INCREF(value);
    PyException_SetCause(newValue, value);
  }
  Py_DECREF(value);
  PyErr_Restore(newType, newValue, newTraceback);
}

/// Equal values of one type, in tuples too: 1 and True and 1.0 are different
/// settings.
static int equalStatics(PyObject *a, PyObject *b) {
  if (a == b) {
    return 1;
  }
  if (Py_TYPE(a) != Py_TYPE(b)) {
    return 0;
  }
  if (PyTuple_CheckExact(a)) {
    Py_ssize_t count = PyTuple_GET_SIZE(a);
    int equal = count == PyTuple_GET_SIZE(b);
    for (Py_ssize_t i = 0; i < count && equal == 1; ++i) {
      equal = equalStatics(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i));
    }
    return equal;
  }
  int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal == -1) {
    explainComparison(a, b);
  }
  return equal;
}

static int equalTrees(const ArgumentTree &a, const ArgumentTree &b) {
  if (!a || !b) {
    return !a && !b;
  }
  return a->equals(*b);
}

int Signature::equals(const Signature &other) const {
  if (hash != other.hash || positionalCount != other.positionalCount ||
      config.key != other.config.key || leaves != other.leaves ||
      names.size() != other.names.size() ||
      trees.size() != other.trees.size() ||
      statics.size() != other.statics.size()) {
    return 0;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (int equal = equalStatics(names[i].get(), other.names[i].get());
        equal != 1) {
      return equal;
    }
  }
  for (size_t i = 0; i < trees.size(); ++i) {
    if (int equal = equalTrees(trees[i], other.trees[i]); equal != 1) {
      return equal;
    }
  }
  for (size_t i = 0; i < statics.size(); ++i) {
    if (int equal = equalStatics(statics[i].get(), other.statics[i].get());
        equal != 1) {
      return equal;
    }
  }
  return 1;
}

//===----------------------------------------------------------------------===//
// Taking a call apart
//===----------------------------------------------------------------------===//

/// Whether `object` is a leaf beyond doubt: nobody registers these as trees.
static bool isPlainLeaf(PyObject *object) {
  return isArray(object) || PyFloat_CheckExact(object) ||
         PyLong_CheckExact(object) || PyArray_CheckExact(object) ||
         PyBool_Check(object);
}

static bool addDynamic(PyObject *argument, Signature &signature,
                       std::vector<Reference> &leafObjects) {
  if (isPlainLeaf(argument)) {
    leafObjects.push_back(Reference::borrow(argument));
    if (!signature.trees.empty()) {
      signature.trees.emplace_back();
    }
    return true;
  }
  // The arguments before this one were plain leaves, if none has a tree yet.
  size_t plainCount = signature.trees.empty() ? leafObjects.size() : 0;
  std::vector<PyRef> leaves;
  pytree::TreeDef tree;
  if (!pytree::flatten(*pytree::defaultRegistry(), argument, nullptr, leaves,
                       tree)) {
    return false;
  }
  for (PyRef &leaf : leaves) {
    leafObjects.push_back(Reference::steal(leaf.release()));
  }
  if (tree.root().kind != pytree::Kind::Leaf) {
    signature.trees.resize(signature.trees.size() + plainCount);
    signature.trees.emplace_back(std::move(tree));
  } else if (!signature.trees.empty()) {
    signature.trees.emplace_back();
  }
  return true;
}

/// The keyword arguments in the order of their names, as a dict flattens.
static bool sortNames(PyObject *names, std::vector<size_t> &order) {
  size_t count = static_cast<size_t>(PyTuple_GET_SIZE(names));
  for (size_t i = 0; i < count; ++i) {
    order.push_back(i);
  }
  bool failed = false;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    int order =
        PyUnicode_Compare(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(a)),
                          PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(b)));
    failed |= order == -1 && PyErr_Occurred();
    return order < 0;
  });
  return !failed;
}

static bool addKeywords(const StaticArguments &statics, PyObject *const *values,
                        PyObject *names, Signature &signature,
                        std::vector<Reference> &leafObjects) {
  std::vector<size_t> order;
  if (!sortNames(names, order)) {
    return false;
  }
  for (size_t i : order) {
    PyObject *name = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i));
    signature.names.push_back(Reference::borrow(name));
    int isStatic =
        statics.names ? PySet_Contains(statics.names.get(), name) : 0;
    if (isStatic < 0) {
      return false;
    }
    if (isStatic == 1) {
      signature.statics.push_back(Reference::borrow(values[i]));
    } else if (!addDynamic(values[i], signature, leafObjects)) {
      return false;
    }
  }
  return true;
}

SignatureResult jaxlib::makeSignature(const StaticArguments &statics,
                                      PyObject *const *arguments,
                                      size_t positionalCount, PyObject *names,
                                      Signature &signature,
                                      std::vector<Reference> &leafObjects) {
  if (!readConfig(signature.config)) {
    return SignatureResult::Error;
  }
  signature.positionalCount = positionalCount;
  leafObjects.reserve(positionalCount +
                      (names == nullptr ? 0 : PyTuple_GET_SIZE(names)));
  for (size_t i = 0; i < positionalCount; ++i) {
    if (statics.hasPosition(i, positionalCount)) {
      signature.statics.push_back(Reference::borrow(arguments[i]));
    } else if (!addDynamic(arguments[i], signature, leafObjects)) {
      return SignatureResult::Error;
    }
  }
  if (names != nullptr && !addKeywords(statics, arguments + positionalCount,
                                       names, signature, leafObjects)) {
    return SignatureResult::Error;
  }
  signature.leaves.resize(leafObjects.size());
  for (size_t i = 0; i < leafObjects.size(); ++i) {
    LeafKind kind = classifyLeaf(leafObjects[i], signature.config.isX64,
                                 signature.leaves[i]);
    if (kind == LeafKind::Foreign) {
      return SignatureResult::Foreign;
    }
    if (kind == LeafKind::Error) {
      return SignatureResult::Error;
    }
  }
  return signature.computeHash() ? SignatureResult::Known
                                 : SignatureResult::Error;
}
