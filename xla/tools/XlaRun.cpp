//===- XlaRun.cpp - Runs the program in a file ----------------------------===//
//
// xla-run FILE [--backend=native|reference] [--devices=N [--local|--whole]]
//   [ARGUMENT...]
//
// An argument is a list of numbers, `1,2.5,-3`, in row-major order; one number
// fills the whole array. Each result is printed on a line: its shape and its
// elements. A result that takes an argument's memory is read there.
//
// A program for N devices is divided among them, unless --local says that it is
// that of one of them already. Each takes pieces of the arrays: arguments are
// those of the first device, then those of the second, and so on, or the same
// for all. Results are printed device by device. With --whole arguments are
// whole arrays, which are cut as the program wants them, and so are results;
// devices that have the same piece of a result must agree.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/ElementTypes.h"
#include "xla/dialect/sdy/HloSharding.h"
#include "xla/pipeline/Compile.h"
#include "xla/runtime/LaunchGroup.h"
#include "xla/tools/TestHandlers.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace xla;

namespace {
/// Memory aligned as programs want it.
struct Memory {
  explicit Memory(int64_t bytes)
      : data(std::aligned_alloc(64, (bytes + 64) / 64 * 64)) {
    std::memset(data, 0, bytes);
  }
  Memory(Memory &&other) : data(std::exchange(other.data, nullptr)) {}
  ~Memory() { std::free(data); }
  void *data;
};
} // namespace

static int fail(const llvm::Twine &message) {
  llvm::errs() << "xla-run: " << message << "\n";
  return 1;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Writes one number, of `width` bytes.
static bool writeNumber(ElementType type, int64_t width, llvm::StringRef text,
                        uint8_t *to) {
  uint64_t bits = 0;
  if (const llvm::fltSemantics *semantics = semanticsOf(type)) {
    llvm::APFloat value(*semantics);
    auto status =
        value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return false;
    }
    bits = value.bitcastToAPInt().getZExtValue();
  } else {
    int64_t value;
    if (text.getAsInteger(10, value) && text.getAsInteger(10, bits)) {
      return false;
    }
    bits = text.getAsInteger(10, value) ? bits : uint64_t(value);
  }
  std::memcpy(to, &bits, width);
  return true;
}

static void printNumber(ElementType type, int64_t width, const uint8_t *from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, width);
  if (const llvm::fltSemantics *semantics = semanticsOf(type)) {
    llvm::APInt word(llvm::APFloat::getSizeInBits(*semantics), bits,
                     /*isSigned=*/false, /*implicitTrunc=*/true);
    llvm::APFloat value(*semantics, word);
    llvm::SmallString<32> text;
    value.toString(text);
    llvm::outs() << text;
    return;
  }
  bool isSigned = isSignedInteger(type);
  unsigned own = bitWidth(type);
  llvm::APInt word(own, bits, /*isSigned=*/false, /*implicitTrunc=*/true);
  llvm::outs() << llvm::toString(word, 10, isSigned);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static bool fill(const Shape &shape, llvm::StringRef text, Memory &memory) {
  llvm::SmallVector<llvm::StringRef> numbers;
  text.split(numbers, ',', -1, false);
  int64_t parts = isComplex(shape.type) ? 2 : 1;
  int64_t width = byteWidth(shape.type) / parts;
  int64_t count = *elementCount(shape) * parts;
  if (int64_t(numbers.size()) != count && numbers.size() != size_t(parts)) {
    return false;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (!writeNumber(shape.type, width, numbers[i % numbers.size()].trim(),
                     static_cast<uint8_t *>(memory.data) + i * width)) {
      return false;
    }
  }
  return true;
}

