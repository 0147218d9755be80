//===- ProfileSpace.cpp - Records as an XSpace ----------------------------===//
//
// Planes as profile viewers want them: the threads of the host; for each device
// a plane whose operations carry costs and source lines; the programs.
//
// Source: the message `XSpace` of tsl/profiler/protobuf/xplane.proto.
//
//===----------------------------------------------------------------------===//

#include "xla/pjrt/common/Platform.h"
#include "xla/pjrt/common/RecordTimes.h"
#include "xla/pjrt/common/Recorder.h"
#include "xla/support/Protobuf.h"

#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace xla::pjrt {

namespace {

/// A plane that is being written: names are stored once and have numbers.
class Plane {
public:
  explicit Plane(std::string name) { fields.bytes(2, name); }

  int64_t eventNumber(const std::string &name) {
    auto [found, isNew] = events.try_emplace(name, events.size() + 1);
    if (isNew) {
      addEvent(found->second, name, {}, {});
    }
    return found->second;
  }
  /// A kind of event with a key of its own, which names alone need not be.
  int64_t eventNumber(const std::string &key, const std::string &name,
                      const std::string &displayName,
                      const std::string &stats) {
    auto [found, isNew] = events.try_emplace(key, events.size() + 1);
    if (isNew) {
      addEvent(found->second, name, displayName, stats);
    }
    return found->second;
  }
  bool knows(const std::string &key) const { return events.count(key) > 0; }

  // Serialized stats, one after another.
  std::string stat(const char *name, int64_t value) {
    ProtobufWriter stat;
    stat.integer(1, statNumber(name));
    stat.integer(4, static_cast<uint64_t>(value));
    return wrap(stat);
  }
  std::string stat(const char *name, const std::string &value) {
    ProtobufWriter stat;
    stat.integer(1, statNumber(name));
    stat.integer(7, statNumber(value));
    return wrap(stat);
  }
  /// A text that is not stored as a name.
  std::string textStat(const char *name, const std::string &value) {
    ProtobufWriter stat;
    stat.integer(1, statNumber(name));
    stat.bytes(5, value);
    return wrap(stat);
  }
  void planeStat(const std::string &name, const std::string &value) {
    ProtobufWriter stat;
    stat.integer(1, statNumber(name));
    stat.bytes(5, value);
    fields.bytes(6, stat.take());
  }

  struct Line {
    std::string name, events;
  };
  Line &line(int64_t id, const std::string &name) {
    Line &found = lines[id];
    if (found.name.empty()) {
      found.name = name;
    }
    return found;
  }
  /// `stats` are of the event, serialized; the start is since the line's.
  static void add(Line &line, int64_t event, double start, double duration,
                  const std::string &stats) {
    ProtobufWriter fields;
    fields.integer(1, static_cast<uint64_t>(event));
    // Both ends are rounded: what follows does not overlap.
    uint64_t first = picoseconds(start);
    fields.integer(2, first);
    fields.integer(3, picoseconds(start + duration) - first);
    std::string whole = fields.take() + stats;
    ProtobufWriter item;
    item.bytes(4, whole);
    line.events += item.take();
  }

  std::string take(int64_t startNanoseconds) {
    for (auto &[id, line] : lines) {
      ProtobufWriter item;
      item.integer(1, static_cast<uint64_t>(id));
      item.bytes(2, line.name);
      item.integer(3, static_cast<uint64_t>(startNanoseconds));
      fields.bytes(3, item.take() + line.events);
    }
    for (const auto &[name, number] : stats) {
      ProtobufWriter value, entry;
      value.integer(1, static_cast<uint64_t>(number));
      value.bytes(2, name);
      entry.integer(1, static_cast<uint64_t>(number));
      entry.bytes(2, value.take());
      fields.bytes(5, entry.take());
    }
    return fields.take();
  }

private:
  static uint64_t picoseconds(double nanoseconds) {
    return static_cast<uint64_t>(
        std::llround(std::max(nanoseconds, 0.0) * 1e3));
  }
  static std::string wrap(ProtobufWriter &stat) {
    ProtobufWriter item; // field 4 of an event, 5 of a kind of events
    item.bytes(4, stat.take());
    return item.take();
  }
  int64_t statNumber(const std::string &name) {
    return stats.try_emplace(name, stats.size() + 1).first->second;
  }
  void addEvent(int64_t number, const std::string &name,
                const std::string &displayName, const std::string &stats) {
    ProtobufWriter value, entry;
    value.integer(1, static_cast<uint64_t>(number));
    value.bytes(2, name);
    if (!displayName.empty()) {
      value.bytes(4, displayName);
    }
    ProtobufReader reader(stats);
    while (std::optional<ProtobufField> field = reader.next()) {
      value.bytes(5, field->bytes);
    }
    entry.integer(1, static_cast<uint64_t>(number));
    entry.bytes(2, value.take());
    fields.bytes(4, entry.take());
  }

