#include "device_assembly.hpp"

#include <abi/device_assembly.hpp>
#include <algorithm>

#include "../passes/llvm_versions.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "sides.hpp"

namespace sinter::capture {
namespace {

constexpr llvm::StringLiteral number_attribute = "sinter-assembly-number";

/// On x86, braces and bars choose between dialects of assembly. clang therefore writes the program's own braces and
/// bars as `$(`, `$|` and `$)`; this function restores them. A doubled dollar is a dollar of the program, and `${0:c}`
/// is an operand: both are kept.
std::string without_dialects(llvm::StringRef text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] != '$' || next == '\0') {
      plain += text[i];
      continue;
    }
    ++i;
    switch (next) {
      case '(': plain += '{'; break;
      case '|': plain += '|'; break;
      case ')': plain += '}'; break;
      default: plain += {'$', next};
    }
  }
  return plain;
}

/// The letter that constrains an operand to this x86 register. In PTX the letter has another meaning: 'd' is a double.
llvm::StringRef letter_of(llvm::StringRef register_name) {
  return llvm::StringSwitch<llvm::StringRef>(register_name)
      .Case("{ax}", "a")
      .Case("{bx}", "b")
      .Case("{cx}", "c")
      .Case("{dx}", "d")
      .Case("{si}", "S")
      .Case("{di}", "D")
      .Default(register_name);
}

/// Drops all clobbers except memory. The host's flags do not exist in PTX, and assembly in PTX declares the registers
/// that it uses.
std::string constraints_for_ptx(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef, 8> constraints;
  list.split(constraints, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::string kept;
  for (const llvm::StringRef each : constraints) {
    const bool is_clobber = each.starts_with("~");
    if (is_clobber && each != "~{memory}") continue;
    const std::size_t name = std::min(is_clobber ? 0 : each.find('{'), each.size());
    if (!kept.empty()) kept += ',';
    kept += each.take_front(name).str() + letter_of(each.drop_front(name)).str();
  }
  return kept;
}

llvm::SmallVector<llvm::CallBase*, 4> assembly_of(llvm::Module& module) {
  llvm::SmallVector<llvm::CallBase*, 4> found;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && call->isInlineAsm()) found.push_back(call);
    }
  }
  return found;
}

/// Tells for each numbered call whether the host reaches it, which means that the call remains after __sinter_on_device
/// was replaced by false.
llvm::SmallVector<bool, 4> reached_by_host(const llvm::Module& device, std::size_t count) {
  llvm::SmallVector<bool, 4> reached(count, false);
  const std::unique_ptr<llvm::Module> host = passes::clone_module(device);
  answer_on_device(*host, false);
  for (const llvm::CallBase* call : assembly_of(*host)) {
    std::size_t number = 0;
    if (!call->getFnAttr(number_attribute).getValueAsString().getAsInteger(10, number)) reached[number] = true;
  }
  return reached;
}

/// Makes the call convergent, because the assembly may contain instructions at which the work-items of a warp wait for
/// each other. clang assumes this of all calls in code for GPUs.
void rewrite(llvm::CallBase& call) {
  const auto* code = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  call.setCalledOperand(llvm::InlineAsm::get(
      code->getFunctionType(), without_dialects(code->getAsmString()),
      constraints_for_ptx(code->getConstraintString()), code->hasSideEffects(), code->isAlignStack(),
      llvm::InlineAsm::AD_ATT, code->canThrow()));
  call.setConvergent();
  call.addFnAttr(llvm::Attribute::get(call.getContext(), abi::assembly_attribute, abi::ptx_assembly));
}

}  // namespace

bool are_macros_of_ptx(llvm::ArrayRef<std::string> macros) {
  return llvm::any_of(macros, [](llvm::StringRef macro) {
    const llvm::StringRef name = macro.split('=').first;
    return name == "__NVPTX__" || name == "__CUDA_ARCH__" || name == "__SYCL_CUDA_ARCH__";
  });
}

void write_ptx(llvm::Module& device, bool all) {
  llvm::SmallVector<llvm::CallBase*, 4> calls = assembly_of(device);
  if (calls.empty()) return;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i]->addFnAttr(llvm::Attribute::get(device.getContext(), number_attribute, llvm::utostr(i)));
  }
  const llvm::SmallVector<bool, 4> reached =
      all ? llvm::SmallVector<bool, 4>(calls.size(), false) : reached_by_host(device, calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i]->removeFnAttr(number_attribute);
    if (!reached[i]) rewrite(*calls[i]);
  }
}

bool is_ptx(const llvm::CallBase& call) {
  return call.isInlineAsm() && call.getFnAttr(abi::assembly_attribute).isValid();
}

}  // namespace sinter::capture
