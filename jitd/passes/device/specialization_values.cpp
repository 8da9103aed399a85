#include "specialization_values.hpp"

#include <abi/device_abi.hpp>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {
namespace {

// No type needs a larger alignment.
constexpr std::uint64_t value_alignment = 4096;

/// Constants of the module that hold the values. Each constant is made at its first use.
class value_globals {
public:
  value_globals(llvm::Module& module, const abi::specialization_table& values)
      : m_module(module), m_values(values), m_made(values.count) {}

  /// Returns null if the key is not set.
  llvm::Constant* find(std::uint64_t key) {
    for (std::uint32_t i = 0; i < m_values.count; ++i) {
      if (m_values.entries[i].key != key) continue;
      if (!m_made[i]) m_made[i] = make(m_values.entries[i]);
      return m_made[i];
    }
    return nullptr;
  }

private:
  llvm::Constant* make(const abi::specialization_table::entry& entry) {
    const llvm::StringRef bytes(static_cast<const char*>(entry.value), entry.size);
    llvm::Constant* data = llvm::ConstantDataArray::getString(m_module.getContext(), bytes, /*AddNull=*/false);
    // The variable has to be in the default address space, even if the target prefers another address space for
    // constants, because the call returns a pointer in the default address space.
    auto* global = new llvm::GlobalVariable(m_module, data->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, data, "sinter.specialized", nullptr,
                                            llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/0);
    global->setAlignment(llvm::Align(value_alignment));
    return global;
  }

  llvm::Module& m_module;
  const abi::specialization_table& m_values;
  llvm::SmallVector<llvm::Constant*, 4> m_made;
};

/// The offset in the kernel's argument block from which the table is loaded.
std::optional<std::uint64_t> offset_of_table(const llvm::Value* table, const llvm::Function& kernel) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(table);
  if (!load || kernel.arg_empty()) return std::nullopt;
  const llvm::DataLayout& layout = load->getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  const llvm::Value* block = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (block != kernel.getArg(0)) return std::nullopt;
  return offset.getZExtValue();
}

/// Makes a function of the declaration's type that searches the entries of abi::specialization_table in a loop.
llvm::Function& make_search(llvm::Function& declaration) {
  llvm::LLVMContext& context = declaration.getContext();
  // Declarations may have line information that definitions must not have.
  llvm::Function& function = *llvm::Function::Create(declaration.getFunctionType(), llvm::GlobalValue::InternalLinkage,
                                                     "sinter.find_constant", *declaration.getParent());
  llvm::Argument *table = function.getArg(0), *key = function.getArg(1), *initial = function.getArg(2);
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, &function); };
  llvm::BasicBlock *entry = block("entry"), *start = block("start"), *loop = block("loop"), *look = block("look"),
                   *next = block("next"), *found = block("found"), *absent = block("absent");
  llvm::IRBuilder<> builder(entry);
  builder.CreateCondBr(builder.CreateIsNull(table), absent, start);

  builder.SetInsertPoint(start);
  llvm::Value* count = builder.CreateLoad(builder.getInt32Ty(), table, "count");
  const auto entries_offset = offsetof(abi::specialization_table, entries);
  llvm::Value* first =
      builder.CreateLoad(builder.getPtrTy(), builder.CreateConstGEP1_64(builder.getInt8Ty(), table, entries_offset));
  builder.CreateBr(loop);

  builder.SetInsertPoint(loop);
  llvm::PHINode* index = builder.CreatePHI(builder.getInt32Ty(), 2, "index");
  index->addIncoming(builder.getInt32(0), start);
  builder.CreateCondBr(builder.CreateICmpULT(index, count), look, absent);

  builder.SetInsertPoint(look);
  using entry_type = abi::specialization_table::entry;
  llvm::Value* offset =
      builder.CreateMul(builder.CreateZExt(index, builder.getInt64Ty()), builder.getInt64(sizeof(entry_type)));
  llvm::Value* row = builder.CreateGEP(builder.getInt8Ty(), first, offset, "row");
  static_assert(offsetof(entry_type, key) == 0);
  builder.CreateCondBr(builder.CreateICmpEQ(builder.CreateLoad(builder.getInt64Ty(), row), key), found, next);

  builder.SetInsertPoint(next);
  index->addIncoming(builder.CreateAdd(index, builder.getInt32(1)), next);
  builder.CreateBr(loop);

  builder.SetInsertPoint(found);
  llvm::Value* value = builder.CreateConstGEP1_64(builder.getInt8Ty(), row, offsetof(entry_type, value));
  builder.CreateRet(builder.CreateLoad(builder.getPtrTy(), value));
  builder.SetInsertPoint(absent);
  builder.CreateRet(initial);

  function.addFnAttr(llvm::Attribute::AlwaysInline);
  return function;
}

} // namespace

void lower_specialization_constants(llvm::Module& module, const abi::specialization_table* values) {
  llvm::Function* reader = module.getFunction(abi::specialization_symbol);
  if (!reader || !reader->isDeclaration()) return;
  if (values) {
    value_globals globals(module, *values);
    for (llvm::User* user : llvm::make_early_inc_range(reader->users())) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      const auto* key = call ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1)) : nullptr;
      if (!key) continue;
      llvm::Constant* value = globals.find(key->getZExtValue());
      call->replaceAllUsesWith(value ? value : call->getArgOperand(2));
      call->eraseFromParent();
    }
  }
  if (!reader->use_empty()) reader->replaceAllUsesWith(&make_search(*reader));
  reader->eraseFromParent();
}

void fold_specialization_constants(llvm::Function& kernel, table_finder table_at) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->getName() != abi::specialization_symbol) continue;
    if (llvm::isa<llvm::ConstantPointerNull>(call->getArgOperand(0))) {
      // The kernel captured the value, so the value is in its argument block.
      call->replaceAllUsesWith(call->getArgOperand(2));
      call->eraseFromParent();
      continue;
    }
    const auto* key = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1));
    const auto offset = offset_of_table(call->getArgOperand(0), kernel);
    const auto table = key && offset ? table_at(*offset) : std::nullopt;
    if (!table) continue;
    llvm::Constant* value = *table ? value_globals(*kernel.getParent(), **table).find(key->getZExtValue()) : nullptr;
    call->replaceAllUsesWith(value ? value : call->getArgOperand(2));
    call->eraseFromParent();
  }
}

} // namespace sinter::passes
