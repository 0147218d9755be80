//===- Emulator.cpp - Kernels run and checked on this processor -----------===//

#include "xla/codegen/gpu/Emulator.h"

#include "xla/codegen/gpu/Assemble.h"
#include "xla/codegen/gpu/EmulateMatrices.h"
#include "xla/codegen/gpu/Intrinsics.h"
#include "xla/codegen/gpu/MatrixTiles.h"
#include "xla/runtime/Fiber.h"
#include "xla/support/StatusMacros.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

#include <cstring>

namespace xla::gpu {

/// ptr(i32 buffer, i64 offset, i32 bytes, i1 writes, ptr memory): `memory`, or
/// other memory where the access is not allowed.
static constexpr llvm::StringLiteral accessSymbol = "xla.gpu.access";

//===----------------------------------------------------------------------===//
// A running kernel
//===----------------------------------------------------------------------===//

/// Who has written and read an element.
struct Touch {
  int32_t block = -1, thread = -1, epoch = -1;
};
struct Shadow {
  Touch write, read;
  bool isReadByMany = false; ///< of the block, since the last barrier
  bool isReadByBlocks = false;
};

/// A copy to memory of the block that has begun. It is done when it is waited
/// for, as late as it can be.
struct Fetch {
  int32_t toBuffer = 0, fromBuffer = 0;
  int64_t toOffset = 0, fromOffset = 0;
  int32_t bytes = 0;
  bool isThere = false;
  void *to = nullptr;
  const void *from = nullptr;
};

class Emulation {
public:
  Emulation(const Emulator::Code &kernel, llvm::ArrayRef<void *> buffers);
  Status run();

  void *access(int32_t buffer, int64_t offset, int32_t bytes, bool writes,
               void *memory);
  void wait();
  int32_t exchange(int32_t value, int32_t distance);
  void multiply(int32_t kind, const LaneOperands &operands);
  void fetch(const Fetch &fetch);
  void endGroup() { threads[thread]->groups.emplace_back(); }
  void await(int32_t groups);

  int32_t block = 0, thread = 0;

private:
  enum class State : uint8_t { Runs, Waits, Exchanges, Multiplies, Ended };
  struct Thread {
    Emulation *owner = nullptr;
    int32_t number = 0;
    State state = State::Runs;
    int32_t value = 0, distance = 0;
    int32_t kind = 0; ///< of a product
    LaneOperands operands;
    std::vector<std::vector<Fetch>> groups = {{}}; ///< the last is open
    Fiber fiber;
  };

  void fail(const llvm::Twine &what);
  void runBlock();
  bool resumeAll();
  bool exchangeAll();
  bool multiplyAll();
  void checkElement(int32_t buffer, int64_t element, bool writes);
  void releaseBarrier();
  void enterBlock();
  static void runThread(void *context);

