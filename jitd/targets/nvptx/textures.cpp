#include "textures.hpp"

#include <abi/texture_abi.hpp>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "passes/called_names.hpp"
#include "passes/device/textures.hpp"

namespace sinter::jit::nvptx {
namespace {

using abi::texture_form, abi::texture_kind;

const char* name_of(texture_form form) {
  constexpr const char* names[] = {"1d", "2d", "3d", "1d.array", "2d.array", "cube"};
  return names[static_cast<unsigned>(form)];
}
const char* name_of(texture_kind kind) {
  constexpr const char* names[] = {"v4f32", "v4s32", "v4u32"};
  return names[static_cast<unsigned>(kind)];
}
bool has_layers(texture_form form) { return form == texture_form::lines || form == texture_form::planes; }
unsigned coordinates_of(texture_form form) {
  constexpr unsigned counts[] = {1, 2, 3, 1, 2, 3};
  return counts[static_cast<unsigned>(form)];
}

class texture_lowering {
public:
  explicit texture_lowering(llvm::Module& module) : m_module(module), m_builder(module.getContext()) {}

  llvm::Value* lower(llvm::CallInst& call) {
    m_builder.SetInsertPoint(&call);
    m_builder.SetCurrentDebugLocation(call.getDebugLoc());
    llvm::StringRef name = passes::called_name(call);
    name.consume_front(passes::texture_prefix);
    if (name == "alike") return alike(call);
    if (name == "sample") return sample(call, /*has_level=*/false);
    if (name == "level") return sample(call, /*has_level=*/true);
    if (name == "gather") return gather(call);
    if (name == "load") return load(call);
    store(call);
    return nullptr;
  }

private:
  static std::uint64_t number(const llvm::CallInst& call, unsigned operand) {
    return llvm::cast<llvm::ConstantInt>(call.getArgOperand(operand))->getZExtValue();
  }
  llvm::Value* call_of(const std::string& name, llvm::ArrayRef<llvm::Value*> operands) {
    llvm::Function* function =
        llvm::Intrinsic::getOrInsertDeclaration(&m_module, llvm::Intrinsic::lookupIntrinsicID("llvm.nvvm." + name));
    return m_builder.CreateCall(function, operands);
  }
  /// Returns the numbers of a result, at most four, as words.
  llvm::Value* words_of(llvm::Value* result) {
    llvm::Type* word = m_builder.getInt32Ty();
    llvm::Value* words = llvm::Constant::getNullValue(llvm::FixedVectorType::get(word, 4));
    const auto* several = llvm::dyn_cast<llvm::StructType>(result->getType());
    for (unsigned i = 0; i < (several ? several->getNumElements() : 1); ++i) {
      llvm::Value* each = several ? m_builder.CreateExtractValue(result, i) : result;
      each =
          each->getType()->isFloatTy() ? m_builder.CreateBitCast(each, word) : m_builder.CreateZExtOrTrunc(each, word);
      words = m_builder.CreateInsertElement(words, each, i);
    }
    return words;
  }

  llvm::Value* alike(llvm::CallInst& call) {
    llvm::Value* texture = call.getArgOperand(0);
    if (is_one_for_all(texture, 16)) return m_builder.getTrue();
    llvm::Value* active = m_builder.CreateIntrinsic(m_builder.getInt32Ty(), llvm::Intrinsic::nvvm_activemask, {});
    llvm::Value* found = m_builder.CreateIntrinsic(llvm::Intrinsic::nvvm_match_all_sync_i32p, {},
                                                   {active, m_builder.CreateTrunc(texture, m_builder.getInt32Ty())});
    return m_builder.CreateExtractValue(found, 1);
  }
  /// Whether the value is computed only from constants and the kernel's argument block.
  static bool is_one_for_all(const llvm::Value* value, unsigned depth) {
    if (llvm::isa<llvm::Constant>(value)) return true;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return argument->getParent()->arg_size() == 1;
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || depth == 0) return false;
    if (!llvm::isa<llvm::LoadInst, llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator>(instruction)) {
      return false;
    }
    return llvm::all_of(instruction->operands(),
                        [&](const llvm::Value* each) { return is_one_for_all(each, depth - 1); });
  }

  llvm::Value* sample(llvm::CallInst& call, bool has_level) {
    const auto form = static_cast<texture_form>(number(call, 1));
    llvm::SmallVector<llvm::Value*, 6> operands{call.getArgOperand(0)};
    if (has_layers(form)) operands.push_back(call.getArgOperand(6));
    for (unsigned d = 0; d < coordinates_of(form); ++d) operands.push_back(call.getArgOperand(3 + d));
    if (has_level) operands.push_back(call.getArgOperand(6));
    return words_of(call_of(std::string("tex.unified.") + name_of(form) + (has_level ? ".level." : ".") +
                                name_of(static_cast<texture_kind>(number(call, 2))) + ".f32",
                            operands));
  }
  llvm::Value* gather(llvm::CallInst& call) {
    const std::string channel(1, "rgba"[number(call, 2) & 3]);
    return words_of(call_of("tld4.unified." + channel + ".2d." + name_of(static_cast<texture_kind>(number(call, 1))) +
                                ".f32",
                            {call.getArgOperand(0), call.getArgOperand(3), call.getArgOperand(4)}));
  }

  /// Returns PTX's type for texels of the call's size.
  std::string texel_of(const llvm::CallInst& call) const {
    switch (number(call, 2)) {
      case 1:
        return "i8";
      case 2:
        return "i16";
      case 4:
        return "i32";
      case 8:
        return "v2i32";
      default:
        return "v4i32";
    }
  }
  llvm::SmallVector<llvm::Value*, 8> place_of(const llvm::CallInst& call) const {
    const auto form = static_cast<texture_form>(number(call, 1));
    llvm::SmallVector<llvm::Value*, 8> operands{call.getArgOperand(0)};
    if (has_layers(form)) operands.push_back(call.getArgOperand(5));
    for (unsigned d = 0; d < coordinates_of(form); ++d) operands.push_back(call.getArgOperand(3 + d));
    return operands;
  }
  std::string form_of(const llvm::CallInst& call) const {
    return name_of(static_cast<texture_form>(number(call, 1)));
  }

  llvm::Value* load(llvm::CallInst& call) {
    return words_of(call_of("suld." + form_of(call) + "." + texel_of(call) + ".zero", place_of(call)));
  }
  void store(llvm::CallInst& call) {
    llvm::SmallVector<llvm::Value*, 8> operands = place_of(call);
    const std::uint64_t bytes = number(call, 2);
    for (std::uint64_t i = 0; i < (bytes + 3) / 4; ++i) {
      llvm::Value* word = m_builder.CreateExtractElement(call.getArgOperand(6), i);
      operands.push_back(bytes < 4 ? m_builder.CreateTrunc(word, m_builder.getInt16Ty()) : word);
    }
    call_of("sust.b." + form_of(call) + "." + texel_of(call) + ".zero", operands);
  }

  llvm::Module& m_module;
  llvm::IRBuilder<> m_builder;
};

}  // namespace

void lower_textures(llvm::Module& module) {
  texture_lowering lowering(module);
  passes::lower_textures(module, [&](llvm::CallInst& call) { return lowering.lower(call); });
}

}  // namespace sinter::jit::nvptx
