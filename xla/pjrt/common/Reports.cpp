#include "xla/pjrt/common/Reports.h"

#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Executable.h"
#include "xla/runtime/Traffic.h"

// The interface has no type for it; the mark distinguishes it from others
// without one. docs/internals/reports.md describes it.
struct PJRT_Reports_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Executable *executable;
  const char *report; // out: JSON, as long as the executable lives
  size_t report_size; // out: 0 where nothing is told
};

/// One count, handed to the visitor of the caller.
using TrafficVisitor = void (*)(void *context, const char *name,
                                size_t nameSize, int64_t meetings,
                                int64_t bytes);

struct ReportsExtension {
  PJRT_Extension_Base base;
  uint64_t mark;
  PJRT_Error *(*ofExecutable)(PJRT_Reports_Args *);
  void (*countTraffic)(bool isOn);
  void (*visitTraffic)(TrafficVisitor visitor, void *context);
};

enum { PJRT_Reports_Args_STRUCT_SIZE = 40 };
static_assert(sizeof(PJRT_Reports_Args) == 40);
static_assert(sizeof(ReportsExtension) == 56);

namespace xla::pjrt {

static constexpr uint64_t reportsMark = 0x7374726f70657278; // "xreports"

static PJRT_Error *reportOfExecutable(PJRT_Reports_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Reports_Args, executable);
  std::string_view report = args->executable->compiled->description().report;
  args->report = report.data();
  args->report_size = report.size();
  return nullptr;
}

static void visitTraffic(TrafficVisitor visitor, void *context) {
  for (const auto &[name, traffic] : countedTraffic()) {
    visitor(context, name.data(), name.size(), traffic.meetings, traffic.bytes);
  }
}

PJRT_Extension_Base *reportsExtension(PJRT_Extension_Base *next) {
  static ReportsExtension extension = {
      {sizeof(ReportsExtension), PJRT_Extension_Type_Unknown, nullptr},
      reportsMark,
      reportOfExecutable,
      countTraffic,
      visitTraffic,
  };
  extension.base.next = next;
  return &extension.base;
}

} // namespace xla::pjrt
