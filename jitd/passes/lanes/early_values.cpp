#include "early_values.hpp"

#include "lane_promises.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::passes {
namespace {

constexpr unsigned most_steps = 32;

/// Whether the address is in an argument block, or in a block whose address is in an argument block. Array elements in
/// such blocks are excluded, because a program may test an index before it reads the element.
bool has_known_place(const llvm::Value* address) {
  while (const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(address)) {
    if (!step->hasAllConstantIndices()) return false;
    address = step->getPointerOperand();
  }
  return llvm::isa<llvm::Argument, llvm::LoadInst, llvm::Constant>(address);
}

bool is_known(const llvm::Value* value, llvm::ArrayRef<unsigned> parameters, unsigned& steps) {
  if (llvm::isa<llvm::ConstantInt>(value)) return true;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value))
    return llvm::is_contained(parameters, argument->getArgNo());
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || ++steps > most_steps || !may_run_first(*instruction)) return false;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(instruction);
  return llvm::all_of(call ? call->args() : instruction->operands(),
                      [&](const llvm::Use& operand) { return is_known(operand.get(), parameters, steps); });
}

}  // namespace

bool may_run_first(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return load->isSimple() && load->hasMetadata(llvm::LLVMContext::MD_invariant_load) &&
           has_known_place(load->getPointerOperand());
  }
  if (is_lane_promise(instruction)) return true;
  if (instruction.isIntDivRem()) return false;
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst, llvm::GetElementPtrInst,
                   llvm::FreezeInst, llvm::MinMaxIntrinsic>(instruction);
}

bool is_known_early(const llvm::Value* value, llvm::ArrayRef<unsigned> parameters) {
  unsigned steps = 0;
  return is_known(value, parameters, steps);
}

early_function::early_function(llvm::Function& work_item, llvm::ArrayRef<unsigned> parameters, llvm::Type* result,
                               const llvm::Twine& name)
    : m_builder(work_item.getContext()) {
  llvm::SmallVector<llvm::Type*, 16> types;
  for (unsigned parameter : parameters) types.push_back(work_item.getArg(parameter)->getType());
  m_function = llvm::Function::Create(llvm::FunctionType::get(result, types, false), llvm::GlobalValue::InternalLinkage,
                                      name, work_item.getParent());
  m_function->addFnAttr(llvm::Attribute::AlwaysInline);
  m_function->addFnAttr(llvm::Attribute::NoUnwind);
  m_builder.SetInsertPoint(llvm::BasicBlock::Create(work_item.getContext(), "entry", m_function));
  for (unsigned i = 0; i < parameters.size(); ++i) m_copies[work_item.getArg(parameters[i])] = m_function->getArg(i);
}

llvm::Value* early_function::copy(llvm::Value* value) {
  if (llvm::isa<llvm::Constant>(value)) return value;
  if (const auto known = m_copies.find(value); known != m_copies.end()) return known->second;
  auto* instruction = llvm::cast<llvm::Instruction>(value);
  llvm::SmallVector<llvm::Value*, 4> operands;
  for (llvm::Value* operand : instruction->operand_values()) operands.push_back(copy(operand));
  llvm::Instruction* made = instruction->clone();
  for (unsigned i = 0; i < operands.size(); ++i) made->setOperand(i, operands[i]);
  // Flags such as nsw may not hold in the copy, because the copy runs earlier than the original.
  made->dropPoisonGeneratingFlags();
  made->dropUnknownNonDebugMetadata(llvm::LLVMContext::MD_invariant_load);
  made->setDebugLoc(llvm::DebugLoc());
  m_builder.Insert(made);
  return m_copies[value] = made;
}

}  // namespace sinter::passes
