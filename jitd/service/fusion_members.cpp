#include "fusion_members.hpp"

#include <map>

#include "externals.hpp"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/device/turns.hpp"
#include "pipeline/fusion.hpp"

namespace sinter::jit {

std::vector<kernel_facts> read_facts(const abi::fusion_request& request) {
  std::vector<kernel_facts> facts;
  for (std::uint32_t i = 0; i < request.member_count; ++i) {
    facts.push_back(read_kernel(*request.members[i].image, request.members[i].kernel_index));
  }
  return facts;
}

llvm::Expected<std::unique_ptr<llvm::Module>> read_members(const abi::fusion_request& request,
                                                           llvm::LLVMContext& context,
                                                           std::vector<std::string>& imports,
                                                           std::string& warnings) {
  auto whole = std::make_unique<llvm::Module>("sinter.fusion", context);
  llvm::Linker linker(*whole);
  std::map<const abi::image_header*, bool> linked;
  for (std::uint32_t i = 0; i < request.member_count; ++i) {
    const abi::image_header* image = request.members[i].image;
    if (linked[image]) continue;
    linked[image] = true;
    if (image->import_count != 0 && linked.size() > 1) {
      return llvm::createStringError("kernels of several files that refer to host functions can't be fused yet");
    }
    auto module = read_module(*image, context);
    if (!module) return module.takeError();
    passes::take_one_turn(**module);
    // Every member from this image gets a name of its own. Other functions are private to the image.
    std::vector<std::pair<std::uint32_t, llvm::Function*>> members;
    for (std::uint32_t k = i; k < request.member_count; ++k) {
      if (request.members[k].image != image) continue;
      const std::string symbol = read_kernel(*image, request.members[k].kernel_index).symbol;
      llvm::Function* kernel = (*module)->getFunction(symbol);
      if (!kernel || kernel->isDeclaration())
        return llvm::createStringError("the image has no function '" + symbol + "'");
      members.push_back({k, kernel});
    }
    std::vector<llvm::Function*> copies;
    for (const auto& [k, kernel] : members) {
      llvm::ValueToValueMapTy map;
      llvm::Function* copy = llvm::CloneFunction(kernel, map);
      copy->setName(member_symbol(k));
      copies.push_back(copy);
    }
    for (llvm::GlobalValue& value : (*module)->global_values()) {
      if (!value.isDeclaration()) value.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    for (llvm::Function* copy : copies) copy->setLinkage(llvm::GlobalValue::ExternalLinkage);
    if (whole->getTargetTriple().empty()) {
      whole->setTargetTriple((*module)->getTargetTriple());
      whole->setDataLayout((*module)->getDataLayout());
    }
    if (linker.linkInModule(std::move(*module))) {
      return llvm::createStringError("the device modules of the kernels can't be linked");
    }
    for (const auto& [k, kernel] : members) {
      if (!whole->getFunction(member_symbol(k))) return llvm::createStringError("a kernel got lost while linking");
    }
  }
  std::vector<linked_kernel> members;
  for (std::uint32_t i = 0; i < request.member_count; ++i) {
    const abi::fusion_member& member = request.members[i];
    members.push_back({member_symbol(i), read_kernel(*member.image, member.kernel_index).display_name});
  }
  auto linked_imports = link_externals(*whole, members, *request.members[0].image,
                                       {request.externals, request.external_count}, warnings);
  if (!linked_imports) return linked_imports.takeError();
  imports = std::move(*linked_imports);
  return whole;
}

} // namespace sinter::jit
