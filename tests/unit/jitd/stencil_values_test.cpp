/// Compares bounds of indices with all values of random expressions, and kernels that load whole elements with the
/// original kernels. The file also tests, byte by byte, images that share one memory.

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <functional>
#include <passes/stencils/memory_planes.hpp>
#include <passes/stencils/value_bounds.hpp>
#include <passes/stencils/whole_elements.hpp>
#include <set>
#include <string>
#include <vector>

#include "fusion_cases.hpp"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

namespace {

using namespace sinter::passes;
using sinter::test::generator;

// ------------------------------------------------------------------------------------------------- value_bounds

/// A value in the IR, and the number that this value has for each choice of ids. The number is missing where the value
/// is poison.
struct known_value {
  llvm::Value* value;
  std::vector<llvm::APInt> numbers;
};

class random_expressions {
public:
  explicit random_expressions(std::uint64_t seed)
      : m_random(seed), m_module("expressions", m_context), m_builder(m_context) {
    auto* type = llvm::FunctionType::get(m_builder.getVoidTy(), false);
    auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", m_module);
    m_builder.SetInsertPoint(llvm::BasicBlock::Create(m_context, "", function));
    // Each of two ids has a few consecutive values, from a random number on.
    constexpr unsigned count = 6;
    std::uint64_t first[2];
    for (unsigned i = 0; i < 2; ++i) {
      auto id = m_module.getOrInsertFunction("id", m_builder.getInt8Ty());
      llvm::CallInst* call = m_builder.CreateCall(id);
      first[i] = m_random.below(250);
      call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(8, first[i]), llvm::APInt(8, (first[i] + count) % 256)));
      m_values.push_back({call, {}});
      for (unsigned a = 0; a < count * count; ++a)
        m_values[i].numbers.push_back(llvm::APInt(8, (first[i] + (i == 0 ? a / count : a % count)) % 256));
    }
  }

  const known_value& add() {
    const known_value a = one(), b = same_width(a), c = same_width(a);
    const unsigned bits = a.numbers[0].getBitWidth();
    const unsigned amount = static_cast<unsigned>(1 + m_random.below(bits - 1));
    const llvm::APInt number(bits, 1 + m_random.below(100));
    const auto constant = [&](const llvm::APInt& of) { return llvm::ConstantInt::get(m_context, of); };
    const auto binary = [&](llvm::Intrinsic::ID id) { return m_builder.CreateBinaryIntrinsic(id, a.value, b.value); };
    using number_of = std::function<llvm::APInt(const llvm::APInt&, const llvm::APInt&)>;
    const auto with = [&](llvm::Value* value, const number_of& compute) -> const known_value& {
      known_value made{value, {}};
      for (std::size_t i = 0; i < a.numbers.size(); ++i) made.numbers.push_back(compute(a.numbers[i], b.numbers[i]));
      return keep(std::move(made));
    };
    switch (m_random.below(16)) {
      case 0: return sum(a, b, true);
      case 1: return sum(a, b, false);
      case 2: return with(m_builder.CreateMul(a.value, b.value), [](auto& x, auto& y) { return x * y; });
      case 3: return with(binary(llvm::Intrinsic::smin), [](auto& x, auto& y) { return x.slt(y) ? x : y; });
      case 4: return with(binary(llvm::Intrinsic::smax), [](auto& x, auto& y) { return x.sgt(y) ? x : y; });
      case 5: return with(binary(llvm::Intrinsic::umin), [](auto& x, auto& y) { return x.ult(y) ? x : y; });
      case 6: return with(binary(llvm::Intrinsic::umax), [](auto& x, auto& y) { return x.ugt(y) ? x : y; });
      case 7: return with(binary(llvm::Intrinsic::usub_sat), [](auto& x, auto& y) { return x.usub_sat(y); });
      case 8:
        return with(m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a.value, m_builder.getFalse()),
                    [](auto& x, auto&) { return x.abs(); });
      case 9: {
        known_value made{m_builder.CreateSelect(m_builder.CreateICmpSLT(a.value, b.value), b.value, c.value), {}};
        for (std::size_t i = 0; i < a.numbers.size(); ++i)
          made.numbers.push_back(a.numbers[i].slt(b.numbers[i]) ? b.numbers[i] : c.numbers[i]);
        return keep(std::move(made));
      }
      case 10: return with(m_builder.CreateAnd(a.value, b.value), [](auto& x, auto& y) { return x & y; });
      case 11:
        return with(m_builder.CreateURem(a.value, constant(number)), [&](auto& x, auto&) { return x.urem(number); });
      case 12:
        return with(m_builder.CreateSRem(a.value, constant(number)), [&](auto& x, auto&) { return x.srem(number); });
      case 13: return with(m_builder.CreateAShr(a.value, amount), [&](auto& x, auto&) { return x.ashr(amount); });
      case 14: {
        if (bits == 16)
          return with(m_builder.CreateTrunc(a.value, m_builder.getInt8Ty()), [](auto& x, auto&) { return x.trunc(8); });
        return with(m_builder.CreateZExt(a.value, m_builder.getInt16Ty()), [](auto& x, auto&) { return x.zext(16); });
      }
      default: {
        if (bits == 16)
          return with(m_builder.CreateShl(a.value, amount), [&](auto& x, auto&) { return x.shl(amount); });
        return with(m_builder.CreateSExt(a.value, m_builder.getInt16Ty()), [](auto& x, auto&) { return x.sext(16); });
      }
    }
  }

