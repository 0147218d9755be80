//===- Axes.cpp - Meshes and their axes -----------------------------------===//

#include "xla/dialect/sdy/SdyOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace xla::sdy {

using EmitError = function_ref<InFlightDiagnostic()>;

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// Numbers of devices are 32 bits wide on every boundary.
static constexpr int64_t mostDevices = std::numeric_limits<int32_t>::max();

LogicalResult MeshAxisAttr::verify(EmitError emitError, StringRef name,
                                   int64_t size) {
  if (size < 1 || size > mostDevices) {
    return emitError() << "size of mesh axis \"" << name << "\" is " << size
                       << ", expected 1 to " << mostDevices;
  }
  return success();
}

/// A permutation of 0 to n - 1.
static LogicalResult verifyDevices(EmitError emitError, ArrayRef<int64_t> ids,
                                   int64_t count) {
  if (int64_t(ids.size()) != count) {
    return emitError() << "mesh has " << ids.size() << " device ids for "
                       << count << " devices";
  }
  SmallVector<bool> isMet(ids.size(), false);
  for (int64_t id : ids) {
    if (id < 0 || id >= count || isMet[id]) {
      return emitError() << "device ids of a mesh are the numbers 0 to "
                         << count - 1 << " in some order; " << id
                         << (id < 0 || id >= count ? " is not among them"
                                                   : " is there twice");
    }
    isMet[id] = true;
  }
  return success();
}

LogicalResult MeshAttr::verify(EmitError emitError, ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> deviceIds) {
  llvm::StringSet<> names;
  int64_t size = 1;
  for (MeshAxisAttr axis : axes) {
    if (!names.insert(axis.getName()).second) {
      return emitError() << "mesh has two axes \"" << axis.getName() << '"';
    }
    if (llvm::MulOverflow(size, axis.getSize(), size) || size > mostDevices) {
      return emitError() << "mesh has more than " << mostDevices << " devices";
    }
  }
  if (deviceIds.empty()) {
    return success();
  }
  if (!axes.empty()) {
    return verifyDevices(emitError, deviceIds, size);
  }
  if (deviceIds.size() != 1) {
    return emitError() << "mesh without axes has " << deviceIds.size()
                       << " device ids, expected one";
  }
  if (deviceIds[0] < 0 || deviceIds[0] > mostDevices) {
    return emitError() << "device id " << deviceIds[0] << " is not in 0 to "
                       << mostDevices;
  }
  return success();
}

MeshAxisAttr MeshAttr::findAxis(StringRef name) const {
  for (MeshAxisAttr axis : getAxes()) {
    if (axis.getName() == name) {
      return axis;
    }
  }
  return nullptr;
}

int64_t MeshAttr::getAxisSize(StringRef name) const {
  MeshAxisAttr axis = findAxis(name);
  return axis ? axis.getSize() : 0;
}

int64_t MeshAttr::getAxisPosition(StringRef name) const {
  for (auto [i, axis] : llvm::enumerate(getAxes())) {
    if (axis.getName() == name) {
      return i;
    }
  }
  return -1;
}

int64_t MeshAttr::getSize() const {
  int64_t size = 1;
  for (MeshAxisAttr axis : getAxes()) {
    size *= axis.getSize();
  }
  return size;
}

int64_t MeshAttr::getDevice(int64_t position) const {
  return getDeviceIds().empty() ? position : getDeviceIds()[position];
}

//===----------------------------------------------------------------------===//
// Axes in use
//===----------------------------------------------------------------------===//

LogicalResult SubAxisInfoAttr::verify(EmitError emitError, int64_t preSize,
                                      int64_t size) {
  int64_t product;
  if (preSize < 1 || size < 2) {
    return emitError() << "factor (" << preSize << ")" << size
                       << " of an axis: expected (1 or more) and 2 or more";
  }
  if (llvm::MulOverflow(preSize, size, product) || product > mostDevices) {
    return emitError() << "factor (" << preSize << ")" << size
                       << " of an axis is of one with more than " << mostDevices
                       << " devices";
  }
  return success();
}

int64_t SubAxisInfoAttr::getNextPreSize() const {
  return getPreSize() * getSize();
}

int64_t AxisRefAttr::getSize(MeshAttr mesh) const {
  return getSubAxis() ? getSubAxis().getSize() : mesh.getAxisSize(getName());
}

int64_t AxisRefAttr::getPreSize() const {
  return getSubAxis() ? getSubAxis().getPreSize() : 1;
}

/// Where a factor ends; a whole axis has no end that is known without a mesh.
static int64_t endOf(AxisRefAttr axis) {
  return axis.getSubAxis() ? axis.getSubAxis().getNextPreSize()
                           : std::numeric_limits<int64_t>::max();
}

bool AxisRefAttr::overlaps(AxisRefAttr other) const {
  return getName() == other.getName() &&
         std::max(getPreSize(), other.getPreSize()) <
             std::min(endOf(*this), endOf(other));
}

bool AxisRefAttr::contains(AxisRefAttr other) const {
  return getName() == other.getName() && getPreSize() <= other.getPreSize() &&
         endOf(other) <= endOf(*this);
}

bool AxisRefAttr::canMerge(AxisRefAttr next) const {
  return getName() == next.getName() && getSubAxis() && next.getSubAxis() &&
         endOf(*this) == next.getPreSize();
}

AxisRefAttr AxisRefAttr::merge(AxisRefAttr next, MeshAttr mesh) const {
  int64_t size = getSubAxis().getSize() * next.getSubAxis().getSize();
  if (getPreSize() == 1 && size == mesh.getAxisSize(getName())) {
    return get(getContext(), getName());
  }
  return get(getContext(), getName(), getPreSize(), size);
}

bool AxisRefAttr::isBefore(AxisRefAttr other, MeshAttr mesh) const {
  auto key = [&](AxisRefAttr axis) {
    return std::pair(mesh.getAxisPosition(axis.getName()), axis.getPreSize());
  };
  return key(*this) < key(other);
}

} // namespace xla::sdy
