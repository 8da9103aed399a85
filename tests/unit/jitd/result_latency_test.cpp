/// Tests the analysis of loops whose iterations wait for the results of the previous iteration. With twice as many
/// lanes, such loops take hardly longer.

#include <doctest/doctest.h>

#include <string>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "passes/blocking/result_latency.hpp"

namespace {

/// Whether the analysis says that the iterations of this loop over vectors x and y wait for earlier results. The loop
/// continues as long as any lane continues.
bool waits(const std::string& body,
           const std::string& vote = "call i1 @llvm.vector.reduce.or.v16i1(<16 x i1> %inside)") {
  const std::string text = R"(
    declare i1 @llvm.vector.reduce.or.v16i1(<16 x i1>)
    declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
    define <16 x float> @wide(<16 x float> %c, i1 %same, ptr %memory) {
    entry:
      %d = fadd <16 x float> %c, %c
      br label %loop
    loop:
      %x = phi <16 x float> [ zeroinitializer, %entry ], [ %x1, %loop ]
      %y = phi <16 x float> [ zeroinitializer, %entry ], [ %y1, %loop ]
      )" + body + R"(
      %inside = fcmp olt <16 x float> %x1, splat (float 4.0)
      %go = )" + vote + R"(
      br i1 %go, label %loop, label %done
    done:
      ret <16 x float> %y1
    })";
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(text, error, context);
  REQUIRE_MESSAGE(module, error.getMessage().str());
  return sinter::passes::waits_for_results(*module->getFunction("wide"), 512);
}

const std::string chain = R"(
  %product = fmul <16 x float> %x, %y
  %x1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> %product, <16 x float> %d)
  %y1 = fadd <16 x float> %y, %x1
)";

} // namespace

TEST_CASE("a chain of operations waits for its results") { CHECK(waits(chain)); }

TEST_CASE("operations beside the chain fill the time") {
  std::string more;
  for (int i = 0; i < 16; ++i) {
    const std::string name = "%more" + std::to_string(i);
    more += "  " + name + " = fmul <16 x float> %d, " + (i % 2 == 0 ? "%c" : "%d") + "\n";
  }
  CHECK_FALSE(waits(chain + more));
}

TEST_CASE("a divider has no time to wait") {
  CHECK_FALSE(waits(R"(
    %x1 = fdiv <16 x float> %d, %x
    %y1 = fdiv <16 x float> %d, %y
  )"));
}

TEST_CASE("loops that read memory, or that all lanes leave together, are left alone") {
  CHECK_FALSE(waits("%read = load <16 x float>, ptr %memory\n" + chain));
  CHECK_FALSE(waits(chain, "and i1 %same, %same"));
}

TEST_CASE("values that two registers each would not hold stay in one") {
  std::string phis;
  for (int i = 0; i < 14; ++i) {
    phis += "  %kept" + std::to_string(i) + " = phi <16 x float> [ zeroinitializer, %entry ], [ %x, %loop ]\n";
  }
  CHECK_FALSE(waits(phis + chain));
}
