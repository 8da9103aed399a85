#include "device_module.hpp"

#include <abi/device_abi.hpp>
#include <abi/launch_abi.hpp>

#include "../passes/llvm_versions.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::capture {
namespace {

struct annotations {
  bool kernel = false;
  bool descriptor = false;
  bool external = false;
  bool turns = false;
  std::optional<kernel_layout> layout;
};

using annotation_map = llvm::DenseMap<const llvm::GlobalValue*, annotations>;

annotation_map read_annotations(llvm::Module& host) {
  annotation_map result;
  const llvm::GlobalVariable* list = host.getNamedGlobal("llvm.global.annotations");
  if (!list || !list->hasInitializer()) return result;
  const auto* entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer());
  if (!entries) return result;
  for (const llvm::Use& use : entries->operands()) {
    const auto* entry = llvm::dyn_cast<llvm::ConstantStruct>(use.get());
    if (!entry || entry->getNumOperands() < 2) continue;
    const auto* target = llvm::dyn_cast<llvm::GlobalValue>(entry->getOperand(0)->stripPointerCasts());
    const auto* text_variable = llvm::dyn_cast<llvm::GlobalVariable>(entry->getOperand(1)->stripPointerCasts());
    if (!target || !text_variable || !text_variable->hasInitializer()) continue;
    const auto* text = llvm::dyn_cast<llvm::ConstantDataSequential>(text_variable->getInitializer());
    if (!text || !text->isCString()) continue;
    const llvm::StringRef value = text->getAsCString();
    if (value == abi::kernel_annotation) {
      result[target].kernel = true;
    } else if (value == abi::descriptor_annotation) {
      result[target].descriptor = true;
    } else if (value == abi::external_annotation) {
      result[target].external = true;
    } else if (value == abi::turns_annotation) {
      result[target].turns = true;
    } else if (value.starts_with("sinter.layout:")) {
      result[target].layout = from_annotation(value);
    }
  }
  return result;
}

/// Everything that the copy of the module has to define.
class reachable_set {
public:
  void add(const llvm::GlobalValue* value) {
    if (!m_values.insert(value).second) return;
    m_work.push_back(value);
    while (!m_work.empty()) {
      const llvm::GlobalValue* next = m_work.pop_back_val();
      if (const auto* function = llvm::dyn_cast<llvm::Function>(next)) {
        for (const llvm::Instruction& instruction : llvm::instructions(*function)) visit_operands(instruction);
      } else if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(next)) {
        visit_constant(variable->getInitializer());
      } else if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(next)) {
        visit_constant(alias->getAliasee());
      }
    }
  }

  bool contains(const llvm::GlobalValue* value) const { return m_values.contains(value); }

private:
  static bool can_copy(const llvm::GlobalValue* value) {
    // A naked function consists only of assembly, and may not be inlined, because it would then do something else.
    if (const auto* function = llvm::dyn_cast<llvm::Function>(value)) {
      return !function->isDeclaration() && !function->hasFnAttribute(llvm::Attribute::Naked);
    }
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
      return variable->isConstant() && variable->hasInitializer() && !variable->isThreadLocal() &&
             !variable->isExternallyInitialized();
    }
    return llvm::isa<llvm::GlobalAlias>(value);
  }

  void visit_operands(const llvm::User& user) {
    for (const llvm::Use& operand : user.operands()) {
      if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get())) visit_constant(constant);
    }
  }

  void visit_constant(const llvm::Constant* constant) {
    if (const auto* global = llvm::dyn_cast<llvm::GlobalValue>(constant)) {
      if (can_copy(global) && m_values.insert(global).second) m_work.push_back(global);
      return;
    }
    if (constant->getNumOperands() != 0 && m_constants.insert(constant).second) visit_operands(*constant);
  }

  llvm::DenseSet<const llvm::GlobalValue*> m_values;
  llvm::SmallPtrSet<const llvm::Constant*, 32> m_constants;
  llvm::SmallVector<const llvm::GlobalValue*, 64> m_work;
};

