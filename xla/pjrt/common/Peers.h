//===- Peers.h - What a client reports of other processes -------*- C++ -*-===//

#ifndef XLA_PJRT_COMMON_PEERS_H
#define XLA_PJRT_COMMON_PEERS_H

#include "pjrt_c_api.h"

namespace xla::pjrt {

/// An extension of our own: where the programs of several processes are, and
/// that a process has failed.
PJRT_Extension_Base *peersExtension(PJRT_Extension_Base *next);

} // namespace xla::pjrt

#endif // XLA_PJRT_COMMON_PEERS_H
