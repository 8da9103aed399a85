/// Compares affine forms of addresses with the addresses that an interpreter computes. If a form is known, it has to
/// give the address of every work-item. Kernels are written as LLVM IR text, as in tests/passes. Random kernels
/// compute addresses by random trees of integer operations, which nearly overflow.

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <passes/fusion/access_analysis.hpp>
#include <passes/llvm_versions.hpp>
#include <passes/pass_runner.hpp>

#include "../sanitized.hpp"
#include "fusion_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::passes;
using test::generator;
using test::work_item;

constexpr std::uint64_t seed = 20260105;

constexpr const char* declarations = R"(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare i64 @__sinter_global_id(i32) memory(none)
declare i64 @__sinter_local_id(i32) memory(none)
declare i64 @__sinter_group_id(i32) memory(none)
declare i64 @__sinter_global_range(i32) memory(none)
declare i64 @__sinter_local_range(i32) memory(none)
declare i64 @__sinter_group_range(i32) memory(none)
declare i64 @__sinter_global_offset(i32) memory(none)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.usub.sat.i64(i64, i64)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.usub.sat.i32(i32, i32)
declare float @__sinter_math_lgamma_r_f32(float, ptr)
declare void @__sinter_trap(ptr) noreturn
declare ptr @__sinter_specialization_constant(ptr, i64, ptr) memory(read)
@initial = internal constant i64 5
)";

struct parsed_kernel {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;

  /// `body` is the text between the braces of `void @kernel(ptr %block)`.
  explicit parsed_kernel(const std::string& body) {
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(declarations + ("define void @kernel(ptr %block) {\n" + body + "}\n"), error,
                                       context);
    REQUIRE_MESSAGE(module, error.getMessage().str() << " in\n" << body);
  }
  /// Runs the passes by which fusion simplifies kernels, because the analysis expects simplified code.
  void simplify() {
    llvm::FunctionPassManager scalar;
    scalar.addPass(llvm::EarlyCSEPass());
    scalar.addPass(llvm::InstCombinePass());
    llvm::ModulePassManager pipeline;
    pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(scalar)));
    pass_runner().run(*module, std::move(pipeline));
  }
  llvm::Function& kernel() { return *module->getFunction("kernel"); }
  access_summary analyse(const fusion_range& range, const std::string& block) {
    return analyse_accesses(kernel(), range, block);
  }
};

/// An interpreter for integers of the IR, including poison. A pointer is an offset from the only pointer argument.
class machine {
public:
  machine(llvm::Function& kernel, const fusion_range& range, const std::string& block, const work_item& item)
      : m_kernel(kernel), m_range(range), m_block(block), m_item(item) {}

  /// Returns the addresses of all stores in order. Returns nothing if an address is undefined or the run is too long.
  std::optional<std::vector<std::int64_t>> addresses() {
    std::vector<std::int64_t> result;
    const llvm::BasicBlock* before = nullptr;
    llvm::BasicBlock* block = &m_kernel.getEntryBlock();
    for (unsigned blocks = 0; blocks < 400; ++blocks) {
      std::map<llvm::Value*, value> merged;
      for (llvm::PHINode& phi : block->phis()) merged[&phi] = of(phi.getIncomingValueForBlock(before));
      for (const auto& [phi, incoming] : merged) m_values[phi] = incoming;
      for (llvm::Instruction& instruction : *block) {
        if (llvm::isa<llvm::PHINode>(instruction)) continue;
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
          const value at = of(store->getPointerOperand());
          if (!at) return std::nullopt;
          result.push_back(at->getSExtValue());
        } else if (!instruction.isTerminator()) {
          m_values[&instruction] = compute(instruction);
        }
      }
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!branch) return result;
      before = block;
      block = branch->getSuccessor(0);
      if (branch->isUnconditional()) continue;
      const value condition = of(branch->getCondition());
      if (!condition) return std::nullopt;
      if (condition->isZero()) block = branch->getSuccessor(1);
    }
    return std::nullopt;
  }

