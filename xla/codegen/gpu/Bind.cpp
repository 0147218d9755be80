//===- Bind.cpp - From neutral LLVM IR to a target's ----------------------===//

#include "xla/codegen/gpu/Bind.h"

#include "xla/codegen/cpu/MachineCode.h"
#include "xla/codegen/gpu/BindMatrices.h"
#include "xla/codegen/gpu/Intrinsics.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/ReplaceConstant.h"

namespace xla::gpu {

namespace {

/// The instructions of one target, put where `builder` stands.
class Binder {
public:
  Binder(llvm::Module &module, const Target &target)
      : module(module), target(target) {}

  Status run();

private:
  llvm::Value *thread(llvm::IRBuilder<> &b);
  llvm::Value *block(llvm::IRBuilder<> &b);
  void barrier(llvm::IRBuilder<> &b);
  llvm::Value *exchange(llvm::IRBuilder<> &b, llvm::Value *value,
                        llvm::Value *distance);
  llvm::Value *bind(llvm::StringRef symbol, llvm::CallInst &call);
  llvm::Value *callBuiltin(llvm::IRBuilder<> &b, llvm::StringRef name,
                           llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments,
                           bool isConvergent);
  void makeKernel(llvm::Function &function);
  void moveConstants();

  llvm::Module &module;
  const Target &target;
};

} // namespace

/// A function that the OpenCL driver has, under its mangled name.
llvm::Value *Binder::callBuiltin(llvm::IRBuilder<> &b, llvm::StringRef name,
                                 llvm::Type *result,
                                 llvm::ArrayRef<llvm::Value *> arguments,
                                 bool isConvergent) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments) {
    types.push_back(argument->getType());
  }
  auto *function = llvm::cast<llvm::Function>(
      module
          .getOrInsertFunction(name,
                               llvm::FunctionType::get(result, types, false))
          .getCallee());
  function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  function->setDoesNotThrow();
  if (isConvergent) {
    function->setConvergent();
  } else {
    function->setDoesNotAccessMemory();
  }
  llvm::CallInst *call = b.CreateCall(function, arguments);
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  return call;
}

llvm::Value *Binder::thread(llvm::IRBuilder<> &b) {
  switch (target.vendor) {
  case Vendor::Nvidia:
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  case Vendor::Amd: {
    // Numbers of rounds follow from how many there are.
    llvm::CallInst *number =
        b.CreateIntrinsic(llvm::Intrinsic::amdgcn_workitem_id_x, {});
    llvm::ConstantRange all(
        llvm::APInt(32, 0),
        llvm::APInt(32, static_cast<uint64_t>(target.threads)));
    number->addRetAttr(
        llvm::Attribute::get(module.getContext(), llvm::Attribute::Range, all));
    return number;
  }
  default:
    return b.CreateTrunc(callBuiltin(b, "_Z12get_local_idj", b.getInt64Ty(),
                                     {b.getInt32(0)}, false),
                         b.getInt32Ty());
  }
}

llvm::Value *Binder::block(llvm::IRBuilder<> &b) {
  switch (target.vendor) {
  case Vendor::Nvidia:
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, {});
  case Vendor::Amd:
    return b.CreateIntrinsic(llvm::Intrinsic::amdgcn_workgroup_id_x, {});
  default:
    return b.CreateTrunc(callBuiltin(b, "_Z12get_group_idj", b.getInt64Ty(),
                                     {b.getInt32(0)}, false),
                         b.getInt32Ty());
  }
}

void Binder::barrier(llvm::IRBuilder<> &b) {
  switch (target.vendor) {
  case Vendor::Nvidia:
    b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                      {b.getInt32(0)});
    return;
  case Vendor::Amd: {
    auto scope = module.getContext().getOrInsertSyncScopeID("workgroup");
    b.CreateFence(llvm::AtomicOrdering::Release, scope);
    b.CreateIntrinsic(llvm::Intrinsic::amdgcn_s_barrier, {});
    b.CreateFence(llvm::AtomicOrdering::Acquire, scope);
    return;
  }
  default:
    // Memory of the block and of the device.
    callBuiltin(b, "_Z7barrierj", b.getVoidTy(), {b.getInt32(3)}, true);
  }
}

llvm::Value *Binder::exchange(llvm::IRBuilder<> &b, llvm::Value *value,
                              llvm::Value *distance) {
  switch (target.vendor) {
  case Vendor::Nvidia:
    return b.CreateIntrinsic(
        llvm::Intrinsic::nvvm_shfl_sync_bfly_i32,
        {b.getInt32(~0U), value, distance, b.getInt32(31)});
  case Vendor::Amd: {
    llvm::Value *all = b.getInt32(~0U);
    llvm::Value *lane = b.CreateIntrinsic(llvm::Intrinsic::amdgcn_mbcnt_lo,
                                          {all, b.getInt32(0)});
    lane = b.CreateIntrinsic(llvm::Intrinsic::amdgcn_mbcnt_hi, {all, lane});
    llvm::Value *bytes = b.CreateShl(b.CreateXor(lane, distance), 2);
    return b.CreateIntrinsic(llvm::Intrinsic::amdgcn_ds_bpermute,
                             {bytes, value});
  }
  default:
    return callBuiltin(b, "_Z21sub_group_shuffle_xorij", b.getInt32Ty(),
                       {value, distance}, true);
  }
}

