#include "simulated_target.hpp"

#include <abi/device_abi.hpp>
#include <abi/gpu_launch.hpp>
#include <abi/simulated_gpu.hpp>
#include <cstddef>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "passes/safe_division.hpp"
#include "targets/code_passes.hpp"
#include "targets/gpu/driver_symbols.hpp"
#include "targets/linked_object.hpp"
#include "targets/math_calls.hpp"
#include "vendor_math.hpp"

namespace sinter::jit::simulated {
namespace {

constexpr gpu::words text = {"@sinter_simulated_thread_id.",
                             "@sinter_simulated_block_id.",
                             "call void @sinter_simulated_block_barrier()",
                             "ret void",
                             "atomicrmw add ptr addrspace(1) %word, i32 %much syncscope(\"agent\") release",
                             "agent",
                             "declare i32 @sinter_simulated_thread_id.x()\n"
                             "declare i32 @sinter_simulated_thread_id.y()\n"
                             "declare i32 @sinter_simulated_thread_id.z()\n"
                             "declare i32 @sinter_simulated_block_id.x()\n"
                             "declare i32 @sinter_simulated_block_id.y()\n"
                             "declare i32 @sinter_simulated_block_id.z()\n"
                             "declare void @sinter_simulated_block_barrier() convergent\n"};

constexpr unsigned constant_space = 4;
constexpr gpu::parameters taken = {constant_space, llvm::Attribute::ByRef, sizeof(abi::grid_geometry)};
constexpr const char* block_attribute = "sinter-simulated-block";

constexpr gpu::size_limits sizes_of(unsigned wave) {
  return {"simulated GPUs", wave, true, {1024, 1024, 1024}, 1024};
}
constexpr gpu::size_limits wide_waves = sizes_of(64), narrow_waves = sizes_of(32);

/// Calls a function of the simulation. If work-items wait for each other in this function (`meets`), LLVM must leave
/// the call where it is.
llvm::CallInst* call(llvm::IRBuilder<>& builder, llvm::StringRef name, llvm::Type* result,
                     llvm::ArrayRef<llvm::Value*> operands, bool meets) {
  llvm::SmallVector<llvm::Type*, 2> types;
  for (llvm::Value* each : operands) types.push_back(each->getType());
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  if (meets) {
    function->setConvergent();
    if (!result->isVoidTy()) function->setOnlyAccessesInaccessibleMemory();
  } else {
    function->setDoesNotAccessMemory();
    function->setSpeculatable();
  }
  llvm::CallInst* made = builder.CreateCall(callee, operands);
  if (meets) made->setConvergent();
  return made;
}

std::string of_dimension(const char* name, unsigned dimension) {
  return std::string(name) + "." + std::string(1, "zyx"[dimension]);
}

class simulated_gpu final : public gpu::dialect {
public:
  simulated_gpu(const gpu::size_limits& sizes, vendor math) : m_sizes(sizes), m_math(math) {}

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string&, std::uint64_t) const override {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    const llvm::Triple triple("x86_64-unknown-linux-gnu");
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target) return llvm::createStringError(error);
    // LLVM's passes on machine code may copy calls in which work-items wait for each other, so these passes run without
    // optimisation.
    return std::unique_ptr<llvm::TargetMachine>(
        target->createTargetMachine(triple, "x86-64-v3", "", llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
                                    llvm::CodeGenOptLevel::None));
  }

  const gpu::size_limits& sizes() const override { return m_sizes; }
  const gpu::parameters& how_launched() const override { return taken; }
  bool has_functions() const override { return false; }
  bool has_scalar_unit() const override { return true; }