  const Emulator::Code &kernel;
  std::vector<void *> pointers;
  std::vector<std::vector<Shadow>> shadows; ///< by buffer
  std::vector<std::unique_ptr<Thread>> threads;
  int32_t epoch = 0; ///< barriers that this block has gone through
  bool isOver = false;
  std::string faults;
  alignas(64) char spare[64] = {};
};

static thread_local Emulation *current = nullptr;

Emulation::Emulation(const Emulator::Code &kernel,
                     llvm::ArrayRef<void *> buffers)
    : kernel(kernel), pointers(buffers.begin(), buffers.end()) {
  for (const Emulator::Region &region : kernel.regions) {
    shadows.emplace_back(region.bytes / region.elementBytes);
  }
}

void Emulation::fail(const llvm::Twine &what) {
  if (faults.empty()) { // the first says most
    faults = ("the kernel '" + kernel.name + "': " + what + ", in thread " +
              llvm::Twine(thread) + " of block " + llvm::Twine(block))
                 .str();
  }
}

void *Emulation::access(int32_t buffer, int64_t offset, int32_t bytes,
                        bool writes, void *memory) {
  const Emulator::Region &region = kernel.regions[buffer];
  auto element = [&] {
    return "element " + std::to_string(offset / region.elementBytes) + " of " +
           region.name;
  };
  if (offset < 0 || offset + bytes > region.bytes) {
    fail(llvm::Twine(writes ? "a write of " : "a read of ") + element() +
         ", which has " + llvm::Twine(region.bytes / region.elementBytes));
    return spare;
  }
  if (writes && !region.isWritten) {
    fail("a write of " + element() + ", which is only read");
    return spare;
  }
  int64_t last = (offset + bytes - 1) / region.elementBytes;
  for (int64_t i = offset / region.elementBytes; i <= last; ++i) {
    checkElement(buffer, i, writes);
  }
  return memory;
}

/// Whether other threads access an element of a buffer too.
void Emulation::checkElement(int32_t buffer, int64_t element, bool writes) {
  const Emulator::Region &region = kernel.regions[buffer];
  auto named = [&] {
    return "element " + std::to_string(element) + " of " + region.name;
  };
  Shadow &shadow = shadows[buffer][element];
  auto conflicts = [&](const Touch &touch) {
    return touch.block >= 0 &&
           (touch.block != block ||
            (touch.epoch == epoch && touch.thread != thread));
  };
  bool otherReads = conflicts(shadow.read) || shadow.isReadByBlocks ||
                    (shadow.isReadByMany && shadow.read.epoch == epoch);
  if (conflicts(shadow.write) || (writes && otherReads)) {
    const Touch &touch = conflicts(shadow.write) ? shadow.write : shadow.read;
    fail("a race: " + named() + " is " +
         (conflicts(shadow.write) ? "written" : "read") + " by thread " +
         llvm::Twine(touch.thread) + " of block " + llvm::Twine(touch.block) +
         " and " + (writes ? "written" : "read") + " with no barrier between");
  }
  if (!writes && region.isScratch && shadow.write.block < 0) {
    fail("a read of " + named() + ", which nobody has written");
  }
  if (writes) {
    shadow.write = {block, thread, epoch};
    return;
  }
  bool isSame = shadow.read.block == block && shadow.read.epoch == epoch;
  shadow.isReadByBlocks |= shadow.read.block >= 0 && shadow.read.block != block;
  shadow.isReadByMany =
      isSame && (shadow.isReadByMany || shadow.read.thread != thread);
  shadow.read = {block, thread, epoch};
}

void Emulation::wait() {
  threads[thread]->state = State::Waits;
  threads[thread]->fiber.pause();
}

int32_t Emulation::exchange(int32_t value, int32_t distance) {
  Thread &own = *threads[thread];
  own.state = State::Exchanges;
  own.value = value;
  own.distance = distance;
  own.fiber.pause();
  return own.value;
}

void Emulation::multiply(int32_t kind, const LaneOperands &operands) {
  Thread &own = *threads[thread];
  own.state = State::Multiplies;
  own.kind = kind;
  own.operands = operands;
  own.fiber.pause();
}

/// The memory is not to be written any more from here on until it is there.
void Emulation::fetch(const Fetch &fetch) {
  threads[thread]->groups.back().push_back(fetch);
}

void Emulation::await(int32_t count) {
  auto &groups = threads[thread]->groups;
  // The open one is of no group yet.
  while (static_cast<int64_t>(groups.size()) - 1 > count) {
    for (const Fetch &one : groups.front()) {
      char zeros[16] = {};
      const void *from = zeros;
      if (one.isThere) {
        from = access(one.fromBuffer, one.fromOffset, one.bytes, false,
                      const_cast<void *>(one.from));
      }
      std::memcpy(access(one.toBuffer, one.toOffset, one.bytes, true, one.to),
                  from, static_cast<size_t>(one.bytes));
    }
    groups.erase(groups.begin());
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// All blocks, one after the other.
void Emulation::runThread(void *context) {
  auto *own = static_cast<Thread *>(context);
  while (!own->owner->isOver) {
    own->owner->kernel.entry(own->owner->pointers.data());
    own->state = State::Ended;
    own->groups = {{}};
    own->fiber.pause();
  }
}

/// Whether any thread went on.
bool Emulation::resumeAll() {
  bool any = false;
  for (auto &next : threads) {
    if (next->state == State::Runs) {
      thread = next->number;
      next->fiber.resume();
      any = true;
    }
  }
  return any;
}

/// Lets those that exchange have each other's elements; whether there are any.
bool Emulation::exchangeAll() {
  bool any = false;
  for (size_t first = 0; first < threads.size();
       first += kernel::exchangeLanes) {
    auto group = llvm::ArrayRef(threads).slice(
        first, std::min<size_t>(kernel::exchangeLanes, threads.size() - first));
    auto exchanges = [](const std::unique_ptr<Thread> &one) {
      return one->state == State::Exchanges;
    };
    if (llvm::none_of(group, exchanges)) {
      continue;
    }
    any = true;
    thread = static_cast<int32_t>(first);
    bool isWhole = llvm::all_of(group, [&](const auto &one) {
      return exchanges(one) && one->distance == group.front()->distance;
    });
    if (!isWhole) {
      fail("not all threads of a group come to an exchange");
    }
    llvm::SmallVector<int32_t> values;
    for (auto &one : group) {
      values.push_back(one->value);
    }
    for (auto [i, one] : llvm::enumerate(group)) {
      if (exchanges(one)) {
        size_t other = i ^ static_cast<size_t>(one->distance);
        one->value = isWhole ? values[other] : one->value;
        one->state = State::Runs;
      }
    }
  }
  return any;
}

/// Lets groups multiply whose threads have all come to it; whether any has.
bool Emulation::multiplyAll() {
  bool any = false;
  auto lanes = static_cast<size_t>(fragmentsOf(kernel.unit).lanes);
  for (size_t first = 0; first < threads.size(); first += lanes) {
    auto group = llvm::ArrayRef(threads).slice(
        first, std::min(lanes, threads.size() - first));
    auto multiplies = [&](const std::unique_ptr<Thread> &one) {
      return one->state == State::Multiplies;
    };
    if (llvm::none_of(group, multiplies)) {
      continue;
    }
    any = true;
    thread = static_cast<int32_t>(first);
    llvm::SmallVector<LaneOperands> operands;
    for (auto &one : group) {
      operands.push_back(one->operands);
    }
    if (group.size() == lanes && llvm::all_of(group, multiplies)) {
      multiplyFragments(kernel.unit, group.front()->kind, operands);
    } else {
      fail("not all threads of a group come to a product");
    }
    for (auto &one : group) {
      one->state = multiplies(one) ? State::Runs : one->state;
    }
  }
  return any;
}

void Emulation::releaseBarrier() {
  size_t waiting = llvm::count_if(
      threads, [](const auto &one) { return one->state == State::Waits; });
  if (waiting == 0) {
    return;
  }
  if (waiting != threads.size()) {
    fail(llvm::Twine(waiting) + " of " + llvm::Twine(threads.size()) +
         " threads come to a barrier");
  }
  ++epoch;
  for (auto &one : threads) {
    one->state = one->state == State::Waits ? State::Runs : one->state;
  }
}

/// Memory of a block has nothing in it that could be relied on.
void Emulation::enterBlock() {
  epoch = 0;
  for (auto [i, region] : llvm::enumerate(kernel.regions)) {
    if (region.isScratch) {
      std::memset(region.memory, 0xCB, region.bytes);
      shadows[i].assign(shadows[i].size(), {});
    }
  }
}

void Emulation::runBlock() {
  enterBlock();
  if (!kernel.needsFibers) {
    for (thread = 0; thread < kernel.grid.threads; ++thread) {
      kernel.entry(pointers.data());
    }
    return;
  }
  for (auto &one : threads) {
    one->state = State::Runs;
  }
  while (true) {
    if (resumeAll() || exchangeAll() || multiplyAll()) {
      continue;
    }
    if (llvm::all_of(threads, [](const auto &one) {
          return one->state == State::Ended;
        })) {
      return;
    }
    releaseBarrier();
  }
}

Status Emulation::run() {
  Emulation *outer = std::exchange(current, this);
  for (int64_t i = 0; kernel.needsFibers && i < kernel.grid.threads; ++i) {
    auto one = std::make_unique<Thread>();
    one->owner = this;
    one->number = static_cast<int32_t>(i);
    if (!one->fiber.create(runThread, one.get())) {
      return Status(StatusCode::ResourceExhausted,
                    "there is no memory for the threads of a block");
    }
    threads.push_back(std::move(one));
  }
  for (block = 0; block < kernel.grid.blocks; ++block) {
    runBlock();
  }
  isOver = true;
  for (auto &one : threads) {
    one->fiber.resume(); // which ends it
  }
  current = outer;
  return faults.empty() ? okStatus() : internalError(faults);
}

static int32_t currentThread() { return current->thread; }
static int32_t currentBlock() { return current->block; }
static void waitForBlock() { current->wait(); }
static int32_t exchangeWord(int32_t value, int32_t distance) {
  return current->exchange(value, distance);
}
static void *checkAccess(int32_t buffer, int64_t offset, int32_t bytes,
                         bool writes, void *memory) {
  return current->access(buffer, offset, bytes, writes, memory);
}

static void multiplyLanes(int32_t kind, void *sums, const uint32_t *left,
                          const uint32_t *right) {
  current->multiply(kind, {sums, left, right});
}
static void beginFetch(int32_t toBuffer, int64_t toOffset, int32_t fromBuffer,
                       int64_t fromOffset, int32_t bytes, bool isThere,
                       void *to, const void *from) {
  current->fetch(
      {toBuffer, fromBuffer, toOffset, fromOffset, bytes, isThere, to, from});
}
static void endFetchGroup() { current->endGroup(); }
static void awaitFetches(int32_t groups) { current->await(groups); }

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// The buffer that a pointer is computed from: its number in the kernel.
static int bufferOf(const llvm::Value *base,
                    const llvm::DenseMap<const llvm::Value *, int> &buffers) {
  auto found = buffers.find(base);
  return found == buffers.end() ? -1 : found->second;
}

static void checkAccesses(llvm::Function &function,
                          const llvm::DenseMap<const llvm::Value *, int> &all) {
  llvm::Module &module = *function.getParent();
  llvm::SmallVector<llvm::Instruction *> accesses;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
      accesses.push_back(&instruction);
    }
  }
  for (llvm::Instruction *access : accesses) {
    llvm::IRBuilder<> b(access);
    llvm::Value *pointer = llvm::getLoadStorePointerOperand(access);
    llvm::Value *base = llvm::getUnderlyingObject(pointer, 0);
    int buffer = bufferOf(base, all);
    if (buffer < 0) {
      continue;
    }
    llvm::Type *type = llvm::getLoadStoreType(access);
    auto bytes = static_cast<uint32_t>(
        module.getDataLayout().getTypeStoreSize(type).getFixedValue());
    llvm::Type *word = b.getInt64Ty();
    llvm::Value *offset = b.CreateSub(b.CreatePtrToInt(pointer, word),
                                      b.CreatePtrToInt(base, word));
    llvm::Type *plain = b.getPtrTy();
    auto check = module.getOrInsertFunction(
        accessSymbol,
        llvm::FunctionType::get(
            plain, {b.getInt32Ty(), word, b.getInt32Ty(), b.getInt1Ty(), plain},
            false));
    llvm::Value *allowed =
        b.CreateCall(check, {b.getInt32(static_cast<uint32_t>(buffer)), offset,
                             b.getInt32(bytes),
                             b.getInt1(llvm::isa<llvm::StoreInst>(access)),
                             b.CreateAddrSpaceCast(pointer, plain)});
    access->setOperand(llvm::isa<llvm::StoreInst>(access) ? 1 : 0, allowed);
  }
}

static bool waits(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const auto &one) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&one);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && (callee->getName() == barrierSymbol ||
                      callee->getName() == exchangeSymbol);
  });
}

