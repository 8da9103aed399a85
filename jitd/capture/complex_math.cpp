#include "complex_math.hpp"

#include "complex_bitcode.hpp"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"

namespace sinter::capture {
namespace {

std::unique_ptr<llvm::Module> read_functions(llvm::LLVMContext& context) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(complex_bitcode), sizeof(complex_bitcode));
  llvm::Expected<std::unique_ptr<llvm::Module>> functions =
      llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bytes, "complex functions"), context);
  if (!functions) llvm::report_fatal_error(functions.takeError());
  return std::move(*functions);
}

} // namespace

void define_complex_functions(llvm::Module& device) {
  std::unique_ptr<llvm::Module> functions = read_functions(device.getContext());
  llvm::SmallVector<std::string, 4> wanted;
  for (const llvm::Function& each : *functions) {
    const llvm::Function* declared = device.getFunction(each.getName());
    if (each.isDeclaration() || !each.hasExternalLinkage() || !declared || !declared->isDeclaration()) continue;
    // A program may have a function of the name that is none of C's.
    if (declared->getFunctionType() == each.getFunctionType()) wanted.push_back(each.getName().str());
  }
  if (wanted.empty()) return;

  if (llvm::Error error = functions->materializeAll()) llvm::report_fatal_error(std::move(error));
  functions->setDataLayout(device.getDataLayout());
  functions->setTargetTriple(device.getTargetTriple());
  for (llvm::Function& each : *functions) {
    // They are for any machine.
    llvm::AttributeMask of_the_host;
    for (const llvm::Attribute attribute : each.getAttributes().getFnAttrs()) {
      if (attribute.isStringAttribute()) of_the_host.addAttribute(attribute.getKindAsString());
    }
    each.removeFnAttrs(of_the_host);
  }
  if (llvm::Linker::linkModules(device, std::move(functions), llvm::Linker::LinkOnlyNeeded)) {
    llvm::report_fatal_error("the functions of complex numbers do not link");
  }
  for (const std::string& name : wanted) device.getFunction(name)->setLinkage(llvm::GlobalValue::InternalLinkage);
}

} // namespace sinter::capture
