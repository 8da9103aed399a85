#include "device_library.hpp"

#include "complex_bitcode_aarch64.hpp"
#include "complex_bitcode_x86_64.hpp"
#include "library_bitcode.hpp"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/TargetParser/Triple.h"

namespace sinter::capture {
namespace {

std::unique_ptr<llvm::Module> read_functions(llvm::LLVMContext& context, llvm::ArrayRef<unsigned char> bitcode) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(bitcode.data()), bitcode.size());
  llvm::Expected<std::unique_ptr<llvm::Module>> functions =
      llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bytes, "library functions"), context);
  if (!functions) llvm::report_fatal_error(functions.takeError());
  return std::move(*functions);
}

void define_functions(llvm::Module& device, llvm::ArrayRef<unsigned char> bitcode) {
  std::unique_ptr<llvm::Module> functions = read_functions(device.getContext(), bitcode);
  llvm::SmallVector<std::string, 4> wanted;
  for (const llvm::Function& each : *functions) {
    const llvm::Function* declared = device.getFunction(each.getName());
    if (each.isDeclaration() || !each.hasExternalLinkage() || !declared || !declared->isDeclaration()) continue;
    // A program may have a function with the name of a C function and another type.
    if (declared->getFunctionType() == each.getFunctionType()) wanted.push_back(each.getName().str());
  }
  if (wanted.empty()) return;

  if (llvm::Error error = functions->materializeAll()) llvm::report_fatal_error(std::move(error));
  functions->setDataLayout(device.getDataLayout());
  functions->setTargetTriple(device.getTargetTriple());
  for (llvm::Function& each : *functions) {
    // The functions are used on any machine, so attributes of the host are removed.
    llvm::AttributeMask of_the_host;
    for (const llvm::Attribute attribute : each.getAttributes().getFnAttrs()) {
      if (attribute.isStringAttribute()) of_the_host.addAttribute(attribute.getKindAsString());
    }
    each.removeFnAttrs(of_the_host);
  }
  if (llvm::Linker::linkModules(device, std::move(functions), llvm::Linker::LinkOnlyNeeded)) {
    llvm::report_fatal_error("the functions of the device library do not link");
  }
  for (const std::string& name : wanted) {
    llvm::Function* function = device.getFunction(name);
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    function->setName(library_prefix + name);
  }
}

} // namespace

void define_library_functions(llvm::Module& device) {
  if (llvm::Triple(device.getTargetTriple()).isAArch64()) {
    define_functions(device, complex_bitcode_aarch64);
  } else {
    define_functions(device, complex_bitcode_x86_64);
  }
  define_functions(device, library_bitcode);
}

} // namespace sinter::capture
