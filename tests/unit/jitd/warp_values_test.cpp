/// A small interpreter runs random exchanges between the work-items of warps, before and after the pass has
/// simplified them. Loops with steps of any length run as machine code, before and after the pass has joined several
/// iterations.

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../sanitized.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "targets/gpu/stride_loops.hpp"
#include "targets/nvptx/warp_values.hpp"

namespace {

using namespace sinter::jit;
constexpr unsigned threads = 64, warp = 32;
using numbers = std::array<std::uint32_t, threads>;

std::unique_ptr<llvm::Module> parse(const std::string& text, llvm::LLVMContext& context) {
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text, error, context);
  REQUIRE_MESSAGE(module, error.getMessage().str() << "\n" << text);
  return module;
}

// ------------------------------------------------------------------------------------------ exchanges in warps

const std::string kernel_head = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
define void @kernel(i32 %in, ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %tid, 31
)";

/// Makes random kernels in which the threads of a warp exchange a value, which some of the threads then use.
class random_kernel {
public:
  explicit random_kernel(unsigned seed) : m_random(seed) {}

  std::string text() {
    std::string value = "%in";
    for (unsigned steps = 1 + below(8); steps != 0; --steps) value = step(value);
    const std::string used = condition();
    return kernel_head + m_text + "  br i1 " + used + ", label %uses, label %end\nuses:\n  store i32 " + value +
           ", ptr %out\n  br label %end\nend:\n  ret void\n}\n";
  }

private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(m_random() % limit); }
  std::string add(const std::string& what) {
    const std::string name = "%v" + std::to_string(m_count++);
    m_text += "  " + name + " = " + what + "\n";
    return name;
  }
  std::string power() { return std::to_string(1u << below(5)); }
  std::string condition() {
    switch (below(6)) {
      case 0:
        return add("icmp ult i32 %lane, " + power());
      case 1:
        return add("icmp uge i32 %lane, " + std::to_string(below(32)));
      case 2:
        return add("icmp eq i32 " + add("and i32 %lane, " + power()) + ", 0");
      case 3:
        return add("icmp eq i32 %tid, " + std::to_string(below(2) * 32));
      case 4:
        return add("icmp ult i32 " + add("add i32 %lane, " + power()) + ", 32");
      default:
        return add("icmp eq i32 %lane, 0");
    }
  }
  std::string shuffled(const std::string& value, const std::string& source) {
    return add("call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 " + value + ", i32 " + source + ", i32 31)");
  }
  std::string combined(unsigned how, const std::string& a, const std::string& b) {
    static const char* const binary[] = {"add", "xor", "or", "and"};
    if (how < 4) return add(std::string(binary[how]) + " i32 " + a + ", " + b);
    return add(std::string("call i32 @llvm.") + (how == 4 ? "smax" : "umin") + ".i32(i32 " + a + ", i32 " + b + ")");
  }
  std::string step(const std::string& value) {
    const unsigned how = below(6);
    if (below(3) == 0) {  // a reduction over the warp, or sometimes over a part of it
      std::string result = value;
      const bool across = below(2) == 0, guarded = below(2) == 0;
      for (unsigned distance = 1; distance < (below(4) == 0 ? 8u : 32u); distance *= 2) {
        const char* const how_far = across ? "xor" : "add";
        const std::string source = add(how_far + std::string(" i32 %lane, ") + std::to_string(distance));
        const std::string sum = combined(how, result, shuffled(result, source));
        if (guarded) {
          const std::string is_there = add("icmp ult i32 " + source + ", 32");
          result = add("select i1 " + is_there + ", i32 " + sum + ", i32 " + result);
        } else {
          result = sum;
        }
      }
      return below(2) == 0 ? shuffled(result, "0") : result;
    }
    switch (below(4)) {
      case 0:
        return shuffled(value, add("add i32 %lane, " + power()));
      case 1:
        return shuffled(value, std::to_string(below(32)));
      case 2:
        return add("select i1 " + condition() + ", i32 " + value + ", i32 " + combined(how, value, "%in"));
      default:
        return combined(how, value, shuffled(value, add("xor i32 %lane, " + power())));
    }
  }

  std::mt19937 m_random;
  std::string m_text;
  unsigned m_count = 0;
};