llvm::Value *Binder::bind(llvm::StringRef symbol, llvm::CallInst &call) {
  llvm::IRBuilder<> b(&call);
  if (symbol == threadSymbol) {
    return thread(b);
  }
  if (symbol == blockSymbol) {
    return block(b);
  }
  if (symbol == exchangeSymbol) {
    return exchange(b, call.getArgOperand(0), call.getArgOperand(1));
  }
  barrier(b);
  return nullptr;
}

void Binder::makeKernel(llvm::Function &function) {
  llvm::LLVMContext &context = module.getContext();
  llvm::StringRef threads =
      function.getFnAttribute(threadsAttribute).getValueAsString();
  switch (target.vendor) {
  case Vendor::Nvidia:
    function.setCallingConv(llvm::CallingConv::PTX_Kernel);
    function.addFnAttr("nvvm.reqntid", threads);
    break;
  case Vendor::Amd:
    function.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
    function.addFnAttr("amdgpu-flat-work-group-size",
                       (threads + "," + threads).str());
    function.addFnAttr("uniform-work-group-size", "true");
    break;
  default: {
    function.setCallingConv(llvm::CallingConv::SPIR_KERNEL);
    auto number = [&](uint64_t value) {
      return llvm::ConstantAsMetadata::get(
          llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
    };
    uint64_t count = 1;
    threads.getAsInteger(10, count);
    function.setMetadata(
        "reqd_work_group_size",
        llvm::MDNode::get(context, {number(count), number(1), number(1)}));
    if (module.getFunction(exchangeSymbol)) {
      function.setMetadata("intel_reqd_sub_group_size",
                           llvm::MDNode::get(context, {number(32)}));
    }
  }
  }
}

/// Gives `pointer`, and what is computed from it, the address space of `moved`.
static void rebase(llvm::Value *pointer, llvm::Value *moved) {
  for (llvm::User *user : llvm::make_early_inc_range(pointer->users())) {
    if (auto *element = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::IRBuilder<> b(element);
      llvm::SmallVector<llvm::Value *> indices(element->indices());
      rebase(element, b.CreateGEP(element->getSourceElementType(), moved,
                                  indices, "", element->getNoWrapFlags()));
      element->eraseFromParent();
    } else {
      user->replaceUsesOfWith(pointer, moved);
    }
  }
}

/// Tables of the math library are constants in global memory.
void Binder::moveConstants() {
  llvm::SmallVector<llvm::GlobalVariable *> tables;
  for (llvm::GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() == 0 && variable.isConstant()) {
      tables.push_back(&variable);
    }
  }
  llvm::SmallVector<llvm::Constant *> constants(tables.begin(), tables.end());
  llvm::convertUsersOfConstantsToInstructions(constants);
  for (llvm::GlobalVariable *table : tables) {
    auto *moved = new llvm::GlobalVariable(
        module, table->getValueType(), true, llvm::GlobalValue::InternalLinkage,
        table->getInitializer(), "", table, llvm::GlobalValue::NotThreadLocal,
        globalMemory);
    moved->setAlignment(table->getAlign());
    rebase(table, moved);
    moved->takeName(table);
    table->eraseFromParent();
  }
}

/// OpenCL's fmax and fmin, which LLVM makes of maxima and minima, lose a NaN
/// beside a number: here these are comparisons and selections.
static void expandExtremesForOpenCl(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!call || !call->getType()->isHalfTy() ||
          (call->getIntrinsicID() != llvm::Intrinsic::maximum &&
           call->getIntrinsicID() != llvm::Intrinsic::minimum)) {
        continue;
      }
      llvm::IRBuilder<> b(call);
      auto widen = [&](llvm::Value *x) {
        return b.CreateFPExt(x, b.getFloatTy());
      };
      llvm::Value *wide = b.CreateBinaryIntrinsic(
          call->getIntrinsicID(), widen(call->getArgOperand(0)),
          widen(call->getArgOperand(1)));
      call->replaceAllUsesWith(b.CreateFPTrunc(wide, call->getType()));
      call->eraseFromParent();
    }
  }
  cpu::expandExtremes(module);
}

Status Binder::run() {
  moveConstants();
  if (target.vendor == Vendor::OpenCl) {
    expandExtremesForOpenCl(module);
  }
  for (llvm::Function &function : module) {
    if (function.hasFnAttribute(threadsAttribute)) {
      makeKernel(function);
    }
  }
  bindMatrices(module, target);
  for (llvm::StringRef symbol :
       {threadSymbol, blockSymbol, barrierSymbol, exchangeSymbol}) {
    llvm::Function *neutral = module.getFunction(symbol);
    if (!neutral) {
      continue;
    }
    for (llvm::User *user : llvm::make_early_inc_range(neutral->users())) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      if (llvm::Value *value = bind(symbol, *call)) {
        call->replaceAllUsesWith(value);
      }
      call->eraseFromParent();
    }
    neutral->eraseFromParent();
  }
  return okStatus();
}

Status bindKernels(llvm::Module &module, const Target &target) {
  return Binder(module, target).run();
}

} // namespace xla::gpu
