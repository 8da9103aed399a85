/// Tests machine code in cases that LLVM's passes translate wrongly (docs/llvm_defects/masks_of_signs.ll).

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"
#include "targets/code_passes.hpp"
#include "targets/cpu_target.hpp"

namespace {

/// Returns the assembly code for x86-64-v4, even if this machine is of another kind.
std::string assembly_of(const char* file) {
  sinter::jit::host_cpu();  // registers LLVM's target
  const llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string message;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, message);
  REQUIRE_MESSAGE(target, message);
  const std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64-v4", "", {}, llvm::Reloc::PIC_));
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyFile(file, error, context);
  REQUIRE_MESSAGE(module, error.getMessage().str());
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  sinter::jit::code_passes passes;
  REQUIRE_FALSE(machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile));
  passes.run(*module);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("masks of signs that gathers and next iterations read are made") {
  const std::string text = assembly_of(TEST_MASKS_OF_SIGNS);
  const std::size_t second = text.find("read_by_next_iteration:");
  REQUIRE(second != std::string::npos);
  CHECK(text.substr(0, second).find("vpmovd2m") < text.find("vpgatherdd"));
  CHECK_MESSAGE(text.find("vpmovd2m", second) != std::string::npos, text);
}