static void print(const Shape &shape, const void *memory) {
  llvm::outs() << toString(shape);
  int64_t parts = isComplex(shape.type) ? 2 : 1;
  int64_t width = byteWidth(shape.type) / parts;
  int64_t count = shape.type == ElementType::Token ? 0 : *elementCount(shape);
  const uint8_t *from = static_cast<const uint8_t *>(memory);
  for (int64_t i = 0; i < count * parts; ++i) {
    llvm::outs() << (i % parts == 0 ? " " : ":");
    printNumber(shape.type, width, from + i * width);
  }
  llvm::outs() << "\n";
}

//===----------------------------------------------------------------------===//
// main
//===----------------------------------------------------------------------===//

namespace {
/// What one device reads and writes.
struct DeviceArrays {
  std::vector<Memory> arguments, results;
  std::vector<void *> argumentPointers, resultPointers;

  int make(const ProgramSignature &signature, llvm::ArrayRef<std::string> texts,
           bool isWhole) {
    for (size_t i = 0; i < texts.size(); ++i) {
      const Shape shape = asStored(signature.arguments[i]);
      arguments.emplace_back(*byteSize(shape));
      argumentPointers.push_back(arguments.back().data);
      if (!isWhole && !fill(shape, texts[i], arguments.back())) {
        return fail("argument " + llvm::Twine(i) + ", " + toString(shape) +
                    ", cannot be filled from '" + texts[i] + "'");
      }
    }
    for (const Shape &shape : signature.results) {
      results.emplace_back(*byteSize(shape));
      resultPointers.push_back(results.back().data);
    }
    for (const Donation &donation : signature.donations) {
      resultPointers[donation.result] = argumentPointers[donation.argument];
    }
    return 0;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Whole arrays
//===----------------------------------------------------------------------===//

namespace {
/// How an array is cut, evenly.
struct ArrayTiles {
  std::vector<int64_t> counts; ///< how many tiles, by dimension
  /// By device: which of them it has, by dimension.
  std::vector<std::vector<int64_t>> indices;
};
} // namespace

/// Nothing where the message does not give each device one tile.
static std::optional<ArrayTiles> tilesOf(llvm::StringRef message, size_t rank,
                                         size_t devices) {
  StatusOr<sdy::HloSharding> sharding = sdy::decodeHloSharding(message);
  if (!sharding.ok()) {
    return std::nullopt;
  }
  if (sharding->kind == sdy::HloSharding::Kind::Replicated) {
    return ArrayTiles{std::vector<int64_t>(rank, 1),
                      {devices, std::vector<int64_t>(rank, 0)}};
  }
  if (sharding->kind != sdy::HloSharding::Kind::Tiled ||
      sharding->getRank() != rank ||
      sharding->getDeviceCount() != static_cast<int64_t>(devices)) {
    return std::nullopt;
  }
  ArrayTiles tiles;
  tiles.counts.assign(sharding->tiles.begin(), sharding->tiles.begin() + rank);
  tiles.indices.resize(devices);
  for (auto [at, device] : llvm::enumerate(sharding->listDevices())) {
    std::vector<int64_t> index(sharding->tiles.size());
    auto rest = static_cast<int64_t>(at);
    for (size_t i = index.size(); i-- > 0;) {
      index[i] = rest % sharding->tiles[i];
      rest /= sharding->tiles[i];
    }
    index.resize(rank);
    tiles.indices[device] = std::move(index);
  }
  return tiles;
}

namespace {
/// An array that is sharded on devices.
struct WholeArray {
  Shape shape;
  ArrayTiles tiles;

  static std::optional<WholeArray> of(Shape piece, llvm::StringRef sharding,
                                      size_t devices) {
    std::optional<ArrayTiles> tiles =
        tilesOf(sharding, piece.dimensions.size(), devices);
    if (!tiles) {
      return std::nullopt;
    }
    for (size_t i = 0; i < piece.dimensions.size(); ++i) {
      piece.dimensions[i] *= tiles->counts[i];
    }
    return WholeArray{piece, *tiles};
  }

  /// Calls `visit` with the offset in bytes of each element of a device's
  /// piece, in the whole and in the piece.
  void forEach(size_t device,
               llvm::function_ref<void(int64_t, int64_t)> visit) const {
    int64_t width = byteWidth(shape.type);
    size_t rank = shape.dimensions.size();
    int64_t count = *elementCount(shape);
    for (int64_t at = 0; at < count; ++at) {
      int64_t rest = at, inPiece = 0, stride = 1;
      bool isHere = true;
      for (size_t i = rank; i-- > 0;) {
        int64_t size = shape.dimensions[i] / tiles.counts[i];
        int64_t index = rest % shape.dimensions[i];
        rest /= shape.dimensions[i];
        isHere &= index / size == tiles.indices[device][i];
        inPiece += index % size * stride;
        stride *= size;
      }
      if (isHere) {
        visit(at * width, inPiece * width);
      }
    }
  }
};
} // namespace

static int cutArguments(const ProgramSignature &signature,
                        llvm::ArrayRef<std::string> texts,
                        std::vector<DeviceArrays> &devices) {
  for (size_t i = 0; i < texts.size(); ++i) {
    auto whole = WholeArray::of(asStored(signature.arguments[i]),
                                signature.argumentShardings[i], devices.size());
    if (!whole) {
      return fail("argument " + llvm::Twine(i) + " is not cut evenly");
    }
    Memory memory(*byteSize(whole->shape));
    if (!fill(whole->shape, texts[i], memory)) {
      return fail("argument " + llvm::Twine(i) + ", " + toString(whole->shape) +
                  ", cannot be filled from '" + texts[i] + "'");
    }
    for (size_t d = 0; d < devices.size(); ++d) {
      auto *piece = static_cast<char *>(devices[d].argumentPointers[i]);
      whole->forEach(d, [&](int64_t from, int64_t to) {
        std::memcpy(piece + to, static_cast<char *>(memory.data) + from,
                    byteWidth(whole->shape.type));
      });
    }
  }
  return 0;
}

static int printWholeResults(const ProgramSignature &signature,
                             std::vector<DeviceArrays> &devices) {
  for (size_t i = 0; i < signature.results.size(); ++i) {
    auto whole = WholeArray::of(asStored(signature.results[i]),
                                signature.resultShardings[i], devices.size());
    if (!whole) {
      return fail("result " + llvm::Twine(i) + " is not cut evenly");
    }
    Memory memory(*byteSize(whole->shape));
    std::vector<bool> isKnown(*elementCount(whole->shape));
    int64_t width = byteWidth(whole->shape.type);
    bool agrees = true;
    for (DeviceArrays &device : devices) {
      auto *piece = static_cast<char *>(device.resultPointers[i]);
      whole->forEach(&device - devices.data(), [&](int64_t to, int64_t from) {
        char *at = static_cast<char *>(memory.data) + to;
        agrees &=
            !isKnown[to / width] || std::memcmp(at, piece + from, width) == 0;
        isKnown[to / width] = true;
        std::memcpy(at, piece + from, width);
      });
    }
    if (!agrees) {
      return fail("devices disagree on result " + llvm::Twine(i));
    }
    print(whole->shape, memory.data);
  }
  return 0;
}

/// Runs on all devices at once, on `threads` threads.
static Status runTogether(const AbstractProgram &program,
                          std::vector<DeviceArrays> &devices, int threads) {
  auto size = static_cast<int>(devices.size());
  RunContext context;
  if (size == 1) {
    return program.run(context, devices[0].argumentPointers.data(),
                       devices[0].resultPointers.data());
  }
  LaunchGroup launchGroup(
      size, threads, true, program.signature().name, [&](int member) {
        RunContext own = context;
        own.deviceOrdinal = own.partition = member;
        own.launchGroup = &launchGroup;
        return program.run(own, devices[member].argumentPointers.data(),
                           devices[member].resultPointers.data());
      });
  std::vector<std::thread> others;
  for (int worker = 1; worker < threads; ++worker) {
    others.emplace_back([&launchGroup, worker] { launchGroup.work(worker); });
  }
  launchGroup.work(0);
  for (std::thread &thread : others) {
    thread.join();
  }
  return launchGroup.status();
}

static int run(const AbstractProgram &program,
               llvm::ArrayRef<std::string> texts, int deviceCount, int threads,
               bool isWhole) {
  const ProgramSignature &signature = program.signature();
  size_t each = signature.arguments.size();
  if (texts.size() != each && texts.size() != each * deviceCount) {
    return fail("the program takes " + llvm::Twine(each) +
                " arguments on each device, " + llvm::Twine(texts.size()) +
                " were given");
  }
  bool isSame = texts.size() == each;
  if (isWhole &&
      (!isSame || signature.argumentShardings.size() != each ||
       signature.resultShardings.size() != signature.results.size())) {
    return fail("--whole takes one list of arguments, of a program that was "
                "divided");
  }
  std::vector<DeviceArrays> devices(deviceCount);
  for (int d = 0; d < deviceCount; ++d) {
    if (int code = devices[d].make(
            signature, isSame ? texts : texts.slice(d * each, each), isWhole)) {
      return code;
    }
  }
  if (isWhole) {
    if (int code = cutArguments(signature, texts, devices)) {
      return code;
    }
  }
  Status status = runTogether(program, devices, threads);
  if (!status.ok()) {
    return fail(status.message());
  }
  if (isWhole) {
    return printWholeResults(signature, devices);
  }
  for (int d = 0; d < deviceCount; ++d) {
    if (deviceCount > 1) {
      llvm::outs() << "device " << d << "\n";
    }
    for (size_t i = 0; i < signature.results.size(); ++i) {
      print(asStored(signature.results[i]), devices[d].resultPointers[i]);
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  namespace cl = llvm::cl;
  cl::opt<std::string> file(cl::Positional, cl::Required, cl::desc("FILE"));
  cl::list<std::string> arguments(cl::Positional, cl::desc("ARGUMENT..."));
  cl::opt<Backend> backend(
      "backend", cl::desc("what runs the program"), cl::init(Backend::Native),
      cl::values(
          clEnumValN(Backend::Native, "native", "machine code"),
          clEnumValN(Backend::Reference, "reference", "the interpreter")));
  cl::opt<int> devices("devices", cl::desc("how many run the program"),
                       cl::init(1));
  cl::opt<int> threads("threads", cl::desc("on which the devices run"),
                       cl::init(1));
  cl::opt<bool> isLocal("local",
                        cl::desc("the program is that of one device already"));
  cl::opt<bool> isWhole("whole", cl::desc("take and print whole arrays"));
  cl::opt<bool> printsProgram("print-program",
                              cl::desc("print the optimised program first"));
  cl::ParseCommandLineOptions(argc, argv, "Runs the program in a file\n");

  if (Status status = registerTestHandlers(); !status.ok()) {
    return fail(status.message());
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file);
  if (!buffer) {
    return fail(file + ": " + buffer.getError().message());
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  if (devices < 1 || threads < 1 || threads > devices) {
    return fail("--devices is at least 1, and --threads from 1 to that");
  }
  CompileOptions options;
  options.backend = backend;
  options.partitions = devices;
  options.isToBeDivided = !isLocal;
  StatusOr<std::unique_ptr<AbstractProgram>> program =
      compileProgram({text.data(), text.size()}, options);
  if (!program.ok()) {
    return fail(program.status().message());
  }
  if (printsProgram) {
    auto described = describeProgram({text.data(), text.size()}, options);
    llvm::outs() << (described.ok() ? described->text
                                    : described.status().message());
  }
  std::vector<std::string> texts(arguments.begin(), arguments.end());
  return run(**program, texts, devices, threads, isWhole);
}
