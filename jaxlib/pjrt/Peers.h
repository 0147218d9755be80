//===- Peers.h - What a plugin reports of a job's processes -----*- C++ -*-===//

#ifndef JAXLIB_PJRT_PEERS_H
#define JAXLIB_PJRT_PEERS_H

#include "jaxlib/pjrt/Client.h"

namespace jaxlib {

/// A launch of a program over several processes that has not ended here.
struct PeerActivity {
  std::string program;
  int64_t launch = 0;
  std::string collective;   ///< where it waits; empty: it does not
  double seconds = 0;       ///< that it has waited
  std::vector<int> missing; ///< processes that it waits for
};

/// Empty where the plugin does not report them.
std::vector<PeerActivity> activities(const Client &client);

/// Ends all waits for a process, which is known to have failed; for one that
/// has left, when nothing comes of it any more.
void failProcess(const Client &client, int process, std::string_view why,
                 bool hasLeft);

/// Ends the launches that have waited for so long.
void failWaits(const Client &client, double seconds, std::string_view why);

} // namespace jaxlib

#endif // JAXLIB_PJRT_PEERS_H
