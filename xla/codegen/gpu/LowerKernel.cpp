//===- LowerKernel.cpp - Neutral LLVM IR from the kernel form -------------===//
//
// Every thread of a block goes through the steps of a kernel. What stands in a
// loop marked as a vector is done by the thread that has the index; what stands
// outside of such loops is computed by each of them, and stored by the first.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/gpu/LowerKernel.h"

#include "xla/codegen/cpu/LowerKernel.h"
#include "xla/codegen/gpu/Intrinsics.h"
#include "xla/codegen/gpu/LowerMatrices.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace xla::gpu {

using cpu::Element;
using kernel::Code;
using kernel::Id;
using kernel::Mark;
using kernel::Step;

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

static int64_t roundsOf(int64_t count, int64_t each) {
  return (count + each - 1) / each;
}

/// How many indices of the axis at `axis` a block takes.
static int64_t chunkOf(const kernel::Kernel &kernel, Id axis, int64_t threads) {
  const Step &step = kernel.steps[axis];
  // A loop over what the block takes, shared out by its threads.
  int depth = 0;
  for (Id id = axis + 2; id < static_cast<Id>(kernel.steps.size()); ++id) {
    const Step &inner = kernel.steps[id];
    if (depth == 0 && inner.code == Code::End) {
      break;
    }
    if (depth == 0 && inner.code == Code::Loop && inner.mark == Mark::Vector &&
        inner.operands[0] == axis && inner.operands[1] == axis + 1) {
      return std::max(step.least, threads);
    }
    depth += inner.opensScope();
    depth -= inner.code == Code::End;
  }
  return std::max<int64_t>(step.least, 1);
}

Grid gridOf(const kernel::Kernel &kernel, const Target &target) {
  constexpr int64_t mostBlocks = (int64_t(1) << 31) - 1;
  Grid grid = {1, target.threads};
  for (auto [i, step] : llvm::enumerate(kernel.steps)) {
    if (step.code == Code::Parallel) {
      int64_t chunk = chunkOf(kernel, static_cast<Id>(i), grid.threads);
      grid.blocks = std::max(grid.blocks, roundsOf(step.number, chunk));
    }
  }
  grid.blocks = std::min(grid.blocks, mostBlocks);
  return grid;
}

//===----------------------------------------------------------------------===//
// The code
//===----------------------------------------------------------------------===//

llvm::Value *callProcessor(llvm::IRBuilder<> &b, llvm::StringRef symbol,
                           llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments) {
    types.push_back(argument->getType());
  }
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  auto *callee = llvm::cast<llvm::Function>(
      module
          .getOrInsertFunction(symbol,
                               llvm::FunctionType::get(result, types, false))
          .getCallee());
  callee->setDoesNotThrow();
  if (symbol == threadSymbol || symbol == blockSymbol) {
    callee->setDoesNotAccessMemory();
    callee->setWillReturn();
    return b.CreateCall(callee, arguments);
  }
  callee->setConvergent();
  if (symbol == exchangeSymbol || (symbol.starts_with(multiplySymbol))) {
    callee->setDoesNotAccessMemory();
  }
  return b.CreateCall(callee, arguments);
}

namespace {

/// An emitter of one function that belongs to no program.
class KernelEmitter : public cpu::Emitter {
public:
  KernelEmitter(llvm::Module &module, const cpu::FusionPlan &fusion,
                const cpu::RowGroups &rows, const cpu::BufferPlan &buffers)
      : Emitter(module, fusion, rows, buffers, {}, 1) {
    compiler = "the GPU compiler";
  }