private:
  using value = std::optional<llvm::APInt>;

  value of(llvm::Value* operand) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operand)) return constant->getValue();
    if (operand == m_kernel.getArg(0)) return llvm::APInt(64, 0);
    return m_values.at(operand);
  }

  value compute(llvm::Instruction& instruction) {
    const llvm::DataLayout& layout = m_kernel.getDataLayout();
    if (auto* two = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      const value one = of(two->getArgOperand(0)), other = of(two->getArgOperand(1));
      if (!one || !other) return std::nullopt;
      switch (two->getIntrinsicID()) {
        case llvm::Intrinsic::smin:
          return one->slt(*other) ? one : other;
        case llvm::Intrinsic::smax:
          return one->sgt(*other) ? one : other;
        case llvm::Intrinsic::umin:
          return one->ult(*other) ? one : other;
        case llvm::Intrinsic::umax:
          return one->ugt(*other) ? one : other;
        case llvm::Intrinsic::usub_sat:
          return one->usub_sat(*other);
        default:
          FAIL("the machine doesn't know " << two->getCalledFunction()->getName().str());
      }
    }
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return query(*call);
    if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
      const value one = of(compare->getOperand(0)), other = of(compare->getOperand(1));
      if (!one || !other) return std::nullopt;
      return llvm::APInt(1, llvm::ICmpInst::compare(*one, *other, compare->getPredicate()));
    }
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
      const value which = of(select->getCondition());
      return which ? of(which->isOne() ? select->getTrueValue() : select->getFalseValue()) : value();
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->getType()->isPointerTy()) return llvm::APInt(64, 0);
      std::uint64_t bits = 0;
      const std::uint64_t at = of(load->getPointerOperand())->getZExtValue();
      std::memcpy(&bits, m_block.data() + at, layout.getTypeStoreSize(load->getType()));
      return llvm::APInt(64, bits).trunc(load->getType()->getIntegerBitWidth());
    }
    if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      value sum = of(gep->getPointerOperand());
      for (auto at = llvm::gep_type_begin(gep); sum && at != llvm::gep_type_end(gep); ++at) {
        const value index = of(at.getOperand());
        if (!index) return std::nullopt;
        if (llvm::StructType* type = at.getStructTypeOrNull()) {
          *sum += layout.getStructLayout(type)
                      ->getElementOffset(static_cast<unsigned>(index->getZExtValue()))
                      .getFixedValue();
        } else {
          *sum += index->sextOrTrunc(64) * at.getSequentialElementStride(layout).getFixedValue();
        }
      }
      return sum;
    }
    const value a = of(instruction.getOperand(0));
    if (!a) return std::nullopt;
    if (instruction.isCast()) {
      const unsigned bits = instruction.getType()->getIntegerBitWidth();
      if (instruction.getOpcode() == llvm::Instruction::SExt) return a->sext(bits);
      if (instruction.getOpcode() == llvm::Instruction::ZExt) {
        return instruction.hasNonNeg() && a->isNegative() ? value() : a->zext(bits);
      }
      const bool cut = (instruction.hasNoSignedWrap() && !a->isSignedIntN(bits)) ||
                       (instruction.hasNoUnsignedWrap() && !a->isIntN(bits));
      return cut ? value() : a->trunc(bits);
    }
    const value b = of(instruction.getOperand(1));
    if (!b) return std::nullopt;
    bool over = false, over_unsigned = false;
    llvm::APInt result;
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Add:
        (void)a->sadd_ov(*b, over);
        result = a->uadd_ov(*b, over_unsigned);
        break;
      case llvm::Instruction::Sub:
        (void)a->ssub_ov(*b, over);
        result = a->usub_ov(*b, over_unsigned);
        break;
      case llvm::Instruction::Mul:
        (void)a->smul_ov(*b, over);
        result = a->umul_ov(*b, over_unsigned);
        break;
      case llvm::Instruction::Shl:
        if (b->uge(a->getBitWidth())) return std::nullopt;
        (void)a->sshl_ov(*b, over);
        (void)a->ushl_ov(*b, over_unsigned);
        result = *a << *b;
        break;
      case llvm::Instruction::And:
        result = *a & *b;
        break;
      case llvm::Instruction::Or:
        if (llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint() && a->intersects(*b)) return std::nullopt;
        result = *a | *b;
        break;
      case llvm::Instruction::Xor:
        result = *a ^ *b;
        break;
      case llvm::Instruction::UDiv:
      case llvm::Instruction::URem:
      case llvm::Instruction::SDiv:
      case llvm::Instruction::SRem:
        // Divisors are small positive numbers. The optimiser marks some divisions as exact, and so does this test.
        if (b->isZero() || b->isNegative()) return std::nullopt;
        result = instruction.getOpcode() == llvm::Instruction::UDiv   ? a->udiv(*b)
                 : instruction.getOpcode() == llvm::Instruction::URem ? a->urem(*b)
                 : instruction.getOpcode() == llvm::Instruction::SDiv ? a->sdiv(*b)
                                                                      : a->srem(*b);
        break;
      case llvm::Instruction::LShr:
      case llvm::Instruction::AShr:
        if (b->uge(a->getBitWidth())) return std::nullopt;
        if (instruction.isExact() && a->countr_zero() < b->getZExtValue()) return std::nullopt;
        result = instruction.getOpcode() == llvm::Instruction::LShr ? a->lshr(*b) : a->ashr(*b);
        break;
      default:
        FAIL("the machine doesn't know " << instruction.getOpcodeName());
    }
    if (auto* wraps = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&instruction)) {
      if ((wraps->hasNoSignedWrap() && over) || (wraps->hasNoUnsignedWrap() && over_unsigned)) return std::nullopt;
    }
    return result;
  }

  value query(llvm::CallInst& call) {
    const llvm::StringRef name = call.getCalledFunction()->getName();
    const unsigned d = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue());
    const std::uint64_t local = has_groups(m_range) ? m_range.local[d] : 1;
    std::uint64_t result = 0;
    if (name == "__sinter_global_id") result = static_cast<std::uint64_t>(m_item.ids[variable_global + d]);
    if (name == "__sinter_local_id") result = static_cast<std::uint64_t>(m_item.ids[variable_local + d]);
    if (name == "__sinter_group_id") result = static_cast<std::uint64_t>(m_item.ids[variable_group + d]);
    if (name == "__sinter_global_range") result = m_range.global[d];
    if (name == "__sinter_local_range") result = local;
    if (name == "__sinter_group_range") result = m_range.global[d] / local;
    if (name == "__sinter_global_offset") result = m_range.offset[d];
    return llvm::APInt(64, result);
  }

  llvm::Function& m_kernel;
  const fusion_range& m_range;
  const std::string& m_block;
  const work_item& m_item;
  std::map<llvm::Value*, value> m_values;
};

