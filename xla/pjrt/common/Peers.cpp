#include "xla/pjrt/common/Peers.h"

#include "xla/pjrt/common/Client.h"

#include <string>

// The interface has no type for it; the mark distinguishes it from others
// without one. docs/internals/processes.md describes it.

/// A launch that has not ended: where it waits, for how long, and for which
/// processes. Without a collective it runs, or has its turn to come.
using ActivityVisitor = void (*)(void *context, const char *program,
                                 size_t programSize, int64_t launch,
                                 const char *collective, size_t collectiveSize,
                                 double seconds, const int *missing,
                                 size_t missingCount);

struct PeersExtension {
  PJRT_Extension_Base base;
  uint64_t mark;
  void (*visitActivities)(PJRT_Client *client, ActivityVisitor visitor,
                          void *context);
  void (*failProcess)(PJRT_Client *client, int process, const char *why,
                      size_t whySize, bool hasLeft);
  void (*failWaits)(PJRT_Client *client, double seconds, const char *why,
                    size_t whySize);
};

static_assert(sizeof(PeersExtension) == 56);

namespace xla::pjrt {

static constexpr uint64_t peersMark = 0x0073726565707872; // "rxpeers"

static void visitActivities(PJRT_Client *client, ActivityVisitor visitor,
                            void *context) {
  if (!client->peers) {
    return;
  }
  for (const PeerActivity &activity : client->peers->activities()) {
    visitor(context, activity.program.data(), activity.program.size(),
            static_cast<int64_t>(activity.launch), activity.collective.data(),
            activity.collective.size(), activity.seconds,
            activity.missing.data(), activity.missing.size());
  }
}

static void failProcess(PJRT_Client *client, int process, const char *why,
                        size_t whySize, bool hasLeft) {
  if (client->peers) {
    client->peers->failProcess(process, std::string(why, whySize), hasLeft);
  }
}

static void failWaits(PJRT_Client *client, double seconds, const char *why,
                      size_t whySize) {
  if (client->peers) {
    client->peers->failWaits(seconds, std::string(why, whySize));
  }
}

PJRT_Extension_Base *peersExtension(PJRT_Extension_Base *next) {
  static PeersExtension extension = {
      {sizeof(PeersExtension), PJRT_Extension_Type_Unknown, nullptr},
      peersMark,
      visitActivities,
      failProcess,
      failWaits,
  };
  extension.base.next = next;
  return &extension.base;
}

} // namespace xla::pjrt
