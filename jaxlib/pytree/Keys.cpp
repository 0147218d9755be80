//===- Keys.cpp - The entries of key paths --------------------------------===//
//----------------------------------===//

#include "jaxlib/pytree/PyTree.h"

#include <structmember.h>

#include <cstring>

namespace jaxlib::pytree {
namespace {

struct Key {
  PyObject_HEAD;
  PyObject *value;
};

struct KeySpec {
  const char *name;
  const char *attribute;
  const char *doc;
};

} // namespace

static PyTypeObject *sequenceKeyType;
static PyTypeObject *dictKeyType;
static PyTypeObject *getAttrKeyType;
static PyTypeObject *flattenedIndexKeyType;

static PyObject *makeKey(PyTypeObject *type, PyObject *value) {
  auto *key = reinterpret_cast<Key *>(type->tp_alloc(type, 0));
  if (!key) {
    Py_XDECREF(value);
    return nullptr;
  }
  key->value = value;
  return reinterpret_cast<PyObject *>(key);
}

static PyObject *makeIndexKey(PyTypeObject *type, Py_ssize_t index) {
  PyObject *value = PyLong_FromSsize_t(index);
  return value ? makeKey(type, value) : nullptr;
}

PyObject *makeSequenceKey(Py_ssize_t index) {
  return makeIndexKey(sequenceKeyType, index);
}

PyObject *makeFlattenedIndexKey(Py_ssize_t index) {
  return makeIndexKey(flattenedIndexKeyType, index);
}

PyObject *makeDictKey(PyObject *key) {
  return makeKey(dictKeyType, Py_NewRef(key));
}

PyObject *makeGetAttrKey(PyObject *name) {
  return makeKey(getAttrKeyType, Py_NewRef(name));
}

static PyObject *valueOf(PyObject *self) {
  return reinterpret_cast<Key *>(self)->value;
}

static bool isA(PyObject *self, PyTypeObject *type) {
  return PyType_IsSubtype(Py_TYPE(self), type) != 0;
}

static const char *attributeOf(PyTypeObject *type) {
  if (PyType_IsSubtype(type, sequenceKeyType)) {
    return "idx";
  }
  return PyType_IsSubtype(type, getAttrKeyType) ? "name" : "key";
}

static PyObject *newKey(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  const char *names[] = {attributeOf(type), nullptr};
  PyObject *value;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O",
                                   const_cast<char **>(names), &value)) {
    return nullptr;
  }
  bool wantsText = PyType_IsSubtype(type, getAttrKeyType);
  bool wantsIndex = PyType_IsSubtype(type, sequenceKeyType) ||
                    PyType_IsSubtype(type, flattenedIndexKeyType);
  if ((wantsText && !PyUnicode_Check(value)) ||
      (wantsIndex && !PyLong_Check(value))) {
    return PyErr_Format(PyExc_TypeError, "%s: %s must be %s, but is a %s",
                        type->tp_name, names[0], wantsText ? "a str" : "an int",
                        Py_TYPE(value)->tp_name);
  }
  return makeKey(type, Py_NewRef(value));
}

static int traverseKey(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(valueOf(self));
  return 0;
}

static int clearKey(PyObject *self) {
  Py_CLEAR(reinterpret_cast<Key *>(self)->value);
  return 0;
}