enum class kernel_shape { strange, plain, guarded };

/// Writes the text of a kernel with one store. The address is a random tree over ids, arguments and constants,
/// or a simple address with guards, clamped indices and loops around it.
class tree_writer {
public:
  tree_writer(generator& random, kernel_shape shape)
      : m_random(random), m_plain(shape != kernel_shape::strange), m_guarded(shape == kernel_shape::guarded) {
    m_text = "  %leaf = load ptr, ptr %block\n";
  }

  std::string write() {
    if (!m_guarded) return write_store("  ret void\n");
    std::string text_behind = "  ret void\n";
    // Writes nested guards and loops from the outside in. The text after a guard or loop begins a new block.
    const unsigned layers = static_cast<unsigned>(1 + m_random.below(3));
    for (unsigned i = 0; i < layers; ++i) {
      const std::string n = std::to_string(i);
      if (m_random.chance(60)) {
        const std::string condition = this->condition();
        m_text += "  br i1 " + condition + ", label %" + (m_random.chance(70) ? "in" : "out") + n;
        m_text += ", label %" + std::string(m_text.ends_with("in" + n) ? "out" : "in") + n + "\nin" + n + ":\n";
        text_behind = "  br label %out" + n + "\nout" + n + ":\n" + text_behind;
      } else {
        text_behind = loop(n, text_behind);
      }
    }
    return write_store(text_behind);
  }

private:
  /// Returns one or two conditions on simple values.
  std::string condition() {
    const unsigned bits = m_random.pick({64u, 64u, 32u});
    const char* const predicate =
        m_random.pick<const char*>({"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"});
    const std::string one = tree(bits, 1), other = tree(bits, m_random.chance(70) ? 0 : 1);
    const std::string first = define("icmp " + std::string(predicate) + " " + type(bits) + " " + one + ", " + other);
    if (m_random.chance(70)) return first;
    const std::string second = condition();
    return m_random.chance(50) ? define("and i1 " + first + ", " + second)
                               : define("select i1 " + first + ", i1 true, i1 " + second);
  }

