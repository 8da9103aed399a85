#include "nvptx_target.hpp"

#include <abi/accessor_layout.hpp>
#include <abi/device_abi.hpp>
#include <cctype>

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/device_inlining.hpp"
#include "passes/element_visits.hpp"
#include "passes/group_scratch.hpp"
#include "passes/kernel_selection.hpp"
#include "passes/pass_runner.hpp"
#include "passes/specialization_values.hpp"
#include "input/kernel_image.hpp"

namespace sinter::jit {
namespace {

constexpr unsigned global_space = 1;
constexpr unsigned shared_space = 3;

// libclc for targets without a driver; Debian's place.
constexpr const char* math_library = "/usr/lib/clc/nvptx64--.bc";

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string& gpu) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) return llvm::createStringError(error);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, gpu, "+ptx80", llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine) return llvm::createStringError("LLVM has no PTX generator");
  return machine;
}

/// Builds `.entry` around the kernel and answers the device ABI with special registers.
class gpu_kernel_builder {
public:
  gpu_kernel_builder(llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts,
                     std::uint64_t scratch_bytes)
      : m_module(module), m_kernel(kernel), m_facts(facts), m_scratch_bytes(scratch_bytes),
        m_builder(module.getContext()) {}

  llvm::Function* run() {
    create_entry();
    llvm::BasicBlock* body = llvm::BasicBlock::Create(m_module.getContext(), "body", m_entry);
    llvm::BasicBlock* done = llvm::BasicBlock::Create(m_module.getContext(), "done", m_entry);
    read_registers();
    skip_surplus_items(body, done);
    m_builder.SetInsertPoint(done);
    m_builder.CreateRetVoid();
    m_builder.SetInsertPoint(body);
    llvm::CallInst* call = m_builder.CreateCall(&m_kernel, {assemble_block()});
    m_builder.CreateBr(done);
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info);
    m_kernel.eraseFromParent();
    for (llvm::Function& function : m_module) lower_calls(function);
    return m_entry;
  }

