//===- LoopNest.cpp - Elementwise operations in one nest of loops ---------===//
//
// The values of a region are computed together, at one index after the other.
// How the loops go is chosen here too; where arrays are read across the lines
// that are written, by tiles (TiledRegion.cpp).
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/JoinedDimensions.h"
#include "xla/codegen/cpu/KernelBuilder.h"
#include "xla/codegen/cpu/LowerKernel.h"
#include "xla/codegen/cpu/MachineCode.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/elementwise/Subnormals.h"
#include "xla/codegen/cpu/lower/elementwise/TiledRegion.h"
#include "xla/codegen/cpu/lower/reduce/ReductionKernel.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// What an output of a nest is taken to cost per element, in additions.
static constexpr double costPerOutput = 2.0;

/// A reshaped array has its elements in the same order, and they are computed
/// by the dimensions there: those of the result would have to be divided.
static Value withoutReshapes(Value value, int64_t reshapes) {
  for (int64_t i = 0; i < reshapes; ++i) {
    value = value.getDefiningOp<ReshapeOp>().getOperand();
  }
  return value;
}

static int64_t countReshapes(const FusionPlan &fusion, Value value) {
  int64_t count = 0;
  auto reshape = value.getDefiningOp<ReshapeOp>();
  while (reshape && fusion.formOf(reshape.getOperand()) == Form::Inline) {
    reshape = reshape.getOperand().getDefiningOp<ReshapeOp>();
    ++count;
  }
  return count;
}

Kernel chooseNest(Operation *op, const FusionPlan &fusion,
                  const RowGroups &rows) {
  llvm::ArrayRef<Value> outputs = fusion.regionAt(op);
  LoopSite site = siteOf(op, rows);
  Kernel kernel = {Strategy::LoopNest};
  Value walked;
  if (outputs.size() == 1 && !site.groupRows) {
    if (int64_t reshapes = countReshapes(fusion, outputs.front())) {
      kernel.sizes.push_back({"reshapes", reshapes});
      walked = withoutReshapes(outputs.front(), reshapes);
      outputs = walked;
    }
  }
  if (chooseTiles(fusion, outputs, kernel)) {
    return kernel;
  }
  llvm::ArrayRef<int64_t> shape = shapeOf(outputs.front());
  bool isFlat = fusion.prefersLinear(outputs);
  llvm::SmallVector<int64_t> breaks, joined(shape);
  if (!isFlat || shape.size() == 1) {
    breaks = findBreaks(fusion, outputs);
    cutAtLines(breaks, shape.back(),
               byteWidth(elementTypeOf(outputs.front().getType())));
  }
  if (!isFlat && breaks.empty() && !site.groupRows) {
    joined = joinedShape(fusion, shape, outputs,
                         [](int64_t, int64_t) { return true; });
  }
  int code = fusion.codeAt(op);
  kernel.loops = planLoops(joined, isFlat,
                           costPerOutput * static_cast<double>(outputs.size()),
                           site, breaks, code);
  double work = static_cast<double>(elementCountOf(outputs.front())) *
                costPerOutput * static_cast<double>(outputs.size());
  if (site.inLoop && !site.groupRows && !isWorthSharing(work) &&
      isWorthTwoForms(fusion, outputs, code)) {
    kernel.sizes.push_back({"forms", 2});
  }
  return kernel;
}

namespace {

/// What the nest at an operation computes, and where it goes.
struct Nest {
  Nest(Operation *op, const FusionPlan &fusion, const BufferPlan &buffers)
      : kernel(kernelOf(op)), outputs(fusion.regionAt(op)) {
    for (Value output : outputs) {
      slices.push_back(buffers.sliceOf(output));
    }
    walked = withoutReshapes(outputs.front(), kernel.size("reshapes", 0));
    if (outputs.size() == 1) {
      outputs = walked;
    }
  }

  Kernel kernel;
  Value walked;
  llvm::ArrayRef<Value> outputs;
  llvm::SmallVector<BufferSlice> slices;
};

} // namespace

