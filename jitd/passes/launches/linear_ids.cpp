#include "linear_ids.hpp"

#include <optional>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "row_forms.hpp"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

/// A linear id outer * width + inner, computed from the ids of all dimensions in a launch or in a group.
struct linear_id {
  llvm::Instruction* sum;
  llvm::Value *outer, *inner;
  unsigned range;  ///< the number of the parameter that is the width
  bool local;
};

/// Skips the addition of the launch's offset to an id. The condition that take_linear_ids_apart returns requires that
/// the offset is 0.
llvm::Value* without_offset(llvm::Value* id) {
  using namespace llvm::PatternMatch;
  llvm::Value *whole = nullptr, *offset = nullptr;
  if (!match(id, m_Sub(m_Value(whole), m_Value(offset)))) return id;
  const auto* argument = llvm::dyn_cast<llvm::Argument>(offset);
  const bool is_offset =
      argument && argument->getArgNo() >= parameter_global_offset && argument->getArgNo() < parameter_global_offset + 3;
  return is_offset ? whole : id;
}

std::optional<linear_id> match_linear(llvm::Instruction& sum) {
  using namespace llvm::PatternMatch;
  const llvm::Function& function = *sum.getFunction();
  if (!sum.getType()->isIntegerTy(64)) return {};
  for (unsigned d : {1u, 2u}) {
    for (bool local : {false, true}) {
      const unsigned range = (local ? parameter_local_range : parameter_global_range) + d;
      llvm::Value* id = function.getArg((local ? parameter_local_id : parameter_global_id) + d);
      llvm::Value *outer = nullptr, *inner = nullptr;
      // The sum group * local range + local id is excluded: it is the global id.
      if (match(&sum, m_c_Add(m_c_Mul(m_Value(outer), m_Specific(function.getArg(range))), m_Value(inner))) &&
          without_offset(inner) == id && outer != function.getArg(parameter_group_id + d))
        return linear_id{&sum, outer, inner, range, local};
    }
  }
  return {};
}

class linear_ids {
public:
  linear_ids(llvm::Function& work_item, early_function& early)
      : m_work_item(work_item), m_early(early), m_builder(early.builder()), m_conditions(m_builder) {}

  llvm::Value* run() {
    // Longer sums are handled first, because in three dimensions the quotient k / n is itself such a sum, of two terms.
    llvm::SmallVector<llvm::Instruction*, 4> sums;
    for (llvm::Instruction& instruction : llvm::instructions(m_work_item)) {
      if (match_linear(instruction)) sums.push_back(&instruction);
    }
    for (llvm::Instruction* sum : llvm::reverse(sums)) {
      if (const auto id = match_linear(*sum)) take(*id);
    }
    return m_conditions.empty() ? nullptr : m_conditions.all();
  }

private:
  void take(const linear_id& id) {
    const id_steps steps = steps_of(m_work_item, id.sum, /*narrow_ids=*/true);
    llvm::SmallVector<llvm::Instruction*, 8> dead;
    llvm::SmallPtrSet<llvm::Value*, 8> wholes{id.sum};
    for (const id_step& each : steps) {
      if (!wholes.contains(each.id)) continue;
      if (each.what == id_step::kind::cast) {
        wholes.insert(each.instruction);
        continue;
      }
      // A product, such as the size of a plane, is not the width of one dimension.
      if (is_product(*each.divisor)) continue;
      require_width(each.divisor, id);
      llvm::IRBuilder<> builder(each.instruction);
      llvm::Value* value = nullptr;
      if (each.what == id_step::kind::is_below) {
        const auto predicate = llvm::cast<llvm::ICmpInst>(each.instruction)->getPredicate();
        const bool below = predicate == llvm::CmpInst::ICMP_ULT || predicate == llvm::CmpInst::ICMP_UGT;
        value = below ? builder.CreateIsNull(id.outer) : builder.CreateIsNotNull(id.outer);
      } else {
        value = builder.CreateTrunc(each.what == id_step::kind::quotient ? id.outer : id.inner,
                                    each.instruction->getType());
      }
      each.instruction->replaceAllUsesWith(value);
      dead.push_back(each.instruction);
    }
    if (dead.empty()) return;
    require_narrow(id);
    for (llvm::Instruction* each : dead) each->eraseFromParent();
  }

  static bool is_product(const llvm::Value& value) {
    const auto* product = llvm::dyn_cast<llvm::Instruction>(&value);
    return product && product->getOpcode() == llvm::Instruction::Mul;
  }

  void require_width(llvm::Value* width, const linear_id& id) {
    llvm::Value* number = m_builder.CreateSExt(m_early.value_of(width), m_builder.getInt64Ty());
    m_conditions.require(m_builder.CreateICmpEQ(number, of_launch(id.range)));
  }

  /// Requires that the linear id fits 32 bits, and that the launch has no global offset, which would change the ids.
  void require_narrow(const linear_id& id) {
    llvm::Value* count = m_builder.getInt64(1);
    for (unsigned d : {0u, 1u, 2u}) {
      m_conditions.require(m_builder.CreateIsNull(of_launch(parameter_global_offset + d)));
      // Each factor is below 2^31, and the product of the earlier factors is, too.
      count = m_builder.CreateMul(count, of_launch((id.local ? parameter_local_range : parameter_global_range) + d));
      m_conditions.require(m_builder.CreateICmpULT(count, m_builder.getInt64(std::uint64_t{1} << 31)));
    }
  }

  llvm::Value* of_launch(unsigned parameter) { return m_early.value_of(m_work_item.getArg(parameter)); }

  llvm::Function& m_work_item;
  early_function& m_early;
  llvm::IRBuilder<>& m_builder;
  early_conditions m_conditions;
};

}  // namespace

llvm::Value* take_linear_ids_apart(llvm::Function& work_item, early_function& early) {
  return linear_ids(work_item, early).run();
}

}  // namespace sinter::passes