  ProtobufWriter fields;
  std::unordered_map<std::string, int64_t> events, stats;
  std::map<int64_t, Line> lines;
};

/// Writes the planes of one recording.
class Space {
public:
  explicit Space(const Recording &recording) : recording(recording) {
    double ticks =
        static_cast<double>(recording.stopTicks - recording.startTicks);
    perTick =
        ticks > 0 ? static_cast<double>(recording.nanoseconds) / ticks : 1;
  }

  std::string write();

private:
  double since(double ticks) const {
    return (ticks - static_cast<double>(recording.startTicks)) * perTick;
  }
  void countExecutions();
  void addRun(const RecordedRun &run);
  void addOperation(const RecordedRun &run, size_t number,
                    const OperationTime &time, Plane::Line &thread,
                    Plane::Line &operations);
  void addProgram(const RecordedProgram &program);
  void addMemory(const MemoryChange &change);
  Plane &device(int32_t number) {
    auto found = devices.find(number);
    if (found == devices.end()) {
      std::string name = "/device:TPU:" + std::to_string(number);
      found = devices.try_emplace(number, name).first;
      found->second.planeStat("device_type_string",
                              std::string(platform().title));
    }
    return found->second;
  }
  /// Numbered apart from the lines that the client writes of the same thread.
  ///
  /// A thread that waits for other devices runs their programs meanwhile: it
  /// has a line for each device, so that the spans of a line nest.
  Plane::Line &threadLine(int64_t thread, int32_t device) {
    constexpr int64_t mostThreads = 1 << 22;
    std::string name = "tf_XLAPjRtCpuClient/" + std::to_string(thread);
    const std::set<int32_t> &served = devicesOfThreads[thread];
    if (served.size() > 1) {
      name += ", cpu:" + std::to_string(device);
    }
    int64_t index = served.empty() || device == *served.begin() ? 0 : device;
    return host.line(mostThreads * (1 + 2 * index) + thread, name);
  }

  const Recording &recording;
  double perTick;
  Plane host{"/host:CPU"}, metadata{"/host:metadata"};
  std::map<int32_t, Plane> devices;
  std::unordered_map<int64_t, std::set<int32_t>> devicesOfThreads;
  /// Of each operation: executions, and spans that show them.
  struct Executions {
    double count = 0, spans = 0;
  };
  std::unordered_map<const RecordedProgram *, std::vector<Executions>>
      executions;
  std::unordered_map<const RecordedProgram *, std::string> moduleNames;
};

} // namespace

void Space::countExecutions() {
  for (const RecordedRun &run : recording.runs) {
    const auto &operations = run.program->program->operations();
    std::vector<OperationTime> times = timesOf(*run.record, operations);
    auto &counts = executions[run.program.get()];
    counts.resize(operations.size());
    for (size_t i = 0; i < operations.size(); ++i) {
      if (times[i].count > 0) {
        counts[i].count += times[i].count;
        counts[i].spans += 1;
      }
    }
  }
}

void Space::addProgram(const RecordedProgram &program) {
  std::string name = program.name + "(" + std::to_string(program.id) + ")";
  if (metadata.knows(name)) {
    return;
  }
  metadata.eventNumber(name, name, name,
                       metadata.stat("program_id", program.id) +
                           metadata.textStat("stablehlo", program.text));
}

