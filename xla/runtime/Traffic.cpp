#include "xla/runtime/Traffic.h"

#include <atomic>
#include <mutex>

namespace xla {

static std::atomic<bool> isOn{false};
static std::mutex mutex;

static std::map<std::string, Traffic> &counts() {
  static std::map<std::string, Traffic> all;
  return all;
}

void countTraffic(bool on) {
  std::lock_guard<std::mutex> lock(mutex);
  if (on) {
    counts().clear();
  }
  isOn = on;
}

bool isTrafficCounted() { return isOn.load(std::memory_order_relaxed); }

std::map<std::string, Traffic> countedTraffic() {
  std::lock_guard<std::mutex> lock(mutex);
  return counts();
}

void addTraffic(const std::string &name, int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  Traffic &traffic = counts()[name];
  ++traffic.meetings;
  traffic.bytes += bytes;
}

} // namespace xla