  /// Begins a loop, into which the following text belongs. Returns the text that ends the loop.
  std::string loop(const std::string& n, const std::string& behind) {
    const std::int64_t step = m_random.pick<std::int64_t>({1, 1, 1, 2, 3, -1, -2});
    const char* const predicate = m_random.pick<const char*>(
        {"ne", step > 0 ? "slt" : "sgt", step > 0 ? "ult" : "sgt", step > 0 ? "sle" : "sge", step > 0 ? "ule" : "uge"});
    // The loop begins at an id and has a stride, as in grid-stride loops and group algorithms.
    const unsigned bits = m_random.pick({64u, 64u, 64u, 32u});
    const std::string type = this->type(bits);
    const bool strides = m_random.chance(40);
    const std::string start = strides               ? converted(id(), 64, bits)
                              : m_random.chance(60) ? std::to_string(m_random.between(0, 3))
                                                    : tree(bits, m_random.below(2));
    const std::string end =
        m_random.chance(50) ? std::to_string(m_random.between(0, 12)) : tree(bits, m_random.below(2));
    std::string by = std::to_string(step);
    if (strides && m_random.chance(60)) {
      const char* const range = m_random.pick<const char*>({"global_range", "local_range", "group_range"});
      by = converted(
          define("call i64 @__sinter_" + std::string(range) + "(i32 " + std::to_string(m_random.below(3)) + ")"), 64,
          bits);
    }
    const std::string flags = m_random.pick<const char*>({"", "", "nsw ", "nuw "});
    const bool tests_first = m_random.chance(50), tests_next = m_random.chance(50);
    const std::string before = "before" + n, body = "body" + n, latch = "latch" + n;
    m_text += "  br label %" + before + "\n" + before + ":\n  br label %head" + n + "\nhead" + n + ":\n";
    m_text +=
        "  %k" + n + " = phi " + type + " [ " + start + ", %" + before + " ], [ %next" + n + ", %" + latch + " ]\n";
    // Some loops also advance pointers.
    const bool walks = m_random.chance(30);
    if (walks) {
      m_text += "  %p" + n + " = phi ptr [ " + (m_walking.empty() || m_random.chance(50) ? "%leaf" : m_walking) +
                ", %" + before + " ], [ %on" + n + ", %" + latch + " ]\n";
      m_walking = "%p" + n;
    }
    std::string next = "  %next" + n + " = add " + flags + type + " %k" + n + ", " + by + "\n";
    if (walks)
      next += "  %on" + n + " = getelementptr inbounds i32, ptr %p" + n + ", i64 " +
              std::to_string(m_random.between(-2, 7)) + "\n";
    const bool of_next = tests_next && !tests_first;
    const std::string test = "  %more" + n + " = icmp " + predicate + " " + type + " %" + (of_next ? "next" : "k") + n +
                             ", " + end + "\n  br i1 %more" + n + ", label %" + (tests_first ? body : "head" + n) +
                             ", label %done" + n + "\n";
    m_counters.push_back({"%k" + n, bits});
    if (tests_first) m_text += test;
    if (!tests_first) m_text += "  br label %" + body + "\n";
    m_text += body + ":\n";
    return "  br label %" + latch + "\n" + latch + ":\n" + next + (tests_first ? "  br label %head" + n + "\n" : test) +
           "done" + n + ":\n" + behind;
  }

  std::string write_store(const std::string& behind) {
    std::string pointer = m_walking.empty() || m_random.chance(30) ? "%leaf" : m_walking;
    const unsigned steps = m_plain ? 1 : static_cast<unsigned>(1 + m_random.below(2));
    for (unsigned i = 0; i < steps; ++i) {
      const unsigned bits = m_plain ? 64 : m_random.pick({64u, 64u, 32u, 16u});
      const std::string index = tree(bits, m_plain ? 3 : static_cast<unsigned>(m_random.below(5)));
      const std::string type =
          m_random.pick<const char*>({"i8", "float", "double", "[3 x i32]", "{ i32, [3 x i16], i64 }", "<4 x float>"});
      std::string text = "getelementptr " + std::string(m_random.chance(50) ? "inbounds " : "") + type + ", ptr " +
                         pointer + ", i" + std::to_string(bits) + " " + index;
      if (type[0] == '{') text += ", i32 1, i64 " + tree(64, 1);
      pointer = define(text);
    }
    return m_text + "  store i32 0, ptr " + pointer + "\n" + behind;
  }

  std::string define(const std::string& text) {
    const std::string name = "%v" + std::to_string(m_count++);
    m_text += "  " + name + " = " + text + "\n";
    return name;
  }

  static std::string type(unsigned bits) { return "i" + std::to_string(bits); }

  std::string constant(unsigned bits) {
    if (m_plain || m_random.chance(80)) return std::to_string(m_random.between(-3, 9));
    // The sum is computed with unsigned numbers, which may wrap around.
    const std::uint64_t edge = std::uint64_t{1} << m_random.pick({bits - 1, bits - 1, bits / 2});
    const llvm::APInt value = low_bits(bits, edge + static_cast<std::uint64_t>(m_random.between(-3, 3)));
    return std::to_string(value.getSExtValue());
  }

