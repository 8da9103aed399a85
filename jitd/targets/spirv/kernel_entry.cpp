#include "kernel_entry.hpp"

#include <abi/gpu_launch.hpp>
#include <cctype>

#include "address_spaces.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::jit::spirv {

kernel_entry make_entry(llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts,
                        const abi::local_range& local_range, unsigned sub_group_size, bool linear_groups,
                        bool block_in_memory) {
  llvm::LLVMContext& context = module.getContext();
  std::string name = "sinter_";
  for (char c : facts.display_name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  llvm::IRBuilder<> builder(context);
  llvm::Type* pointer = builder.getPtrTy(private_space);
  auto* type = llvm::FunctionType::get(builder.getVoidTy(),
                                       {block_in_memory ? builder.getPtrTy(global_space) : pointer, pointer,
                                        builder.getPtrTy(local_space), builder.getPtrTy(global_space)},
                                       false);
  llvm::Function* entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  entry->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
  entry->setDoesNotThrow();
  // Words, for their alignment: drivers promise no more of what is passed by value.
  const auto by_value = [&](unsigned index, std::uint64_t bytes) {
    llvm::Type* words = llvm::ArrayType::get(builder.getInt64Ty(), abi::spirv_parameter_bytes(bytes) / 8);
    // Drivers know structures by value only.
    words = llvm::StructType::get(words);
    entry->addParamAttr(index, llvm::Attribute::getWithByValType(context, words));
    entry->addParamAttr(index, llvm::Attribute::getWithAlignment(context, llvm::Align(8)));
  };
  if (block_in_memory) {
    // Nobody else has it, and nobody writes it.
    for (const auto promise : {llvm::Attribute::NoAlias, llvm::Attribute::ReadOnly}) entry->addParamAttr(0, promise);
  } else {
    by_value(0, facts.row.block_size);
  }
  by_value(1, sizeof(abi::gpu_geometry));
  const char* const names[] = {"block", "geometry", "local", "failure"};
  for (unsigned i = 0; i < 4; ++i) entry->getArg(i)->setName(names[i]);
  const auto number = [&](std::uint64_t value) {
    return llvm::ConstantAsMetadata::get(builder.getInt32(static_cast<std::uint32_t>(value)));
  };
  if (local_range[2] != 0) {
    std::uint64_t sizes[3] = {local_range[2], local_range[1], local_range[0]};
    if (linear_groups) sizes[0] *= sizes[1] * sizes[2], sizes[1] = sizes[2] = 1;
    entry->setMetadata("reqd_work_group_size",
                       llvm::MDNode::get(context, {number(sizes[0]), number(sizes[1]), number(sizes[2])}));
  }
  if (sub_group_size != 0) {
    entry->setMetadata("intel_reqd_sub_group_size", llvm::MDNode::get(context, number(sub_group_size)));
  }
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", entry));
  llvm::CallInst* call = builder.CreateCall(&kernel, {builder.CreateAddrSpaceCast(entry->getArg(0), pointer)});
  builder.CreateRetVoid();
  llvm::InlineFunctionInfo info;
  llvm::InlineFunction(*call, info);
  kernel.eraseFromParent();
  return {entry, entry->getArg(0), entry->getArg(1), entry->getArg(2), entry->getArg(3)};
}

}  // namespace sinter::jit::spirv
