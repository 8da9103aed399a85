#include "lane_kernels.hpp"

#include <cmath>
#include <cstring>
#include <random>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"

namespace sinter::test {
namespace {

constexpr unsigned private_size = 8;
/// Each of these operations has its own counter. These counters follow the counters for additions.
constexpr llvm::AtomicRMWInst::BinOp commuting[] = {llvm::AtomicRMWInst::Max, llvm::AtomicRMWInst::UMin,
                                                    llvm::AtomicRMWInst::Xor, llvm::AtomicRMWInst::And,
                                                    llvm::AtomicRMWInst::Or};
static_assert(std::size(commuting) == other_counters);
// The members are offsets in the argument block, in bytes.
enum place : unsigned {
  ints_at = 0,
  floats_at = 8,
  bytes_at = 16,
  int_results_at = 24,
  float_results_at = 32,
  counters_at = 40,
  limit_at = 48,
  doubles_at = 56,
  double_results_at = 64
};

class kernel_writer {
public:
  kernel_writer(llvm::Module& module, unsigned seed, const kernel_style& style,
                std::map<std::string, unsigned>& constructs)
      : m_module(module), m_style(style), m_constructs(constructs), m_random(seed), m_builder(module.getContext()) {}

  void run() {
    auto* type = llvm::FunctionType::get(m_builder.getVoidTy(), {m_builder.getPtrTy()}, false);
    m_function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "kernel", m_module);
    m_builder.SetInsertPoint(new_block());
    m_return = new_block();
    for (auto& variable : m_ints) variable = m_builder.CreateAlloca(m_builder.getInt32Ty());
    for (auto& variable : m_floats) variable = m_builder.CreateAlloca(m_builder.getFloatTy());
    for (auto& variable : m_doubles) variable = m_builder.CreateAlloca(m_builder.getDoubleTy());
    m_array = m_builder.CreateAlloca(llvm::ArrayType::get(m_builder.getInt32Ty(), private_size));
    m_id = query("__sinter_global_id", 2);
    m_item = m_id;
    if (m_style.nd_range) {
      m_local = query("__sinter_local_id", 2);
      m_group_size = query("__sinter_local_range", 2);
    }
    if (m_style.rows) {
      m_local = m_builder.CreateAdd(m_builder.CreateMul(query("__sinter_local_id", 1), m_group_size), m_local);
      m_group_size = m_builder.CreateMul(m_group_size, query("__sinter_local_range", 1));
    }
    if (m_style.rows || !m_style.nd_range) {
      m_row = m_builder.CreateTrunc(query("__sinter_global_id", 1), m_builder.getInt32Ty());
      m_item = m_builder.CreateAdd(
          m_builder.CreateMul(query("__sinter_global_id", 1), query("__sinter_global_range", 2)), m_id);
    }
    m_narrow_id = m_builder.CreateTrunc(m_id, m_builder.getInt32Ty());
    m_limit = m_builder.CreateLoad(m_builder.getInt32Ty(), at(limit_at));
    for (auto* variable : m_ints) m_builder.CreateStore(chance(50) ? m_narrow_id : number(below(100)), variable);
    for (auto* variable : m_floats) m_builder.CreateStore(float_load(), variable);
    for (auto* variable : m_doubles) m_builder.CreateStore(double_load(m_narrow_id), variable);
    for (unsigned i = 0; i < private_size; ++i) m_builder.CreateStore(number(i * 3), element(m_array, number(i)));
    statements(m_style.straight ? 6 : 8, m_style.straight ? 0 : 3);
    finish();
  }

private:
  unsigned below(unsigned end) { return static_cast<unsigned>(m_random() % end); }
  bool chance(unsigned percent) { return below(100) < percent; }
  void note(const char* construct) { ++m_constructs[construct]; }
  llvm::Value* number(unsigned value) { return m_builder.getInt32(value); }
  llvm::BasicBlock* new_block() { return llvm::BasicBlock::Create(m_module.getContext(), "", m_function); }
  llvm::Value* at(unsigned place) { return m_builder.CreatePtrAdd(m_function->getArg(0), m_builder.getInt64(place)); }
  llvm::Value* pointer(unsigned place) { return m_builder.CreateLoad(m_builder.getPtrTy(), at(place)); }
  llvm::Value* element(llvm::Value* base, llvm::Value* index) {
    return m_builder.CreateGEP(m_builder.getInt32Ty(), base, m_builder.CreateZExt(index, m_builder.getInt64Ty()));
  }

  llvm::Value* query(const char* name, unsigned dimension) {
    auto callee = m_module.getOrInsertFunction(
        name, llvm::FunctionType::get(m_builder.getInt64Ty(), {m_builder.getInt32Ty()}, false));
    return m_builder.CreateCall(callee, {number(dimension)});
  }

  // ------------------------------------------------------------------------------------------------- expressions

