//===- TestHandlers.h - Targets of custom calls for tests -------*- C++ -*-===//

#ifndef XLA_TOOLS_TESTHANDLERS_H
#define XLA_TOOLS_TESTHANDLERS_H

#include "xla/support/Status.h"

namespace xla {

/// Registers `test.scale`, `test.copy`, `test.sizes`, `test.count`,
/// `test.increment_in_place` and `test.fail`, which xla-run offers.
Status registerTestHandlers();

} // namespace xla

#endif // XLA_TOOLS_TESTHANDLERS_H