static void deallocateKey(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearKey(self);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject *reprOfKey(PyObject *self) {
  const char *dot = strrchr(Py_TYPE(self)->tp_name, '.');
  return PyUnicode_FromFormat("%s(%s=%R)",
                              dot ? dot + 1 : Py_TYPE(self)->tp_name,
                              attributeOf(Py_TYPE(self)), valueOf(self));
}

static PyObject *strOfKey(PyObject *self) {
  if (isA(self, getAttrKeyType)) {
    return PyUnicode_FromFormat(".%S", valueOf(self));
  }
  if (isA(self, flattenedIndexKeyType)) {
    return PyUnicode_FromFormat("[<flat index %S>]", valueOf(self));
  }
  return PyUnicode_FromFormat("[%R]", valueOf(self));
}

static PyObject *compareKeys(PyObject *self, PyObject *other, int op) {
  if (op != Py_EQ && op != Py_NE) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (Py_TYPE(self) != Py_TYPE(other)) {
    return PyBool_FromLong(op == Py_NE);
  }
  return PyObject_RichCompare(valueOf(self), valueOf(other), op);
}

static Py_hash_t hashOfKey(PyObject *self) {
  Py_hash_t hash = PyObject_Hash(valueOf(self));
  if (hash == -1) {
    return -1;
  }
  // Keys of different types are never equal: make their hashes differ.
  hash ^= isA(self, sequenceKeyType)         ? 0x51ed27
          : isA(self, flattenedIndexKeyType) ? 0x2b5ad5
          : isA(self, getAttrKeyType)        ? 0x3c6ef3
                                             : 0;
  return hash == -1 ? -2 : hash;
}

static PyObject *reduceKey(PyObject *self, PyObject *) {
  return Py_BuildValue("O(O)", Py_TYPE(self), valueOf(self));
}

static PyMethodDef keyMethods[] = {
    {"__reduce__", reduceKey, METH_NOARGS, "Pickles the key."},
    {nullptr, nullptr, 0, nullptr},
};

static PyTypeObject *addKeyType(PyObject *module, const KeySpec &spec) {
  // The interpreter keeps the pointer to the members, not a copy of them.
  auto *members = new PyMemberDef[2]();
  members[0] = {spec.attribute, T_OBJECT, offsetof(Key, value), READONLY,
                "What the key holds."};
  PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newKey)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocateKey)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseKey)},
      {Py_tp_clear, reinterpret_cast<void *>(clearKey)},
      {Py_tp_repr, reinterpret_cast<void *>(reprOfKey)},
      {Py_tp_str, reinterpret_cast<void *>(strOfKey)},
      {Py_tp_hash, reinterpret_cast<void *>(hashOfKey)},
      {Py_tp_richcompare, reinterpret_cast<void *>(compareKeys)},
      {Py_tp_methods, keyMethods},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char *>(spec.doc)},
      {0, nullptr},
  };
  PyType_Spec type = {
      spec.name, sizeof(Key), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};
  PyRef made = PyRef::steal(PyType_FromSpec(&type));
  PyRef match = PyRef::steal(Py_BuildValue("(s)", spec.attribute));
  if (!made || !match ||
      PyObject_SetAttrString(made.get(), "__match_args__", match.get()) < 0 ||
      PyObject_SetAttrString(module, strrchr(spec.name, '.') + 1, made.get()) <
          0) {
    return nullptr;
  }
  return reinterpret_cast<PyTypeObject *>(made.release());
}

bool addKeyTypes(PyObject *module) {
  sequenceKeyType = addKeyType(
      module, {"jaxlib._native.pytree.SequenceKey", "idx",
               "SequenceKey(idx)\n--\n\nThe index of a child in a list or a "
               "tuple. Its text is ``[idx]``."});
  dictKeyType = addKeyType(
      module,
      {"jaxlib._native.pytree.DictKey", "key",
       "DictKey(key)\n--\n\nThe key of a child in a mapping. Its text is "
       "``[repr(key)]``."});
  getAttrKeyType = addKeyType(
      module, {"jaxlib._native.pytree.GetAttrKey", "name",
               "GetAttrKey(name)\n--\n\nThe name of a child that is an "
               "attribute. Its text is ``.name``."});
  flattenedIndexKeyType = addKeyType(
      module, {"jaxlib._native.pytree.FlattenedIndexKey", "key",
               "FlattenedIndexKey(key)\n--\n\nThe index of a child in a node "
               "that was registered without keys. Its text is ``[<flat index "
               "key>]``."});
  return sequenceKeyType && dictKeyType && getAttrKeyType &&
         flattenedIndexKeyType;
}

} // namespace jaxlib::pytree