private:
  struct piece {
    std::uint32_t offset;
    llvm::Type* type;
  };

  /// Leaves as parameters the hardware can pass: pointers, integers, and words of what is opaque.
  std::vector<piece> pieces() {
    std::vector<piece> result;
    auto add_bytes = [&](std::uint32_t offset, std::uint32_t size) {
      while (size > 0) {
        const std::uint32_t step = size >= 8 && offset % 8 == 0 ? 8 : size >= 4 && offset % 4 == 0 ? 4 : 1;
        result.push_back({offset, m_builder.getIntNTy(step * 8)});
        offset += step;
        size -= step;
      }
    };
    for (const abi::image_leaf& leaf : m_facts.leaves) {
      if ((leaf.kind == abi::leaf_kind::global_pointer || leaf.kind == abi::leaf_kind::constants) && leaf.size == 8) {
        result.push_back({leaf.offset, m_builder.getPtrTy(global_space)});
      } else if (leaf.kind == abi::leaf_kind::accessor && leaf.size >= abi::accessor_layout::memory_range) {
        constexpr std::uint32_t pointer = abi::accessor_layout::memory_range;
        static_assert(abi::accessor_layout::data == 0);
        result.push_back({leaf.offset, m_builder.getPtrTy(global_space)});
        add_bytes(leaf.offset + pointer, leaf.size - pointer);
      } else {
        add_bytes(leaf.offset, leaf.size);
      }
    }
    return result;
  }

  void create_entry() {
    m_pieces = pieces();
    llvm::SmallVector<llvm::Type*, 16> types;
    for (const piece& each : m_pieces) types.push_back(each.type);
    // Global range and offset: a grid is a whole number of groups, a range is not.
    for (int i = 0; i < 6; ++i) types.push_back(m_builder.getInt64Ty());
    std::string name = "sinter_";
    for (char c : m_facts.display_name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    m_entry = llvm::Function::Create(llvm::FunctionType::get(m_builder.getVoidTy(), types, false),
                                     llvm::GlobalValue::ExternalLinkage, name, m_module);
    m_entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
    m_builder.SetInsertPoint(llvm::BasicBlock::Create(m_module.getContext(), "entry", m_entry));
  }

  llvm::Value* special(llvm::Intrinsic::ID id) {
    return m_builder.CreateZExt(m_builder.CreateIntrinsic(m_builder.getInt32Ty(), id, {}), m_builder.getInt64Ty());
  }

  /// Dimension 2 is x (abi/device_abi.hpp).
  void read_registers() {
    using namespace llvm;
    const Intrinsic::ID ids[3][4] = {
        {Intrinsic::nvvm_read_ptx_sreg_tid_z, Intrinsic::nvvm_read_ptx_sreg_ntid_z, Intrinsic::nvvm_read_ptx_sreg_ctaid_z,
         Intrinsic::nvvm_read_ptx_sreg_nctaid_z},
        {Intrinsic::nvvm_read_ptx_sreg_tid_y, Intrinsic::nvvm_read_ptx_sreg_ntid_y, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
         Intrinsic::nvvm_read_ptx_sreg_nctaid_y},
        {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
         Intrinsic::nvvm_read_ptx_sreg_nctaid_x}};
    const unsigned first = static_cast<unsigned>(m_pieces.size());
    for (unsigned d = 0; d < 3; ++d) {
      m_local_id[d] = special(ids[d][0]);
      m_local_range[d] = special(ids[d][1]);
      m_group_id[d] = special(ids[d][2]);
      m_group_range[d] = special(ids[d][3]);
      m_global_range[d] = m_entry->getArg(first + d);
      m_offset[d] = m_entry->getArg(first + 3 + d);
      m_position[d] = m_builder.CreateAdd(m_builder.CreateMul(m_group_id[d], m_local_range[d]), m_local_id[d]);
      m_global_id[d] = m_builder.CreateAdd(m_position[d], m_offset[d]);
    }
  }

  void skip_surplus_items(llvm::BasicBlock* body, llvm::BasicBlock* done) {
    if (m_facts.row.shape == abi::kernel_shape::nd_range) {
      m_builder.CreateBr(body);
      return;
    }
    llvm::Value* inside = m_builder.getTrue();
    for (unsigned d = 0; d < 3; ++d) {
      inside = m_builder.CreateAnd(inside, m_builder.CreateICmpULT(m_position[d], m_global_range[d]));
    }
    m_builder.CreateCondBr(inside, body, done);
  }

  /// The argument block in private memory; optimisation turns its loads into the parameters.
  llvm::Value* assemble_block() {
    llvm::IRBuilder<> front(&m_entry->getEntryBlock(), m_entry->getEntryBlock().begin());
    llvm::AllocaInst* block = front.CreateAlloca(
        llvm::ArrayType::get(front.getInt8Ty(), std::max<std::uint32_t>(m_facts.row.block_size, 1)));
    block->setAlignment(llvm::Align(std::max<std::uint32_t>(m_facts.row.block_alignment, 8)));
    for (unsigned i = 0; i < m_pieces.size(); ++i) {
      llvm::Value* value = m_entry->getArg(i);
      if (value->getType()->isPointerTy()) value = m_builder.CreateAddrSpaceCast(value, m_builder.getPtrTy());
      m_builder.CreateStore(value, m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), block, m_pieces[i].offset));
    }
    return block;
  }

  /// Shared memory of a launch: scratch_bytes * (items of a group + 1) rounded up to 128 bytes, then local accessors.
  llvm::Value* local_base() {
    llvm::Value* memory = shared_memory();
    if (m_scratch_bytes == 0) return memory;
    llvm::Value* items = m_builder.CreateMul(m_builder.CreateMul(m_local_range[0], m_local_range[1]), m_local_range[2]);
    llvm::Value* scratch = m_builder.CreateMul(m_builder.CreateAdd(items, m_builder.getInt64(1)),
                                               m_builder.getInt64(m_scratch_bytes));
    llvm::Value* rounded =
        m_builder.CreateAnd(m_builder.CreateAdd(scratch, m_builder.getInt64(127)), ~std::uint64_t{127});
    return m_builder.CreatePtrAdd(memory, rounded);
  }

  llvm::Constant* shared_memory() {
    llvm::GlobalVariable* memory = m_module.getNamedGlobal("sinter_local_memory");
    if (!memory) {
      memory = new llvm::GlobalVariable(m_module, llvm::ArrayType::get(m_builder.getInt8Ty(), 0), false,
                                        llvm::GlobalValue::ExternalLinkage, nullptr, "sinter_local_memory", nullptr,
                                        llvm::GlobalValue::NotThreadLocal, shared_space);
      memory->setAlignment(llvm::Align(128));
    }
    return llvm::ConstantExpr::getAddrSpaceCast(memory, m_builder.getPtrTy());
  }

  void lower_calls(llvm::Function& function) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || !call->getCalledFunction()) continue;
      const llvm::StringRef name = call->getCalledFunction()->getName();
      if (!name.starts_with(abi::device_symbol_prefix) || name.starts_with(abi::device_math_prefix)) continue;
      m_builder.SetInsertPoint(call);
      llvm::Value* result = nullptr;
      if (name == "__sinter_local_base") {
        result = local_base();
      } else if (name == "__sinter_group_scratch") {
        result = shared_memory();
      } else if (name == "__sinter_barrier") {
        m_builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {}, {m_builder.getInt32(0)});
      } else if (name.starts_with("__sinter_sub_group_")) {
        // A sub-group has one work-item here.
        const bool number = name.ends_with("_size") || name.ends_with("_local_range");
        result = number ? llvm::ConstantInt::get(call->getType(), 1)
                 : name.ends_with("_local_id")
                     ? llvm::ConstantInt::get(call->getType(), 0)
                     : m_builder.CreateZExtOrTrunc(call->getArgOperand(0), call->getType());
      } else if (name == "__sinter_fence") {
        m_builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      } else if (name == "__sinter_trap" || name == "__sinter_assert_fail") {
        m_builder.CreateIntrinsic(m_builder.getVoidTy(), llvm::Intrinsic::trap, {});
      } else if (auto* dimension = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0))) {
        const unsigned d = static_cast<unsigned>(dimension->getZExtValue() % 3);
        result = llvm::StringSwitch<llvm::Value*>(name)
                     .Case("__sinter_global_id", m_global_id[d])
                     .Case("__sinter_local_id", m_local_id[d])
                     .Case("__sinter_group_id", m_group_id[d])
                     .Case("__sinter_global_range", m_global_range[d])
                     .Case("__sinter_local_range", m_local_range[d])
                     .Case("__sinter_group_range", m_group_range[d])
                     .Case("__sinter_global_offset", m_offset[d])
                     .Default(nullptr);
      }
      if (result) call->replaceAllUsesWith(result);
      if (call->use_empty()) call->eraseFromParent();
    }
  }

  llvm::Module& m_module;
  llvm::Function& m_kernel;
  const kernel_facts& m_facts;
  std::uint64_t m_scratch_bytes;
  llvm::IRBuilder<> m_builder;
  llvm::Function* m_entry = nullptr;
  std::vector<piece> m_pieces;
  llvm::Value *m_global_id[3], *m_local_id[3], *m_group_id[3], *m_position[3];
  llvm::Value *m_global_range[3], *m_local_range[3], *m_group_range[3], *m_offset[3];
};