void replace_aliases(llvm::Module& device) {
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(device.aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
}

/// A function with versions for several processors (target_clones) is not copied: kernels call, by its address, the
/// version that the host has chosen.
void declare_multiversioned(llvm::Module& device) {
  for (llvm::GlobalIFunc& resolved : llvm::make_early_inc_range(device.ifuncs())) {
    auto* type = llvm::cast<llvm::FunctionType>(resolved.getValueType());
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "", device);
    function->takeName(&resolved);
    resolved.replaceAllUsesWith(function);
    resolved.eraseFromParent();
  }
}

/// Drops module flags for position independence, unwind tables and control-flow protection, which concern the host
/// alone.
void keep_only_debug_flags(llvm::Module& device) {
  llvm::SmallVector<llvm::Module::ModuleFlagEntry, 8> flags;
  device.getModuleFlagsMetadata(flags);
  if (llvm::NamedMDNode* node = device.getModuleFlagsMetadata()) node->eraseFromParent();
  for (const llvm::Module::ModuleFlagEntry& flag : flags) {
    if (flag.Key->getString() == "Debug Info Version" || flag.Key->getString() == "Dwarf Version") {
      device.addModuleFlag(flag.Behavior, flag.Key->getString(), flag.Val);
    }
  }
}

/// Drops attributes that say how host code is generated. Device code has its own choices.
void strip_host_attributes(llvm::Function& function) {
  // -O0 puts optnone and noinline on every function; noinline without optnone is the user's wish.
  if (function.hasOptNone()) {
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.removeFnAttr(llvm::Attribute::NoInline);
  }
  for (llvm::Attribute::AttrKind kind :
       {llvm::Attribute::OptimizeForSize, llvm::Attribute::MinSize, llvm::Attribute::SanitizeAddress,
        llvm::Attribute::SanitizeThread, llvm::Attribute::SanitizeMemory, llvm::Attribute::SanitizeHWAddress,
        llvm::Attribute::SanitizeMemTag, llvm::Attribute::getAttrKindFromName("sanitize_type"),
        llvm::Attribute::getAttrKindFromName("sanitize_realtime"), llvm::Attribute::StackProtect,
        llvm::Attribute::StackProtectReq, llvm::Attribute::StackProtectStrong,
        llvm::Attribute::SafeStack, llvm::Attribute::ShadowCallStack, llvm::Attribute::UWTable,
        llvm::Attribute::NullPointerIsValid, llvm::Attribute::NoImplicitFloat, llvm::Attribute::NonLazyBind,
        llvm::Attribute::NoRedZone, llvm::Attribute::Naked, llvm::Attribute::FnRetThunkExtern}) {
    // LLVM 19 does not know all of these attributes.
    if (kind != llvm::Attribute::None) function.removeFnAttr(kind);
  }
  // String attributes for fast-math are the user's choice and stay; all others are about the host.
  llvm::SmallVector<std::string, 16> strings;
  for (llvm::Attribute attribute : function.getAttributes().getFnAttrs()) {
    if (!attribute.isStringAttribute()) continue;
    const llvm::StringRef kind = attribute.getKindAsString();
    const bool floating_point = kind.ends_with("-fp-math") || kind.starts_with("no-infs") ||
                                kind.starts_with("no-nans") || kind.starts_with("no-signed-zeros") ||
                                kind.starts_with("denormal-fp-math") || kind.starts_with("approx-func");
    if (!floating_point) strings.push_back(kind.str());
  }
  for (const std::string& kind : strings) function.removeFnAttr(kind);
}

/// Whether the variable has the class in sycl/ext/oneapi/device_global/device_global.hpp.
bool is_device_global(const llvm::GlobalVariable& variable) {
  const auto* type = llvm::dyn_cast<llvm::StructType>(variable.getValueType());
  return type && type->hasName() &&
         type->getName().starts_with("class.sycl::_V1::ext::oneapi::experimental::device_global");
}

} // namespace

