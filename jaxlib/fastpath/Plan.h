//===- Plan.h - How a known call runs ---------------------------*- C++ -*-===//
//
// An executable with all that turns Python's leaves into its arguments, and its
// results into arrays. Python knows it as FastpathData.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_FASTPATH_PLAN_H
#define JAXLIB_FASTPATH_PLAN_H

#include "jaxlib/fastpath/Leaves.h"

#include "jaxlib/pjrt/Executable.h"

#include <pybind11/pybind11.h>

namespace jaxlib {

/// What one result becomes.
struct ResultPlan {
  FactsReference facts;
  Reference sharding;
  PyObject *shardingKey = nullptr; ///< lives for ever
  Reference wrap; ///< null, or makes the value of an extended dtype
};

/// How an argument gets to its devices.
enum class Placement : uint8_t {
  InPlace, ///< its buffers are where the program needs them
  Copy,    ///< one buffer, on another device
  Upload,  ///< a value of the host's, to the one device
  Spread,  ///< whole to each of several devices
  Put,     ///< through Python's device_put, for several devices
};

struct Plan {
  std::shared_ptr<Executable> executable;
  Reference outTree; ///< null: the one result is the output
  std::vector<ResultPlan> results;
  bool isCommitted = false;
  bool keepsAll = true;
  std::vector<uint32_t> kept;
  std::vector<Reference> constants; ///< arrays
  bool hasInShardings = false;
  std::vector<Reference> inShardings;     ///< per kept leaf
  std::vector<PyObject *> inShardingKeys; ///< live for ever
  std::vector<bool> wantsWhole; ///< per kept leaf: all of it on each device
  bool donates = false;
  Reference keepalive;
};

/// Decides the placements of the kept leaves; false with an exception set.
bool choosePlacements(const Plan &plan, std::span<const Reference> leaves,
                      std::span<const LeafKey> keys,
                      std::vector<Placement> &placements);

/// Runs. The outputs' leaves go to `outputs`; false with an exception set.
bool runPlan(const Plan &plan, std::span<const Reference> leaves,
             std::span<const LeafKey> keys,
             std::span<const Placement> placements,
             std::vector<Reference> &outputs);

/// The plan behind a FastpathData, or null if `object` is none.
std::shared_ptr<Plan> planFromObject(PyObject *object);

void registerPlan(pybind11::module_ &module);

} // namespace jaxlib

#endif // JAXLIB_FASTPATH_PLAN_H
