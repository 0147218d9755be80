//===- MemoryAccess.cpp - Arrays in memory: addresses, loads, stores ------===//

#include "xla/codegen/cpu/MemoryAccess.h"

#include "xla/codegen/cpu/MathLibrary.h"
#include "xla/codegen/cpu/QuickCode.h"
#include "xla/codegen/cpu/TargetDescription.h"

#include "llvm/IR/MDBuilder.h"

namespace xla::cpu {

MemoryAccess::MemoryAccess(llvm::Module &module, const BufferPlan &buffers,
                           llvm::ArrayRef<Donation> donations)
    : FunctionBuilder(module), buffers(buffers), donations(donations) {
  for (const Donation &donation : donations) {
    donatedTo[donation.argument] = donation.result;
  }
  aliasDomain = llvm::MDBuilder(context()).createAnonymousAliasScopeDomain();
}

/// The entry computes where a slice is; outlined functions are handed
/// the address, so that they do not depend on it.
llvm::Value *MemoryAccess::slicePointer(const BufferSlice &slice, Frame &in) {
  int64_t index = slice.index;
  if (slice.kind == BufferSlice::Rows) {
    return rowBlock->bases.lookup(index);
  }
  if (slice.kind == BufferSlice::Constant) {
    index = constantNumber(slice.constant);
  }
  if (in.kind != Frame::Entry && in.kind != Frame::Part) {
    llvm::Value *known = in.bases.lookup({slice.kind, index});
    if (!known) {
      known = capture(slicePointer(slice, *in.parent), in);
      in.bases[{slice.kind, index}] = known;
    }
    return known;
  }
  llvm::Type *pointer = in.builder.getPtrTy();
  if (slice.kind == BufferSlice::Constant) {
    return module.getOrInsertGlobal(constantSymbol(index),
                                    in.builder.getInt8Ty());
  }
  if (slice.kind == BufferSlice::Arena) {
    return index ? in.builder.CreateConstInBoundsGEP1_64(in.builder.getInt8Ty(),
                                                         in.arena, index)
                 : in.arena;
  }
  llvm::Value *table =
      slice.kind == BufferSlice::Argument ? in.arguments : in.results;
  if (stepsApart) { // used once, in a program of many: loaded there
    return in.builder.CreateLoad(
        pointer, in.builder.CreateConstInBoundsGEP1_64(pointer, table, index));
  }
  llvm::Value *&base = in.bases[{slice.kind, index}];
  if (!base) {
    llvm::IRBuilder<> entry(in.entry->getTerminator());
    base = entry.CreateLoad(
        pointer, entry.CreateConstInBoundsGEP1_64(pointer, table, index));
  }
  return base;
}

llvm::Value *MemoryAccess::pointerTo(const BufferSlice &slice) {
  return slicePointer(slice, *frame);
}

bool MemoryAccess::overlaps(const BufferSlice &a, const BufferSlice &b) const {
  if (a == b) {
    return true;
  }
  auto given = [&](const BufferSlice &x, const BufferSlice &y) {
    auto found = donatedTo.find(x.index);
    return x.kind == BufferSlice::Argument && y.kind == BufferSlice::Result &&
           found != donatedTo.end() && found->second == y.index;
  };
  return given(a, b) || given(b, a);
}

MemoryAccess::Writes::Writes(MemoryAccess &memory,
                             llvm::ArrayRef<BufferSlice> slices)
    : memory(memory), outer(memory.writes),
      written(slices.begin(), slices.end()) {
  llvm::LLVMContext &context = memory.context();
  llvm::MDBuilder metadata(context);
  // A scope says something within one function, so functions share them, and
  // equal functions look alike.
  auto newScope = [&] {
    auto &scopes = memory.aliasScopes;
    if (memory.scopesUsed == scopes.size()) {
      scopes.push_back(metadata.createAnonymousAliasScope(memory.aliasDomain));
    }
    return scopes[memory.scopesUsed++];
  };
  llvm::SmallVector<llvm::Metadata *> scopes;
  for (size_t i = 0; i < slices.size(); ++i) {
    scopes.push_back(newScope());
    own.push_back(llvm::MDNode::get(context, scopes.back()));
  }
  all = llvm::MDNode::get(context, scopes);
  llvm::Metadata *readOnly = newScope();
  rest = llvm::MDNode::get(context, readOnly);
  for (size_t i = 0; i < slices.size(); ++i) {
    llvm::SmallVector<llvm::Metadata *> list = {readOnly};
    for (size_t j = 0; j < slices.size(); ++j) {
      if (i != j) {
        list.push_back(scopes[j]);
      }
    }
    others.push_back(llvm::MDNode::get(context, list));
  }
  memory.writes = this;
}

void MemoryAccess::annotate(llvm::Instruction *access,
                            const BufferSlice &slice) {
  if (!writes) {
    return;
  }
  for (auto [i, written] : llvm::enumerate(writes->written)) {
    if (written == slice) {
      access->setMetadata(llvm::LLVMContext::MD_alias_scope, writes->own[i]);
      access->setMetadata(llvm::LLVMContext::MD_noalias, writes->others[i]);
      return;
    }
  }
  for (const BufferSlice &written : writes->written) {
    if (overlaps(written, slice)) {
      return;
    }
  }
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, writes->rest);
  access->setMetadata(llvm::LLVMContext::MD_noalias, writes->all);
}

