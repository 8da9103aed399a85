/// The estimated costs by which forms of kernels are chosen must have the same order as on real machines.

#include <doctest/doctest.h>

#include <memory>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "passes/machine/instruction_costs.hpp"

namespace {

const char* const text = R"(
  declare float @llvm.sqrt.f32(float)
  declare float @expf(float)
  define float @f(float %x, i32 %n, ptr %p) {
  entry:
    br label %outer
  outer:
    %i = phi i32 [ 0, %entry ], [ %i1, %behind ]
    br label %inner
  inner:
    %k = phi i32 [ 0, %outer ], [ %k1, %inner ]
    %k1 = add i32 %k, 1
    %more = icmp ult i32 %k1, %n
    br i1 %more, label %inner, label %behind
  behind:
    %i1 = add i32 %i, 1
    %again = icmp ult i32 %i1, %n
    br i1 %again, label %outer, label %end
  end:
    %sum = fadd float %x, 1.0
    %rest = udiv i32 %n, 7
    %quotient = fdiv float %x, %sum
    %root = call float @llvm.sqrt.f32(float %quotient)
    %power = call float @expf(float %root)
    %one = insertelement <4 x float> poison, float %power, i64 0
    %all = shufflevector <4 x float> %one, <4 x float> poison, <4 x i32> zeroinitializer
    %turned = shufflevector <4 x float> %all, <4 x float> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
    store <4 x float> %turned, ptr %p
    ret float %power
  })";

struct parsed {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);

  llvm::Function& function() {
    REQUIRE_MESSAGE(module, error.getMessage().str());
    return *module->getFunction("f");
  }
};

}  // namespace

TEST_CASE("costs of instructions") {
  parsed module;
  llvm::Function& function = module.function();
  const auto named = [&](llvm::StringRef name) -> const llvm::Instruction& {
    for (const llvm::Instruction& each : llvm::instructions(function)) {
      if (each.getName() == name) return each;
    }
    FAIL("no such instruction");
    return *llvm::inst_begin(function);
  };
  const auto work = [&](llvm::StringRef name) { return sinter::passes::cost_of(named(name)).work; };
  const auto latency = [&](llvm::StringRef name) { return sinter::passes::cost_of(named(name)).latency; };
  CHECK(work("k") == 0);
  CHECK(work("k1") == 1);
  CHECK(work("sum") == 1);
  CHECK(work("quotient") > work("sum"));
  CHECK(work("rest") > work("quotient"));
  CHECK(work("power") > work("rest"));
  CHECK(latency("sum") > latency("k1"));
  CHECK(latency("quotient") > latency("sum"));
  CHECK(latency("root") > latency("quotient"));
  CHECK(sinter::passes::is_splat(named("one")));
  CHECK(sinter::passes::is_splat(named("all")));
  CHECK_FALSE(sinter::passes::is_splat(named("turned")));
}

TEST_CASE("registers that values fill") {
  llvm::LLVMContext context;
  llvm::Type* number = llvm::Type::getDoubleTy(context);
  CHECK(sinter::passes::registers_of(*number, 16, 256) == 4);
  CHECK(sinter::passes::registers_of(*number, 16, 512) == 2);
  CHECK(sinter::passes::registers_of(*number, 1, 256) == 1);
  CHECK(sinter::passes::registers_of(*llvm::FixedVectorType::get(number, 8), 1, 256) == 2);
  // In a computation, an element of a mask takes a whole byte.
  CHECK(sinter::passes::registers_of(*llvm::Type::getInt1Ty(context), 64, 256) == 2);
}

TEST_CASE("blocks of loops run more often than what is around them") {
  parsed module;
  llvm::Function& function = module.function();
  const llvm::DominatorTree tree(function);
  const llvm::LoopInfo loops(tree);
  double runs[5];
  for (auto [block, number] : llvm::zip(function, runs)) number = sinter::passes::runs_of(block, loops);
  CHECK(runs[0] == 1);
  CHECK(runs[1] > runs[0]);
  CHECK(runs[2] == runs[1] * runs[1]);
  CHECK(runs[4] == 1);
}
