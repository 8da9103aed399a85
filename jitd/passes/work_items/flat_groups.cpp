#include "flat_groups.hpp"

#include <tuple>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

// A quotient is exact if the product of dividend and divisor is below 2^30.
constexpr unsigned reciprocal_bits = 30;

class flattener {
public:
  flattener(llvm::Function& function, const group_shape& shape, bool narrow_ids)
      : m_function(function),
        m_shape(shape),
        m_narrow_ids(narrow_ids),
        m_first(3 - shape.dimensions),
        m_builder(&function.getEntryBlock(), function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
        m_id(function.getArg(parameter_local_id + 2)) {}

  void run() {
    replace_linear_ids();
    for (unsigned d = m_first; d < 3; ++d) {
      remember(parameter_local_id + d);
      remember(parameter_global_id + d);
      remember(parameter_local_range + d);
    }
    find_local_ids();
    for (unsigned d = m_first; d < 3; ++d) {
      replace(parameter_local_id + d, m_local[d]);
      replace(parameter_local_range + d, range(d));
      if (!m_uses[parameter_global_id + d].empty()) replace(parameter_global_id + d, global_id(d));
    }
    for (llvm::Instruction* sum : m_linear) sum->eraseFromParent();
  }

private:
  /// Whether the value is (id0 * range1 + id1) * range2 + id2, as Sinter's headers compute it, in 64 bits or fewer.
  /// Terms of dimensions that the kernel does not have may be missing.
  bool is_linear_id(llvm::Value* value, unsigned d) const {
    if (d <= m_first && is(value, parameter_local_id + d)) return true;
    if (d == 0) return false;
    llvm::Value *left = nullptr, *right = nullptr;
    using namespace llvm::PatternMatch;
    if (!match(value, m_Add(m_Value(left), m_Value(right)))) return false;
    if (is(left, parameter_local_id + d)) std::swap(left, right);
    return is(right, parameter_local_id + d) && is_first_of_row(left, d);
  }

  /// Whether the value is the linear id of the first work-item of a row.
  bool is_first_of_row(llvm::Value* value, unsigned d) const {
    llvm::Value *left = nullptr, *right = nullptr;
    using namespace llvm::PatternMatch;
    if (!match(value, m_Mul(m_Value(left), m_Value(right)))) return false;
    if (is(left, parameter_local_range + d)) std::swap(left, right);
    return is(right, parameter_local_range + d) && is_linear_id(left, d - 1);
  }

  /// Whether the instruction tests that the linear id is 0. LLVM turns such a test into id1 * range2 == -id2.
  bool asks_for_first(llvm::Instruction& instruction) const {
    using namespace llvm::PatternMatch;
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    llvm::Value *row = nullptr, *id = nullptr;
    return compare && compare->isEquality() && match(compare, m_c_ICmp(m_Value(row), m_Neg(m_Value(id)))) &&
           is(id, parameter_local_id + 2) && is_first_of_row(row, 2);
  }

  bool is(llvm::Value* value, unsigned parameter) const {
    if (auto* cut = llvm::dyn_cast<llvm::TruncInst>(value)) value = cut->getOperand(0);
    return value == m_function.getArg(parameter);
  }

  void replace_linear_ids() {
    for (llvm::BasicBlock& block : m_function) {
      for (llvm::Instruction& instruction : block) {
        if (instruction.getOpcode() == llvm::Instruction::Add && is_linear_id(&instruction, 2))
          m_linear.push_back(&instruction);
        if (asks_for_first(instruction)) {
          m_final.insert(&instruction.getOperandUse(0));
          instruction.setOperand(0, m_builder.CreateTrunc(m_id, instruction.getOperand(0)->getType()));
          instruction.setOperand(1, llvm::Constant::getNullValue(instruction.getOperand(0)->getType()));
          if (auto* cut = llvm::dyn_cast<llvm::TruncInst>(instruction.getOperand(0))) m_own.insert(cut);
        }
      }
    }
    llvm::DenseMap<llvm::Type*, llvm::Value*> ids;
    for (llvm::Instruction* sum : m_linear) {
      llvm::Value*& id = ids[sum->getType()];
      if (!id) id = m_builder.CreateTrunc(m_id, sum->getType());
      if (auto* cut = llvm::dyn_cast<llvm::Instruction>(id)) m_own.insert(cut);
      for (llvm::Use& use : sum->uses()) m_final.insert(&use);
      sum->replaceAllUsesWith(id);
    }
  }

  /// Remembers the uses of a parameter. replace() changes only these uses, because new code uses the parameter, too.
  void remember(unsigned parameter) {
    for (llvm::Use& use : m_function.getArg(parameter)->uses()) {
      if (!m_final.contains(&use) && !m_own.contains(use.getUser())) m_uses[parameter].push_back(&use);
    }
  }
  void replace(unsigned parameter, llvm::Value* value) {
    for (llvm::Use* use : m_uses[parameter]) use->set(value);
  }

  bool is_known() const { return m_shape.range[2] != 0; }

  llvm::Value* range(unsigned d) {
    return is_known() ? static_cast<llvm::Value*>(m_builder.getInt64(m_shape.range[d]))
                      : m_function.getArg(parameter_shape + d);
  }

  void find_local_ids() {
    const auto& known = m_shape.range;
    llvm::Value* rest = m_id;
    if (m_shape.dimensions == 3) {
      llvm::Value* plane = is_known() ? nullptr : m_builder.CreateNUWMul(range(1), range(2));
      std::tie(m_local[0], rest) = divide(rest, known[1] * known[2], plane, parameter_reciprocal);
    }
    std::tie(m_local[1], m_local[2]) = divide(rest, known[2], range(2), parameter_reciprocal + 1);
  }

  /// Computes quotient and remainder by `known`, or by `divisor` if `known` is 0. Uses no division instructions,
  /// because there are none for vectors, and because multiplications are cheap enough to be done again behind barriers.
  std::pair<llvm::Value*, llvm::Value*> divide(llvm::Value* id, std::uint64_t known, llvm::Value* divisor,
                                               unsigned parameter) {
    if (llvm::isPowerOf2_64(known)) {
      // A known power of two gives a shift and a mask, which the vectorizer recognises.
      return {m_builder.CreateLShr(id, llvm::Log2_64(known)), m_builder.CreateAnd(id, known - 1)};
    }
    llvm::Type *int32 = m_builder.getInt32Ty(), *int64 = m_builder.getInt64Ty();
    if (known != 0) divisor = m_builder.getInt64(known);
    llvm::Value* factor = known != 0 ? reciprocal(m_builder, divisor) : m_function.getArg(parameter);
    // A product of two 32-bit numbers is fast.
    llvm::Value* narrow = m_builder.CreateTrunc(id, int32);
    llvm::Value* product = m_builder.CreateMul(m_builder.CreateZExt(narrow, int64),
                                               m_builder.CreateZExt(m_builder.CreateTrunc(factor, int32), int64));
    llvm::Value* quotient = m_builder.CreateTrunc(m_builder.CreateLShr(product, reciprocal_bits), int32);
    llvm::Value* whole = m_builder.CreateMul(quotient, m_builder.CreateTrunc(divisor, int32));
    return {widened(quotient), widened(m_builder.CreateSub(narrow, whole))};
  }

  llvm::Value* widened(llvm::Value* value) {
    return m_builder.CreateZExt(value, m_builder.getInt64Ty(), "", /*IsNonNeg=*/true);
  }

  llvm::Value* global_id(unsigned d) {
    llvm::Value* group = m_builder.CreateNUWMul(m_function.getArg(parameter_group_id + d), range(d));
    llvm::Value* base = m_builder.CreateNUWAdd(m_function.getArg(parameter_global_offset + d), group);
    if (!m_narrow_ids) return m_builder.CreateNUWAdd(base, m_local[d]);
    llvm::Type* int32 = m_builder.getInt32Ty();
    return widened(m_builder.CreateAdd(m_builder.CreateTrunc(base, int32), m_builder.CreateTrunc(m_local[d], int32), "",
                                       true, true));
  }

  llvm::Function& m_function;
  const group_shape& m_shape;
  bool m_narrow_ids;
  unsigned m_first;  ///< the first dimension of the kernel, in padded SYCL order
  llvm::IRBuilder<> m_builder;
  llvm::Value* m_id;
  llvm::SmallVector<llvm::Instruction*, 4> m_linear;  ///< the linear id as the kernel computes it
  llvm::SmallPtrSet<const llvm::Use*, 8> m_final;
  llvm::SmallPtrSet<const llvm::User*, 4> m_own;
  llvm::SmallVector<llvm::Use*, 8> m_uses[parameter_count];
  std::array<llvm::Value*, 3> m_local{};
};

} // namespace

bool sub_groups_are_in_rows(const group_shape& shape, unsigned size) {
  if (shape.dimensions == 1) return true;
  const auto& range = shape.range;
  return range[2] != 0 && (range[0] * range[1] == 1 || range[2] % size == 0);
}

void state_row_multiple(llvm::Function& work_item, unsigned size) {
  llvm::IRBuilder<> builder(&work_item.getEntryBlock(), work_item.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::Argument* row = work_item.getArg(parameter_local_range + 2);
  llvm::Value* multiple = builder.CreateAnd(row, ~static_cast<std::uint64_t>(size - 1));
  row->replaceUsesWithIf(multiple, [&](llvm::Use& use) { return use.getUser() != multiple; });
}

void flatten_groups(llvm::Function& work_item, const group_shape& shape, bool narrow_ids) {
  flattener(work_item, shape, narrow_ids).run();
}

llvm::Value* reciprocal(llvm::IRBuilderBase& builder, llvm::Value* divisor) {
  llvm::Value* up = builder.CreateNUWAdd(divisor, builder.getInt64((std::uint64_t{1} << reciprocal_bits) - 1));
  return builder.CreateUDiv(up, divisor);
}

} // namespace sinter::passes