/// A pass after vectorisation does what is said here (MoveStreams.cpp), and
/// finds it among the scopes, which the vectoriser hands on. They are of
/// another domain, so that they say nothing of aliases.
void MemoryAccess::markStreams(llvm::Instruction *access,
                               const BufferSlice &slice) {
  if (!writes) {
    return;
  }
  std::string name;
  if (llvm::isa<llvm::StoreInst>(access)) {
    name = writes->isStreamed && llvm::is_contained(writes->written, slice)
               ? streamMark.str()
               : "";
  }
  for (const auto &[read, bytes] : writes->ahead) {
    if (llvm::isa<llvm::LoadInst>(access) && read == slice) {
      name = (aheadMark + std::to_string(bytes)).str();
    }
  }
  if (name.empty()) {
    return;
  }
  llvm::MDNode *&mark = streamMarks[name];
  if (!mark) {
    llvm::MDBuilder metadata(context());
    mark = llvm::MDNode::get(
        context(), metadata.createAliasScope(
                       name, metadata.createAliasScopeDomain("streams")));
  }
  constexpr unsigned kind = llvm::LLVMContext::MD_alias_scope;
  access->setMetadata(
      kind, llvm::MDNode::concatenate(access->getMetadata(kind), mark));
}

llvm::Value *MemoryAccess::fromMemory(ElementType type, llvm::Value *value) {
  return value->getType()->isIntegerTy(8)
             ? builder().CreateTrunc(value, registerType(type, context()))
             : value;
}

llvm::Value *MemoryAccess::toMemory(ElementType type, llvm::Value *value) {
  return value->getType()->isIntegerTy()
             ? builder().CreateZExt(value, memoryType(type, context()))
             : value;
}

/// What is known of addresses in a slice: where the rows of a block are, row 0
/// would be outside.
static llvm::GEPNoWrapFlags within(const BufferSlice &slice) {
  return slice.kind == BufferSlice::Rows ? llvm::GEPNoWrapFlags::none()
                                         : llvm::GEPNoWrapFlags::inBounds();
}

Element MemoryAccess::load(ElementType type, const BufferSlice &slice,
                           llvm::Value *linear) {
  llvm::Type *memory = memoryType(type, context());
  llvm::Value *base = pointerTo(slice);
  auto read = [&](llvm::Value *at) -> llvm::Value * {
    llvm::Value *pointer =
        builder().CreateGEP(memory, base, at, "", within(slice));
    llvm::LoadInst *value = builder().CreateLoad(memory, pointer);
    annotate(value, slice);
    markStreams(value, slice);
    return fromMemory(type, value);
  };
  if (!isComplex(type)) {
    return {read(linear), nullptr};
  }
  llvm::Value *first = builder().CreateShl(linear, 1);
  return {read(first), read(builder().CreateAdd(first, constant(1)))};
}

/// Results and arenas begin on a line of the cache.
static void noteAlignment(llvm::Value *base, const BufferSlice &slice) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(base);
  bool isOnLine = slice.kind == BufferSlice::Result ||
                  (slice.kind == BufferSlice::Arena &&
                   slice.index % cpuTarget.cacheLine == 0);
  if (load && isOnLine) {
    auto *word = llvm::Type::getInt64Ty(load->getContext());
    load->setMetadata(
        llvm::LLVMContext::MD_align,
        llvm::MDNode::get(load->getContext(),
                          llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                              word, cpuTarget.cacheLine))));
  }
}

void MemoryAccess::store(ElementType type, const BufferSlice &slice,
                         llvm::Value *linear, Element element) {
  llvm::Type *memory = memoryType(type, context());
  llvm::Value *base = pointerTo(slice);
  if (writes && writes->isStreamed) {
    noteAlignment(base, slice);
  }
  auto write = [&](llvm::Value *value, llvm::Value *at) {
    llvm::Value *pointer =
        builder().CreateGEP(memory, base, at, "", within(slice));
    llvm::StoreInst *stored =
        builder().CreateStore(toMemory(type, value), pointer);
    annotate(stored, slice);
    markStreams(stored, slice);
  };
  if (!isComplex(type)) {
    write(element.real, linear);
    return;
  }
  llvm::Value *first = builder().CreateShl(linear, 1);
  write(element.real, first);
  write(element.imag, builder().CreateAdd(first, constant(1)));
}

llvm::Value *MemoryAccess::callMath(llvm::StringRef name,
                                    llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments) {
    types.push_back(argument->getType());
  }
  auto *type =
      llvm::FunctionType::get(arguments.front()->getType(), types, false);
  auto *call =
      builder().CreateCall(MathLibrary::declare(module, name, type), arguments);
  if (writes) {
    // Tables that the function reads are not written here; inlining hands this
    // on to the loads.
    call->setMetadata(llvm::LLVMContext::MD_alias_scope, writes->rest);
    call->setMetadata(llvm::LLVMContext::MD_noalias, writes->all);
  }
  return call;
}

} // namespace xla::cpu