/// The kernel of the step at `op`; none if it is emitted directly.
static std::optional<kernel::Kernel> buildKernel(Operation *op,
                                                 const Schedule &schedule,
                                                 const BufferPlan &buffers) {
  const FusionPlan &fusion = schedule.fusion();
  Kernel chosen = kernelOf(op);
  if (auto reduce = llvm::dyn_cast<ReduceOp>(op)) {
    auto builder = reductionKernel(reduce, fusion, schedule.rows(), buffers);
    return builder ? std::optional(builder->build()) : std::nullopt;
  }
  if (chosen.strategy != Strategy::LoopNest) {
    return std::nullopt;
  }
  KernelBuilder form(fusion, buffers, siteOf(op, schedule.rows()).groupRows);
  if (auto update = llvm::dyn_cast<DynamicUpdateSliceOp>(op)) {
    return form.build(update, buffers.sliceOf(update.getResult()),
                      chosen.loops);
  }
  Nest nest(op, fusion, buffers);
  return form.build(nest.outputs, nest.slices, nest.kernel.loops);
}

void printKernels(const Schedule &schedule, const BufferPlan &buffers,
                  llvm::raw_ostream &out) {
  int64_t count = 0;
  schedule.body().walk([&](Operation *op) {
    if (auto kernel = buildKernel(op, schedule, buffers)) {
      kernel->name += std::to_string(count++);
      kernel->print(out);
    }
  });
}

static int64_t bytesOf(const kernel::Buffer &buffer) {
  return llvm::product_of(buffer.shape) * byteWidth(buffer.type);
}

/// Whether what a kernel writes goes past the caches. None of so much is left
/// in the last one when it is read again, if as much is read beside it; and
/// what is written where it was read is in a cache already.
bool Emitter::isStreamed(const kernel::Kernel &kernel,
                         llvm::ArrayRef<BufferSlice> written) const {
  int64_t bytesWritten = 0, bytesRead = 0;
  for (const kernel::Buffer &buffer : kernel.buffers) {
    (buffer.isWritten ? bytesWritten : bytesRead) += bytesOf(buffer);
    if (buffer.isWritten && buffer.memory == kernel::Buffer::Rows) {
      return false;
    }
  }
  if (bytesWritten < cpuTarget.streamed || bytesRead < bytesWritten / 2) {
    return false;
  }
  return llvm::none_of(kernel.steps, [&](const kernel::Step &step) {
    return step.code == kernel::Code::Load &&
           llvm::any_of(written, [&](const BufferSlice &slice) {
             return overlaps(slice, sliceOf(kernel.buffers[step.number]));
           });
  });
}

/// Whether a member of a row group reads what the step at `op` writes, while it
/// is in a cache.
static bool isReadInGroup(const RowGroup *group,
                          llvm::ArrayRef<Value> outputs) {
  return group && llvm::any_of(group->members, [&](const RowMember &member) {
           return llvm::any_of(member.reads, [&](const RowRead &read) {
             return llvm::is_contained(outputs, read.value);
           });
         });
}

/// Of what a row group reads from memory: the next block while this one is
/// computed.
void Emitter::readBlocksAhead(const kernel::Kernel &kernel, Writes &accesses) {
  for (const kernel::Buffer &buffer : kernel.buffers) {
    BufferSlice slice = sliceOf(buffer);
    int64_t bytes = bytesOf(buffer), row = bytes / rowBlock->rows;
    if (!buffer.isWritten && slice.kind != BufferSlice::Rows &&
        bytes >= cpuTarget.lastCacheShare && row >= cpuTarget.cacheLine &&
        !llvm::is_contained(rowBlock->fetched, slice)) {
      rowBlock->fetched.push_back(slice);
      accesses.readAhead(slice, row * rowBlock->height);
    }
  }
}

void Emitter::emitRegion(Operation *op) {
  Nest nest(op, fusion, buffers);
  Writes written(*this, nest.slices);
  if (nest.kernel.strategy == Strategy::Tiles) {
    emitTiledRegion(*this, nest.kernel, nest.outputs, nest.slices);
    return;
  }
  KernelBuilder form(fusion, buffers, site().groupRows);
  kernel::Kernel built =
      form.build(nest.outputs, nest.slices, nest.kernel.loops);
  if (!isComplete(*this, form, built, op)) {
    return;
  }
  if ((rowBlock || nest.kernel.loops.grain) &&
      !isReadInGroup(rowGroups.groupOf(op), fusion.regionAt(op)) &&
      isStreamed(built, nest.slices)) {
    written.stream();
  }
  if (rowBlock) {
    readBlocksAhead(built, written);
  }
  auto emit = [&] { lowerKernel(*this, built); };
  // Only the entry function keeps what a round has found out for the next.
  if (nest.kernel.size("forms", 1) == 2 && frame->kind == Frame::Entry &&
      hostProcessor().areSubnormalsSlow) {
    emitInTwoForms(emit);
  } else {
    emit();
  }
}

} // namespace xla::cpu
