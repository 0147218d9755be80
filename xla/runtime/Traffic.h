//===- Traffic.h - The bytes that devices send each other -------*- C++ -*-===//
//
// Counts what collectives copy or combine out of another device's memory, while
// somebody wants to know; else nothing.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_TRAFFIC_H
#define XLA_RUNTIME_TRAFFIC_H

#include <cstdint>
#include <map>
#include <string>

namespace xla {

struct Traffic {
  int64_t meetings = 0; ///< of a group each
  int64_t bytes = 0;    ///< that its members got of each other
};

/// From now on, beginning with nothing; or no longer, and what was counted
/// stays to be read.
void countTraffic(bool isOn);
bool isTrafficCounted();

/// By the names of collectives.
std::map<std::string, Traffic> countedTraffic();

void addTraffic(const std::string &name, int64_t bytes);

} // namespace xla

#endif // XLA_RUNTIME_TRAFFIC_H
