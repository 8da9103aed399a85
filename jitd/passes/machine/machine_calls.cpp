#include "machine_calls.hpp"

#include <algorithm>
#include <iterator>

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace sinter::passes {
namespace {

constexpr unsigned register_lanes[] = {4, 8, 16};

struct description {
  const char* name;
  llvm::Intrinsic::ID ids[std::size(register_lanes)];
  int selector;      ///< operand that follows the vector; -1: none
  bool takes_rounding;  ///< whether the instruction for the widest vectors has an operand for rounding
  const char* features = "+avx512f,+avx512vl";
  bool takes_mask = true;  ///< whether the instruction takes a mask, and the results of lanes that are off
};
// The operand of vgetmantps: results are from 3/4 to 3/2, and NaN for negative numbers.
constexpr int mantissa_selector = 2 << 2 | 3;
constexpr unsigned current_rounding = 4;

constexpr description functions[] = {
    {"__sinter_root_estimate",
     {llvm::Intrinsic::x86_avx512_rsqrt14_ps_128, llvm::Intrinsic::x86_avx512_rsqrt14_ps_256,
      llvm::Intrinsic::x86_avx512_rsqrt14_ps_512},
     -1,
     false},
    {"__sinter_float_exponent",
     {llvm::Intrinsic::x86_avx512_mask_getexp_ps_128, llvm::Intrinsic::x86_avx512_mask_getexp_ps_256,
      llvm::Intrinsic::x86_avx512_mask_getexp_ps_512},
     -1,
     true},
    {"__sinter_float_mantissa",
     {llvm::Intrinsic::x86_avx512_mask_getmant_ps_128, llvm::Intrinsic::x86_avx512_mask_getmant_ps_256,
      llvm::Intrinsic::x86_avx512_mask_getmant_ps_512},
     mantissa_selector,
     true},
    {"__sinter_bfloat_dot",
     {llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128, llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256,
      llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512},
     -1,
     false,
     "+avx512bf16,+avx512vl",
     false},
    {"__sinter_byte_dot",
     {llvm::Intrinsic::x86_avx512_vpdpbusd_128, llvm::Intrinsic::x86_avx512_vpdpbusd_256,
      llvm::Intrinsic::x86_avx512_vpdpbusd_512},
     -1,
     false,
     "+avx512vnni,+avx512vl",
     false},
};

const description& of(machine_function which) { return functions[static_cast<unsigned>(which)]; }

std::string variant_name(machine_function which, unsigned lanes) {
  return of(which).name + ("_" + std::to_string(lanes));
}

/// Declares a function whose result has the first operand's type.
llvm::FunctionCallee declare(llvm::Module& module, const std::string& name, llvm::ArrayRef<llvm::Type*> types) {
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(types[0], types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  function->setSpeculatable();
  return callee;
}

/// Returns `count` lanes of the vector, from `first` on. Lanes beyond the vector's end are undefined.
llvm::Value* lanes_of(llvm::IRBuilder<>& builder, llvm::Value* vector, unsigned first, unsigned count) {
  const unsigned all = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  if (first == 0 && count == all) return vector;
  llvm::SmallVector<int, 16> lanes;
  for (unsigned i = first; i < first + count; ++i) lanes.push_back(i < all ? static_cast<int>(i) : -1);
  return builder.CreateShuffleVector(vector, lanes);
}

void lower_calls(llvm::Module& module, machine_function which) {
  llvm::SmallVector<llvm::Function*, 4> all = {module.getFunction(of(which).name)};
  if (!all[0]) return;
  for (unsigned lanes : register_lanes) {
    if (llvm::Function* variant = module.getFunction(variant_name(which, lanes))) all.push_back(variant);
  }
  llvm::removeFromUsedLists(module, [&](llvm::Constant* each) { return llvm::is_contained(all, each); });
  for (llvm::Function* function : all) {
    function->removeDeadConstantUsers();
    for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      llvm::IRBuilder<> builder(call);
      llvm::SmallVector<llvm::Value*, 3> operands(call->args());
      const bool scalar = !call->getType()->isVectorTy();
      for (llvm::Value*& value : operands) {
        if (!scalar) break;
        auto* shortest = llvm::FixedVectorType::get(value->getType(), register_lanes[0]);
        value = builder.CreateInsertElement(llvm::PoisonValue::get(shortest), value, std::uint64_t{0});
      }
      llvm::Value* result = emit_machine_call(builder, which, operands);
      call->replaceAllUsesWith(scalar ? builder.CreateExtractElement(result, std::uint64_t{0}) : result);
      call->eraseFromParent();
    }
    function->eraseFromParent();
  }
}

/// If a shuffle copies one word of four bytes to all lanes, and the word is the XOR of a loaded word and a constant,
/// returns this XOR; otherwise null.
llvm::BinaryOperator* moved_word(llvm::Value* operand) {
  if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(operand)) operand = cast->getOperand(0);
  auto* spread = llvm::dyn_cast<llvm::ShuffleVectorInst>(operand);
  if (!spread) return nullptr;
  // The shuffle copies either the four bytes of the word, or the word as one element.
  const int lanes_of_word = 32 / static_cast<int>(spread->getType()->getScalarSizeInBits());
  llvm::Value* source = spread->getOperand(0);
  if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(source)) source = cast->getOperand(0);
  auto* first = llvm::dyn_cast<llvm::InsertElementInst>(source);
  const auto* place = first ? llvm::dyn_cast<llvm::ConstantInt>(first->getOperand(2)) : nullptr;
  if (!place || !place->isZero() || lanes_of_word == 0) return nullptr;
  for (auto [lane, from] : llvm::enumerate(spread->getShuffleMask())) {
    if (from != static_cast<int>(lane) % lanes_of_word) return nullptr;
  }
  auto* moved = llvm::dyn_cast<llvm::BinaryOperator>(first->getOperand(1));
  const bool fits = moved && moved->getOpcode() == llvm::Instruction::Xor && moved->getType()->isIntegerTy(32) &&
                    llvm::isa<llvm::ConstantInt>(moved->getOperand(1)) &&
                    llvm::isa<llvm::LoadInst>(moved->getOperand(0));
  return fits ? moved : nullptr;
}

