#include "external_checks.hpp"

#include <abi/readable_name.hpp>
#include <cstdlib>
#include <set>
#include <vector>

#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"

namespace sinter::jit {
namespace {

using numbers = std::set<std::uint64_t>;
using texts = std::set<std::string>;

void add_numbers(const llvm::Function& function, const char* kind, numbers& known) {
  const llvm::MDNode* node = function.getMetadata(kind);
  if (!node) return;
  for (const llvm::MDOperand& operand : node->operands()) {
    const auto* number = llvm::mdconst::dyn_extract<llvm::ConstantInt>(operand);
    if (number) known.insert(number->getZExtValue());
  }
}

/// The requirements that a kernel or another function declares.
struct needs {
  numbers aspects, sub_group_sizes;
  texts targets;  ///< names of targets; empty: any target

  explicit needs(const llvm::Function& function) {
    add_numbers(function, "sycl_used_aspects", aspects);
    add_numbers(function, "sycl_declared_aspects", aspects);
    add_numbers(function, "intel_reqd_sub_group_size", sub_group_sizes);
    const llvm::MDNode* node = function.getMetadata("sycl_fixed_targets");
    if (!node) return;
    for (const llvm::MDOperand& operand : node->operands()) {
      if (const auto* name = llvm::dyn_cast<llvm::MDString>(operand)) targets.insert(name->getString().str());
    }
  }
};

std::string name_of_aspect(const llvm::Module& module, std::uint64_t aspect) {
  if (const llvm::NamedMDNode* rows = module.getNamedMetadata("sycl_aspects")) {
    for (const llvm::MDNode* row : rows->operands()) {
      if (row->getNumOperands() != 2) continue;
      const auto* number = llvm::mdconst::dyn_extract<llvm::ConstantInt>(row->getOperand(1));
      const auto* name = llvm::dyn_cast<llvm::MDString>(row->getOperand(0));
      if (name && number && number->getZExtValue() == aspect) return name->getString().str();
    }
  }
  return std::to_string(aspect);
}

/// The demangled name without parameters and return type.
std::string plain_name(const llvm::Function& function) {
  llvm::ItaniumPartialDemangler demangler;
  const std::string mangled = function.getName().str();  // must outlive the demangler, which refers to it
  if (demangler.partialDemangle(mangled.c_str())) return mangled;
  char* name = demangler.getFunctionName(nullptr, nullptr);
  std::string text = name ? name : mangled;
  std::free(name);
  return abi::without_inline_namespace(std::move(text));
}

/// The functions that the kernel calls, or whose addresses it takes; the kernel comes first.
std::vector<const llvm::Function*> reached_from(const llvm::Function& kernel) {
  llvm::SmallSetVector<const llvm::Function*, 16> reached;
  reached.insert(&kernel);
  for (std::size_t at = 0; at < reached.size(); ++at) {
    for (const llvm::Instruction& instruction : llvm::instructions(*reached[at])) {
      for (const llvm::Use& operand : instruction.operands()) {
        const auto* function = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts());
        if (function) reached.insert(function);
      }
    }
  }
  return {reached.begin(), reached.end()};
}

std::string check(const llvm::Module& module, const needs& kernel, const llvm::Function& function) {
  const needs its(function);
  const std::string start = "warning: function '" + plain_name(function) + "' ";
  std::string text;
  for (const std::uint64_t aspect : its.aspects) {
    if (kernel.aspects.contains(aspect)) continue;
    text += start + "uses aspect '" + name_of_aspect(module, aspect) +
            "' not expected by its calling kernel.\nMissing [[sycl::device_has()]] on SYCL_EXTERNAL function?\n";
  }
  for (const std::uint64_t size : its.sub_group_sizes) {
    if (kernel.sub_group_sizes.contains(size)) continue;
    text += start + "has required sub-group size '" + std::to_string(size) +
            "' that does not match\nits calling kernel.  Missing [[sycl::reqd_sub_group_size()]] attribute on\n"
            "SYCL_EXTERNAL function?\n";
  }
  // Kernels with fixed targets may call functions that are for any device.
  if (!its.targets.empty() && its.targets != kernel.targets) {
    text += start + "compiled with a different `-fsycl-fixed-targets` switch\nthan its calling kernel.\n";
  }
  return text;
}

} // namespace

std::string check_externals(const llvm::Module& module, llvm::ArrayRef<linked_kernel> kernels,
                            const llvm::StringSet<>& linked) {
  std::string all;
  for (const linked_kernel& kernel : kernels) {
    const llvm::Function* function = module.getFunction(kernel.symbol);
    if (!function) continue;
    const needs said(*function);
    std::string text;
    for (const llvm::Function* each : reached_from(*function)) {
      if (linked.contains(each->getName())) text += check(module, said, *each);
    }
    if (!text.empty()) all += "kernel '" + kernel.name + "' calls functions of other files:\n" + text;
  }
  return all;
}

} // namespace sinter::jit
