#include "jaxlib/py/Register.h"

#include "jaxlib/py/Array.h"
#include "jaxlib/py/Dtypes.h"
#include "jaxlib/py/Errors.h"

using namespace jaxlib;

void jaxlib::registerClient(pybind11::module_ &native) {
  initialiseDtypes();
  pybind11::module_ client =
      native.def_submodule("client", "Devices, executables and arrays.");
  registerErrors(client);
  registerDevices(client);
  registerArray(client);
  registerTransfers(client);
  registerDlpack(client);
}