/// moved_word() finds an XOR in front of a broadcast. This function moves the XOR behind the broadcast, so that
/// the broadcast reads memory. LLVM moves the XOR in front of the broadcast. The result is then in a scalar
/// register, and a broadcast from a scalar register is slow: a product of matrices of bytes (1024^3) took 4.1 ms
/// instead of 3.2 on a Zen 4.
void move_words_in_vectors(llvm::Module& module) {
  for (llvm::Intrinsic::ID id : of(machine_function::byte_dot).ids) {
    llvm::Function* function = llvm::Intrinsic::getDeclarationIfExists(&module, id);
    if (!function) continue;
    for (llvm::User* user : function->users()) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      for (llvm::Use& operand : call->args()) {
        llvm::BinaryOperator* moved = moved_word(operand.get());
        if (!moved) continue;
        llvm::IRBuilder<> builder(call);
        const unsigned words = static_cast<unsigned>(call->getType()->getPrimitiveSizeInBits().getFixedValue()) / 32;
        llvm::Value* all = builder.CreateVectorSplat(words, moved->getOperand(0));
        all = builder.CreateXor(all, builder.CreateVectorSplat(words, moved->getOperand(1)));
        llvm::Value* before = operand.get();
        operand.set(builder.CreateBitCast(all, before->getType()));
        llvm::RecursivelyDeleteTriviallyDeadInstructions(before);
      }
    }
  }
}

/// On 64-bit Arm, LLVM 22 cannot read the counter of time (readsteadycounter), and uses 0 instead. The counter may be
/// read only after all earlier instructions have ended, so an isb is in front of it.
void read_arm_counter(llvm::Module& module) {
  llvm::Function* clock = llvm::Intrinsic::getDeclarationIfExists(&module, llvm::Intrinsic::readsteadycounter);
  if (!clock || !llvm::Triple(module.getTargetTriple()).isAArch64()) return;
  auto* type = llvm::FunctionType::get(clock->getReturnType(), false);
  auto* counter = llvm::InlineAsm::get(type, "isb\n\tmrs $0, cntvct_el0", "=r,~{memory}", /*hasSideEffects=*/true);
  for (llvm::User* user : llvm::make_early_inc_range(clock->users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    llvm::IRBuilder<> builder(call);
    call->replaceAllUsesWith(builder.CreateCall(type, counter));
    call->eraseFromParent();
  }
}

}  // namespace