  llvm::Value* some_int(unsigned depth) {
    if (depth == 0 || chance(25)) {
      switch (below(6)) {
        case 0: return number(below(50));
        case 1: return m_narrow_id;
        case 2: return m_limit;
        case 3:
          if (m_style.rows) return m_row;
          return m_builder.CreateAdd(m_narrow_id, number(below(40)), "", true, true);
        default: return m_builder.CreateLoad(m_builder.getInt32Ty(), m_ints[below(4)]);
      }
    }
    llvm::Value* a = some_int(depth - 1);
    switch (below(18)) {
      case 0: return m_builder.CreateAdd(a, some_int(depth - 1));
      case 1: return m_builder.CreateSub(a, some_int(depth - 1));
      case 2: return m_builder.CreateMul(a, number(below(9)));
      case 3: return m_builder.CreateMul(a, some_int(depth - 1));
      case 4: return m_builder.CreateAnd(a, number(below(64)));
      case 5: return m_builder.CreateXor(a, some_int(depth - 1));
      case 6: return m_builder.CreateShl(a, number(below(5)));
      case 7: return m_builder.CreateLShr(a, number(below(9)));
      case 8: note("select"); return m_builder.CreateSelect(condition(depth - 1), a, some_int(depth - 1));
      case 9:
        note("division");
        return m_builder.CreateUDiv(a, m_builder.CreateOr(some_int(depth - 1), number(1)));
      case 10: note("table"); return m_builder.CreateLoad(m_builder.getInt32Ty(), element(pointer(ints_at), wrap(a)));
      case 11: {
        note("bytes");
        llvm::Value* index = m_builder.CreateZExt(wrap(a), m_builder.getInt64Ty());
        llvm::Value* byte =
            m_builder.CreateLoad(m_builder.getInt8Ty(), m_builder.CreatePtrAdd(pointer(bytes_at), index));
        return chance(50) ? m_builder.CreateZExt(byte, m_builder.getInt32Ty())
                          : m_builder.CreateSExt(byte, m_builder.getInt32Ty());
      }
      case 12:
        note("private array");
        return m_builder.CreateLoad(m_builder.getInt32Ty(),
                                    element(m_array, m_builder.CreateAnd(a, number(private_size - 1))));
      case 13: {
        note("wide integers");
        llvm::Value* wide = m_builder.CreateMul(m_builder.CreateSExt(a, m_builder.getInt64Ty()),
                                                m_builder.CreateAdd(m_id, m_builder.getInt64(7)));
        return m_builder.CreateTrunc(m_builder.CreateLShr(wide, 3), m_builder.getInt32Ty());
      }
      case 14: return m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, some_int(depth - 1));
      case 15: {
        note("shorts");
        llvm::Value* loaded = m_builder.CreateLoad(
            m_builder.getInt16Ty(), m_builder.CreateGEP(m_builder.getInt16Ty(), pointer(ints_at),
                                                        m_builder.CreateZExt(wrap(a), m_builder.getInt64Ty())));
        llvm::Value* mixed =
            m_builder.CreateMul(loaded, m_builder.CreateTrunc(some_int(depth - 1), m_builder.getInt16Ty()));
        return chance(50) ? m_builder.CreateZExt(mixed, m_builder.getInt32Ty())
                          : m_builder.CreateSExt(mixed, m_builder.getInt32Ty());
      }
      case 16:
        return m_builder.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {m_builder.getInt32Ty(), m_builder.getDoubleTy()},
                                         {some_double(depth - 1)});
      default:
        return m_builder.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {m_builder.getInt32Ty(), m_builder.getFloatTy()},
                                         {some_float(depth - 1)});
    }
  }

  llvm::Value* wrap(llvm::Value* index) { return m_builder.CreateAnd(index, number(table_size - 1)); }

  llvm::Value* float_load() {
    return m_builder.CreateLoad(m_builder.getFloatTy(),
                                element(pointer(floats_at), wrap(m_builder.CreateAdd(m_narrow_id, number(below(9))))));
  }

  llvm::Value* double_load(llvm::Value* index) {
    index = m_builder.CreateZExt(wrap(index), m_builder.getInt64Ty());
    return m_builder.CreateLoad(m_builder.getDoubleTy(),
                                m_builder.CreateGEP(m_builder.getDoubleTy(), pointer(doubles_at), index));
  }

  llvm::Value* some_double(unsigned depth) {
    note("doubles");
    if (depth == 0 || chance(25)) {
      if (chance(30)) return m_builder.CreateFPExt(some_float(0), m_builder.getDoubleTy());
      return m_builder.CreateLoad(m_builder.getDoubleTy(), m_doubles[below(2)]);
    }
    llvm::Value* a = some_double(depth - 1);
    switch (below(7)) {
      case 0: return m_builder.CreateFAdd(a, some_double(depth - 1));
      case 1: return m_builder.CreateFMul(a, some_double(depth - 1));
      case 2: return m_builder.CreateFDiv(a, llvm::ConstantFP::get(a->getType(), 1.0 + below(9)));
      case 3: return m_builder.CreateSIToFP(some_int(depth - 1), a->getType());
      case 4: return m_builder.CreateSelect(condition(depth - 1), a, some_double(depth - 1));
      case 5: return m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
      default: return double_load(some_int(depth - 1));
    }
  }

  llvm::Value* some_float(unsigned depth) {
    if (depth == 0 || chance(25)) {
      if (chance(20)) return llvm::ConstantFP::get(m_builder.getFloatTy(), below(16) * 0.25);
      if (chance(20)) return float_load();
      return m_builder.CreateLoad(m_builder.getFloatTy(), m_floats[below(3)]);
    }
    llvm::Value* a = some_float(depth - 1);
    switch (below(12)) {
      case 0: return m_builder.CreateFAdd(a, some_float(depth - 1));
      case 1: return m_builder.CreateFSub(a, some_float(depth - 1));
      case 2: return m_builder.CreateFMul(a, some_float(depth - 1));
      case 3:
        return m_builder.CreateFDiv(
            a, m_builder.CreateFAdd(m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, some_float(depth - 1)),
                                    llvm::ConstantFP::get(a->getType(), 1.0)));
      case 4: return m_builder.CreateSIToFP(m_builder.CreateAnd(some_int(depth - 1), number(1023)), a->getType());
      case 5: return square_root(m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a));
      case 6:
        return m_builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()},
                                         {a, some_float(depth - 1), some_float(depth - 1)});
      case 7: return m_builder.CreateSelect(condition(depth - 1), a, some_float(depth - 1));
      case 8: return m_builder.CreateFPTrunc(some_double(depth - 1), a->getType());
      case 9: {
        note("halves");
        llvm::Value* b = m_builder.CreateFPTrunc(some_float(depth - 1), m_builder.getHalfTy());
        return m_builder.CreateFPExt(m_builder.CreateFMul(m_builder.CreateFPTrunc(a, m_builder.getHalfTy()), b),
                                     a->getType());
      }
      case 10: {
        // clang passes small structures as vectors.
        note("small vectors");
        auto* pair = llvm::FixedVectorType::get(a->getType(), 2);
        llvm::Value* index = m_builder.CreateAnd(some_int(depth - 1), number(table_size - 2));
        llvm::Value* loaded = m_builder.CreateAlignedLoad(pair, element(pointer(floats_at), index), llvm::Align(4));
        llvm::Value* turned = m_builder.CreateShuffleVector(loaded, {1, 0});
        llvm::Value* mixed =
            m_builder.CreateFMul(turned, m_builder.CreateInsertElement(loaded, a, std::uint64_t{below(2)}));
        return m_builder.CreateExtractElement(mixed, std::uint64_t{below(2)});
      }
      default: return m_builder.CreateLoad(a->getType(), element(pointer(floats_at), wrap(some_int(depth - 1))));
    }
  }

  llvm::Value* square_root(llvm::Value* value) {
    note("square root");
    if (!m_style.reciprocal_roots) return m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, value);
    note("reciprocal root");
    llvm::Constant* one = llvm::ConstantFP::get(value->getType(), 1.0);
    llvm::Value* quotient = m_builder.CreateFDiv(one, m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, value));
    // The plugin marks such divisions in the headers as inexact.
    llvm::MDNode* inexact = llvm::MDBuilder(m_module.getContext()).createFPMath(2);
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(quotient))
      made->setMetadata(llvm::LLVMContext::MD_fpmath, inexact);
    return quotient;
  }

  llvm::Value* condition(unsigned depth) {
    switch (below(5)) {
      case 0: return m_builder.CreateICmpSLT(some_int(depth), some_int(depth));
      case 3: return m_builder.CreateFCmpOGE(some_double(depth), some_double(depth));
      case 1: return m_builder.CreateICmpEQ(m_builder.CreateAnd(some_int(depth), number(3)), number(below(4)));
      case 2: return m_builder.CreateICmpULT(m_narrow_id, number(below(40)));
      default: return m_builder.CreateFCmpOLT(some_float(depth), some_float(depth));
    }
  }

  /// Returns a number for conditions of branches. If neighbours have to take equal branches, the number depends only on
  /// ids that are equal for them.
  llvm::Value* way_number(unsigned depth) {
    if (!m_style.rows && !m_style.alike) return some_int(depth);
    llvm::Value* same = m_style.rows ? m_narrow_id : m_row ? m_row : m_limit;
    return m_builder.CreateMul(m_builder.CreateAdd(chance(70) ? same : m_limit, number(below(40))),
                               number(1 + below(5)));
  }

  llvm::Value* way(unsigned depth) {
    if (!m_style.rows && !m_style.alike) return condition(depth);
    switch (below(3)) {
      case 0: return m_builder.CreateICmpSLT(way_number(depth), number(below(100)));
      case 1: return m_builder.CreateICmpEQ(m_builder.CreateAnd(way_number(depth), number(3)), number(below(4)));
      default: return m_builder.CreateICmpULT(m_style.rows ? m_narrow_id : m_limit, number(below(40)));
    }
  }

  // ------------------------------------------------------------------------------------------------- statements

  bool ended() { return m_builder.GetInsertBlock()->getTerminator() != nullptr; }

  void statements(unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count && !ended(); ++i) statement(depth);
  }

  void statement(unsigned depth) {
    const bool top = m_loops.empty() && m_divergent == 0;
    if (m_style.nd_range && top && m_returns == 0 && chance(25)) return exchange();
    if (m_style.sub_group != 0 && top && m_returns == 0 && chance(50)) return sub_group_exchange();
    if (m_style.strides && m_style.nd_range && top && m_returns == 0 && chance(40))
      return chance(60) ? butterfly() : count();
    if (m_style.strides && !m_style.nd_range && chance(40)) return cut();
    if (m_style.walks && chance(40)) return chance(70) ? walk() : structure();
    if (depth == 0 || chance(35)) return assignment();
    switch (below(9)) {
      case 0:
      case 1:
      case 2: return branch(depth);
      case 3:
      case 4: return loop(depth);
      case 5: return switch_over(depth);
      case 6:
        if (m_loops.empty()) return chance(30) ? early_return() : assignment();
        return leave_or_continue();
      case 7: return atomic();
      default: return uniform_loop(depth);
    }
  }

  void assignment() {
    switch (below(m_style.streams ? 7 : 8)) {
      case 0:
      case 1: m_builder.CreateStore(some_int(3), m_ints[below(4)]); return;
      case 2:
      case 3: m_builder.CreateStore(some_float(3), m_floats[below(3)]); return;
      case 4:
        note("private array");
        m_builder.CreateStore(some_int(2),
                              element(m_array, m_builder.CreateAnd(some_int(2), number(private_size - 1))));
        return;
      case 5: m_builder.CreateStore(some_double(3), m_doubles[below(2)]); return;
      case 6: note("store"); store_result(below(4), some_int(2)); return;
      default:
        note("narrow store");
        store_result(below(4),
                     m_builder.CreateTrunc(some_int(2), chance(50) ? m_builder.getInt16Ty() : m_builder.getInt8Ty()));
    }
  }

  llvm::Value* result_index(unsigned slots, unsigned slot) {
    if (!m_style.streams)
      return m_builder.CreateAdd(m_builder.CreateMul(m_item, m_builder.getInt64(slots)), m_builder.getInt64(slot));
    llvm::Value* items = m_builder.CreateMul(query("__sinter_global_range", 1), query("__sinter_global_range", 2));
    return m_builder.CreateAdd(m_builder.CreateMul(items, m_builder.getInt64(slot)), m_item);
  }

  void store_result(unsigned slot, llvm::Value* value) {
    llvm::Value* index = result_index(4, slot);
    m_builder.CreateStore(value, m_builder.CreateGEP(m_builder.getInt32Ty(), pointer(int_results_at), index));
  }

  void branch(unsigned depth) {
    note("if");
    const bool with_else = chance(50);
    llvm::BasicBlock *then = new_block(), *otherwise = new_block(), *behind = new_block();
    m_builder.CreateCondBr(way(2), then, with_else ? otherwise : behind);
    ++m_divergent;
    inside(then, behind, depth);
    if (with_else) inside(otherwise, behind, depth);
    --m_divergent;
    if (!with_else) otherwise->eraseFromParent();
    m_builder.SetInsertPoint(behind);
  }

  void inside(llvm::BasicBlock* block, llvm::BasicBlock* behind, unsigned depth) {
    m_builder.SetInsertPoint(block);
    statements(1 + below(3), depth - 1);
    if (!ended()) m_builder.CreateBr(behind);
  }

  void switch_over(unsigned depth) {
    note("switch");
    llvm::BasicBlock* behind = new_block();
    llvm::BasicBlock* cases[3] = {new_block(), new_block(), new_block()};
    auto* choice =
        m_builder.CreateSwitch(m_builder.CreateAnd(way_number(2), number(7)), chance(50) ? behind : cases[0], 4);
    for (unsigned i = 0; i < 4; ++i) choice->addCase(m_builder.getInt32(i), cases[i % 3]);
    ++m_divergent;
    for (unsigned i = 0; i < 3; ++i)
      inside(cases[i], i < 2 && chance(30) ? cases[i + 1] : behind, depth);  // may fall through
    --m_divergent;
    m_builder.SetInsertPoint(behind);
  }

  struct loop_blocks {
    llvm::BasicBlock *next, *behind;
  };

  void counted(llvm::Value* count, unsigned depth, bool check_last) {
    llvm::AllocaInst* counter = front_alloca();
    m_builder.CreateStore(number(0), counter);
    llvm::BasicBlock *head = new_block(), *body = new_block(), *next = new_block(), *behind = new_block();
    auto more = [&] { return m_builder.CreateICmpULT(m_builder.CreateLoad(m_builder.getInt32Ty(), counter), count); };
    m_builder.CreateBr(check_last ? body : head);
    m_builder.SetInsertPoint(head);
    m_builder.CreateCondBr(more(), body, behind);
    m_builder.SetInsertPoint(body);
    m_loops.push_back({next, behind});
    if (chance(50)) m_builder.CreateStore(m_builder.CreateLoad(m_builder.getInt32Ty(), counter), m_ints[below(4)]);
    statements(1 + below(3), depth - 1);
    m_loops.pop_back();
    if (!ended()) m_builder.CreateBr(next);
    m_builder.SetInsertPoint(next);
    m_builder.CreateStore(m_builder.CreateAdd(m_builder.CreateLoad(m_builder.getInt32Ty(), counter), number(1)),
                          counter);
    m_builder.CreateBr(head);
    m_builder.SetInsertPoint(behind);
  }

  llvm::AllocaInst* front_alloca() {
    llvm::IRBuilder<> front(&m_function->getEntryBlock(), m_function->getEntryBlock().begin());
    return front.CreateAlloca(front.getInt32Ty());
  }

  void loop(unsigned depth) {
    note("divergent loop");
    ++m_divergent;
    counted(m_builder.CreateAnd(way_number(2), number(7)), depth, chance(50));
    --m_divergent;
  }

  void uniform_loop(unsigned depth) {
    note("uniform loop");
    counted(m_builder.CreateAnd(m_limit, number(3)), depth, false);
  }

  llvm::Value* table_load(llvm::Type* type, llvm::Value* index) {
    llvm::Value* table = pointer(type->isFloatTy() ? floats_at : ints_at);
    index = m_builder.CreateZExt(index, m_builder.getInt64Ty());
    return m_builder.CreateAlignedLoad(type, m_builder.CreateGEP(type, table, index), llvm::Align(4));
  }

  /// Combines a sum and a value by an operation whose result depends on the order.
  llvm::Value* mixed(llvm::Value* sum, llvm::Value* value) {
    if (value->getType()->isIntegerTy(64)) {
      value = m_builder.CreateTrunc(m_builder.CreateLShr(value, 7), m_builder.getInt32Ty());
    }
    if (value->getType()->isFloatTy()) value = m_builder.CreateFPToSI(value, m_builder.getInt32Ty());
    return m_builder.CreateXor(m_builder.CreateMul(sum, number(3)), value);
  }

  /// Reads the same number of elements of each row of a table.
  void walk() {
    note("row");
    constexpr unsigned most = 19;  // the largest number that the pass accepts
    llvm::Type* types[] = {m_builder.getInt32Ty(), m_builder.getFloatTy(), m_builder.getInt64Ty()};
    llvm::Value* count = chance(20) ? number(below(most)) : m_builder.CreateSub(m_limit, number(below(most + 1)));
    llvm::AllocaInst *counter = front_alloca(), *sum = front_alloca();
    m_builder.CreateStore(number(0), counter);
    m_builder.CreateStore(number(1), sum);
    const unsigned rows = 1 + below(2), first_type = below(3);
    llvm::Value* starts[2];
    for (llvm::Value*& start : starts) start = m_builder.CreateAnd(some_int(1), number(7));
    const bool backwards = chance(20);
    llvm::BasicBlock *head = new_block(), *body = new_block(), *behind = new_block();
    m_builder.CreateBr(head);
    m_builder.SetInsertPoint(head);
    llvm::Value* k = m_builder.CreateLoad(m_builder.getInt32Ty(), counter);
    m_builder.CreateCondBr(m_builder.CreateICmpULT(k, count), body, behind);
    m_builder.SetInsertPoint(body);
    llvm::Value* mix = m_builder.CreateLoad(m_builder.getInt32Ty(), sum);
    for (unsigned i = 0; i < rows; ++i) {
      llvm::Value* place = backwards ? m_builder.CreateSub(number(most), k, "", true, true) : k;
      mix = mixed(mix, table_load(types[(first_type + i) % 3], m_builder.CreateAdd(starts[i], place, "", true, true)));
    }
    m_builder.CreateStore(mix, sum);
    m_builder.CreateStore(m_builder.CreateAdd(k, number(1), "", true, true), counter);
    m_builder.CreateBr(head);
    m_builder.SetInsertPoint(behind);
    m_builder.CreateStore(m_builder.CreateLoad(m_builder.getInt32Ty(), sum), m_ints[below(4)]);
  }

  /// Reads the fields of a structure in any order, sometimes without the last field.
  void structure() {
    note("structure");
    llvm::Type* type = chance(50) ? m_builder.getInt32Ty() : m_builder.getFloatTy();
    unsigned fields[] = {0, 1, 2, 3};
    std::swap(fields[below(4)], fields[below(4)]);
    llvm::Value* start = m_builder.CreateShl(m_builder.CreateAnd(some_int(1), number(15)), 2);
    llvm::Value* mix = number(5);
    const unsigned count = chance(80) ? 4 : 3;
    for (unsigned i = 0; i < count; ++i) {
      mix = mixed(mix, table_load(type, m_builder.CreateAdd(start, number(fields[i]), "", true, true)));
    }
    m_builder.CreateStore(mix, m_ints[below(4)]);
  }

  void leave_or_continue() {
    const loop_blocks target = m_loops[chance(80) ? m_loops.size() - 1 : below(static_cast<unsigned>(m_loops.size()))];
    const bool leave = chance(50);
    note(leave ? "break" : "continue");
    llvm::BasicBlock* behind = new_block();
    m_builder.CreateCondBr(way(2), leave ? target.behind : target.next, behind);
    m_builder.SetInsertPoint(behind);
  }

  void early_return() {
    note("early return");
    ++m_returns;
    llvm::BasicBlock* behind = new_block();
    m_builder.CreateCondBr(way(2), m_return, behind);
    m_builder.SetInsertPoint(behind);
  }

  /// Writes code for an atomic operation. The operations commute, so the order of work-items does not change the
  /// results.
  void atomic() {
    note("atomic");
    if (chance(30)) {
      const unsigned which = below(std::size(commuting));
      m_builder.CreateAtomicRMW(commuting[which], element(pointer(counters_at), number(counter_count + which)),
                                some_int(1), llvm::MaybeAlign(4), llvm::AtomicOrdering::Monotonic);
      return;
    }
    llvm::Value* index =
        chance(50) ? number(below(counter_count)) : m_builder.CreateAnd(some_int(2), number(counter_count - 1));
    m_builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, element(pointer(counters_at), index), some_int(1),
                              llvm::MaybeAlign(4), llvm::AtomicOrdering::Monotonic);
  }

  /// Passes values to a neighbour through local memory, sometimes in a loop that has the same iterations for all
  /// work-items.
  void exchange() {
    note("barrier");
    llvm::BasicBlock* behind = nullptr;
    llvm::AllocaInst* counter = nullptr;
    llvm::BasicBlock* body = nullptr;
    if (chance(40)) {
      counter = front_alloca();
      m_builder.CreateStore(number(0), counter);
      body = new_block();
      behind = new_block();
      m_builder.CreateBr(body);
      m_builder.SetInsertPoint(body);
      note("barrier in a loop");
    }
    auto local =
        m_module.getOrInsertFunction("__sinter_local_base", llvm::FunctionType::get(m_builder.getPtrTy(), false));
    auto barrier = m_module.getOrInsertFunction(
        "__sinter_barrier",
        llvm::FunctionType::get(m_builder.getVoidTy(), {m_builder.getInt32Ty(), m_builder.getInt32Ty()}, false));
    llvm::cast<llvm::Function>(barrier.getCallee())->setConvergent();
    llvm::Value* base = m_builder.CreateCall(local);
    llvm::Value* own = m_builder.CreateTrunc(m_local, m_builder.getInt32Ty());
    m_builder.CreateStore(some_int(2), element(base, own));
    m_builder.CreateCall(barrier, {number(2), number(2)});
    llvm::Value* size = m_builder.CreateTrunc(m_group_size, m_builder.getInt32Ty());
    llvm::Value* other = m_builder.CreateURem(m_builder.CreateAdd(own, number(1 + below(5))), size);
    m_builder.CreateStore(m_builder.CreateLoad(m_builder.getInt32Ty(), element(base, other)), m_ints[below(4)]);
    m_builder.CreateCall(barrier, {number(2), number(2)});
    if (!counter) return;
    llvm::Value* next = m_builder.CreateAdd(m_builder.CreateLoad(m_builder.getInt32Ty(), counter), number(1));
    m_builder.CreateStore(next, counter);
    m_builder.CreateCondBr(m_builder.CreateICmpULT(next, m_builder.CreateAnd(m_limit, number(3))), body, behind);
    m_builder.SetInsertPoint(behind);
  }

  llvm::Value* local_base() {
    auto local =
        m_module.getOrInsertFunction("__sinter_local_base", llvm::FunctionType::get(m_builder.getPtrTy(), false));
    return m_builder.CreateCall(local);
  }

  void barrier() {
    auto callee = m_module.getOrInsertFunction(
        "__sinter_barrier",
        llvm::FunctionType::get(m_builder.getVoidTy(), {m_builder.getInt32Ty(), m_builder.getInt32Ty()}, false));
    llvm::cast<llvm::Function>(callee.getCallee())->setConvergent();
    m_builder.CreateCall(callee, {number(2), number(2)});
  }

  llvm::Value* wide_element(llvm::Value* base, llvm::Value* index) {
    return m_builder.CreateGEP(m_builder.getInt32Ty(), base, index);
  }
  llvm::Value* int_at(llvm::Value* address) { return m_builder.CreateLoad(m_builder.getInt32Ty(), address); }

  /// Combines pairs of elements in local memory, with strides that double in each round, as sorts and transforms do.
  /// If strides are no powers of two, pairs overlap, so the code only reads the elements.
  void butterfly() {
    note("butterfly");
    llvm::Type* type = chance(70) ? m_builder.getInt64Ty() : m_builder.getInt32Ty();
    auto fitting = [&](std::uint64_t value) { return llvm::ConstantInt::get(type, value); };
    llvm::Value* base = local_base();
    llvm::Value *own = m_builder.CreateTrunc(m_local, type), *size = m_builder.CreateTrunc(m_group_size, type);
    auto place = [&](llvm::Value* index) {
      return wide_element(base, m_builder.CreateZExt(index, m_builder.getInt64Ty()));
    };
    for (unsigned k = 0; k < 4; ++k) {
      m_builder.CreateStore(some_int(2), place(m_builder.CreateAdd(own, m_builder.CreateMul(size, fitting(k)))));
    }
    const bool overlaps = chance(20);
    llvm::IRBuilder<> front(&m_function->getEntryBlock(), m_function->getEntryBlock().begin());
    llvm::AllocaInst *slot = front.CreateAlloca(type), *sum = front_alloca();
    m_builder.CreateStore(fitting(overlaps ? 3 : 1u << below(4)), slot);
    m_builder.CreateStore(number(1), sum);
    llvm::BasicBlock *body = new_block(), *swap = new_block(), *next = new_block(), *behind = new_block();
    m_builder.CreateBr(body);
    m_builder.SetInsertPoint(body);
    barrier();
    llvm::Value* stride = m_builder.CreateLoad(type, slot);
    llvm::Value* mask = m_builder.CreateSub(stride, fitting(1));
    llvm::Value* cut = chance(50) ? m_builder.CreateAnd(own, mask) : m_builder.CreateAnd(mask, own);
    llvm::Value* i = m_builder.CreateSub(m_builder.CreateShl(own, 1), cut);
    llvm::Value *low = place(i), *high = place(m_builder.CreateAdd(i, stride));
    llvm::Value *a = int_at(low), *b = int_at(high);
    m_builder.CreateStore(mixed(m_builder.CreateLoad(m_builder.getInt32Ty(), sum), m_builder.CreateSub(a, b)), sum);
    llvm::Value* up = m_builder.CreateICmpEQ(
        m_builder.CreateAnd(i, chance(50) ? m_builder.CreateShl(stride, 1) : fitting(8)), fitting(0));
    llvm::Value* wrong = m_builder.CreateICmpEQ(m_builder.CreateICmpSGT(a, b), up);
    m_builder.CreateCondBr(overlaps ? m_builder.getFalse() : wrong, swap, next);
    m_builder.SetInsertPoint(swap);
    m_builder.CreateStore(b, low);
    if (chance(80)) m_builder.CreateStore(chance(50) ? a : some_int(1), high);
    m_builder.CreateBr(next);
    m_builder.SetInsertPoint(next);
    llvm::Value* doubled = m_builder.CreateShl(stride, 1);
    m_builder.CreateStore(doubled, slot);
    m_builder.CreateCondBr(m_builder.CreateICmpULE(doubled, size), body, behind);
    m_builder.SetInsertPoint(behind);
    barrier();
    llvm::Value* mix = m_builder.CreateLoad(m_builder.getInt32Ty(), sum);
    mix = mixed(mix, int_at(place(m_builder.CreateXor(own, fitting(below(16))))));
    llvm::Value* pair = place(m_builder.CreateShl(own, 1));
    mix = mixed(mixed(mix, int_at(pair)), int_at(wide_element(pair, m_builder.getInt64(1))));
    mix = mixed(mix, int_at(place(m_builder.CreateSub(m_builder.CreateSub(size, fitting(1)), own))));
    m_builder.CreateStore(mix, m_ints[below(4)]);
    barrier();
  }

  /// Counts values in local memory (a histogram). The group reads the data with a stride of the group's size.
  void count() {
    note("count");
    llvm::Type* type = chance(70) ? m_builder.getInt64Ty() : m_builder.getInt32Ty();
    llvm::Value* base = wide_element(local_base(), m_builder.CreateShl(m_group_size, 2));
    llvm::Value* bin = wide_element(base, m_builder.CreateAnd(m_local, m_builder.getInt64(counter_count - 1)));
    m_builder.CreateStore(number(0), bin);
    barrier();
    llvm::IRBuilder<> front(&m_function->getEntryBlock(), m_function->getEntryBlock().begin());
    llvm::AllocaInst* slot = front.CreateAlloca(type);
    llvm::Value* start = m_builder.CreateTrunc(chance(50) ? m_local : m_id, type);
    m_builder.CreateStore(chance(50) ? start : m_builder.CreateAdd(start, m_builder.CreateZExtOrTrunc(m_limit, type)),
                          slot);
    llvm::BasicBlock *head = new_block(), *body = new_block(), *next = new_block(), *behind = new_block();
    m_builder.CreateBr(head);
    m_builder.SetInsertPoint(head);
    llvm::Value* index = m_builder.CreateLoad(type, slot);
    constexpr llvm::CmpInst::Predicate predicates[] = {llvm::CmpInst::ICMP_ULT, llvm::CmpInst::ICMP_SLT,
                                                       llvm::CmpInst::ICMP_SLE};
    llvm::Value* end =
        m_builder.CreateMul(m_builder.CreateZExtOrTrunc(m_limit, type), llvm::ConstantInt::get(type, below(20)));
    m_builder.CreateCondBr(m_builder.CreateICmp(predicates[below(3)], index, end), body, behind);
    m_builder.SetInsertPoint(body);
    llvm::Value* cell = m_builder.CreateAnd(index, llvm::ConstantInt::get(type, table_size - 1));
    llvm::Value* value = int_at(wide_element(pointer(ints_at), m_builder.CreateZExt(cell, m_builder.getInt64Ty())));
    if (chance(30)) {
      llvm::BasicBlock* counts = new_block();
      m_builder.CreateCondBr(m_builder.CreateICmpSGT(value, number(10)), counts, next);
      m_builder.SetInsertPoint(counts);
    }
    llvm::Value* which = m_builder.CreateAnd(value, number(counter_count - 1));
    m_builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, element(base, which), chance(50) ? number(1) : value,
                              llvm::MaybeAlign(4), llvm::AtomicOrdering::Monotonic);
    m_builder.CreateBr(next);
    m_builder.SetInsertPoint(next);
    llvm::Value* step =
        chance(50) ? m_builder.CreateTrunc(m_group_size, type) : m_builder.CreateZExtOrTrunc(m_limit, type);
    m_builder.CreateStore(m_builder.CreateAdd(index, step), slot);
    m_builder.CreateBr(head);
    m_builder.SetInsertPoint(behind);
    barrier();
    m_builder.CreateStore(int_at(bin), m_ints[below(4)]);
    barrier();
  }

  /// Divides ids into runs of equal length, and computes the position of a work-item in its run, and a condition on a
  /// bit of its id. The length of a run is known only at run time.
  void cut() {
    note("cut");
    llvm::Type* type = chance(70) ? m_builder.getInt64Ty() : m_builder.getInt32Ty();
    llvm::Value* position = m_builder.CreateTrunc(m_id, type);
    llvm::Value* one = m_builder.CreateAnd(m_builder.CreateZExtOrTrunc(m_limit, type), llvm::ConstantInt::get(type, 1));
    llvm::Value* length = chance(20) ? m_builder.CreateZExtOrTrunc(m_limit, type) : m_builder.CreateShl(one, below(7));
    llvm::Value* mask = m_builder.CreateSub(length, llvm::ConstantInt::get(type, 1));
    llvm::Value* within = chance(50) ? m_builder.CreateAnd(position, mask) : m_builder.CreateAnd(mask, position);
    llvm::Value* value = int_at(wide_element(pointer(ints_at), m_builder.CreateZExt(within, m_builder.getInt64Ty())));
    llvm::Value* side = m_builder.CreateIsNull(m_builder.CreateAnd(position, m_builder.CreateShl(one, below(7))));
    m_builder.CreateStore(m_builder.CreateSelect(side, value, some_int(1)), m_ints[below(4)]);
    if (chance(50)) return;
    llvm::BasicBlock *then = new_block(), *behind = new_block();
    m_builder.CreateCondBr(side, then, behind);
    m_builder.SetInsertPoint(then);
    store_result(below(4), value);
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(behind);
  }

  /// Exchanges values among the existing work-items of a sub-group.
  void sub_group_exchange() {
    note("sub-group exchange");
    llvm::Type* int32 = m_builder.getInt32Ty();
    const auto function = [&](const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters) {
      auto callee = m_module.getOrInsertFunction(name, llvm::FunctionType::get(result, parameters, false));
      auto* declared = llvm::cast<llvm::Function>(callee.getCallee());
      declared->setDoesNotAccessMemory();
      declared->setDoesNotThrow();
      declared->setWillReturn();
      if (!parameters.empty()) declared->setConvergent();
      return callee;
    };
    llvm::Value* own = m_builder.CreateCall(function("__sinter_sub_group_local_id", int32, {}));
    llvm::Value* there = m_builder.CreateCall(function("__sinter_sub_group_local_range", int32, {}));
    llvm::Value* result;
    if (chance(40)) {
      auto ballot = function("__sinter_sub_group_ballot", m_builder.getInt64Ty(), {m_builder.getInt1Ty()});
      result = m_builder.CreateTrunc(m_builder.CreateCall(ballot, {condition(2)}), int32);
    } else {
      llvm::Value* source;
      switch (below(4)) {
        case 0: source = m_builder.CreateAdd(own, number(1 + below(5))); break;
        case 1: source = number(below(16)); break;
        case 2: source = m_builder.CreateXor(own, number(1 + below(3))); break;
        default: source = m_builder.CreateAnd(some_int(1), number(15)); break;
      }
      source =
          m_builder.CreateSelect(m_builder.CreateICmpULT(source, there), source, m_builder.CreateURem(source, there));
      auto shuffle = function("__sinter_sub_group_shuffle_32", int32, {int32, int32});
      result = m_builder.CreateCall(shuffle, {some_int(2), source});
    }
    m_builder.CreateStore(result, m_ints[below(4)]);
  }

  void finish() {
    if (!ended()) m_builder.CreateBr(m_return);
    m_builder.SetInsertPoint(m_return);
    const unsigned ints = m_style.streams ? 1 : 2, floats = m_style.streams ? 0 : 2;
    for (unsigned i = 0; i < ints; ++i) store_result(i, m_builder.CreateLoad(m_builder.getInt32Ty(), m_ints[i + 1]));
    for (unsigned i = 0; i < floats; ++i) {
      llvm::Value* index = result_index(2, i);
      m_builder.CreateStore(m_builder.CreateLoad(m_builder.getFloatTy(), m_floats[i]),
                            m_builder.CreateGEP(m_builder.getFloatTy(), pointer(float_results_at), index));
    }
    if (!m_style.streams) {
      llvm::Type* type = m_builder.getDoubleTy();
      m_builder.CreateStore(m_builder.CreateLoad(type, m_doubles[0]),
                            m_builder.CreateGEP(type, pointer(double_results_at), result_index(1, 0)));
    }
    m_builder.CreateRetVoid();
    // The code after a jump out of a loop is never reached.
    for (llvm::BasicBlock& block : *m_function) {
      if (!block.getTerminator()) llvm::IRBuilder<>(&block).CreateUnreachable();
    }
  }

  llvm::Module& m_module;
  const kernel_style& m_style;
  std::map<std::string, unsigned>& m_constructs;
  std::mt19937 m_random;
  llvm::IRBuilder<> m_builder;
  llvm::Function* m_function = nullptr;
  llvm::BasicBlock* m_return = nullptr;
  llvm::AllocaInst* m_ints[4];
  llvm::AllocaInst* m_floats[3];
  llvm::AllocaInst* m_doubles[2];
  llvm::Value *m_array = nullptr, *m_id = nullptr, *m_local = nullptr, *m_item = nullptr, *m_narrow_id = nullptr,
              *m_limit = nullptr;
  llvm::Value *m_row = nullptr, *m_group_size = nullptr;
  std::vector<loop_blocks> m_loops;
  unsigned m_divergent = 0, m_returns = 0;
};

} // namespace

void write_random_kernel(llvm::Module& module, unsigned seed, const kernel_style& style,
                         std::map<std::string, unsigned>& constructs) {
  kernel_writer(module, seed, style, constructs).run();
}

} // namespace sinter::test
