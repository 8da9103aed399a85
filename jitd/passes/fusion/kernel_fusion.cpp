#include "kernel_fusion.hpp"

#include <abi/planted_error.hpp>

#include "passes/called_names.hpp"
#include "passes/convergence.hpp"
#include "passes/device/device_inlining.hpp"
#include "element_visits.hpp"
#include "fused_range.hpp"
#include "fusion_metadata.hpp"
#include "passes/device/group_variables.hpp"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::passes {
namespace {

bool same(const std::uint64_t (&a)[3], const std::uint64_t (&b)[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/// Whether equal linear ids mean equal ids in both ranges.
bool same_ids(const fusion_range& a, const fusion_range& b) {
  if (a.global[2] == b.global[2]) return a.global[1] == b.global[1] || (a.global[0] == 1 && b.global[0] == 1);
  return a.global[0] == 1 && b.global[0] == 1 && a.global[1] == 1 && b.global[1] == 1;
}

class member_builder {
public:
  member_builder(llvm::Function& stub, const fusion_description& description)
      : m_stub(stub), m_module(*stub.getParent()), m_description(description), m_builder(stub.getContext()) {}

  /// Copies the member. The copy computes its ids, and the address of its local memory, from those of the fused kernel.
  llvm::Expected<llvm::Function*> prepare(unsigned index) {
    llvm::Function* original = m_module.getFunction(m_description.members[index]);
    if (!original || original->isDeclaration() || original->arg_size() != 1) {
      return llvm::createStringError("kernel fusion: there is no kernel '" + m_description.members[index] + "'");
    }
    if (llvm::Error error = inline_device_calls(*original)) return std::move(error);
    llvm::ValueToValueMapTy map;
    llvm::Function* copy = llvm::CloneFunction(original, map);
    copy->setName(original->getName() + ".member" + llvm::Twine(index));
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    copy->removeFnAttr(llvm::Attribute::NoInline);
    separate_group_variables(*copy);
    if (index < m_description.local_offsets.size()) move_local_memory(*copy, m_description.local_offsets[index]);
    if (!m_description.visitor && differs(index)) remap(*copy, m_description.ranges[index]);
    return copy;
  }

  /// Adds a call of the member to the fused kernel (the stub). A guard skips work-items that the member does not have.
  void call(unsigned index, llvm::Function& member, llvm::Value* block) {
    const bool guarded = differs(index) && size_of(m_description.ranges[index]) < size_of(m_description.range);
    if (!guarded) {
      m_builder.CreateCall(&member, {block});
      return;
    }
    llvm::LLVMContext& context = m_stub.getContext();
    llvm::BasicBlock* inside = llvm::BasicBlock::Create(context, "member", &m_stub);
    llvm::BasicBlock* behind = llvm::BasicBlock::Create(context, "behind", &m_stub);
    llvm::Value* id = linear_id(m_builder);
    m_builder.CreateCondBr(m_builder.CreateICmpULT(id, m_builder.getInt64(size_of(m_description.ranges[index]))),
                           inside, behind);
    m_builder.SetInsertPoint(inside);
    m_builder.CreateCall(&member, {block});
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(behind);
  }

  llvm::IRBuilder<>& builder() { return m_builder; }

private:
  bool differs(unsigned index) const {
    if (m_description.ranges.empty()) return false;
    for (const fusion_range& range : m_description.ranges) {
      if (range.dimensions != m_description.range.dimensions || !same(range.global, m_description.range.global))
        return true;
    }
    return has_groups(m_description.ranges[index]) != has_groups(m_description.range);
  }

  llvm::Value* query(llvm::IRBuilder<>& builder, llvm::StringRef name, unsigned dimension) {
    llvm::FunctionCallee callee = m_module.getOrInsertFunction(name, builder.getInt64Ty(), builder.getInt32Ty());
    return builder.CreateCall(callee, {builder.getInt32(dimension)});
  }

  /// Returns the global linear id, which is the same in the fused kernel and in the member.
  llvm::Value* linear_id(llvm::IRBuilder<>& builder) {
    llvm::Value* id = nullptr;
    for (unsigned d = 3 - m_description.range.dimensions; d < 3; ++d) {
      llvm::Value* at = query(builder, "__sinter_global_id", d);
      if (m_description.range.offset[d] != 0)
        at = builder.CreateNUWSub(at, builder.getInt64(m_description.range.offset[d]));
      id =
          id ? builder.CreateNUWAdd(builder.CreateNUWMul(id, builder.getInt64(m_description.range.global[d])), at) : at;
    }
    return id;
  }

  void move_local_memory(llvm::Function& member, std::uint64_t bytes) {
    if (bytes == 0) return;
    for (llvm::CallInst* call : calls_of(member, "__sinter_local_base")) {
      llvm::IRBuilder<> builder(call->getNextNode());
      auto* moved = llvm::cast<llvm::Instruction>(builder.CreateInBoundsPtrAdd(call, builder.getInt64(bytes)));
      call->replaceUsesWithIf(moved, [&](llvm::Use& use) { return use.getUser() != moved; });
    }
  }

  /// Computes an id of a member with groups, if the member's dimensions have other numbers in the fused kernel.
  llvm::Value* moved_id(llvm::IRBuilder<>& builder, llvm::StringRef name, unsigned dimension, const fusion_range& range,
                        const member_dimensions& dimensions) {
    const bool is_global = name == "__sinter_global_id";
    const unsigned place = dimensions.place[dimension];
    if (place == member_dimensions::none) return builder.getInt64(is_global ? range.offset[dimension] : 0);
    llvm::Value* id = query(builder, name, place);
    const std::uint64_t moved = is_global ? range.offset[dimension] - m_description.range.offset[place] : 0;
    return moved == 0 ? id : builder.CreateAdd(id, builder.getInt64(moved));
  }

  /// Replaces the member's ids, ranges and offsets by those that the member would have in a launch of its own.
  void remap(llvm::Function& member, const fusion_range& range) {
    const bool keep_ids = same_ids(range, m_description.range) && same(range.offset, m_description.range.offset);
    std::optional<member_dimensions> moved;
    if (has_groups(range)) moved = dimensions_in(range, m_description.range);
    if (moved && moved->moves_none(range, m_description.range)) moved.reset();
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(member))) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || !call->getCalledFunction()) continue;
      const llvm::StringRef name = call->getCalledFunction()->getName();
      auto* dimension = call->arg_size() == 1 ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0)) : nullptr;
      if (!dimension) continue;
      const unsigned d = static_cast<unsigned>(dimension->getZExtValue() % 3);
      llvm::IRBuilder<> builder(call);
      llvm::Value* value = nullptr;
      if (name == "__sinter_global_range") {
        value = builder.getInt64(range.global[d]);
      } else if (name == "__sinter_global_offset") {
        value = builder.getInt64(range.offset[d]);
      } else if (has_groups(range) && name == "__sinter_local_range") {
        value = builder.getInt64(range.local[d]);
      } else if (has_groups(range) && name == "__sinter_group_range") {
        value = builder.getInt64(range.global[d] / range.local[d]);
      } else if (moved && llvm::is_contained({"__sinter_global_id", "__sinter_local_id", "__sinter_group_id"}, name)) {
        value = moved_id(builder, name, d, range, *moved);
      } else if (!has_groups(range) && name == "__sinter_global_id" && !keep_ids) {
        llvm::Value* id = linear_id(builder);
        llvm::Value* width = builder.getInt64(range.global[2]);
        if (d == 0) value = builder.CreateUDiv(id, builder.getInt64(range.global[1] * range.global[2]));
        if (d == 1) value = builder.CreateURem(builder.CreateUDiv(id, width), builder.getInt64(range.global[1]));
        if (d == 2) value = builder.CreateURem(id, width);
        // Ids contain the offset; the linear id does not.
        if (range.offset[d] != 0) value = builder.CreateNUWAdd(value, builder.getInt64(range.offset[d]));
      }
      if (!value) continue;
      call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
  }

  llvm::Function& m_stub;
  llvm::Module& m_module;
  const fusion_description& m_description;
  llvm::IRBuilder<> m_builder;
};

} // namespace