private:
  const known_value& keep(known_value made) {
    m_values.push_back(std::move(made));
    return m_values.back();
  }
  const known_value& one() { return m_values[m_random.below(m_values.size())]; }
  known_value same_width(const known_value& as) {
    const known_value& other = one();
    return other.numbers[0].getBitWidth() == as.numbers[0].getBitWidth() ? other : as;
  }
  /// Returns a + b or a - b. If the operation never overflows, the instruction says so (nsw, nuw).
  const known_value& sum(const known_value& a, const known_value& b, bool is_sum) {
    known_value made{nullptr, {}};
    bool wraps_signed = false, wraps_unsigned = false;
    for (std::size_t i = 0; i < a.numbers.size(); ++i) {
      bool overflow = false;
      const llvm::APInt &x = a.numbers[i], &y = b.numbers[i];
      made.numbers.push_back(is_sum ? x.sadd_ov(y, overflow) : x.ssub_ov(y, overflow));
      wraps_signed |= overflow;
      (void)(is_sum ? x.uadd_ov(y, overflow) : x.usub_ov(y, overflow));
      wraps_unsigned |= overflow;
    }
    made.value = is_sum ? m_builder.CreateAdd(a.value, b.value, "", !wraps_unsigned, !wraps_signed)
                        : m_builder.CreateSub(a.value, b.value, "", !wraps_unsigned, !wraps_signed);
    return keep(std::move(made));
  }

  generator m_random;
  llvm::LLVMContext m_context;
  llvm::Module m_module;
  llvm::IRBuilder<> m_builder;
  std::vector<known_value> m_values;
};

TEST_CASE("bounds of random expressions hold for all ids, and are less than everything mostly") {
  unsigned narrow = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    random_expressions expressions(seed);
    value_bounds bounds;
    for (unsigned i = 0; i < 12; ++i) {
      const known_value made = expressions.add();
      const llvm::ConstantRange found = bounds.of(*made.value);
      for (const llvm::APInt& each : made.numbers) {
        INFO("seed ", seed, ", expression ", i);
        REQUIRE(found.contains(each));
      }
      narrow += !found.isFullSet();
      ++all;
    }
  }
  CHECK(narrow > all / 2);
}

TEST_CASE("bounds go through phis, and a value that is computed from itself may be anything") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(R"(
    define void @f(i1 %way, i32 %any) {
    entry:
      br i1 %way, label %left, label %right
    left:
      %small = and i32 %any, 7
      br label %both
    right:
      %shift = lshr i32 %any, 28
      %moved = add nuw nsw i32 %shift, 10
      br label %both
    both:
      %either = phi i32 [ %small, %left ], [ %moved, %right ]
      br label %loop
    loop:
      %turn = phi i32 [ 0, %both ], [ %next, %loop ]
      %next = add i32 %turn, 1
      %again = icmp ult i32 %next, 9
      br i1 %again, label %loop, label %end
    end:
      ret void
    })", error, context);
  REQUIRE(module);
  value_bounds bounds;
  for (llvm::Instruction& each : llvm::instructions(*module->getFunction("f"))) {
    if (each.getName() == "either")
      CHECK(bounds.of(each) == llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, 26)));
    if (each.getName() == "turn") CHECK(bounds.of(each).isFullSet());
  }
}