/// void(ptr buffers), which calls the kernel with its parameters.
static void makeEntry(llvm::Function &function) {
  llvm::Module &module = *function.getParent();
  llvm::LLVMContext &context = module.getContext();
  auto *entry = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {llvm::PointerType::getUnqual(context)}, false),
      llvm::GlobalValue::ExternalLinkage, function.getName() + ".entry",
      module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", entry));
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &argument : function.args()) {
    llvm::Value *slot = b.CreateConstInBoundsGEP1_64(
        b.getPtrTy(), entry->getArg(0), argument.getArgNo());
    arguments.push_back(b.CreateAddrSpaceCast(b.CreateLoad(b.getPtrTy(), slot),
                                              argument.getType()));
  }
  b.CreateCall(&function, arguments);
  b.CreateRetVoid();
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
}

static int64_t bytesOf(const kernel::Buffer &buffer) {
  int64_t bytes = byteWidth(buffer.type);
  for (int64_t size : buffer.shape) {
    bytes *= size;
  }
  return bytes;
}

StatusOr<std::unique_ptr<Emulator>>
Emulator::make(llvm::ArrayRef<kernel::Kernel> kernels, const Target &target) {
  auto emulator = std::unique_ptr<Emulator>(new Emulator);
  llvm::LLVMContext context;
  XLA_ASSIGN_OR_RETURN(auto module, emitNeutral(kernels, target, context));
  for (const kernel::Kernel &kernel : kernels) {
    llvm::Function *function = module->getFunction(kernel.name);
    Code made = {kernel.name, gridOf(kernel, target), target.unit,
                 waits(*function)};
    llvm::DenseMap<const llvm::Value *, int> numbers;
    unsigned parameter = 0;
    for (auto [i, buffer] : llvm::enumerate(kernel.buffers)) {
      bool isScratch = buffer.memory == kernel::Buffer::Scratch;
      made.regions.push_back({"buffer " + std::to_string(i), bytesOf(buffer),
                              byteWidth(buffer.type), buffer.isWritten});
      if (!isScratch) {
        numbers[function->getArg(parameter++)] = static_cast<int>(i);
      } else if (buffer.scope == kernel::Scope::Block) {
        made.regions.back().isScratch = true;
        llvm::GlobalVariable *scratch = module->getNamedGlobal(
            kernel.name + ".scratch" + std::to_string(i));
        // A long module is compiled in parts, each of which has it.
        scratch->setLinkage(llvm::GlobalValue::WeakAnyLinkage);
        scratch->setInitializer(
            llvm::Constant::getNullValue(scratch->getValueType()));
        numbers[scratch] = static_cast<int>(i);
      }
    }
    expandMatrices(*function, made.unit, numbers);
    checkAccesses(*function, numbers);
    makeEntry(*function);
    emulator->kernels.push_back(std::move(made));
  }
  XLA_ASSIGN_OR_RETURN(auto objects, cpu::makeObjects(*module));
  auto symbol = [](llvm::StringRef name, auto *function) {
    return cpu::CodeSymbol{name.str(),
                           reinterpret_cast<const void *>(function)};
  };
  XLA_ASSIGN_OR_RETURN(
      emulator->code,
      cpu::loadObjects(objects, {symbol(threadSymbol, currentThread),
                                 symbol(blockSymbol, currentBlock),
                                 symbol(barrierSymbol, waitForBlock),
                                 symbol(exchangeSymbol, exchangeWord),
                                 symbol(multiplyLanesSymbol, multiplyLanes),
                                 symbol(checkedFetchSymbol, beginFetch),
                                 symbol(fetchedSymbol, endFetchGroup),
                                 symbol(awaitSymbol, awaitFetches),
                                 symbol(accessSymbol, checkAccess)}));
  for (Code &made : emulator->kernels) {
    XLA_ASSIGN_OR_RETURN(void *entry,
                         emulator->code->address(made.name + ".entry"));
    made.entry = reinterpret_cast<void (*)(void *const *)>(entry);
    for (auto [i, region] : llvm::enumerate(made.regions)) {
      if (region.isScratch) {
        XLA_ASSIGN_OR_RETURN(void *memory,
                             emulator->code->address(made.name + ".scratch" +
                                                     std::to_string(i)));
        region.memory = static_cast<char *>(memory);
      }
    }
  }
  return emulator;
}

