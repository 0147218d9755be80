//===- Register.cpp - The Python module of pytrees ------------------------===//

#include "jaxlib/pytree/Register.h"

#include "jaxlib/pytree/PyTree.h"

namespace jaxlib {

static PyObject *allLeaves(PyObject *, PyObject *args) {
  PyObject *registryObject, *iterable;
  if (!PyArg_ParseTuple(args, "OO:all_leaves", &registryObject, &iterable)) {
    return nullptr;
  }
  const pytree::Registry *registry = pytree::registryFromObject(registryObject);
  PyRef items = registry ? PyRef::steal(PySequence_Tuple(iterable)) : PyRef();
  if (!items) {
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    if (pytree::isNodeType(*registry,
                           Py_TYPE(PyTuple_GET_ITEM(items.get(), i)))) {
      Py_RETURN_FALSE;
    }
  }
  Py_RETURN_TRUE;
}

static PyMethodDef functions[] = {
    {"all_leaves", allLeaves, METH_VARARGS,
     "all_leaves(registry, iterable, /)\n--\n\n"
     "Whether no element is a container."},
    {nullptr, nullptr, 0, nullptr},
};

void registerPytree(pybind11::module_ &module) {
  pybind11::module_ pytreeModule = module.def_submodule(
      "pytree", "Nested Python containers as leaves and structure.");
  PyObject *object = pytreeModule.ptr();
  if (!pytree::addKeyTypes(object) || !pytree::addRegistryTypes(object) ||
      !pytree::addTreeDefType(object) ||
      PyModule_AddFunctions(object, functions) < 0) {
    throw pybind11::error_already_set();
  }
}

} // namespace jaxlib