llvm::Error fuse_kernels(llvm::Function& stub) {
  auto description = read_fusion_metadata(stub);
  if (!description) return description.takeError();
  if (!stub.isDeclaration()) stub.deleteBody();
  stub.setLinkage(llvm::GlobalValue::ExternalLinkage);
  member_builder members(stub, *description);
  llvm::IRBuilder<>& builder = members.builder();
  builder.SetInsertPoint(llvm::BasicBlock::Create(stub.getContext(), "entry", &stub));
  llvm::MDNode* invariant = llvm::MDNode::get(stub.getContext(), {});
  std::vector<llvm::Value*> blocks;
  for (unsigned i = 0; i < description->members.size(); ++i) {
    llvm::LoadInst* block = builder.CreateLoad(
        builder.getPtrTy(), builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), stub.getArg(0), i), "block");
    block->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
    blocks.push_back(block);
  }
  std::vector<llvm::Function*> copies;
  std::vector<element_call> at_elements;
  bool only_ours = false;  // whether no member has barriers of its own
  for (unsigned i = 0; i < description->members.size(); ++i) {
    auto member = members.prepare(i);
    if (!member) return member.takeError();
    copies.push_back(*member);
    if (description->visitor && i != *description->visitor) {
      // The member has no caller yet. With external linkage, this member is not removed while other members are
      // prepared.
      (*member)->setLinkage(llvm::GlobalValue::ExternalLinkage);
      at_elements.push_back({make_element_work(**member), blocks[i], i < *description->visitor});
      continue;
    }
    if (llvm::is_contained(description->barriers, i)) {
      only_ours |= !stub.getParent()->getFunction("__sinter_barrier");
      create_barrier(builder, abi::scope::work_group);
      if (only_ours && abi::is_planted("barriers_of_both_sides")) {
        stub.getParent()->getFunction("__sinter_barrier")->setNotConvergent();
      }
    }
    if (description->visitor) {
      builder.CreateCall(*member, {blocks[i]});
    } else {
      members.call(i, **member, blocks[i]);
    }
  }
  builder.CreateRetVoid();
  for (llvm::Function* copy : copies) {
    for (llvm::User* user : llvm::make_early_inc_range(copy->users())) {
      llvm::InlineFunctionInfo info;
      const llvm::InlineResult result = llvm::InlineFunction(*llvm::cast<llvm::CallBase>(user), info);
      if (!result.isSuccess()) {
        return llvm::createStringError("kernel fusion: '" + copy->getName() +
                                       "' can't be inlined: " + result.getFailureReason());
      }
    }
    copy->eraseFromParent();
  }
  if (llvm::Error error = call_at_elements(stub, at_elements)) return error;
  for (const element_call& each : at_elements) each.work->eraseFromParent();
  erase_element_visits(*stub.getParent());
  return llvm::Error::success();
}

} // namespace sinter::passes
