//===- OpSharding.h - How arrays lie on devices, as text --------*- C++ -*-===//

#ifndef XLA_DIALECT_OPSHARDING_H
#define XLA_DIALECT_OPSHARDING_H

#include <string>
#include <string_view>

namespace xla {

/// What a serialized OpSharding message says, in XLA's notation:
/// `{replicated}`,
/// `{devices=[4,2]<=[8]}`, ... Of bytes that are no such message, what could be
/// read.
std::string textOfOpSharding(std::string_view message);

} // namespace xla

#endif // XLA_DIALECT_OPSHARDING_H
