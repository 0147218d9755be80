//===- PartitionFacts.h - What partitioning reports -------------*- C++ -*-===//
//
// Partitioning knows mesh and shardings, of which the program of one device
// shows nothing any more; a report of that program needs them.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_REPORT_PARTITIONFACTS_H
#define XLA_REPORT_PARTITIONFACTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace xla::report {

/// A set of axes of the grid, one bit each.
using AxisMask = uint64_t;

/// An axis of a mesh, or a part of one.
struct GridAxis {
  std::string name;
  int64_t size;
};

/// The devices, row-major: the first axis is the slowest.
struct DeviceGrid {
  std::vector<GridAxis> axes;
  /// Partition ids by position; empty where they are the positions.
  std::vector<int64_t> devices;
  /// Per argument, the axes along which devices have other pieces of it.
  std::vector<AxisMask> argumentAxes;
};

/// An array that is sharded, and of which an operation needs more.
struct Gather {
  std::string operation;
  std::string location; ///< of the operation
  int64_t operand = 0;
  std::string
      source; ///< of the array: its source location, or the argument's name
  std::string type;       ///< of the whole array
  std::string current;    ///< as a partition spec
  std::string needed;     ///< as a partition spec
  std::string mend;       ///< one that needs no gathering; empty: there is none
  int64_t bytes = 0;      ///< what a device then holds
  int64_t pieceBytes = 0; ///< what it held before
  std::vector<std::string> axes;    ///< along which it is gathered
  std::vector<std::string> repeats; ///< of these, where all compute the same
};

struct PartitionFacts {
  DeviceGrid grid;
  std::vector<Gather> gathers;
};

} // namespace xla::report

#endif // XLA_REPORT_PARTITIONFACTS_H
