#include "kernel_entry.hpp"

#include <abi/gpu_launch.hpp>
#include <cctype>

#include "address_spaces.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::jit::spirv {
namespace {

/// Copies the argument block, and replaces each pointer's distance by its address. SROA removes the copy later.
llvm::Value* block_with_addresses(llvm::IRBuilder<>& builder, llvm::Function& entry, const kernel_facts& facts,
                                  llvm::ArrayRef<std::uint32_t> pointers) {
  const llvm::Align alignment(std::max<std::uint64_t>(facts.row.block_alignment, 8));
  const std::uint64_t bytes = abi::spirv_parameter_bytes(facts.row.block_size);
  llvm::Argument* block = entry.getArg(0);
  llvm::AllocaInst* copy = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt64Ty(), bytes / 8), nullptr, "own");
  copy->setAlignment(alignment);
  builder.CreateMemCpy(copy, alignment, block, llvm::Align(8), bytes);
  for (unsigned i = 0; i < pointers.size(); ++i) {
    const llvm::Align of_place = llvm::commonAlignment(llvm::Align(8), pointers[i]);
    llvm::Value* given = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), block, pointers[i]);
    llvm::Value* distance = builder.CreateAlignedLoad(builder.getInt64Ty(), given, of_place);
    llvm::Argument* memory = entry.getArg(abi::first_spirv_pointer + i);
    llvm::Value* address = builder.CreateGEP(builder.getInt8Ty(), memory, distance);
    llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy, pointers[i]);
    builder.CreateAlignedStore(builder.CreateAddrSpaceCast(address, builder.getPtrTy()), place, of_place);
  }
  return copy;
}

/// Makes work-items beyond the range return. The calls for ids and offset are lowered together with the kernel's calls.
void leave_beyond_range(llvm::IRBuilder<>& builder, llvm::Function& entry, unsigned dimensions) {
  llvm::Module& module = *entry.getParent();
  llvm::BasicBlock* const inside = llvm::BasicBlock::Create(module.getContext(), "inside", &entry);
  llvm::BasicBlock* const beyond = llvm::BasicBlock::Create(module.getContext(), "beyond", &entry);
  const auto id = module.getOrInsertFunction("__sinter_global_id", builder.getInt64Ty(), builder.getInt32Ty());
  const auto word = [&](std::size_t offset, unsigned d) {
    llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), entry.getArg(1), offset + 8 * d);
    return builder.CreateAlignedLoad(builder.getInt64Ty(), place, llvm::Align(8));
  };
  llvm::Value* is_inside = builder.getTrue();
  for (unsigned d = 3 - dimensions; d < 3; ++d) {
    llvm::Value* place = builder.CreateSub(builder.CreateCall(id, {builder.getInt32(d)}),
                                           word(offsetof(abi::gpu_geometry, global_offset), d));
    is_inside = builder.CreateAnd(
        is_inside, builder.CreateICmpULT(place, word(offsetof(abi::gpu_geometry, global_range), d)));
  }
  builder.CreateCondBr(is_inside, inside, beyond);
  builder.SetInsertPoint(beyond);
  builder.CreateRetVoid();
  builder.SetInsertPoint(inside);
}

}  // namespace

kernel_entry make_entry(llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts,
                        const abi::local_range& local_range, unsigned sub_group_size, bool linear_groups,
                        bool block_in_memory, bool is_padded, llvm::ArrayRef<std::uint32_t> pointers) {
  llvm::LLVMContext& context = module.getContext();
  std::string name = "sinter_";
  for (char c : facts.display_name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  llvm::IRBuilder<> builder(context);
  llvm::Type* pointer = builder.getPtrTy(private_space);
  llvm::SmallVector<llvm::Type*, 16> parameters{block_in_memory ? builder.getPtrTy(global_space) : pointer, pointer,
                                                builder.getPtrTy(local_space), builder.getPtrTy(global_space)};
  parameters.append(pointers.size(), builder.getPtrTy(global_space));
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), parameters, false);
  llvm::Function* entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  entry->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
  entry->setDoesNotThrow();
  // The argument consists of words, because drivers promise no larger alignment for arguments by value.
  const auto by_value = [&](unsigned index, std::uint64_t bytes) {
    llvm::Type* words = llvm::ArrayType::get(builder.getInt64Ty(), abi::spirv_parameter_bytes(bytes) / 8);
    // Drivers support only structures as arguments by value.
    words = llvm::StructType::get(words);
    entry->addParamAttr(index, llvm::Attribute::getWithByValType(context, words));
    entry->addParamAttr(index, llvm::Attribute::getWithAlignment(context, llvm::Align(8)));
  };
  if (block_in_memory) {
    // The argument belongs to this kernel alone, and is never written.
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
  llvm::Value* block = pointers.empty() ? builder.CreateAddrSpaceCast(entry->getArg(0), pointer)
                                        : block_with_addresses(builder, *entry, facts, pointers);
  if (is_padded) leave_beyond_range(builder, *entry, facts.row.dimensions);
  llvm::CallInst* call = builder.CreateCall(&kernel, {block});
  builder.CreateRetVoid();
  llvm::InlineFunctionInfo info;
  llvm::InlineFunction(*call, info);
  kernel.eraseFromParent();
  return {entry, entry->getArg(0), entry->getArg(1), entry->getArg(2), entry->getArg(3)};
}

void drop_unused_pointers(kernel_entry& entry, std::vector<std::uint32_t>& pointers) {
  llvm::Function& old = *entry.function;
  llvm::SmallVector<llvm::Argument*, 16> kept;
  std::vector<std::uint32_t> places;
  for (llvm::Argument& each : old.args()) {
    const bool is_pointer = each.getArgNo() >= abi::first_spirv_pointer;
    if (is_pointer && each.use_empty()) continue;
    kept.push_back(&each);
    if (is_pointer) places.push_back(pointers[each.getArgNo() - abi::first_spirv_pointer]);
  }
  pointers = std::move(places);
  llvm::SmallVector<llvm::Type*, 16> types;
  for (const llvm::Argument* each : kept) types.push_back(each->getType());
  auto* type = llvm::FunctionType::get(old.getReturnType(), types, false);
  llvm::Function* made = llvm::Function::Create(type, old.getLinkage(), "", old.getParent());
  made->takeName(&old);
  made->copyAttributesFrom(&old);
  const llvm::AttributeList of_old = old.getAttributes();
  llvm::SmallVector<llvm::AttributeSet, 16> of_kept;
  for (const llvm::Argument* each : kept) of_kept.push_back(of_old.getParamAttrs(each->getArgNo()));
  made->setAttributes(llvm::AttributeList::get(old.getContext(), of_old.getFnAttrs(), of_old.getRetAttrs(), of_kept));
  made->copyMetadata(&old, 0);
  made->splice(made->begin(), &old);
  for (unsigned i = 0; i < kept.size(); ++i) {
    made->getArg(i)->takeName(kept[i]);
    kept[i]->replaceAllUsesWith(made->getArg(i));
  }
  old.eraseFromParent();
  entry = {made, made->getArg(0), made->getArg(1), made->getArg(2), made->getArg(3)};
}

}  // namespace sinter::jit::spirv
