#include "prints.hpp"

#include <abi/gpu_launch.hpp>
#include <cstddef>
#include <map>

#include "dialect.hpp"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "targets/linked_text.hpp"
#include "targets/printed_text.hpp"

namespace sinter::jit::gpu {
namespace {

constexpr const char* writer = "sinter.begin_print";
constexpr std::uint64_t most_text_words = 0xffff;

/// Returns the number of the text's first word in the ring, or -1 if the ring has no free place for the text. Words are
/// numbered one after the other; the numbers never start again at 0.
constexpr const char* print_code = R"(
@sinter_prints = external addrspace(1) global ptr addrspace(1)

define i64 @sinter.begin_print(i64 %much) {
entry:
  %box = load ptr addrspace(1), ptr addrspace(1) @sinter_prints
  %none = icmp eq ptr addrspace(1) %box, null
  br i1 %none, label %nobody, label %ask
ask:
  %taken.place = getelementptr i8, ptr addrspace(1) %box, i64 TAKEN
  br label %try
try:
  %begin = load atomic i64, ptr addrspace(1) %box monotonic, align 8
  %taken = load atomic i64, ptr addrspace(1) %taken.place acquire, align 8
  %end = add i64 %begin, %much
  %used = sub i64 %end, %taken
  %fits = icmp ule i64 %used, WORDS
  br i1 %fits, label %take, label %lose
take:
  %pair = cmpxchg ptr addrspace(1) %box, i64 %begin, i64 %end monotonic monotonic
  %is.ours = extractvalue { i64, i1 } %pair, 1
  br i1 %is.ours, label %done, label %try
done:
  ret i64 %begin
lose:
  %lost.place = getelementptr i8, ptr addrspace(1) %box, i64 LOST
  %before = atomicrmw add ptr addrspace(1) %lost.place, i64 1 monotonic
  br label %nobody
nobody:
  ret i64 -1
}
)";

std::string writer_code() {
  std::string text = print_code;
  for (const auto& [word, number] : {std::pair{"TAKEN", offsetof(abi::gpu_prints, taken)},
                                     std::pair{"LOST", offsetof(abi::gpu_prints, lost)},
                                     std::pair{"WORDS", static_cast<std::size_t>(abi::gpu_prints::words)}}) {
    text.replace(text.find(word), llvm::StringRef(word).size(), std::to_string(number));
  }
  return text;
}

/// Collects the strings that the host needs in one text. Each string stands directly behind the previous string.
class string_table {
public:
  std::uint64_t add(const std::string& text) {
    const auto [place, is_new] = m_known.try_emplace(text, m_all.size());
    if (is_new) m_all += text + '\0';
    return place->second;
  }
  const std::string& all() const { return m_all; }

private:
  std::map<std::string, std::uint64_t> m_known;
  std::string m_all;
};

/// Returns the argument as 64 bits, or null if C can't pass its type to printf.
llvm::Value* word_of(llvm::IRBuilder<>& builder, llvm::Value* value, char conversion) {
  llvm::Type* type = value->getType();
  if (type->isPointerTy()) return builder.CreatePtrToInt(value, builder.getInt64Ty());
  if (type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy()) {
    return builder.CreateBitCast(builder.CreateFPExt(value, builder.getDoubleTy()), builder.getInt64Ty());
  }
  if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64) return nullptr;
  if (type->getIntegerBitWidth() < 32) value = builder.CreateSExt(value, builder.getInt32Ty());
  const bool has_sign = llvm::StringRef("dic*").contains(conversion);
  return has_sign ? builder.CreateSExt(value, builder.getInt64Ty()) : builder.CreateZExt(value, builder.getInt64Ty());
}

/// Returns the words of a text after its first word.
llvm::Expected<llvm::SmallVector<llvm::Value*, 8>> words_of(llvm::IRBuilder<>& builder, llvm::CallInst& call,
                                                            const std::string& format, string_table& strings) {
  const auto directives = print_directives(format);
  llvm::SmallVector<llvm::Value*, 8> words;
  for (unsigned i = 1; i < call.arg_size(); ++i) {
    // Arguments that the format does not name are ignored.
    if (i > directives.size()) break;
    llvm::Value* value = call.getArgOperand(i);
    const char conversion = format[directives[i - 1].conversion];
    llvm::Value* word = nullptr;
    if (conversion == 's') {
      const std::optional<std::string> text = constant_text(*value);
      if (!text) {
        return llvm::createStringError("its printf prints a string that is no constant, by %s in '" + format +
                                       "', which only the host could read; print its letters by %c");
      }
      word = builder.getInt64(strings.add(*text));
    } else {
      word = word_of(builder, value, conversion);
    }
    if (!word) {
      return llvm::createStringError("its printf prints a number of a type that the device does not have, in '" +
                                     format + "'");
    }
    words.push_back(word);
  }
  if (words.size() < directives.size()) {
    return llvm::createStringError("its printf has fewer arguments than its format '" + format + "' takes");
  }
  if (words.size() >= most_text_words) return llvm::createStringError("its printf has too many arguments");
  return words;
}