bool has_machine_functions(const llvm::TargetMachine& machine) {
  return has_machine_function(machine, machine_function::root_estimate);
}

bool has_machine_function(const llvm::TargetMachine& machine, machine_function which) {
  // LLVM ends the process if checkFeatures gets the name of another architecture's feature.
  return machine.getTargetTriple().isX86() && machine.getMCSubtargetInfo()->checkFeatures(of(which).features);
}

llvm::CallInst* call_machine(llvm::IRBuilder<>& builder, machine_function which,
                             llvm::ArrayRef<llvm::Value*> operands) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  const std::string name = of(which).name;
  llvm::SmallVector<llvm::Type*, 3> types;
  for (llvm::Value* each : operands) types.push_back(each->getType());
  llvm::CallInst* call = builder.CreateCall(declare(module, name, types), operands);
  // Functions of several numbers add up products for a sub-group. LLVM's loop vectorizer does not vectorise calls of
  // these functions, so the functions need no variants.
  if (operands.size() != 1) return call;
  // The names of the variants follow the vector function ABI.
  llvm::SmallVector<std::string, 3> variants;
  for (unsigned lanes : register_lanes) {
    const std::string variant = variant_name(which, lanes);
    llvm::FunctionCallee callee = declare(module, variant, {llvm::FixedVectorType::get(types[0], lanes)});
    llvm::appendToCompilerUsed(module, {llvm::cast<llvm::GlobalValue>(callee.getCallee())});
    variants.push_back("_ZGV_LLVM_N" + std::to_string(lanes) + "v_" + name + "(" + variant + ")");
  }
  llvm::VFABI::setVectorVariantNames(call, variants);
  return call;
}

std::optional<machine_function> machine_function_of(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return std::nullopt;
  const auto* found = llvm::find_if(functions, [&](const description& each) { return callee->getName() == each.name; });
  if (found == std::end(functions)) return std::nullopt;
  return static_cast<machine_function>(found - std::begin(functions));
}

llvm::Value* emit_machine_call(llvm::IRBuilder<>& builder, machine_function which,
                               llvm::ArrayRef<llvm::Value*> vectors) {
  const unsigned all = llvm::cast<llvm::FixedVectorType>(vectors[0]->getType())->getNumElements();
  const unsigned count = std::clamp(llvm::bit_ceil(all), register_lanes[0], register_lanes[2]);
  const llvm::Intrinsic::ID id = of(which).ids[count == 4 ? 0 : count == 8 ? 1 : 2];
  llvm::FunctionType* type = llvm::Intrinsic::getType(builder.getContext(), id);
  llvm::SmallVector<llvm::Value*, 4> pieces;
  for (unsigned first = 0; first < all; first += count) {
    llvm::SmallVector<llvm::Value*, 5> operands;
    for (llvm::Value* vector : vectors) {
      // The instruction takes words as vectors of smaller elements.
      operands.push_back(builder.CreateBitCast(lanes_of(builder, vector, first, count),
                                               type->getParamType(static_cast<unsigned>(operands.size()))));
    }
    if (of(which).selector >= 0) operands.push_back(builder.getInt32(static_cast<unsigned>(of(which).selector)));
    if (of(which).takes_mask) {
      operands.push_back(llvm::Constant::getNullValue(operands[0]->getType()));
      operands.push_back(llvm::Constant::getAllOnesValue(builder.getIntNTy(std::max(count, 8u))));
    }
    if (of(which).takes_rounding && count == register_lanes[2]) operands.push_back(builder.getInt32(current_rounding));
    pieces.push_back(builder.CreateIntrinsic(id, {}, operands));
  }
  return lanes_of(builder, llvm::concatenateVectors(builder, pieces), 0, all);
}

void lower_machine_calls(llvm::Module& module) {
  read_arm_counter(module);
  for (unsigned i = 0; i < std::size(functions); ++i) lower_calls(module, static_cast<machine_function>(i));
  move_words_in_vectors(module);
}

void emit_streaming_fence(llvm::IRBuilder<>& builder) {
  const llvm::Triple triple(builder.GetInsertBlock()->getModule()->getTargetTriple());
  // 64-bit Arm orders non-temporal stores like its other stores.
  if (triple.isAArch64()) return;
  builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
}

}  // namespace sinter::passes