void Space::addOperation(const RecordedRun &run, size_t number,
                         const OperationTime &time, Plane::Line &thread,
                         Plane::Line &operations) {
  const RecordedProgram &program = *run.program;
  const OperationFacts &fact = program.program->operations()[number];
  std::string sources;
  for (const std::string &line : fact.lines) {
    sources += (sources.empty() ? "" : ", ") + line;
  }
  auto flops = static_cast<int64_t>(fact.flops);
  auto bytes = static_cast<int64_t>(fact.bytes);
  double start = since(time.start), duration = time.duration * perTick;
  std::string stats =
      host.stat("hlo_op", fact.name) + host.stat("hlo_module", program.name) +
      host.stat("program_id", program.id) + host.stat("run_id", run.run) +
      host.stat("device_ordinal", static_cast<int64_t>(run.device)) +
      host.stat("source", sources) + host.stat("tf_op", fact.path) +
      host.stat("flops", flops) + host.stat("bytes_accessed", bytes) +
      host.stat("occurrences", std::llround(time.count));
  Plane::add(thread, host.eventNumber(fact.name), start, duration, stats);

  // Of a span of many executions, viewers want what it computes as a whole.
  const Executions &counted = executions[&program][number];
  double each = counted.spans > 0 ? counted.count / counted.spans : 1;
  Plane &plane = device(run.device);
  std::string key = std::to_string(program.id) + "/" + std::to_string(number);
  std::string facts;
  if (!plane.knows(key)) {
    facts = plane.stat("program_id", program.id) +
            plane.stat("symbol_id", static_cast<int64_t>(number) + 1) +
            plane.stat("hlo_category", fact.category) +
            plane.stat("flops", std::llround(fact.flops * each)) +
            plane.stat("model_flops", std::llround(fact.flops * each)) +
            plane.stat("bytes_accessed", std::llround(fact.bytes * each)) +
            plane.stat("tf_op", fact.path);
    if (!fact.lines.empty()) {
      facts += plane.stat("source", fact.lines.front());
    }
    if (fact.lines.size() > 1) {
      facts += plane.stat("source_stack", sources);
    }
  }
  int64_t event = plane.eventNumber(key, fact.text, fact.name, facts);
  Plane::add(operations, event, start, duration, {});
}

void Space::addRun(const RecordedRun &run) {
  constexpr int64_t modulesLine = 2, operationsLine = 3;
  const RecordedProgram &program = *run.program;
  addProgram(program);
  Plane &plane = device(run.device);
  double start = since(static_cast<double>(run.record->begun));
  double duration =
      static_cast<double>(run.record->ended - run.record->begun) * perTick;
  std::string name = program.name + "(" + std::to_string(program.id) + ")";
  std::string runStats =
      plane.stat("run_id", run.run) + plane.stat("program_id", program.id);
  Plane::add(plane.line(modulesLine, "XLA Modules"), plane.eventNumber(name),
             start, duration, runStats);
  Plane::Line &thread = threadLine(run.thread, run.device);
  std::string hostStats =
      host.stat("hlo_module", program.name) +
      host.stat("program_id", program.id) + host.stat("run_id", run.run) +
      host.stat("device_ordinal", static_cast<int64_t>(run.device));
  Plane::add(thread, host.eventNumber("ThunkExecutor::Execute"), start,
             duration, hostStats);
  Plane::Line &operations = plane.line(operationsLine, "XLA Ops");
  const auto &facts = program.program->operations();
  std::vector<OperationTime> times = timesOf(*run.record, facts);
  for (size_t i = 0; i < facts.size(); ++i) {
    if (times[i].count > 0) {
      addOperation(run, i, times[i], thread, operations);
    }
  }
}

void Space::addMemory(const MemoryChange &change) {
  bool gives = change.bytes > 0;
  std::string stats =
      host.stat("device_ordinal", static_cast<int64_t>(change.device)) +
      host.stat("allocator_name", std::string(platform().name) + ":" +
                                      std::to_string(change.device)) +
      host.stat("bytes_allocated", change.bytesInUse) +
      host.stat("peak_bytes_in_use", change.peakBytes) +
      host.stat("requested_bytes", std::abs(change.bytes)) +
      host.stat("allocation_bytes", std::abs(change.bytes)) +
      host.stat("addr", change.address);
  Plane::add(
      threadLine(change.thread, change.device),
      host.eventNumber(gives ? "MemoryAllocation" : "MemoryDeallocation"),
      since(static_cast<double>(change.at)), 0, stats);
}

std::string Space::write() {
  countExecutions();
  for (const RecordedRun &run : recording.runs) {
    devicesOfThreads[run.thread].insert(run.device);
  }
  for (const RecordedRun &run : recording.runs) {
    addRun(run);
  }
  for (const MemoryChange &change : recording.memory) {
    addMemory(change);
  }
  ProtobufWriter space;
  int64_t start = recording.startNanoseconds;
  space.bytes(1, metadata.take(start));
  space.bytes(1, host.take(start));
  for (auto &[number, plane] : devices) {
    space.bytes(1, plane.take(start));
  }
  if (recording.lost > 0) {
    space.bytes(3, std::to_string(recording.lost) +
                       " runs of programs are not in the profile: the records "
                       "of those before them take 256 MiB");
  }
  return space.take();
}

std::string spaceOf(const Recording &recording) {
  return Space(recording).write();
}

} // namespace xla::pjrt
