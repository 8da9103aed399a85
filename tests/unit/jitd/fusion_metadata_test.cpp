/// Random changes of a fusion's metadata must lead to an error or to a valid kernel, never to a crash.

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <passes/fusion/fused_arguments.hpp>
#include <passes/fusion/internalizer.hpp>
#include <passes/fusion/kernel_fusion.hpp>

#include "../sanitized.hpp"
#include "fusion_cases.hpp"

namespace {

using namespace sinter;
using namespace sinter::passes;
using test::generator;

constexpr std::uint64_t seed = 20260107;

constexpr const char* kernels = R"(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare i64 @__sinter_global_id(i32) memory(none)
declare i64 @__sinter_local_id(i32) memory(none)
declare i64 @__sinter_global_range(i32) memory(none)
declare ptr @__sinter_local_base()
define void @first(ptr %block) {
  %to = load ptr, ptr %block
  %at = getelementptr i8, ptr %block, i64 8
  %number = load i64, ptr %at
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i64, ptr %to, i64 %id
  store i64 %number, ptr %cell
  ret void
}
define void @second(ptr %block) {
  %from = load ptr, ptr %block
  %at = getelementptr i8, ptr %block, i64 8
  %to = load ptr, ptr %at
  %row = call i64 @__sinter_global_id(i32 1)
  %width = call i64 @__sinter_global_range(i32 2)
  %column = call i64 @__sinter_global_id(i32 2)
  %start = mul i64 %row, %width
  %index = add i64 %start, %column
  %cell = getelementptr i64, ptr %from, i64 %index
  %value = load i64, ptr %cell
  %local = call ptr @__sinter_local_base()
  store i64 %value, ptr %local
  %out = getelementptr i64, ptr %to, i64 %index
  store i64 %value, ptr %out
  ret void
}
declare void @stub(ptr)
)";

fusion_description example(generator& random) {
  fusion_description description;
  const unsigned members = static_cast<unsigned>(1 + random.below(3));
  for (unsigned i = 0; i < members; ++i) description.members.push_back(random.chance(50) ? "first" : "second");
  description.range = test::random_range(random, 8, 30);
  for (unsigned i = 0; i < members; ++i) {
    description.ranges.push_back(description.range);
    if (random.chance(30)) description.ranges.back().global[0] = 1;
    description.local_offsets.push_back(64 * i);
    if (i > 0 && random.chance(50)) description.barriers.push_back(i);
  }
  identical_set set;
  for (unsigned i = 0; i < members; ++i) set.arguments.push_back({i, 0});
  set.promoted = random.pick({promotion::none, promotion::private_memory, promotion::local_memory});
  if (set.promoted != promotion::none) set.elements = 1 + random.below(4), set.element_bytes = 8;
  description.sets.push_back(set);
  description.constants.push_back({{0, 8}, std::string("12345678")});
  return description;
}

/// Returns random metadata, with which the test replaces other metadata.
llvm::Metadata* anything(generator& random, llvm::LLVMContext& context) {
  auto number = [&](std::uint64_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value));
  };
  switch (random.below(7)) {
    case 0: return nullptr;
    case 1: return llvm::MDString::get(context, random.pick({"", "first", "private", "local", "none", "7", "nobody"}));
    case 2: return number(random.below(4));
    case 3: return number(~std::uint64_t{0} >> random.below(40));
    case 4: return llvm::ConstantAsMetadata::get(llvm::ConstantInt::getTrue(context));
    case 5: return llvm::MDNode::get(context, {});
    default: return llvm::MDNode::get(context, {number(random.below(3)), number(random.below(20))});
  }
}

llvm::MDNode* changed(generator& random, llvm::LLVMContext& context, const llvm::MDNode& node, unsigned depth = 0) {
  std::vector<llvm::Metadata*> operands(node.op_begin(), node.op_end());
  const std::size_t at = operands.empty() ? 0 : random.below(operands.size());
  auto* inner = operands.empty() ? nullptr : llvm::dyn_cast_or_null<llvm::MDNode>(operands[at]);
  if (inner && random.chance(70) && depth < 5) {
    operands[at] = changed(random, context, *inner, depth + 1);
  } else if (operands.empty() || random.chance(20)) {
    operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(at), anything(random, context));
  } else if (random.chance(20)) {
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(at));
  } else if (random.chance(20)) {
    operands.push_back(operands[at]);
  } else {
    operands[at] = anything(random, context);
  }
  return llvm::MDNode::get(context, operands);
}

/// Says how a fusion ended.
enum class outcome { refused, fused, invalid };

/// Runs all passes that read the metadata of fusions.
outcome run(llvm::Module& module, std::string& problem) {
  llvm::Function& stub = *module.getFunction("stub");
  auto description = read_fusion_metadata(stub);
  if (!description) {
    problem = llvm::toString(description.takeError());
    return problem.empty() ? outcome::invalid : outcome::refused;
  }
  if (llvm::Error error = fuse_kernels(stub)) {
    problem = llvm::toString(std::move(error));
    return problem.empty() ? outcome::invalid : outcome::refused;
  }
  propagate_constants(stub, *description);
  const std::vector<llvm::LoadInst*> merged = merge_identical_arguments(stub, *description);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const identical_set& set = description->sets[i];
    if (!merged[i] || set.promoted == promotion::none) continue;
    const std::uint64_t bytes = set.elements * set.element_bytes;
    if (bytes == 0 || bytes > 4096) continue;
    internalize(*merged[i], {set.promoted, bytes, 0});
  }
  llvm::raw_string_ostream stream(problem);
  return llvm::verifyModule(module, &stream) ? outcome::invalid : outcome::fused;
}

}  // namespace

TEST_CASE("metadata changed at random ends in an error or in a valid kernel") {
  constexpr unsigned cases = sinter::test::cases_of(20'000);
  generator random(seed);
  unsigned fused = 0, refused = 0;
  for (unsigned i = 0; i < cases; ++i) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const auto module = llvm::parseAssemblyString(kernels, error, context);
    REQUIRE_MESSAGE(module, error.getMessage().str());
    llvm::Function& stub = *module->getFunction("stub");
    write_fusion_metadata(stub, example(random));
    const unsigned changes = static_cast<unsigned>(random.below(4));
    for (unsigned k = 0; k < changes; ++k) {
      llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 12> all;
      stub.getAllMetadata(all);
      const auto& [kind, node] = all[random.below(all.size())];
      stub.setMetadata(kind, random.chance(5) && all.size() > 1 ? nullptr : changed(random, context, *node));
    }
    std::string before, problem;
    llvm::raw_string_ostream(before) << *module;
    const outcome result = run(*module, problem);
    fused += result == outcome::fused;
    refused += result == outcome::refused;
    // Without changes to the metadata, the kernel has to be fused.
    const bool wrong = result == outcome::invalid || (changes == 0 && result != outcome::fused);
    if (wrong) FAIL("case " << i << ": " << problem << "\n" << before);
  }
  MESSAGE("seed " << seed << ": " << cases << " descriptions, " << fused << " fused, " << refused << " refused");
  CHECK(fused > cases / 4);
  CHECK(refused > cases / 4);
}