class warp_interpreter {
public:
  explicit warp_interpreter(const numbers& in) : m_in(in) {}

  /// Returns the number that each thread stores, or 0 for threads that store nothing.
  numbers run(llvm::Function& kernel) {
    numbers stored{};
    m_values[kernel.getArg(0)] = m_in;
    std::map<const llvm::BasicBlock*, std::array<bool, threads>> active;
    active[&kernel.getEntryBlock()].fill(true);
    for (llvm::BasicBlock& block : kernel) {
      for (llvm::Instruction& each : block) {
        if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&each)) {
          for (unsigned i = 0; i < threads; ++i) {
            const bool second = branch->isConditional() && of(branch->getCondition())[i] == 0;
            if (active[&block][i]) active[branch->getSuccessor(second)][i] = true;
          }
        } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&each)) {
          for (unsigned i = 0; i < threads; ++i) {
            if (active[&block][i]) stored[i] = of(store->getValueOperand())[i] | 1u;
          }
        } else if (!each.isTerminator()) {
          const numbers result = compute(each);
          m_values[&each] = result;
        }
      }
    }
    return stored;
  }

private:
  numbers of(llvm::Value* value) {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      numbers all;
      all.fill(static_cast<std::uint32_t>(number->getZExtValue()));
      return all;
    }
    const auto found = m_values.find(value);
    REQUIRE(found != m_values.end());
    return found->second;
  }
  template <class Function>
  static numbers each_thread(const Function& function) {
    numbers result;
    for (unsigned i = 0; i < threads; ++i) result[i] = function(i);
    return result;
  }
  template <class Function>
  numbers in_warp(llvm::Instruction& call, const Function& combine) {
    const numbers values = of(call.getOperand(0));
    return each_thread([&](unsigned thread) {
      const unsigned first = thread / warp * warp;
      std::uint32_t result = values[first];
      for (unsigned i = 1; i < warp; ++i) result = combine(result, values[first + i]);
      return result;
    });
  }

  numbers compute(llvm::Instruction& each) {
    const numbers a = each.getNumOperands() > 1 ? of(each.getOperand(0)) : numbers{};
    const numbers b = each.getNumOperands() > 1 ? of(each.getOperand(1)) : numbers{};
    const auto binary = [&](auto function) { return each_thread([&](unsigned i) { return function(a[i], b[i]); }); };
    using word = std::uint32_t;
    const auto add = [](word x, word y) { return x + y; };
    const auto both = [](word x, word y) { return x & y; };
    const auto either = [](word x, word y) { return x | y; };
    const auto one = [](word x, word y) { return x ^ y; };
    const auto most = [](word x, word y) {
      return static_cast<std::int32_t>(x) > static_cast<std::int32_t>(y) ? x : y;
    };
    const auto least = [](word x, word y) { return x < y ? x : y; };
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&each)) {
      switch (call->getIntrinsicID()) {
        case llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x:
          return each_thread([](unsigned i) { return i; });
        case llvm::Intrinsic::nvvm_read_ptx_sreg_laneid:
          return each_thread([](unsigned i) { return i % warp; });
        case llvm::Intrinsic::nvvm_shfl_sync_idx_i32: {
          const numbers sources = of(each.getOperand(2));
          return each_thread([&](unsigned i) { return b[i / warp * warp + sources[i] % warp]; });
        }
        case llvm::Intrinsic::smax:
          return binary(most);
        case llvm::Intrinsic::umin:
          return binary(least);
        case llvm::Intrinsic::nvvm_redux_sync_add:
          return in_warp(each, add);
        case llvm::Intrinsic::nvvm_redux_sync_and:
          return in_warp(each, both);
        case llvm::Intrinsic::nvvm_redux_sync_or:
          return in_warp(each, either);
        case llvm::Intrinsic::nvvm_redux_sync_xor:
          return in_warp(each, one);
        case llvm::Intrinsic::nvvm_redux_sync_max:
          return in_warp(each, most);
        case llvm::Intrinsic::nvvm_redux_sync_umin:
          return in_warp(each, least);
        default:
          FAIL("no such intrinsic here");
      }
    }
    switch (each.getOpcode()) {
      case llvm::Instruction::Add:
        return binary(add);
      case llvm::Instruction::And:
        return binary(both);
      case llvm::Instruction::Or:
        return binary(either);
      case llvm::Instruction::Xor:
        return binary(one);
      case llvm::Instruction::Select: {
        const numbers other = of(each.getOperand(2));
        return each_thread([&](unsigned i) { return a[i] != 0 ? b[i] : other[i]; });
      }
      case llvm::Instruction::ICmp: {
        const auto predicate = llvm::cast<llvm::ICmpInst>(each).getPredicate();
        return binary([&](word x, word y) -> word {
          return llvm::ICmpInst::compare(llvm::APInt(32, x), llvm::APInt(32, y), predicate) ? 1 : 0;
        });
      }
      default:
        FAIL("no such instruction here");
    }
    return {};
  }

  const numbers& m_in;
  std::map<const llvm::Value*, numbers> m_values;
};