std::vector<captured_kernel> find_kernels(llvm::Module& host) {
  std::vector<captured_kernel> kernels;
  annotation_map known = read_annotations(host);
  if (known.empty()) return kernels;
  for (llvm::GlobalVariable& variable : host.globals()) {
    auto found = known.find(&variable);
    if (found == known.end() || !found->second.descriptor || !variable.hasInitializer()) continue;
    const auto* fields = llvm::dyn_cast<llvm::ConstantStruct>(variable.getInitializer());
    if (!fields || fields->getNumOperands() <= abi::descriptor_flags_field) continue;
    if (!fields->getOperand(abi::descriptor_image_field)->isNullValue()) continue;
    const auto* flags = llvm::dyn_cast<llvm::ConstantInt>(fields->getOperand(abi::descriptor_flags_field));
    if (!flags || (flags->getZExtValue() & abi::descriptor_refused) != 0) continue;
    auto* function =
        llvm::dyn_cast<llvm::Function>(fields->getOperand(abi::descriptor_host_field)->stripPointerCasts());
    if (!function || function->isDeclaration()) continue;
    auto facts = known.find(function);
    if (facts == known.end() || !facts->second.kernel) continue;
    captured_kernel kernel{.host_function = function, .descriptor = &variable, .layout = {},
                           .symbol = function->getName().str()};
    if (facts->second.layout) kernel.layout = *facts->second.layout;
    if (kernel.layout.display_name.empty()) kernel.layout.display_name = kernel.symbol;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<llvm::Function*> find_exports(llvm::Module& host) {
  std::vector<llvm::Function*> exports;
  annotation_map known = read_annotations(host);
  for (llvm::Function& function : host) {
    auto found = known.find(&function);
    if (found == known.end() || !found->second.external || function.isDeclaration()) continue;
    if (function.hasFnAttribute(exported_attribute) || function.hasFnAttribute(llvm::Attribute::Naked)) continue;
    if (!function.hasLocalLinkage() && !function.hasAvailableExternallyLinkage()) exports.push_back(&function);
  }
  return exports;
}

llvm::StringSet<> names_of_turns(llvm::Module& host) {
  llvm::StringSet<> names;
  for (const auto& [value, facts] : read_annotations(host)) {
    if (facts.turns) names.insert(value->getName());
  }
  return names;
}

std::unique_ptr<llvm::Module> extract_device_module(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels,
                                                    llvm::ArrayRef<llvm::Function*> exports) {
  reachable_set reachable;
  for (const captured_kernel& kernel : kernels) reachable.add(kernel.host_function);
  for (const llvm::Function* function : exports) reachable.add(function);

  llvm::ValueToValueMapTy map;
  std::unique_ptr<llvm::Module> device =
      passes::clone_module(host, map, [&](const llvm::GlobalValue* value) { return reachable.contains(value); });
  device->setModuleIdentifier("sinter.device");
  device->setSourceFileName("sinter.device");
  device->setModuleInlineAsm("");
  keep_only_debug_flags(*device);

  replace_aliases(*device);
  declare_multiversioned(*device);
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(device->globals())) {
    variable.setComdat(nullptr);
    variable.setVisibility(llvm::GlobalValue::DefaultVisibility);
    variable.setDSOLocal(false);
    if (variable.hasSanitizerMetadata()) variable.removeSanitizerMetadata();
    // Left-overs of the host (constructor lists, annotations) have no users in the copy.
    variable.removeDeadConstantUsers();
    if (variable.use_empty()) {
      variable.eraseFromParent();
    } else if (variable.hasInitializer()) {
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
      variable.setSection("");
    } else if (is_device_global(variable)) {
      variable.addAttribute(abi::device_global_attribute);
    }
  }
  for (llvm::Function& function : llvm::make_early_inc_range(*device)) {
    function.setComdat(nullptr);
    function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    function.setDSOLocal(false);
    if (function.isDeclaration()) {
      if (function.use_empty()) {
        function.eraseFromParent();
        continue;
      }
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    } else {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setSection("");
      function.setPrefixData(nullptr);
      function.setPrologueData(nullptr);
    }
    strip_host_attributes(function);
  }
  for (const captured_kernel& kernel : kernels) {
    auto* function = llvm::cast<llvm::Function>(map[kernel.host_function]);
    function->setLinkage(llvm::GlobalValue::ExternalLinkage);
    function->removeFnAttr(llvm::Attribute::NoInline);
  }
  for (const llvm::Function* function : exports) {
    llvm::cast<llvm::Function>(map[function])->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  for (const auto& [value, facts] : read_annotations(host)) {
    if (!facts.external) continue;
    llvm::Function* function = device->getFunction(value->getName());
    if (!function || !function->isDeclaration()) continue;
    function->addFnAttr(external_attribute);
    function->setConvergent();
  }
  return device;
}

} // namespace sinter::capture