/// Functions PTX has no instruction for, by their intrinsic's base name. sqrt, fma, floor and their like are instructions.
bool needs_library(llvm::StringRef base) {
  return llvm::StringSwitch<bool>(base)
      .Cases({"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh"}, true)
      .Cases({"exp", "exp2", "exp10", "log", "log2", "log10", "pow", "round", "ldexp", "frexp"}, true)
      .Default(false);
}

/// OpenCL's mangling of a math function: _Z3sinf, _Z3powdd, _Z5ldexpfi.
std::string library_name(llvm::StringRef base, const llvm::FunctionType& type) {
  std::string name = "_Z" + std::to_string(base.size()) + base.str();
  for (llvm::Type* parameter : type.params()) {
    name += parameter->isFloatTy() ? "f" : parameter->isDoubleTy() ? "d" : parameter->isPointerTy() ? "Pi" : "i";
  }
  return name;
}

/// The library has no functions of half: those of float do their work.
void widen_half_math(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isIntrinsic() || !needs_library(function.getName().drop_front(5).split('.').first)) continue;
    if (!function.getReturnType()->isHalfTy()) continue;
    llvm::Type* real = llvm::Type::getFloatTy(module.getContext());
    llvm::SmallVector<llvm::Type*, 3> types;
    for (llvm::Type* type : function.getFunctionType()->params()) types.push_back(type->isHalfTy() ? real : type);
    auto* type = llvm::FunctionType::get(real, types, false);
    const std::string name = library_name(function.getName().drop_front(5).split('.').first, *type);
    llvm::FunctionCallee library = module.getOrInsertFunction(name, type);
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      llvm::IRBuilder<> builder(call);
      llvm::SmallVector<llvm::Value*, 3> arguments;
      for (llvm::Value* argument : call->args()) {
        arguments.push_back(argument->getType()->isHalfTy() ? builder.CreateFPExt(argument, real) : argument);
      }
      llvm::Value* result = builder.CreateCall(library, arguments);
      call->replaceAllUsesWith(builder.CreateFPTrunc(result, call->getType()));
      call->eraseFromParent();
    }
  }
}

