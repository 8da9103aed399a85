/// LLVM's inference of address spaces during code generation, and the error for a function that a pass has
/// broken (docs/llvm_defects.md, "Constants that no address space is found for").

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "targets/address_inference.hpp"
#include "targets/code_passes.hpp"
#include "targets/fatal_errors.hpp"

namespace {

// Code generation gives a new address space to variables, and not to numbers. So only a pointer that was made from a
// number shows the defect.
constexpr const char* number_or_private = R"(
define ptx_kernel void @kernel(ptr addrspace(1) %out, i32 %flag, i64 %i) {
  %own = alloca [8 x i32]
  %place = getelementptr i32, ptr %own, i64 %i
  store i32 %flag, ptr %place
  %c = icmp eq i32 %flag, 0
  %element = getelementptr i32, ptr inttoptr (i64 4096 to ptr), i64 %i
  %from = select i1 %c, ptr %element, ptr %own
  %value = load i32, ptr %from
  store i32 %value, ptr addrspace(1) %out
  ret void
})";

std::unique_ptr<llvm::Module> parse(const char* text, llvm::LLVMContext& context) {
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text, error, context);
  REQUIRE_MESSAGE(module, error.getMessage().str());
  return module;
}

}  // namespace

TEST_CASE("numbers beside private memory become PTX with generic accesses") {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string message;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, message);
  REQUIRE_MESSAGE(target, message);
  const std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "sm_90", "+ptx80", {}, llvm::Reloc::PIC_, std::nullopt,
                                  llvm::CodeGenOptLevel::Aggressive));
  llvm::LLVMContext context;
  const auto module = parse(number_or_private, context);
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  const std::string failure = sinter::jit::survive_fatal_errors([&] {
    sinter::jit::code_passes passes;
    REQUIRE_FALSE(machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile));
    passes.run(*module);
  });
  REQUIRE_MESSAGE(failure.empty(), failure);
  const std::string text(bytes.begin(), bytes.end());
  CHECK_MESSAGE(text.find("ld.b32") != std::string::npos, text);
  CHECK_MESSAGE(text.find("cvta.to.local") == std::string::npos, text);
}

TEST_CASE("a function that a pass has broken is an error") {
  llvm::LLVMContext context;
  const auto module = parse(number_or_private, context);
  llvm::Function& function = *module->getFunction("kernel");
  CHECK(sinter::jit::survive_fatal_errors([&] { sinter::jit::show_constant_addresses(function); }).empty());
  for (llvm::Instruction& each : function.getEntryBlock()) {
    if (!llvm::isa<llvm::SelectInst>(each)) continue;
    llvm::Value* const right = each.getOperand(1);
    each.setOperand(1, nullptr);
    const std::string failure =
        sinter::jit::survive_fatal_errors([&] { sinter::jit::show_constant_addresses(function); });
    CHECK_MESSAGE(failure.find("InferAddressSpaces made invalid code: Operand is null") != std::string::npos, failure);
    each.setOperand(1, right);
  }
}