Status Emulator::run(size_t number, llvm::ArrayRef<void *> buffers) {
  std::lock_guard<std::mutex> lock(mutex);
  return Emulation(kernels[number], buffers).run();
}

namespace {

class EmulatedKernels : public LoadedKernels {
public:
  explicit EmulatedKernels(std::unique_ptr<Emulator> emulator)
      : emulator(std::move(emulator)) {}

  Status launch(int32_t, size_t kernel,
                llvm::ArrayRef<void *> buffers) override {
    return emulator->run(kernel, buffers);
  }
  Status copy(int32_t, void *to, const void *from, int64_t bytes) override {
    std::memmove(to, from, static_cast<size_t>(bytes));
    return okStatus();
  }
  Status finish(int32_t) override { return okStatus(); }

private:
  std::unique_ptr<Emulator> emulator;
};

} // namespace

StatusOr<std::unique_ptr<LoadedKernels>>
EmulatedDevice::load(llvm::ArrayRef<kernel::Kernel> kernels,
                     const std::string & /*code*/) {
  XLA_ASSIGN_OR_RETURN(auto emulator, Emulator::make(kernels, emulated));
  return std::unique_ptr<LoadedKernels>(
      std::make_unique<EmulatedKernels>(std::move(emulator)));
}

} // namespace xla::gpu
