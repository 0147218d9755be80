//===- Collectives.h - Arrays that devices exchange -------------*- C++ -*-===//
//
// The devices of one process read each other's memory: what arrives is written
// once, where it belongs. Large collectives run over the thread pool.
//
// A reduction combines in the element type, in the order of ranks, which is
// that of the group's list: the result is the same bits on every device and in
// every run. Reduce-scatter gives the pieces of what all-reduce gives.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_COLLECTIVES_H
#define XLA_RUNTIME_COLLECTIVES_H

#include "xla/runtime/LaunchGroup.h"
#include "xla/runtime/abi/Runtime.h"
#include "xla/support/Status.h"

#include <string>

namespace xla {

/// Takes the part of `member` in a collective, whose operands and results have
/// one array each. Results overlap no operand. `combine` is that of a REDUCE.
/// `name` is what it is and where it stands, for people. Without a launch group
/// the program runs for one device, which is alone in its groups.
Status runCollective(LaunchGroup *launchGroup, int member,
                     const XlaCollective &collective, void *const *operands,
                     void *const *results, XlaCombine combine, void *context,
                     const std::string &name);

} // namespace xla

#endif // XLA_RUNTIME_COLLECTIVES_H