  void define(llvm::Function *function, llvm::function_ref<void()> body) {
    Frame only(function, nullptr, Frame::Body);
    frame = &only;
    body();
    builder().CreateRetVoid();
    frame = nullptr;
  }
};

class Lowering : public cpu::KernelLowering {
public:
  Lowering(KernelEmitter &e, const kernel::Kernel &kernel, const Grid &grid,
           const Target &target, llvm::ArrayRef<llvm::Value *> buffers)
      : KernelLowering(e, kernel), grid(grid),
        target(targetOfProducts(kernel, target)), buffers(buffers) {
    groupsLines = false; // threads take lines far apart
  }

private:
  void lowerScope(Id opener, Id end) override;
  void lowerStep(Id id, const Step &step) override;
  Element load(const Step &step) override;
  void store(const Step &step) override;
  Element exchange(const Step &step) override;
  /// Other threads run while one waits for memory.
  void prefetch(const Step & /*step*/) override {}
  void lowerAxis(Id opener, Id end);
  void lowerThreads(Id opener, Id end);
  llvm::Value *call(llvm::StringRef symbol, llvm::Type *result,
                    llvm::ArrayRef<llvm::Value *> arguments) {
    return callProcessor(e.builder(), symbol, result, arguments);
  }
  void lowerCall(const Step &step);
  llvm::Value *number(llvm::StringRef symbol) {
    return e.builder().CreateZExt(call(symbol, e.builder().getInt32Ty(), {}),
                                  e.builder().getInt64Ty());
  }
  llvm::Value *address(const Step &step, llvm::Value *linear, int64_t part);
  llvm::Value *exchangeBits(llvm::Value *x, int64_t distance);

  const Grid &grid;
  Target target;
  llvm::ArrayRef<llvm::Value *> buffers;
  bool isInAxis = false;
  bool isOfThread = false; ///< in a loop that threads share out
};

} // namespace

/// A block takes as many indices of an axis as any other; the last ones fewer.
void Lowering::lowerAxis(Id opener, Id end) {
  int64_t count = kernel.steps[opener].number;
  llvm::Value *first = e.constant(0), *last = e.constant(count);
  if (kernel.steps[opener].code == Code::Parallel && !isInAxis) {
    int64_t chunk = std::max(chunkOf(kernel, opener, grid.threads),
                             roundsOf(count, grid.blocks));
    llvm::IRBuilder<> &b = e.builder();
    first = b.CreateNSWMul(number(blockSymbol), e.constant(chunk), "first");
    llvm::Value *stop = b.CreateNSWAdd(first, e.constant(chunk));
    // Behind the end of the axis where another one has more blocks.
    last = chunk * grid.blocks == count
               ? stop
               : b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, stop, last);
  }
  indices[opener] = first;
  indices[opener + 1] = last;
  bool outer = std::exchange(isInAxis, true);
  lowerRange(opener + 2, end);
  isInAxis = outer;
}

/// for (i = begin + thread; i < end; i += threads)
void Lowering::lowerThreads(Id opener, Id end) {
  llvm::IRBuilder<> &b = e.builder();
  const Step &step = kernel.steps[opener];
  llvm::Value *begin = indexAt(step, 0), *stop = indexAt(step, 1);
  llvm::Value *first = b.CreateNSWAdd(begin, number(threadSymbol), "index");
  isOfThread = true;
  auto constantEnd = e.knownIndex(stop), constantBegin = e.knownIndex(begin);
  const Step &upper = kernel.steps[step.operands[1]];
  bool isOfAxis =
      step.operands[0] >= 0 &&
      kernel.steps[step.operands[0]].code == Code::Parallel &&
      upper.code == Code::RangeEnd &&
      chunkOf(kernel, step.operands[0], grid.threads) == grid.threads &&
      kernel.steps[step.operands[0]].number <= grid.blocks * grid.threads;
  bool isOneRound = isOfAxis || (constantEnd && constantBegin &&
                                 *constantEnd - *constantBegin <= grid.threads);
  if (isOneRound) {
    auto body = [&] {
      indices[opener] = first;
      lowerRange(opener + 1, end);
    };
    if (!isOfAxis && *constantEnd - *constantBegin == grid.threads) {
      body();
    } else {
      e.when(b.CreateICmpSLT(first, stop), body);
    }
  } else {
    bool areEqual = constantEnd && constantBegin &&
                    (*constantEnd - *constantBegin) % grid.threads == 0;
    llvm::Value *rest = b.CreateNSWSub(stop, areEqual ? begin : first);
    llvm::Value *rounds =
        b.CreateSDiv(b.CreateNSWAdd(rest, e.constant(grid.threads - 1)),
                     e.constant(grid.threads));
    e.loop(e.constant(0), rounds, [&](llvm::Value *round) {
      indices[opener] = e.add(
          first, e.builder().CreateNSWMul(round, e.constant(grid.threads)));
      lowerRange(opener + 1, end);
    });
  }
  isOfThread = false;
}