  bool knows_block_size() const override { return true; }
  void mark_entry(llvm::Function& entry, const abi::local_range& block, bool smaller) const override {
    const bool is_known = block[2] != 0 && !smaller;
    entry.addFnAttr(block_attribute, is_known ? std::to_string(block[0]) + "," + std::to_string(block[1]) + "," +
                                                    std::to_string(block[2])
                                              : "0,0,0");
    entry.setVisibility(llvm::GlobalValue::ProtectedVisibility);
  }
  llvm::Value* read(llvm::IRBuilder<>& builder, gpu::place what, unsigned dimension) const override {
    switch (what) {
      case gpu::place::thread_id:
        return id(builder, abi::simulated_thread_id, dimension);
      case gpu::place::block_id:
        return id(builder, abi::simulated_block_id, dimension);
      case gpu::place::block_size:
        return geometry_word(builder, offsetof(abi::grid_geometry, block_size) + 4 * dimension);
      default:
        return geometry_word(builder, offsetof(abi::grid_geometry, grid_size) + 4 * dimension);
    }
  }
  unsigned thread_dimension(const llvm::Instruction& instruction) const override {
    const auto* known = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = known ? known->getCalledFunction() : nullptr;
    for (unsigned d = 0; callee && d < 3; ++d) {
      if (callee->getName() == of_dimension(abi::simulated_thread_id, d)) return d;
    }
    return 3;
  }
  const char* scope_name(abi::scope scope) const override { return scope == abi::scope::device ? text.device : ""; }
  void block_barrier(llvm::IRBuilder<>& builder) const override {
    call(builder, abi::simulated_block_barrier, builder.getVoidTy(), {}, true);
  }
  void sub_group_barrier(llvm::IRBuilder<>& builder) const override {
    call(builder, abi::simulated_wave_barrier, builder.getVoidTy(), {}, true);
  }
  llvm::Value* lane(llvm::IRBuilder<>& builder) const override {
    return call(builder, abi::simulated_lane, builder.getInt32Ty(), {}, false);
  }
  llvm::Value* ballot(llvm::IRBuilder<>& builder, llvm::Value* condition) const override {
    return call(builder, abi::simulated_ballot, builder.getInt64Ty(),
                {builder.CreateZExt(condition, builder.getInt32Ty())}, true);
  }
  llvm::Value* shuffle(llvm::IRBuilder<>& builder, llvm::Value* bits, llvm::Value* source) const override {
    return call(builder, abi::simulated_shuffle, builder.getInt32Ty(), {bits, source}, true);
  }
  const gpu::words& text_words() const override { return text; }