unsigned count_calls(llvm::Function& function, llvm::StringRef part) {
  unsigned count = 0;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& each : block) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&each);
      count += call && call->getCalledFunction()->getName().contains(part);
    }
  }
  return count;
}

// ------------------------------------------------------------------------------------------ loops

/// Combines in order all values that the loop reads. Returns 0 if the loop has too many iterations.
template <class Index>
std::uint64_t reference_loop(const std::uint32_t* data, Index start, Index step, Index bound) {
  std::uint64_t sum = 1, count = 0;
  for (Index i = start; i < bound;) {
    sum = sum * 31 + data[static_cast<std::uint64_t>(i) % 1024];
    if (++count > 5000) return 0;
    using wide = std::make_unsigned_t<Index>;
    i = static_cast<Index>(static_cast<wide>(i) + static_cast<wide>(step));
  }
  return sum;
}

template <class Index>
std::string loop_text() {
  const std::string type = sizeof(Index) == 8 ? "i64" : "i32", less = std::is_signed_v<Index> ? "slt" : "ult";
  const std::string wide = sizeof(Index) == 8  ? "add i64 %i, 0"
                           : std::is_signed_v<Index> ? "sext i32 %i to i64"
                                                     : "zext i32 %i to i64";
  return "define i64 @f(ptr %data, " + type + " %start, " + type + " %step, " + type + " %bound) {\n  %any = icmp " +
         less + " " + type + " %start, %bound\n  br i1 %any, label %before, label %end\nbefore:\n  br label %loop\n" +
         "loop:\n  %i = phi " + type + " [ %start, %before ], [ %next, %loop ]\n" +
         "  %sum = phi i64 [ 1, %before ], [ %added, %loop ]\n  %wide = " + wide +
         "\n  %place = and i64 %wide, 1023\n  %address = getelementptr i32, ptr %data, i64 %place\n" +
         "  %value = load i32, ptr %address\n  %number = zext i32 %value to i64\n  %product = mul i64 %sum, 31\n" +
         "  %added = add i64 %product, %number\n  %next = add " + type + " %i, %step\n  %more = icmp " + less + " " +
         type + " %next, %bound\n  br i1 %more, label %loop, label %end\n" +
         "end:\n  %result = phi i64 [ 1, %0 ], [ %added, %loop ]\n  ret i64 %result\n}\n";
}