void Lowering::lowerScope(Id opener, Id end) {
  const Step &step = kernel.steps[opener];
  if (step.code == Code::Parallel || step.code == Code::Sequential) {
    lowerAxis(opener, end);
  } else if (step.code == Code::Loop && step.mark == Mark::Vector &&
             !isOfThread) {
    lowerThreads(opener, end);
  } else {
    KernelLowering::lowerScope(opener, end);
  }
}

void Lowering::lowerStep(Id id, const Step &step) {
  if (step.code == Code::Barrier) {
    if (step.scope == kernel::Scope::Block) {
      call(barrierSymbol, e.builder().getVoidTy(), {});
    }
    return;
  }
  if (step.code == Code::Call) {
    lowerCall(step);
    return;
  }
  KernelLowering::lowerStep(id, step);
}

void Lowering::lowerCall(const Step &step) {
  MatrixCall call;
  call.entry = step.entry;
  for (auto [n, id] : llvm::enumerate(step.operands)) {
    if (id < kernel::noId) {
      call.buffers.push_back(&kernel.buffers[-(id + 2)]);
      call.memory.push_back(buffers[-(id + 2)]);
    } else {
      call.indices.push_back(indexAt(step, n));
    }
  }
  lowerMatrixCall(e, call, target);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::Value *Lowering::address(const Step &step, llvm::Value *linear,
                               int64_t part) {
  ElementType type = kernel.buffers[step.number].type;
  if (isComplex(type)) {
    linear = e.builder().CreateShl(linear, 1);
    linear = part ? e.builder().CreateAdd(linear, e.constant(1)) : linear;
  }
  return e.builder().CreateInBoundsGEP(cpu::memoryType(type, e.context()),
                                       buffers[step.number], linear);
}

Element Lowering::load(const Step &step) {
  llvm::Type *memory = cpu::memoryType(step.type, e.context());
  llvm::Value *linear = indexAt(step, 0);
  auto read = [&](int64_t part) {
    return e.fromMemory(
        step.type, e.builder().CreateLoad(memory, address(step, linear, part)));
  };
  Element element = {read(0), nullptr};
  element.imag = isComplex(step.type) ? read(1) : nullptr;
  return element;
}

void Lowering::store(const Step &step) {
  ElementType type = kernel.buffers[step.number].type;
  llvm::Value *linear = indexAt(step, 0);
  Element element = elementAt(step, 1);
  auto write = [&] {
    e.builder().CreateStore(e.toMemory(type, element.real),
                            address(step, linear, 0));
    if (element.imag) {
      e.builder().CreateStore(element.imag, address(step, linear, 1));
    }
  };
  bool isScratchOfThread =
      kernel.buffers[step.number].memory == kernel::Buffer::Scratch &&
      kernel.buffers[step.number].scope == kernel::Scope::Thread;
  if (isOfThread || isScratchOfThread) {
    write();
    return;
  }
  e.when(e.builder().CreateICmpEQ(number(threadSymbol), e.constant(0)), write);
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// The bits of an element, 32 at a time.
llvm::Value *Lowering::exchangeBits(llvm::Value *x, int64_t distance) {
  llvm::IRBuilder<> &b = e.builder();
  auto width = static_cast<unsigned>(x->getType()->getPrimitiveSizeInBits());
  llvm::Type *word = b.getInt32Ty(), *bitsType = b.getIntNTy(width);
  llvm::Value *bits = b.CreateBitCast(x, bitsType);
  unsigned whole = std::max(32U, width);
  llvm::Value *wide = b.CreateZExt(bits, b.getIntNTy(whole));
  llvm::Value *result = nullptr;
  for (unsigned shift = 0; shift < whole; shift += 32) {
    llvm::Value *part = b.CreateTrunc(b.CreateLShr(wide, shift), word);
    part = call(exchangeSymbol, word,
                {part, b.getInt32(static_cast<uint32_t>(distance))});
    part = b.CreateShl(b.CreateZExt(part, wide->getType()), shift);
    result = result ? b.CreateOr(result, part) : part;
  }
  return b.CreateBitCast(b.CreateTrunc(result, bitsType), x->getType());
}

Element Lowering::exchange(const Step &step) {
  Element x = elementAt(step, 0);
  return {exchangeBits(x.real, step.number),
          x.imag ? exchangeBits(x.imag, step.number) : nullptr};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// What the GPU has no code for, if a kernel has it.
static std::string lackedBy(const kernel::Kernel &kernel,
                            const Target &target) {
  for (const kernel::Buffer &buffer : kernel.buffers) {
    if (buffer.memory == kernel::Buffer::Scratch &&
        buffer.scope == kernel::Scope::Grid) {
      return "scratch memory of the grid";
    }
  }
  for (const Step &step : kernel.steps) {
    switch (step.code) {
    case Code::Call:
      if (std::string wrong = checkMatrixCall(kernel, step, target);
          !wrong.empty()) {
        return wrong;
      }
      break;
    case Code::OfRows:
      return "rows of a row group";
    case Code::GreatestOf:
    case Code::SmallestOf:
      return "extremes of rows in memory";
    case Code::Scalar:
      return "scalars in registers of the host";
    case Code::Barrier:
      if (step.scope == kernel::Scope::Grid) {
        return "barriers of the grid";
      }
      break;
    default:
      break;
    }
  }
  return "";
}

/// Memory for scratch: a thread's on its stack, a block's shared.
static llvm::Value *scratchOf(KernelEmitter &e, const kernel::Buffer &buffer,
                              const llvm::Twine &name) {
  int64_t count = isComplex(buffer.type) ? 2 : 1;
  for (int64_t size : buffer.shape) {
    count *= size;
  }
  llvm::Type *type = llvm::ArrayType::get(
      cpu::memoryType(buffer.type, e.context()), static_cast<uint64_t>(count));
  if (buffer.scope == kernel::Scope::Thread) {
    return e.frameSlot(type);
  }
  auto *variable = new llvm::GlobalVariable(
      e.module, type, false, llvm::GlobalValue::InternalLinkage,
      llvm::PoisonValue::get(type), name, nullptr,
      llvm::GlobalValue::NotThreadLocal, blockMemory);
  // As units that read cells of matrices need it.
  variable->setAlignment(llvm::Align(128));
  return variable;
}

static llvm::Function *declareKernel(const kernel::Kernel &kernel,
                                     const Grid &grid, llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  llvm::SmallVector<const kernel::Buffer *> parameters;
  for (const kernel::Buffer &buffer : kernel.buffers) {
    if (buffer.memory != kernel::Buffer::Scratch) {
      parameters.push_back(&buffer);
    }
  }
  llvm::SmallVector<llvm::Type *> types(
      parameters.size(), llvm::PointerType::get(context, globalMemory));
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
      llvm::GlobalValue::ExternalLinkage, kernel.name, module);
  function->setDoesNotThrow();
  function->addFnAttr(threadsAttribute, std::to_string(grid.threads));
  for (auto [i, buffer] : llvm::enumerate(parameters)) {
    unsigned number = static_cast<unsigned>(i);
    if (!buffer->isWritten) {
      function->addParamAttr(number, llvm::Attribute::ReadOnly);
    }
    function->addParamAttr(
        number, llvm::Attribute::getWithAlignment(context, llvm::Align(16)));
  }
  return function;
}

Status lowerKernel(const kernel::Kernel &kernel, const Target &target,
                   llvm::Module &module) {
  std::string lacked = lackedBy(kernel, target);
  if (!lacked.empty()) {
    return unimplemented("the GPU compiler has no code for " + lacked +
                         " of the kernel '" + kernel.name + "'");
  }
  Grid grid = gridOf(kernel, target);
  llvm::Function *function = declareKernel(kernel, grid, module);
  cpu::FusionPlan fusion;
  cpu::RowGroups rows;
  cpu::BufferPlan plan;
  KernelEmitter e(module, fusion, rows, plan);
  e.define(function, [&] {
    llvm::SmallVector<llvm::Value *> buffers;
    unsigned parameter = 0;
    for (auto [i, buffer] : llvm::enumerate(kernel.buffers)) {
      bool isScratch = buffer.memory == kernel::Buffer::Scratch;
      buffers.push_back(
          isScratch
              ? scratchOf(e, buffer, kernel.name + ".scratch" + llvm::Twine(i))
              : function->getArg(parameter++));
    }
    Lowering(e, kernel, grid, target, buffers).lower();
  });
  return e.status;
}

} // namespace xla::gpu
