#include "jaxlib/py/Origins.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

// The frames of the interpreter without objects made for them; in other
// releases its public functions, which make one for each frame.
#define READS_INTERPRETER_FRAMES                                               \
  (PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000)
#if READS_INTERPRETER_FRAMES
#include <internal/pycore_frame.h>
#endif

using namespace jaxlib;

namespace {

// Of a deep stack, the innermost frames.
constexpr size_t mostFrames = 40;
constexpr size_t mostStacks = 1 << 16;
/// From so many stacks on, those that no array has any more are let go.
constexpr size_t firstLimit = 1 << 10;

/// A frame and the instruction that runs in it.
struct Frame {
  PyCodeObject *code; // owned
  int instruction;    // in bytes
};

struct Table {
  std::vector<std::vector<Frame>> stacks{1}; // number 0 is none
  std::unordered_map<uint64_t, uint32_t> numbers;
  std::vector<uint32_t> free;
  uint64_t newestHash = 0;
  uint32_t newest = 0;
  /// How many stacks there may be until the table is looked through again.
  size_t limit = firstLimit;
  /// At the most: how many may pass without a number until it is.
  size_t patience = 0;
  void (*mark)(std::vector<bool> &) = nullptr;
};

} // namespace

static Table &table() {
  static Table *one = new Table; // lives as long as the process
  return *one;
}

static uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29);
}

#if READS_INTERPRETER_FRAMES

static const _PyInterpreterFrame *innermost() {
  return PyThreadState_Get()->cframe->current_frame;
}

/// A hash of the frames that run now; 0 where none does.
static uint64_t hashOfFrames() {
  uint64_t hash = 0;
  const _PyInterpreterFrame *frame = innermost();
  for (size_t i = 0; frame != nullptr && i < mostFrames; ++i) {
    // Instructions are within their code, so they distinguish codes, too.
    hash = mixed(hash, reinterpret_cast<uint64_t>(frame->prev_instr));
    frame = frame->previous;
  }
  return hash;
}

/// The frames that run now, innermost first.
static std::vector<Frame> framesNow() {
  std::vector<Frame> frames;
  const _PyInterpreterFrame *frame = innermost();
  for (; frame != nullptr && frames.size() < mostFrames;
       frame = frame->previous) {
    const int instruction = _PyInterpreterFrame_LASTI(frame) *
                            static_cast<int>(sizeof(_Py_CODEUNIT));
    Py_INCREF(frame->f_code);
    frames.push_back({frame->f_code, instruction});
  }
  return frames;
}

#else

static std::vector<Frame> framesNow() {
  std::vector<Frame> frames;
  PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr && frames.size() < mostFrames) {
    frames.push_back({PyFrame_GetCode(frame), PyFrame_GetLasti(frame)});
    PyFrameObject *next = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = next;
  }
  Py_XDECREF(frame);
  return frames;
}

static void letGo(const std::vector<Frame> &frames);

static uint64_t hashOfFrames() {
  uint64_t hash = 0;
  const std::vector<Frame> frames = framesNow();
  for (const Frame &frame : frames) {
    hash = mixed(mixed(hash, reinterpret_cast<uint64_t>(frame.code)),
                 static_cast<uint64_t>(frame.instruction));
  }
  letGo(frames);
  return hash;
}

#endif

/// What goes away with a code object may run anything.
static void letGo(const std::vector<Frame> &frames) {
  for (const Frame &frame : frames) {
    Py_DECREF(frame.code);
  }
}

/// Lets go of the stacks that no array has.
static void dropUnused(Table &all) {
  std::vector<bool> isUsed(all.stacks.size());
  all.mark(isUsed);
  std::vector<Frame> dropped;
  for (auto entry = all.numbers.begin(); entry != all.numbers.end();) {
    const uint32_t number = entry->second;
    if (isUsed[number]) {
      ++entry;
      continue;
    }
    const std::vector<Frame> frames = std::exchange(all.stacks[number], {});
    dropped.insert(dropped.end(), frames.begin(), frames.end());
    all.free.push_back(number);
    entry = all.numbers.erase(entry);
  }
  all.newest = 0;
  all.newestHash = 0;
  letGo(dropped); // last, when the table is whole again
}

/// A number for a stack that is new; 0 where there is no room.
static uint32_t freeNumber(Table &all) {
  const bool isFull = all.stacks.size() >= mostStacks;
  if (all.free.empty() && all.stacks.size() >= all.limit &&
      all.mark != nullptr && (!isFull || all.patience-- == 0)) {
    all.patience = mostStacks;
    dropUnused(all);
    const size_t used = all.stacks.size() - all.free.size();
    all.limit = std::min(mostStacks, std::max(firstLimit, 2 * used));
  }
  if (all.free.empty() && all.stacks.size() < mostStacks) {
    all.stacks.emplace_back();
    return static_cast<uint32_t>(all.stacks.size() - 1);
  }
  if (all.free.empty()) {
    return 0;
  }
  const uint32_t number = all.free.back();
  all.free.pop_back();
  return number;
}

uint32_t jaxlib::currentStack() {
  const uint64_t hash = hashOfFrames();
  if (hash == 0) {
    return 0;
  }
  Table &all = table();
  if (hash == all.newestHash) {
    return all.newest;
  }
  const auto found = all.numbers.find(hash);
  uint32_t number = found == all.numbers.end() ? 0 : found->second;
  if (number == 0) {
    number = freeNumber(all);
    if (number == 0) {
      return 0;
    }
    // What was let go may have run Python, and that have added this stack.
    const auto [entry, isNew] = all.numbers.try_emplace(hash, number);
    if (isNew) {
      all.stacks[number] = framesNow();
    } else {
      all.free.push_back(number);
      number = entry->second;
    }
  }
  all.newestHash = hash;
  all.newest = number;
  return number;
}

pybind11::list jaxlib::framesOf(uint32_t stack) {
  pybind11::list frames;
  const Table &all = table();
  if (stack >= all.stacks.size()) {
    return frames;
  }
  for (const Frame &frame : all.stacks[stack]) {
    PyCodeObject *code = frame.code;
    frames.append(pybind11::make_tuple(
        pybind11::handle(code->co_filename),
        pybind11::handle(code->co_qualname),
        PyCode_Addr2Line(code, frame.instruction), code->co_firstlineno));
  }
  return frames;
}

void jaxlib::setStackMarker(void (*mark)(std::vector<bool> &isUsed)) {
  table().mark = mark;
}