  std::string leaf(unsigned bits) {
    if (!m_counters.empty() && m_random.chance(40)) {
      const auto& [counter, wide] = m_counters[m_random.below(m_counters.size())];
      return converted(counter, wide, bits);
    }
    if (m_random.chance(15)) return constant(bits);
    if (m_random.chance(25)) {
      const unsigned number = static_cast<unsigned>(m_random.below(4));
      const unsigned stored = number < 2 ? 32 : 64;
      const std::string at = define("getelementptr i8, ptr %block, i64 " + std::to_string(8 + number * 8));
      return converted(define("load " + type(stored) + ", ptr " + at), stored, bits);
    }
    return converted(id(), 64, bits);
  }

  std::string id() {
    const char* const name = m_random.chance(70)
                                 ? "global_id"
                                 : m_random.pick<const char*>({"local_id", "group_id", "global_range", "local_range",
                                                               "group_range", "global_offset"});
    return define("call i64 @__sinter_" + std::string(name) + "(i32 " + std::to_string(m_random.below(3)) + ")");
  }

  std::string converted(const std::string& value, unsigned from, unsigned to) {
    if (from == to) return value;
    if (from > to) {
      const char* const flags = m_random.pick<const char*>({"", "", "nsw ", "nuw "});
      return define("trunc " + std::string(flags) + type(from) + " " + value + " to " + type(to));
    }
    const char* const extend = m_random.pick<const char*>({"sext", "sext", "zext", "zext", "zext nneg"});
    return define(std::string(extend) + " " + type(from) + " " + value + " to " + type(to));
  }

  std::string tree(unsigned bits, unsigned depth) {
    if (depth == 0) return leaf(bits);
    if (m_random.chance(30)) {
      const unsigned other = m_plain ? (bits == 64 ? 32 : 64) : m_random.pick({8u, 16u, 32u, 33u, 64u});
      return converted(tree(other, depth - 1), other, bits);
    }
    const std::string a = tree(bits, depth - 1);
    if (m_guarded && bits >= 32 && m_random.chance(25)) {
      const std::string b = m_random.chance(60) ? constant(bits) : tree(bits, depth - 1);
      if (m_random.chance(15)) {
        // Adds or subtracts 1 if a condition is true.
        const std::string widened =
            define(m_random.pick<const char*>({"zext i1 ", "sext i1 "}) + condition() + " to " + type(bits));
        return define("add " + type(bits) + " " + a + ", " + widened);
      }
      if (m_random.chance(30))
        return define("select i1 " + condition() + ", " + type(bits) + " " + a + ", " + type(bits) + " " + b);
      const std::string name = m_random.pick<const char*>({"smin", "smax", "umin", "umax", "usub.sat"});
      return define("call " + type(bits) + " @llvm." + name + "." + type(bits) + "(" + type(bits) + " " + a + ", " +
                    type(bits) + " " + b + ")");
    }
    if (m_random.chance(15)) {
      // Divides, takes a remainder or flips low bits, as kernels do to compute rows, columns and other work-items.
      const std::string by = std::to_string(m_random.pick({2, 3, 4, 8, 16}));
      const char* const what = m_random.pick<const char*>({"udiv ", "urem ", "sdiv ", "srem ", "xor "});
      if (what[0] != 'x') return define(std::string(what) + type(bits) + " " + a + ", " + by);
      return define("xor " + type(bits) + " " + a + ", " + std::to_string(m_random.pick({1, 2, 3, 4, 7})));
    }
    const auto operation = m_random.below(m_plain ? 4 : 12);
    const std::string flags = m_random.pick<const char*>({"", "", "nsw ", "nuw ", "nuw nsw "});
    const std::string end = type(bits) + " " + a + ", ";
    switch (operation) {
      case 0:
        return define("add " + flags + end + tree(bits, depth - 1));
      case 1:
        return define("sub " + flags + end + tree(bits, depth - 1));
      case 2:
        return define("mul " + flags + end + (m_random.chance(70) ? constant(bits) : leaf(bits)));
      case 3:
        return define("shl " + flags + end + std::to_string(m_random.below(m_random.chance(80) ? 5 : bits)));
      case 4:
        return define("and " + end + std::to_string((std::int64_t{1} << m_random.below(bits - 1)) - 1));
      case 5:
        return define("or disjoint " + end + constant(bits));
      case 6:
        return define("or disjoint " + end + tree(bits, depth - 1));
      case 7:
        return define("or " + end + constant(bits));
      case 8:
        return define(m_random.pick<const char*>({"lshr ", "ashr "}) + end + std::to_string(m_random.below(8)));
      case 9: {
        // The optimiser replaces a narrowing and a widening conversion by these two shifts.
        const std::string cut = std::to_string(bits / 2);
        const std::string high = define("shl " + end + cut);
        return define(m_random.pick<const char*>({"ashr ", "ashr exact ", "lshr "}) + type(bits) + " " + high + ", " +
                      cut);
      }
      case 10: {
        const std::int64_t high = (std::int64_t{1} << m_random.below(bits - 1)) - 1;
        return define("and " + end + std::to_string(high & ~static_cast<std::int64_t>(m_random.pick({1, 3, 4, 7}))));
      }
      default:
        return define("xor " + end + std::to_string(m_random.chance(70) ? -1 : m_random.between(-2, 7)));
    }
  }