// ------------------------------------------------------------------------------------------------- whole_elements

using kernel_function = void (*)(const void* block);

/// Runs a kernel. The kernel's argument block has the pointer to the elements, an index, and the pointer to the
/// results.
std::array<std::uint64_t, 8> run(const std::string& text, bool whole, unsigned bytes, std::int64_t index) {
  static const bool has_target = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  REQUIRE(has_target);
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text, error, *context);
  INFO(text);
  REQUIRE(module);
  if (whole) {
    llvm::Function& kernel = *module->getFunction("kernel");
    load_whole_elements(kernel, [&](std::int64_t place) -> std::uint64_t { return place == 0 ? bytes : 0; });
    REQUIRE(!llvm::verifyFunction(kernel));
    for (const llvm::Instruction& each : llvm::instructions(kernel)) {
      if (llvm::isa<llvm::LoadInst>(each) && each.getType()->isIntegerTy())
        CHECK(each.getType()->getIntegerBitWidth() >= 8 * bytes);
    }
  }
  auto jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  module->setDataLayout(jit->getDataLayout());
  llvm::cantFail(jit->addIRModule({std::move(module), std::move(context)}));
  std::array<unsigned char, 256> memory;
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<unsigned char>(i * 37 + 11);
  std::array<std::uint64_t, 8> results{};
  const struct {
    const void* elements;
    std::int64_t index;
    void* results;
  } block{memory.data() + 128, index, results.data()};
  llvm::cantFail(jit->lookup("kernel")).toPtr<kernel_function>()(&block);
  return results;
}

std::string kernel_of(const std::string& body, unsigned factor) {
  return "define void @kernel(ptr %block) {\n"
         "  %in = load ptr, ptr %block\n"
         "  %at = getelementptr i8, ptr %block, i64 8\n"
         "  %index = load i64, ptr %at\n"
         "  %to = getelementptr i8, ptr %block, i64 16\n"
         "  %out = load ptr, ptr %to\n"
         "  %element = getelementptr [" + std::to_string(factor) + " x i8], ptr %in, i64 %index\n" + body +
         "  ret void\n}\n";
}

TEST_CASE("loads of whole elements give the parts that were asked for") {
  generator random(7);
  for (unsigned turn = 0; turn < 24; ++turn) {
    const unsigned bytes = random.pick({2u, 4u, 8u});
    std::string body;
    const unsigned count = 1 + static_cast<unsigned>(random.below(6));
    for (unsigned i = 0; i < count; ++i) {
      const unsigned size = random.pick({1u, bytes / 2});
      const std::int64_t within = static_cast<std::int64_t>(random.below(bytes - size + 1));
      const std::int64_t constant = random.between(-3, 3) * bytes + within;
      const std::string n = std::to_string(i), type = "i" + std::to_string(8 * size);
      body += "  %p" + n + " = getelementptr i8, ptr %element, i64 " + std::to_string(constant) + "\n" +
              "  %v" + n + " = load " + type + ", ptr %p" + n + ", align 1\n" +
              "  %o" + n + " = getelementptr i64, ptr %out, i64 " + n + "\n" +
              "  store " + type + " %v" + n + ", ptr %o" + n + "\n";
    }
    const std::string text = kernel_of(body, bytes);
    const std::int64_t index = random.between(-8, 8);
    CHECK(run(text, true, bytes, index) == run(text, false, bytes, index));
  }
}

