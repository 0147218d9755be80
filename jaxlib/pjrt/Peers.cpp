#include "jaxlib/pjrt/Peers.h"

using namespace jaxlib;

namespace {

// Our CPU plugin's own extension, which has a mark in place of a type.
constexpr uint64_t peersMark = 0x0073726565707872; // "rxpeers"

using Visitor = void (*)(void *context, const char *program, size_t programSize,
                         int64_t launch, const char *collective,
                         size_t collectiveSize, double seconds,
                         const int *missing, size_t missingCount);

struct PeersExtension {
  PJRT_Extension_Base base;
  uint64_t mark;
  void (*visitActivities)(PJRT_Client *client, Visitor visitor, void *context);
  void (*failProcess)(PJRT_Client *client, int process, const char *why,
                      size_t whySize, bool hasLeft);
  void (*failWaits)(PJRT_Client *client, double seconds, const char *why,
                    size_t whySize);
};

static_assert(sizeof(PeersExtension) == 56);

/// Null where the plugin is not ours.
const PeersExtension *find(const Plugin &plugin) {
  for (auto *at = plugin.table().extension_start; at != nullptr;
       at = at->next) {
    const auto *extension = reinterpret_cast<const PeersExtension *>(at);
    if (at->type == PJRT_Extension_Type_Unknown &&
        at->struct_size >= sizeof(PeersExtension) &&
        extension->mark == peersMark) {
      return extension;
    }
  }
  return nullptr;
}

} // namespace

std::vector<PeerActivity> jaxlib::activities(const Client &client) {
  std::vector<PeerActivity> found;
  const PeersExtension *extension = find(client.plugin());
  if (extension == nullptr) {
    return found;
  }
  auto visit = [](void *context, const char *program, size_t programSize,
                  int64_t launch, const char *collective, size_t collectiveSize,
                  double seconds, const int *missing, size_t missingCount) {
    static_cast<decltype(&found)>(context)->push_back(
        {{program, programSize},
         launch,
         {collective, collectiveSize},
         seconds,
         {missing, missing + missingCount}});
  };
  extension->visitActivities(client.handle(), visit, &found);
  return found;
}

void jaxlib::failProcess(const Client &client, int process,
                         std::string_view why, bool hasLeft) {
  const PeersExtension *extension = find(client.plugin());
  if (extension != nullptr) {
    extension->failProcess(client.handle(), process, why.data(), why.size(),
                           hasLeft);
  }
}

void jaxlib::failWaits(const Client &client, double seconds,
                       std::string_view why) {
  const PeersExtension *extension = find(client.plugin());
  if (extension != nullptr) {
    extension->failWaits(client.handle(), seconds, why.data(), why.size());
  }
}
