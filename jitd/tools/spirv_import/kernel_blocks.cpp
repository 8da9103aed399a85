#include "kernel_blocks.hpp"

#include <abi/device_abi.hpp>
#include <abi/readable_name.hpp>

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

namespace sinter::import {
namespace {

// OpenCL's numbers of address spaces.
constexpr unsigned global_space = 1, constant_space = 2, local_space = 3;

llvm::Error refuse(llvm::StringRef kernel, const llvm::Twine& why) {
  return llvm::createStringError("kernel '" + kernel + "': " + why);
}

class block_writer {
public:
  explicit block_writer(llvm::Function& body)
      : m_body(body), m_module(*body.getParent()), m_context(m_module.getContext()) {}

  llvm::Expected<imported_kernel> run() {
    m_kernel.name = m_body.getName().str();
    m_body.setName(m_kernel.name + ".body");
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(m_context), {llvm::PointerType::get(m_context, 0)}, false);
    m_wrapper = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, m_kernel.name, m_module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(m_context, "entry", m_wrapper));
    llvm::SmallVector<llvm::Value*, 8> arguments;
    for (llvm::Argument& argument : m_body.args()) {
      llvm::Expected<llvm::Value*> value = load_argument(builder, argument);
      if (!value) return value.takeError();
      arguments.push_back(*value);
    }
    llvm::CallInst* call = builder.CreateCall(&m_body, arguments);
    for (llvm::Argument& argument : m_body.args()) {
      if (llvm::Type* value = argument.getParamByValType()) {
        call->addParamAttr(argument.getArgNo(), llvm::Attribute::getWithByValType(m_context, value));
      }
    }
    builder.CreateRetVoid();
    read_requirements();
    m_kernel.block_size = llvm::alignTo(m_kernel.block_size, m_kernel.block_alignment);
    return m_kernel;
  }

private:
  /// The place of the argument in the block.
  llvm::Value* place(llvm::IRBuilder<>& builder, abi::leaf_kind kind, std::uint64_t size, llvm::Align alignment) {
    const std::uint64_t offset = llvm::alignTo(m_kernel.block_size, alignment);
    abi::image_leaf leaf{};
    leaf.offset = static_cast<std::uint32_t>(offset);
    leaf.size = static_cast<std::uint32_t>(size);
    leaf.kind = kind;
    m_kernel.leaves.push_back(leaf);
    m_kernel.block_size = offset + size;
    m_kernel.block_alignment = std::max(m_kernel.block_alignment, alignment.value());
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), m_wrapper->getArg(0), offset);
  }

  llvm::Expected<llvm::Value*> load_argument(llvm::IRBuilder<>& builder, llvm::Argument& argument) {
    const llvm::DataLayout& layout = m_module.getDataLayout();
    llvm::Type* type = argument.getType();
    const std::string which = "argument " + std::to_string(argument.getArgNo());
    if (llvm::Type* value = argument.getParamByValType()) {
      llvm::Value* from = place(builder, abi::leaf_kind::opaque_bytes, layout.getTypeAllocSize(value),
                                argument.getParamAlign().value_or(layout.getABITypeAlign(value)));
      return builder.CreateAddrSpaceCast(from, type);
    }
    if (auto* pointer = llvm::dyn_cast<llvm::PointerType>(type)) {
      const unsigned space = pointer->getAddressSpace();
      if (space == local_space) {
        llvm::Value* from = place(builder, abi::leaf_kind::local_accessor, 16, llvm::Align(8));
        m_kernel.leaves.back().dimensions = 1;
        m_kernel.leaves.back().element_size = 1;
        return builder.CreateAddrSpaceCast(local_address(builder, from), type);
      }
      if (space != global_space && space != constant_space) {
        return refuse(m_kernel.name, which + " is a pointer to neither global nor local memory");
      }
      llvm::Value* from = place(builder, abi::leaf_kind::global_pointer, 8, llvm::Align(8));
      return builder.CreateAddrSpaceCast(builder.CreateLoad(builder.getPtrTy(), from), type);
    }
    if (!type->isSized() || llvm::isa<llvm::TargetExtType>(type)) {
      return refuse(m_kernel.name, which + " is an image, a sampler or another object, which is not supported");
    }
    const bool is_scalar = type->isIntegerTy() || type->isFloatingPointTy();
    llvm::Value* from = place(builder, is_scalar ? abi::leaf_kind::scalar : abi::leaf_kind::opaque_bytes,
                              layout.getTypeAllocSize(type), layout.getABITypeAlign(type));
    return builder.CreateLoad(type, from);
  }

  /// The address for a local accessor in the block.
  llvm::Value* local_address(llvm::IRBuilder<>& builder, llvm::Value* from) {
    llvm::FunctionCallee base = m_module.getOrInsertFunction("__sinter_local_base", builder.getPtrTy());
    llvm::Value* offset = builder.CreateLoad(builder.getInt64Ty(), from);
    return builder.CreateInBoundsGEP(builder.getInt8Ty(), builder.CreateCall(base), offset);
  }

  void read_requirements() {
    const auto number = [](const llvm::MDNode* node, unsigned place) {
      const auto* value = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node->getOperand(place));
      return value ? static_cast<std::uint32_t>(value->getZExtValue()) : 0;
    };
    // x comes first in OpenCL's metadata and last in Sinter's.
    const llvm::MDNode* group = m_body.getMetadata("reqd_work_group_size");
    for (unsigned d = 0; group && group->getNumOperands() == 3 && d < 3; ++d) {
      m_kernel.required_work_group_size[2 - d] = number(group, d);
    }
    const llvm::MDNode* sub_group = m_body.getMetadata("intel_reqd_sub_group_size");
    if (sub_group && sub_group->getNumOperands() == 1) m_kernel.required_sub_group_size = number(sub_group, 0);
  }

  llvm::Function& m_body;
  llvm::Module& m_module;
  llvm::LLVMContext& m_context;
  llvm::Function* m_wrapper = nullptr;
  imported_kernel m_kernel;
};