TEST_CASE("parts that may lie in two elements, and memory of which nothing is known, are loaded as they were") {
  const auto widths = [](unsigned factor, std::int64_t constant, const char* kind, unsigned place) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const auto module = llvm::parseAssemblyString(
        kernel_of("  %p = getelementptr i8, ptr %element, i64 " + std::to_string(constant) + "\n  %v = load " + kind +
                      ", ptr %p, align 1\n  store i16 %v, ptr %out\n",
                  factor),
        error, context);
    REQUIRE(module);
    llvm::Function& kernel = *module->getFunction("kernel");
    load_whole_elements(kernel, [&](std::int64_t at) -> std::uint64_t { return at == place ? 4 : 0; });
    for (const llvm::Instruction& each : llvm::instructions(kernel)) {
      if (llvm::isa<llvm::LoadInst>(each) && each.getType()->isIntegerTy() && !each.getType()->isIntegerTy(64))
        return each.getType()->getIntegerBitWidth();
    }
    return 0u;
  };
  CHECK(widths(4, 2, "i16", 0) == 32);
  CHECK(widths(8, -2, "i16", 0) == 32);
  CHECK(widths(4, 3, "i16", 0) == 16);
  CHECK(widths(2, 0, "i16", 0) == 16);
  CHECK(widths(4, 0, "volatile i16", 0) == 16);
  CHECK(widths(4, 0, "i16", 16) == 16);
}

// ------------------------------------------------------------------------------------------------- memory_planes

std::set<std::int64_t> bytes_of(const element_layout& layout, const id_box& ids) {
  std::set<std::int64_t> bytes;
  for (std::int64_t i = ids.first[0]; i < ids.end[0]; ++i) {
    for (std::int64_t j = ids.first[1]; j < ids.end[1]; ++j) {
      for (std::int64_t k = ids.first[2]; k < ids.end[2]; ++k) {
        const std::int64_t at = layout.base + i * layout.step[0] + j * layout.step[1] + k * layout.step[2];
        for (std::int64_t b = 0; b < layout.element_bytes; ++b) bytes.insert(at + b);
      }
    }
  }
  return bytes;
}

TEST_CASE("images that are said to be apart share no byte") {
  generator random(3);
  unsigned apart = 0, found = 0;
  for (unsigned turn = 0; turn < 4000; ++turn) {
    element_layout a, b;
    a.element_bytes = a.step[2] = random.between(1, 3);
    a.step[1] = a.step[2] * random.between(3, 8);
    a.step[0] = random.chance(50) ? 0 : a.step[1] * random.between(3, 6);
    a.base = random.between(0, 20);
    b = a;
    b.base = random.chance(70) ? a.base + random.between(-3, 3) * a.step[0] + random.between(-4, 4) * a.step[1] +
                                     random.between(-4, 4) * a.step[2]
                               : random.between(0, 60);
    id_box in_a, in_b;
    for (unsigned d = a.step[0] == 0 ? 1 : 0; d < 3; ++d) {
      for (id_box* each : {&in_a, &in_b}) {
        each->first[d] = random.between(-2, 2);
        each->end[d] = each->first[d] + random.between(1, 4);
      }
    }
    const std::set<std::int64_t> one = bytes_of(a, in_a), other = bytes_of(b, in_b);
    const bool share = std::any_of(one.begin(), one.end(), [&](std::int64_t each) { return other.contains(each); });
    const bool said = are_apart(a, in_a, b, in_b);
    CHECK_FALSE((said && share));
    CHECK(said == are_apart(b, in_b, a, in_a));
    apart += !share, found += said;
  }
  CHECK(found > apart / 2);
}

TEST_CASE("planes one behind the other, rows in turns, and images side by side are apart") {
  // The image has four rows of five elements of 4 bytes. In each check, the second layout begins some bytes behind the
  // first layout.
  element_layout plane{0, {0, 20, 4}, 4};
  const id_box image{{0, 0, 0}, {1, 4, 5}};
  const auto moved = [](element_layout layout, std::int64_t by) {
    layout.base += by;
    return layout;
  };
  CHECK(are_apart(plane, image, moved(plane, 80), image));
  CHECK_FALSE(are_apart(plane, image, moved(plane, 60), image));
  const element_layout wide{0, {0, 40, 4}, 4};
  CHECK(are_apart(wide, image, moved(wide, 20), image));
  CHECK_FALSE(are_apart(wide, image, moved(wide, 16), image));
  CHECK_FALSE(are_apart(wide, image, moved(wide, 22), image));
}

}  // namespace