  generator& m_random;
  bool m_plain, m_guarded;
  std::string m_text;
  std::vector<std::pair<std::string, unsigned>> m_counters;
  std::string m_walking;
  unsigned m_count = 0;
};

std::string random_block(generator& random, bool plain) {
  std::string block(40, '\0');
  for (unsigned i = 0; i < 4; ++i) {
    std::int64_t number = random.between(-4, 20);
    if (!plain && random.chance(20)) number += std::int64_t{1} << random.pick({31, 31, 32, 16, 62});
    if (!plain && random.chance(5)) number = static_cast<std::int64_t>(random.below(~0ull));
    std::memcpy(block.data() + 8 + i * 8, &number, 8);
  }
  return block;
}

/// Returns a launch whose ids are near the limits of narrow types.
fusion_range random_launch(generator& random, bool plain) {
  fusion_range range = test::random_range(random, 5, 40);
  if (plain || random.chance(50)) return range;
  const std::uint64_t edge = std::uint64_t{1} << random.pick({7, 8, 15, 16, 31, 32, 33});
  for (unsigned d = 3 - range.dimensions; d < 3; ++d) range.offset[d] = edge - random.below(7);
  return range;
}

struct tally {
  unsigned known = 0, bounded = 0, wrong = 0, poison = 0;  ///< bounded: the form may describe more accesses than happen
};

/// Returns the addresses that the forms give, in order. Returns nothing if a form is unknown or a loop is too long.
std::optional<std::vector<std::int64_t>> said_addresses(const access_summary& summary, const work_item& item) {
  std::vector<std::int64_t> result;
  for (const memory_access& access : summary.accesses) {
    if (!access.known || access.turns[0] > 100 || access.turns[1] > 100 || access.turns[2] > 100 ||
        access.turns[0] * access.turns[1] * access.turns[2] > 300)
      return std::nullopt;
    test::for_each_turn(access, item,
                        [&](const work_item& at) { result.push_back(test::value_of(access.offset, at)); });
  }
  // The interpreter's order may differ: a form counts a loop from either end, and lists a select's values separately.
  std::sort(result.begin(), result.end());
  return result;
}

