//===- MemoryAccess.cpp - Arrays in memory: addresses, loads, stores ------===//

#include "xla/codegen/cpu/MemoryAccess.h"

#include "xla/codegen/cpu/MathLibrary.h"

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

/// The entry computes where a place is; functions that stand apart are handed
/// the address, so that they do not depend on it.
llvm::Value *MemoryAccess::placePointer(const Place &place, Frame &in) {
  int64_t index = place.index;
  if (place.kind == Place::Rows) {
    return rowBlock->bases.lookup(index);
  }
  if (place.kind == Place::Constant) {
    index = constantNumber(place.constant);
  }
  if (in.kind != Frame::Entry && in.kind != Frame::Part) {
    llvm::Value *known = in.bases.lookup({place.kind, index});
    if (!known) {
      known = capture(placePointer(place, *in.parent), in);
      in.bases[{place.kind, index}] = known;
    }
    return known;
  }
  llvm::Type *pointer = in.builder.getPtrTy();
  if (place.kind == Place::Constant) {
    return module.getOrInsertGlobal(constantSymbol(index),
                                    in.builder.getInt8Ty());
  }
  if (place.kind == Place::Arena) {
    return index ? in.builder.CreateConstInBoundsGEP1_64(in.builder.getInt8Ty(),
                                                         in.arena, index)
                 : in.arena;
  }
  llvm::Value *table =
      place.kind == Place::Argument ? in.arguments : in.results;
  if (stepsApart) { // used once, in a program of many: loaded there
    return in.builder.CreateLoad(
        pointer, in.builder.CreateConstInBoundsGEP1_64(pointer, table, index));
  }
  llvm::Value *&base = in.bases[{place.kind, index}];
  if (!base) {
    llvm::IRBuilder<> entry(in.entry->getTerminator());
    base = entry.CreateLoad(
        pointer, entry.CreateConstInBoundsGEP1_64(pointer, table, index));
  }
  return base;
}

llvm::Value *MemoryAccess::pointerTo(const Place &place) {
  return placePointer(place, *frame);
}

bool MemoryAccess::overlaps(const Place &a, const Place &b) const {
  if (a == b) {
    return true;
  }
  auto given = [&](const Place &x, const Place &y) {
    auto found = donatedTo.find(x.index);
    return x.kind == Place::Argument && y.kind == Place::Result &&
           found != donatedTo.end() && found->second == y.index;
  };
  return given(a, b) || given(b, a);
}

MemoryAccess::Writes::Writes(MemoryAccess &memory, llvm::ArrayRef<Place> places)
    : memory(memory), outer(memory.writes),
      written(places.begin(), places.end()) {
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
  for (size_t i = 0; i < places.size(); ++i) {
    scopes.push_back(newScope());
    own.push_back(llvm::MDNode::get(context, scopes.back()));
  }
  all = llvm::MDNode::get(context, scopes);
  llvm::Metadata *readOnly = newScope();
  rest = llvm::MDNode::get(context, readOnly);
  for (size_t i = 0; i < places.size(); ++i) {
    llvm::SmallVector<llvm::Metadata *> list = {readOnly};
    for (size_t j = 0; j < places.size(); ++j) {
      if (i != j) {
        list.push_back(scopes[j]);
      }
    }
    others.push_back(llvm::MDNode::get(context, list));
  }
  memory.writes = this;
}

void MemoryAccess::annotate(llvm::Instruction *access, const Place &place) {
  if (!writes) {
    return;
  }
  for (auto [i, written] : llvm::enumerate(writes->written)) {
    if (written == place) {
      access->setMetadata(llvm::LLVMContext::MD_alias_scope, writes->own[i]);
      access->setMetadata(llvm::LLVMContext::MD_noalias, writes->others[i]);
      return;
    }
  }
  for (const Place &written : writes->written) {
    if (overlaps(written, place)) {
      return;
    }
  }
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, writes->rest);
  access->setMetadata(llvm::LLVMContext::MD_noalias, writes->all);
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

/// What is known of addresses in a place: where the rows of a block lie, row 0
/// would be outside.
static llvm::GEPNoWrapFlags within(const Place &place) {
  return place.kind == Place::Rows ? llvm::GEPNoWrapFlags::none()
                                   : llvm::GEPNoWrapFlags::inBounds();
}

Element MemoryAccess::load(ElementType type, const Place &place,
                           llvm::Value *linear) {
  llvm::Type *memory = memoryType(type, context());
  llvm::Value *base = pointerTo(place);
  auto read = [&](llvm::Value *at) -> llvm::Value * {
    llvm::Value *pointer =
        builder().CreateGEP(memory, base, at, "", within(place));
    llvm::LoadInst *value = builder().CreateLoad(memory, pointer);
    annotate(value, place);
    return fromMemory(type, value);
  };
  if (!isComplex(type)) {
    return {read(linear), nullptr};
  }
  llvm::Value *first = builder().CreateShl(linear, 1);
  return {read(first), read(builder().CreateAdd(first, constant(1)))};
}

void MemoryAccess::store(ElementType type, const Place &place,
                         llvm::Value *linear, Element element) {
  llvm::Type *memory = memoryType(type, context());
  llvm::Value *base = pointerTo(place);
  auto write = [&](llvm::Value *value, llvm::Value *at) {
    llvm::Value *pointer =
        builder().CreateGEP(memory, base, at, "", within(place));
    annotate(builder().CreateStore(toMemory(type, value), pointer), place);
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