void inline_everything(llvm::Module& module) {
  for (llvm::Function& function : module) {
    function.setCallingConv(llvm::CallingConv::C);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) call->setCallingConv(llvm::CallingConv::C);
    }
    const bool is_kernel = function.hasExternalLinkage() && function.arg_size() == 1 &&
                           !function.getName().ends_with(".body") && function.hasFnAttribute("sinter.block");
    if (function.isDeclaration() || is_kernel) continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    for (const auto unwanted : {llvm::Attribute::NoInline, llvm::Attribute::OptimizeNone})
      function.removeFnAttr(unwanted);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, modules);
}

/// A kernel's own arrays in local memory follow each other in a part of the group's memory that the launch adds.
void place_local_arrays(llvm::Function& wrapper, imported_kernel& kernel) {
  llvm::Module& module = *wrapper.getParent();
  const llvm::DataLayout& layout = module.getDataLayout();
  llvm::Value* base = nullptr;
  const std::uint64_t offset = llvm::alignTo(kernel.block_size, 8);
  std::uint64_t bytes = 0;
  for (llvm::GlobalVariable& array : module.globals()) {
    if (array.getAddressSpace() != local_space) continue;
    llvm::SmallVector<llvm::Use*, 8> uses;
    for (llvm::Use& use : array.uses()) {
      auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (user && user->getFunction() == &wrapper) uses.push_back(&use);
    }
    if (uses.empty()) continue;
    llvm::IRBuilder<> builder(&*wrapper.getEntryBlock().getFirstInsertionPt());
    if (!base) {
      llvm::FunctionCallee local = module.getOrInsertFunction("__sinter_local_base", builder.getPtrTy());
      llvm::Value* from = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), wrapper.getArg(0), offset);
      llvm::Value* first = builder.CreateLoad(builder.getInt64Ty(), from);
      base = builder.CreateInBoundsGEP(builder.getInt8Ty(), builder.CreateCall(local), first);
    } else {
      builder.SetInsertPoint(llvm::cast<llvm::Instruction>(base)->getNextNode());
    }
    bytes = llvm::alignTo(bytes, array.getAlign().value_or(llvm::Align(16)));
    llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, bytes);
    place = builder.CreateAddrSpaceCast(place, array.getType());
    bytes += layout.getTypeAllocSize(array.getValueType());
    for (llvm::Use* use : uses) use->set(place);
  }
  if (!base) return;
  abi::image_leaf leaf{};
  leaf.offset = static_cast<std::uint32_t>(offset);
  leaf.size = 16;
  leaf.kind = abi::leaf_kind::local_accessor;
  leaf.dimensions = 1;
  leaf.access_mode = abi::leaf_is_own_array;
  leaf.element_size = static_cast<std::uint32_t>(bytes);
  kernel.leaves.push_back(leaf);
  kernel.block_size = llvm::alignTo(offset + leaf.size, kernel.block_alignment);
}

llvm::Error check_calls(const llvm::Function& wrapper, imported_kernel& kernel) {
  static constexpr llvm::StringLiteral of_groups[] = {"__sinter_local_id",    "__sinter_group_id",
                                                      "__sinter_local_range", "__sinter_group_range",
                                                      "__sinter_barrier",     "__sinter_local_base"};
  for (const llvm::Instruction& instruction : llvm::instructions(wrapper)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (!callee) return refuse(kernel.name, "it calls a function through a pointer");
    const llvm::StringRef name = callee->getName();
    if (!callee->isDeclaration()) return refuse(kernel.name, "function '" + name + "' calls itself");
    if (callee->isIntrinsic()) continue;
    if (!name.starts_with(abi::device_symbol_prefix)) {
      return refuse(kernel.name, "it calls " + abi::without_inline_namespace(llvm::demangle(name)) +
                                     ", which is not supported on this device");
    }
    kernel.needs_groups |= llvm::is_contained(of_groups, name) || name.starts_with("__sinter_sub_group");
  }
  return llvm::Error::success();
}

}  // namespace

llvm::Expected<std::vector<imported_kernel>> make_kernel_blocks(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 8> bodies;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL) {
      bodies.push_back(&function);
    }
  }
  std::vector<imported_kernel> kernels;
  for (llvm::Function* body : bodies) {
    llvm::Expected<imported_kernel> kernel = block_writer(*body).run();
    if (!kernel) return kernel.takeError();
    module.getFunction(kernel->name)->addFnAttr("sinter.block");
    kernels.push_back(std::move(*kernel));
  }
  inline_everything(module);
  llvm::SmallVector<llvm::Constant*, 16> variables;
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (!variable.isConstant() && variable.getAddressSpace() != local_space) {
      return llvm::createStringError("variable '" + variable.getName() +
                                     "' of the program can change, which is not supported on this device");
    }
    variables.push_back(&variable);
  }
  llvm::convertUsersOfConstantsToInstructions(variables);
  for (imported_kernel& kernel : kernels) {
    llvm::Function& wrapper = *module.getFunction(kernel.name);
    place_local_arrays(wrapper, kernel);
    if (llvm::Error error = check_calls(wrapper, kernel)) return std::move(error);
  }
  return kernels;
}

}  // namespace sinter::import