/// `plant` may change a summary before it is compared.
template <class Plant>
tally run_trees(std::uint64_t from, unsigned cases, kernel_shape shape, bool tell, Plant plant) {
  generator random(from);
  tally result;
  for (unsigned i = 0; i < cases; ++i) {
    const bool plain = shape != kernel_shape::strange;
    const fusion_range range = random_launch(random, plain);
    const std::string block = random_block(random, plain);
    const std::string text = tree_writer(random, shape).write();
    parsed_kernel parsed(text), analysed(text);
    const bool simplified = i % 4 == 3;
    if (simplified) analysed.simplify();
    access_summary summary = analysed.analyse(range, block);
    plant(summary);
    bool known = true, certain = true;
    for (const memory_access& access : summary.accesses) {
      known &= access.known;
      certain &= access.certain;
      if (!simplified) CHECK(access.leaf == 0);
    }
    if (shape != kernel_shape::guarded && !simplified) REQUIRE(summary.accesses.size() == 1);
    result.known += known && certain;
    result.bounded += known && !certain;
    if (!known) continue;
    for (std::uint64_t g = 0; g < test::items_of(range); ++g) {
      const work_item item = test::item_at(range, g);
      auto addresses = machine(parsed.kernel(), range, block, item).addresses();
      if (!addresses) {
        ++result.poison;
        continue;
      }
      std::sort(addresses->begin(), addresses->end());
      addresses->erase(certain ? addresses->end() : std::unique(addresses->begin(), addresses->end()),
                       addresses->end());
      const auto said = said_addresses(summary, item);
      if (!said) break;
      // If accesses are certain, exactly the described accesses must happen; otherwise, no other accesses may happen.
      if (certain ? *addresses == *said
                  : std::includes(said->begin(), said->end(), addresses->begin(), addresses->end()))
        continue;
      ++result.wrong;
      if (tell && result.wrong <= 3) {
        FAIL_CHECK("case " << i << ", work-item " << g << ": " << addresses->size() << " addresses, the first "
                           << (addresses->empty() ? 0 : addresses->front()) << ", forms " << said->size()
                           << ", the first " << (said->empty() ? 0 : said->front()) << "\n"
                           << text);
      }
      break;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("a known form is the address of every work-item") {
  constexpr unsigned cases = sinter::test::cases_of(20'000);
  auto nothing = [](access_summary&) {};
  const tally strange = run_trees(seed, cases, kernel_shape::strange, true, nothing);
  const tally plain = run_trees(seed + 1, cases / 3, kernel_shape::plain, true, nothing);
  const tally guarded = run_trees(seed + 3, cases / 3, kernel_shape::guarded, true, nothing);
  MESSAGE("seed " << seed << ": " << strange.poison << " undefined addresses, " << cases << " strange trees, "
                  << strange.known << " known, " << strange.bounded << " bounded; " << cases / 3 << " plain ones, "
                  << plain.known << " known; as many guarded ones, " << guarded.known << " known, " << guarded.bounded
                  << " bounded, " << guarded.poison << " undefined");
  CHECK(strange.wrong == 0);
  CHECK(plain.wrong == 0);
  CHECK(guarded.wrong == 0);
  CHECK(strange.known > cases / 3);
  CHECK(plain.known > cases / 3 * 4 / 5);
  CHECK(guarded.known > cases / 3 / 4);
  CHECK(guarded.bounded > cases / 100);
}

TEST_CASE("planted errors in forms are noticed") {
  auto change = [](auto what) {
    return [what](access_summary& summary) {
      for (memory_access& access : summary.accesses) what(access);
    };
  };
  const auto row = change([](memory_access& access) { access.offset.coefficients[variable_global + 2] += 1; });
  const auto sign = change([](memory_access& access) { access.offset.constant *= -1; });
  const auto known = change([](memory_access& access) { access.known = access.certain = true; });
  const auto guards = change([](memory_access& access) { access.guards.clear(); });
  const auto later = change([](memory_access& access) {
    for (affine_form& guard : access.guards) guard.constant -= 1;
  });
  const auto turns = change([](memory_access& access) { access.turns[0] += 1; });
  const auto once = change([](memory_access& access) { access.turns = {1, 1, 1}; });
  for (const auto& plant : {std::function<void(access_summary&)>(row), {sign}, {known}}) {
    CHECK(run_trees(seed + 2, 300, kernel_shape::strange, false, plant).wrong > 0);
  }
  for (const auto& plant : {std::function<void(access_summary&)>(guards), {later}, {turns}, {once}, {known}}) {
    CHECK(run_trees(seed + 2, 300, kernel_shape::guarded, false, plant).wrong > 0);
  }
}

// --------------------------------------------------------------------------------------------- control flow, effects

namespace {

access_summary summary_of(const std::string& body) {
  fusion_range range;
  range.global[2] = 8;
  return parsed_kernel(body).analyse(range, std::string(64, '\0'));
}

}  // namespace

TEST_CASE("order is control flow, not text") {
  const access_summary summary = summary_of(R"(
  %leaf = load ptr, ptr %block
  br label %first
last:
  store i32 0, ptr %leaf
  ret void
first:
  %x = load i32, ptr %leaf
  br label %last
)");
  REQUIRE(summary.accesses.size() == 2);
  for (const memory_access& access : summary.accesses) CHECK(access.certain);
  const bool read_first = summary.accesses[0].kind == access_kind::read;
  CHECK(summary.accesses[read_first ? 0 : 1].order < summary.accesses[read_first ? 1 : 0].order);
}

TEST_CASE("only what every work-item does once is certain") {
  const std::string guarded = R"(
  %leaf = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %small = icmp ult i64 %id, 4
  br i1 %small, label %then, label %end
then:
  store i32 0, ptr %leaf
  br label %end
end:
  store i64 0, ptr %leaf
  ret void
)";
  for (const memory_access& access : summary_of(guarded).accesses) {
    CHECK(access.certain);
    CHECK(access.guards.empty() == (access.bytes == 8));
  }
  const std::string loop = R"(
  %leaf = load ptr, ptr %block
  br label %body
body:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  store i32 0, ptr %leaf
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %body, label %end
end:
  ret void
)";
  CHECK(summary_of(loop).accesses[0].certain);
  CHECK(summary_of(loop).accesses[0].turns[0] == 4);
  // The cycle has two entries, so LLVM does not treat it as a loop.
  const std::string cycle = R"(
  %leaf = load ptr, ptr %block
  %x = load i1, ptr %leaf
  br i1 %x, label %left, label %right
left:
  store i32 0, ptr %leaf
  br label %right
right:
  store i64 0, ptr %leaf
  %y = load i1, ptr %leaf
  br i1 %y, label %left, label %end
end:
  ret void
)";
  for (const memory_access& access : summary_of(cycle).accesses) CHECK((access.bytes == 1 || !access.certain));
  const std::string trap = R"(
  %leaf = load ptr, ptr %block
  %x = load i1, ptr %leaf
  br i1 %x, label %bad, label %good
bad:
  call void @__sinter_trap(ptr null)
  unreachable
good:
  store i64 0, ptr %leaf
  ret void
)";
  for (const memory_access& access : summary_of(trap).accesses) CHECK(access.certain == (access.bytes == 1));
}