/// Inserts code in front of the call of printf. The code reserves words in the ring and, if there was room, writes the
/// text to these words.
void write_text(llvm::CallInst& call, llvm::Function* begin, llvm::GlobalVariable& variable,
                std::uint64_t format, llvm::ArrayRef<llvm::Value*> words) {
  llvm::BasicBlock* before = call.getParent();
  llvm::BasicBlock* behind = before->splitBasicBlock(&call, "printed");
  llvm::BasicBlock* write = llvm::BasicBlock::Create(call.getContext(), "print", before->getParent(), behind);
  before->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> builder(before);
  const std::uint64_t count = words.size() + 1;
  llvm::Value* place = builder.CreateCall(begin, builder.getInt64(count));
  builder.CreateCondBr(builder.CreateICmpEQ(place, builder.getInt64(~std::uint64_t{0})), behind, write);

  builder.SetInsertPoint(write);
  llvm::Type* pointer = builder.getPtrTy(global_space);
  llvm::Value* box = builder.CreateLoad(pointer, &variable);
  llvm::Value* ring = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), box, offsetof(abi::gpu_prints, ring));
  const auto word = [&](std::uint64_t at) {
    llvm::Value* index = builder.CreateAnd(builder.CreateAdd(place, builder.getInt64(at)), abi::gpu_prints::words - 1);
    return builder.CreateInBoundsGEP(builder.getInt64Ty(), ring, index);
  };
  for (std::size_t i = 0; i < words.size(); ++i) builder.CreateAlignedStore(words[i], word(i + 1), llvm::Align(8));
  llvm::StoreInst* last = builder.CreateAlignedStore(builder.getInt64(format << 16 | count), word(0), llvm::Align(8));
  last->setAtomic(llvm::AtomicOrdering::Release);
  builder.CreateBr(behind);

  builder.SetInsertPoint(&call);
  llvm::PHINode* result = builder.CreatePHI(call.getType(), 2);
  result->addIncoming(llvm::ConstantInt::getSigned(call.getType(), -1), before);
  result->addIncoming(llvm::ConstantInt::get(call.getType(), words.size()), write);
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

/// Replaces the declared variable with a definition that contains the strings.
void complete(llvm::Module& module, llvm::GlobalVariable& declared, const std::string& strings) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Constant* parts[] = {llvm::ConstantPointerNull::get(llvm::PointerType::get(context, global_space)),
                             llvm::ConstantDataArray::getString(context, strings, /*AddNull=*/false)};
  llvm::Constant* value = llvm::ConstantStruct::getAnon(parts);
  auto* whole = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/false,
                                         llvm::GlobalValue::ExternalLinkage, value, "", nullptr,
                                         llvm::GlobalValue::NotThreadLocal, global_space);
  whole->setExternallyInitialized(true);
  declared.replaceAllUsesWith(whole);
  whole->takeName(&declared);
  declared.eraseFromParent();
}

}  // namespace

llvm::Error lower_prints(llvm::Module& module) {
  llvm::Function* printf = module.getFunction("printf");
  if (!printf || !printf->isDeclaration() || !printf->isVarArg()) return llvm::Error::success();
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (llvm::User* user : printf->users()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    // Any other use of printf is refused later, because it counts as a use of a host function.
    if (call && call->getCalledFunction() == printf) calls.push_back(call);
  }
  if (calls.empty()) return llvm::Error::success();
  llvm::IRBuilder<> builder(module.getContext());
  link_text(module, writer_code(), writer);
  llvm::Function* begin = module.getFunction(writer);
  llvm::GlobalVariable& variable = *module.getNamedGlobal(abi::gpu_prints_symbol);
  string_table strings;
  for (llvm::CallInst* call : calls) {
    const std::optional<std::string> format = constant_text(*call->getArgOperand(0));
    if (!format) {
      return llvm::createStringError("it calls printf with a format that is no constant, which only the host could "
                                     "read");
    }
    builder.SetInsertPoint(call);
    auto words = words_of(builder, *call, *format, strings);
    if (!words) return words.takeError();
    write_text(*call, begin, variable, strings.add(*format), *words);
  }
  complete(module, variable, strings.all());
  return llvm::Error::success();
}

}  // namespace sinter::jit::gpu
