#include "device_code.hpp"

#include <abi/accessor_layout.hpp>
#include <abi/device_abi.hpp>
#include <abi/gpu_launch.hpp>

#include "address_inference.hpp"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "passes/called_names.hpp"
#include "passes/device/device_globals.hpp"
#include "passes/fusion/disjoint_memory.hpp"

namespace sinter::jit {

abi::local_range groups_of(const abi::image_kernel& row, const abi::jit_request& request,
                           const abi::local_range& of_range) {
  if (row.shape == abi::kernel_shape::single_task) return {1, 1, 1};
  if (row.shape == abi::kernel_shape::range) return of_range;
  if (request.groups.range[2] != 0) return request.groups.range;
  abi::local_range required{};
  if ((row.flags & (abi::kernel_sizes_for_cpu | abi::kernel_own_groups)) == 0) {
    llvm::copy(row.required_work_group_size, required.begin());
  }
  return required;
}

llvm::SmallVector<llvm::CallInst*, 16> device_calls_of(llvm::Function& function) {
  llvm::SmallVector<llvm::CallInst*, 16> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    const llvm::StringRef name = callee ? callee->getName() : llvm::StringRef();
    if (name.starts_with(abi::device_symbol_prefix) && !name.starts_with(abi::device_math_prefix)) {
      calls.push_back(call);
    }
  }
  return calls;
}

std::uint64_t strength_of(const llvm::CallInst& call, unsigned operand) {
  const auto* value = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(operand));
  return value ? value->getZExtValue() : 4;
}

void forget_processor(llvm::Module& module) {
  for (llvm::Function& function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
}

void inline_always(llvm::Module& module, llvm::function_ref<bool(const llvm::Function&)> is_wanted) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !is_wanted(function)) continue;
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

llvm::Error refuse_host_memory(const llvm::Module& module) {
  for (const llvm::GlobalVariable& variable : module.globals()) {
    // Variables that come from the host's code have no address space yet. Like all other variables, they become global.
    const unsigned space = variable.getAddressSpace();
    if (variable.isDeclaration() && !variable.use_empty() && (space == 0 || space == global_address_space)) {
      return llvm::createStringError(
          "it uses a variable or function of the host program, which devices with a driver can't reach; pass the "
          "value, or a pointer to USM memory");
    }
  }
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (memory && !memory->isStaticAlloca()) {
        return llvm::createStringError("it has an array of variable length, for which only CPUs have a stack");
      }
    }
  }
  return llvm::Error::success();
}

llvm::Error refuse_jumps(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) {
      if (block.hasAddressTaken()) {
        return llvm::createStringError("it takes the address of a label: it can run on the host CPU only");
      }
    }
  }
  return llvm::Error::success();
}

llvm::Error refuse_host_functions(const llvm::Module& module,
                                  llvm::function_ref<bool(const llvm::Function&)> is_known) {
  for (const llvm::Function& function : module) {
    if (is_known(function)) continue;
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty()) {
      return llvm::createStringError("it needs '" + function.getName().str() + "', which only the host has");
    }
  }
  return llvm::Error::success();
}

void read_device_globals(llvm::Function& entry, llvm::Argument& geometry, unsigned global_space) {
  const auto calls = passes::calls_of(entry, passes::device_global_symbol);
  if (calls.empty()) return;
  llvm::IRBuilder<> builder(&*entry.getEntryBlock().getFirstInsertionPt());
  const auto read = [&](llvm::Value* from, std::uint64_t offset) {
    llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), from, offset);
    llvm::LoadInst* address = builder.CreateAlignedLoad(builder.getPtrTy(global_space), place, llvm::Align(8));
    address->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(entry.getContext(), {}));
    return address;
  };
  llvm::Value* table = read(&geometry, offsetof(abi::gpu_geometry, globals));
  llvm::SmallVector<llvm::Value*, 8> known;
  for (llvm::CallInst* call : calls) {
    const std::uint64_t number = llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue();
    if (number >= known.size()) known.resize(number + 1);
    if (!known[number]) known[number] = builder.CreateAddrSpaceCast(read(table, 8 * number), builder.getPtrTy());
    call->replaceAllUsesWith(known[number]);
  }
  for (llvm::CallInst* call : calls) call->eraseFromParent();  // last, because `builder` may point at one of the calls
}

void mark_global_pointers(llvm::Function& entry, const llvm::Argument& block, unsigned global_space) {
  llvm::SmallVector<llvm::LoadInst*, 16> loads;
  for (llvm::Instruction& instruction : llvm::instructions(entry)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load && load->getType()->isPointerTy() && llvm::getUnderlyingObject(load->getPointerOperand()) == &block) {
      loads.push_back(load);
    }
  }
  for (llvm::LoadInst* load : loads) {
    llvm::IRBuilder<> builder(load->getNextNode());
    llvm::Value* global = builder.CreateAddrSpaceCast(load, builder.getPtrTy(global_space));
    llvm::Value* generic = builder.CreateAddrSpaceCast(global, builder.getPtrTy());
    load->replaceUsesWithIf(generic, [&](const llvm::Use& use) { return use.getUser() != global; });
  }
}

namespace {

/// Returns the pointers of accessors, each with the number of its accessor.
std::vector<passes::argument_space> accessor_pointers(llvm::Function& entry, const llvm::Argument& block,
                                                      llvm::ArrayRef<abi::image_leaf> leaves) {
  const llvm::DataLayout& layout = entry.getDataLayout();
  std::vector<passes::argument_space> pointers;
  for (llvm::Instruction& instruction : llvm::instructions(entry)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || !load->getType()->isPointerTy()) continue;
    std::int64_t offset = 0;
    if (llvm::GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout) != &block) continue;
    const auto* found = llvm::find_if(leaves, [&](const abi::image_leaf& leaf) {
      return leaf.kind == abi::leaf_kind::accessor &&
             static_cast<std::uint64_t>(offset) == leaf.offset + abi::accessor_layout::data;
    });
    if (found != leaves.end()) pointers.push_back({load, static_cast<unsigned>(found - leaves.begin()) + 1});
  }
  return pointers;
}

}  // namespace

void mark_disjoint_accessors(llvm::Function& entry, const llvm::Argument& block,
                             llvm::ArrayRef<abi::image_leaf> leaves) {
  passes::mark_disjoint_memory(entry, accessor_pointers(entry, block, leaves));
}

llvm::SmallVector<llvm::AtomicRMWInst*, 8> atomics_of_accessors(llvm::Function& entry, const llvm::Argument& block,
                                                                llvm::ArrayRef<abi::image_leaf> leaves) {
  llvm::SmallPtrSet<const llvm::Value*, 8> known;
  for (const passes::argument_space& each : accessor_pointers(entry, block, leaves)) known.insert(each.pointer);
  llvm::SmallVector<llvm::AtomicRMWInst*, 8> found;
  for (llvm::Instruction& instruction : llvm::instructions(entry)) {
    auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
    if (atomic && known.contains(llvm::getUnderlyingObject(atomic->getPointerOperand(), /*MaxLookup=*/0))) {
      found.push_back(atomic);
    }
  }
  return found;
}

}  // namespace sinter::jit