TEST_CASE("updates commute when the operation is the same and nobody looks at the old value") {
  auto update = [](const std::string& text) {
    return summary_of("  %leaf = load ptr, ptr %block\n" + text + "  ret void\n").accesses[0];
  };
  const memory_access add = update("  %x = atomicrmw add ptr %leaf, i32 1 monotonic\n");
  CHECK(add.kind == access_kind::update);
  CHECK(add.commutes != 0);
  CHECK(update("  %x = atomicrmw sub ptr %leaf, i32 1 monotonic\n").commutes == add.commutes);
  CHECK(update("  %x = atomicrmw max ptr %leaf, i32 1 monotonic\n").commutes != add.commutes);
  CHECK(update("  %x = atomicrmw xchg ptr %leaf, i32 1 monotonic\n").commutes == 0);
  CHECK(update("  %x = cmpxchg ptr %leaf, i32 0, i32 1 monotonic monotonic\n").commutes == 0);
  CHECK(update("  %x = atomicrmw add ptr %leaf, i32 1 monotonic\n  store i32 %x, ptr %leaf\n").commutes == 0);
}

TEST_CASE("results of mathematics in memory are writes") {
  const access_summary summary = summary_of(R"(
  %leaf = load ptr, ptr %block
  %private = alloca i32
  %x = call float @__sinter_math_lgamma_r_f32(float 1.0, ptr %leaf)
  %y = call float @__sinter_math_lgamma_r_f32(float 1.0, ptr %private)
  ret void
)");
  REQUIRE(summary.accesses.size() == 1);
  CHECK(summary.accesses[0].kind == access_kind::write);
  CHECK(!summary.accesses[0].known);
  CHECK(summary.accesses[0].leaf == 0);
}

TEST_CASE("what specialization constants are read from, no kernel writes") {
  const access_summary summary = summary_of(R"(
  %leaf = load ptr, ptr %block
  %at = getelementptr i8, ptr %block, i64 8
  %table = load ptr, ptr %at
  %place = call ptr @__sinter_specialization_constant(ptr %table, i64 17, ptr @initial)
  %value = load i64, ptr %place
  %second = getelementptr i8, ptr %place, i64 8
  %more = load i64, ptr %second
  %sum = add i64 %value, %more
  store i64 %sum, ptr %leaf
  ret void
)");
  CHECK(summary.unknown_effect.empty());
  REQUIRE(summary.accesses.size() == 1);
  CHECK(summary.accesses[0].kind == access_kind::write);
  CHECK(summary.accesses[0].known);
}

TEST_CASE("nothing is known of a kernel that writes to its arguments") {
  const access_summary summary = summary_of(R"(
  %leaf = load ptr, ptr %block
  %at = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %at
  %cell = getelementptr float, ptr %leaf, i64 %n
  store float 0.0, ptr %cell
  store i64 5, ptr %at
  ret void
)");
  CHECK(!summary.unknown_effect.empty());
  for (const memory_access& access : summary.accesses) CHECK(!access.known);
}