  /// Leaves mathematics to the host's libm if the GPU's name mentions no vendor.
  llvm::Error link_math(llvm::Module& module, const llvm::TargetMachine&) const override {
    if (m_math != vendor::none) return link_vendor_math(module, m_math, m_sizes.sub_group_size);
    call_math_library(module, {[](llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands) {
                                 return (base + (operands[0]->getType()->isFloatTy() ? "f" : "")).str();
                               },
                               /*returns_sine=*/false, {}});
    return llvm::Error::success();
  }
  llvm::Error place_constants(llvm::PassBuilder&, llvm::ModulePassManager&) const override {
    return llvm::Error::success();
  }
  /// Accepts all functions: if one is missing, the driver gets an error when it opens the shared object.
  bool is_of_driver(const llvm::Function&) const override { return true; }
  llvm::Expected<std::string> emit(llvm::TargetMachine& machine, llvm::Module& module) const override {
    gpu::protect_driver_symbols(module);
    ask_for_local_memory(module);
    guard_divisions(module);
    state_facts(module);
    llvm::SmallVector<char, 0> object;
    if (!emit_code(machine, module, llvm::CodeGenFileType::ObjectFile, object)) {
      return llvm::createStringError("LLVM can't emit objects");
    }
    return link_object(llvm::StringRef(object.data(), object.size()), {});
  }

private:
  llvm::Value* id(llvm::IRBuilder<>& builder, const char* name, unsigned dimension) const {
    return call(builder, of_dimension(name, dimension), builder.getInt32Ty(), {}, false);
  }
  /// Changes the code so that it asks the driver for local memory, because each block has its own local memory.
  static void ask_for_local_memory(llvm::Module& module) {
    for (llvm::GlobalVariable& variable : module.globals()) {
      if (variable.getAddressSpace() != gpu::shared_space) continue;
      llvm::convertUsersOfConstantsToInstructions({&variable});
      llvm::SmallVector<llvm::Use*, 16> uses;
      for (llvm::Use& each : variable.uses()) uses.push_back(&each);
      llvm::SmallDenseMap<llvm::Function*, llvm::Value*, 2> places;
      for (llvm::Use* each : uses) {
        llvm::Function& function = *llvm::cast<llvm::Instruction>(each->getUser())->getFunction();
        llvm::Value*& place = places[&function];
        if (!place) {
          llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
          place = builder.CreateAddrSpaceCast(
              call(builder, abi::simulated_local_memory, builder.getPtrTy(), {}, false), variable.getType());
        }
        each->set(place);
      }
    }
  }
  /// Guards integer divisions that would end the process on a CPU. On a GPU, such a division does not end the process.
  static void guard_divisions(llvm::Module& module) {
    llvm::SmallVector<llvm::BinaryOperator*, 16> divisions;
    for (llvm::Function& function : module) {
      for (llvm::Instruction& each : llvm::instructions(function)) {
        if (passes::may_trap(each)) divisions.push_back(llvm::cast<llvm::BinaryOperator>(&each));
      }
    }
    for (llvm::BinaryOperator* each : divisions) passes::make_safe(*each);
  }
  /// Adds up the sizes of the variables of all functions, because the functions may call each other.
  static std::uint64_t private_bytes(const llvm::Module& module) {
    std::uint64_t bytes = 0;
    for (const llvm::Function& function : module) {
      for (const llvm::Instruction& each : llvm::instructions(function)) {
        const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&each);
        const auto size = variable ? variable->getAllocationSize(module.getDataLayout()) : std::nullopt;
        if (size) bytes += size->getFixedValue() + variable->getAlign().value();
      }
    }
    return bytes;
  }
  static void state_facts(llvm::Module& module) {
    const auto kernel = llvm::find_if(module, [](const llvm::Function& each) {
      return each.hasFnAttribute(block_attribute);
    });
    const bool meets = llvm::any_of(module, [](const llvm::Function& each) {
      return each.isDeclaration() && each.isConvergent() && !each.use_empty();
    });
    llvm::IRBuilder<> builder(module.getContext());
    const llvm::DataLayout& layout = module.getDataLayout();
    llvm::SmallVector<llvm::Constant*, 8> values;
    for (unsigned i = 0; i < 2; ++i) {
      values.push_back(builder.getInt64(layout.getTypeAllocSize(kernel->getParamByRefType(i))));
      if (i == 0) values.push_back(builder.getInt64(kernel->getParamAlign(i).valueOrOne().value()));
    }
    llvm::SmallVector<llvm::StringRef, 3> block;
    kernel->getFnAttribute(block_attribute).getValueAsString().split(block, ',');
    for (llvm::StringRef each : block) {
      unsigned size = 0;
      each.getAsInteger(10, size);
      values.push_back(builder.getInt32(size));
    }
    values.push_back(builder.getInt32(meets ? 1 : 0));
    values.push_back(builder.getInt64(private_bytes(module)));
    llvm::Constant* facts = llvm::ConstantStruct::getAnon(values);
    new llvm::GlobalVariable(module, facts->getType(), true, llvm::GlobalValue::ExternalLinkage, facts,
                             abi::simulated_facts_symbol);
  }

  const gpu::size_limits& m_sizes;
  vendor m_math;
};

}  // namespace

bool is_name(const char* gpu) { return llvm::StringRef(gpu).starts_with(abi::simulated_gpu_prefix); }

const gpu::dialect& dialect_for(const char* gpu) {
  static const simulated_gpu wide[] = {
      {wide_waves, vendor::none}, {wide_waves, vendor::amd}, {wide_waves, vendor::nvidia}};
  static const simulated_gpu narrow[] = {
      {narrow_waves, vendor::none}, {narrow_waves, vendor::amd}, {narrow_waves, vendor::nvidia}};
  const llvm::StringRef name(gpu);
  const vendor math = name.ends_with(abi::simulated_amd_math)      ? vendor::amd
                      : name.ends_with(abi::simulated_nvidia_math) ? vendor::nvidia
                                                                   : vendor::none;
  const bool is_wide = name.drop_front(llvm::StringRef(abi::simulated_gpu_prefix).size()).starts_with("64");
  return (is_wide ? wide : narrow)[static_cast<std::size_t>(math)];
}

}  // namespace sinter::jit::simulated