template <class Index>
void compare_loops(unsigned seed, unsigned together) {
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = parse(loop_text<Index>(), *context);
  llvm::Function& function = *module->getFunction("f");
  {
    llvm::DominatorTree tree(function);
    llvm::LoopInfo loops(tree);
    REQUIRE(gpu::unroll_stride_loop(**loops.begin(), together));
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  REQUIRE_MESSAGE(!llvm::verifyFunction(function, &stream), problem);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  module->setDataLayout(jit->getDataLayout());
  llvm::cantFail(jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  auto* made = llvm::cantFail(jit->lookup("f")).toPtr<std::uint64_t (*)(const std::uint32_t*, Index, Index, Index)>();

  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> data(1024);
  for (std::uint32_t& each : data) each = static_cast<std::uint32_t>(random());
  constexpr unsigned bits = sizeof(Index) * 8;
  // Random numbers have all lengths in bits: numbers near both ends of the type are as likely as small numbers.
  const auto any = [&] {
    const auto number = static_cast<Index>(random() >> (random() % 64 / (64 / bits) + 64 - bits));
    return random() % 2 == 0 ? number : static_cast<Index>(~number);
  };
  unsigned compared = 0, long_ones = 0;
  for (unsigned i = 0; i < 200000; ++i) {
    const bool usual = i % 2 == 0;
    const Index step = usual ? static_cast<Index>(1 + random() % 300) : any();
    const Index start = usual ? static_cast<Index>(random() % 300) : any();
    const Index bound = usual ? static_cast<Index>(random() % 3000) : any();
    const std::uint64_t expected = reference_loop<Index>(data.data(), start, step, bound);
    if (expected == 0) continue;
    ++compared;
    long_ones += usual && start < bound && (bound - start) / step > 20;
    CHECK_MESSAGE(made(data.data(), start, step, bound) == expected, "from " << +start << " by " << +step << " to "
                                                                             << +bound);
  }
  CHECK(compared > 50000);
  CHECK(long_ones > 10000);
}

}  // namespace

TEST_CASE("what threads of a warp hand to each other comes to those who use it") {
  constexpr unsigned seeds = sinter::test::cases_of(3000);
  unsigned simpler = 0, at_once = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    llvm::LLVMContext context;
    const std::string text = random_kernel(seed).text();
    auto module = parse(text, context);
    llvm::Function& kernel = *module->getFunction("kernel");
    std::mt19937 random(seed);
    numbers in;
    for (std::uint32_t& each : in) each = static_cast<std::uint32_t>(random());
    const numbers expected = warp_interpreter(in).run(kernel);
    const std::size_t before = kernel.getInstructionCount();
    nvptx::simplify_warp_values(kernel, {1, 1, threads}, 90);
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    REQUIRE_MESSAGE(!llvm::verifyFunction(kernel, &stream), problem);
    CHECK_MESSAGE(warp_interpreter(in).run(kernel) == expected, "seed " << seed << text);
    simpler += kernel.getInstructionCount() < before;
    at_once += count_calls(kernel, "redux") != 0;
  }
  CHECK(simpler > seeds / 3);
  CHECK(at_once > seeds / 30);
}

TEST_CASE("groups that are no whole warps, and older GPUs, keep their shuffles") {
  std::string steps, value = "%in";
  for (unsigned distance = 1; distance < warp; distance *= 2) {
    const std::string number = std::to_string(distance);
    steps += "  %s" + number + " = add i32 %lane, " + number + "\n  %o" + number +
             " = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 " + value + ", i32 %s" + number +
             ", i32 31)\n  %t" + number + " = add i32 " + value + ", %o" + number + "\n";
    value = "%t" + number;
  }
  const std::string text = kernel_head + steps + "  %first = icmp eq i32 %lane, 0\n" +
                           "  br i1 %first, label %uses, label %end\nuses:\n  store i32 " + value + ", ptr %out\n" +
                           "  br label %end\nend:\n  ret void\n}\n";
  const auto counts = [&](std::uint64_t items, unsigned generation) {
    llvm::LLVMContext context;
    auto module = parse(text, context);
    llvm::Function& kernel = *module->getFunction("kernel");
    nvptx::simplify_warp_values(kernel, {1, 1, items}, generation);
    return std::pair(count_calls(kernel, "shfl"), count_calls(kernel, "redux"));
  };
  CHECK(counts(64, 90) == std::pair(0u, 1u));
  CHECK(counts(64, 75) == std::pair(5u, 0u));
  CHECK(counts(48, 90) == std::pair(5u, 0u));
  CHECK(counts(0, 90) == std::pair(5u, 0u));
}

TEST_CASE("loops by steps of any length make all iterations, and no more") {
  compare_loops<std::uint64_t>(1, 4);
  compare_loops<std::int64_t>(2, 16);
  compare_loops<std::uint32_t>(3, 16);
  compare_loops<std::int32_t>(4, 8);
}