llvm::Error link_math(llvm::Module& module) {
  widen_half_math(module);
  bool needed = llvm::any_of(module, [](const llvm::Function& function) {
    return function.isDeclaration() && !function.use_empty() && function.getName().starts_with("_Z");
  });
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration() || function.use_empty()) continue;
    llvm::StringRef base = function.getName();
    if (function.isIntrinsic()) {
      base = base.drop_front(5).split('.').first;
      if (!needs_library(base)) continue;
    } else if (base.consume_front(abi::device_math_prefix)) {
      base = base.drop_back(4);
    } else {
      continue;
    }
    llvm::FunctionCallee library = module.getOrInsertFunction(library_name(base, *function.getFunctionType()), function.getFunctionType());
    function.replaceAllUsesWith(library.getCallee());
    function.eraseFromParent();
    needed = true;
  }
  if (!needed) return llvm::Error::success();
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> math = llvm::getLazyIRFileModule(math_library, problem, module.getContext());
  if (!math) return llvm::createStringError(std::string("no math library for GPUs: ") + math_library + " (package libclc-22)");
  math->setDataLayout(module.getDataLayout());
  math->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(math), llvm::Linker::LinkOnlyNeeded)) {
    return llvm::createStringError("the math library for GPUs can't be linked");
  }
  return llvm::Error::success();
}

void optimise_for(llvm::TargetMachine& machine, llvm::Module& module, llvm::Function& entry) {
  passes::pass_runner runner(&machine);
  llvm::ModulePassManager pipeline;
  pipeline.addPass(llvm::InternalizePass([&](const llvm::GlobalValue& value) {
    return &value == &entry || value.isDeclaration();
  }));
  pipeline.addPass(llvm::GlobalDCEPass());
  pipeline.addPass(runner.builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3));
  runner.run(module, std::move(pipeline));
}

llvm::Error refuse_externals(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty()) {
      return llvm::createStringError("it needs '" + function.getName().str() + "', which GPUs don't have");
    }
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::string> lower_to_ptx(const abi::image_header& image, std::uint32_t index, const std::string& gpu) {
  const kernel_facts facts = read_kernel(image, index);
  if (facts.row.flags & abi::kernel_not_portable) {
    return llvm::createStringError("it was diagnosed when it was compiled: it can run on the host CPU only");
  }
  llvm::LLVMContext context;
  auto module = read_module(image, context, facts.symbol);
  if (!module) return module.takeError();
  auto machine = make_machine(gpu);
  if (!machine) return machine.takeError();
  (*module)->setTargetTriple((*machine)->getTargetTriple());
  (*module)->setDataLayout((*machine)->createDataLayout());
  llvm::Function* kernel = passes::select_kernel(**module, facts.symbol);
  if (!kernel) return llvm::createStringError("the image has no function '" + facts.symbol + "'");
  passes::erase_element_visits(**module);
  passes::lower_specialization_constants(**module, nullptr);
  if (llvm::Error error = passes::inline_device_calls(*kernel)) return std::move(error);
  llvm::Expected<std::uint64_t> scratch_bytes = passes::scratch_bytes_per_item(*kernel);
  if (!scratch_bytes) return scratch_bytes.takeError();
  llvm::Function* entry = gpu_kernel_builder(**module, *kernel, facts, *scratch_bytes).run();
  if (llvm::Error error = link_math(**module)) return std::move(error);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(**module, &stream)) return llvm::createStringError("internal error, invalid IR: " + problem);
  optimise_for(**machine, **module, *entry);
  if (llvm::Error error = refuse_externals(**module)) return std::move(error);

  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream output(text);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, output, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    return llvm::createStringError("LLVM can't emit PTX");
  }
  passes.run(**module);
  return std::string(text.data(), text.size());
}

} // namespace sinter::jit
