#include "aspects.hpp"

#include <abi/device_assembly.hpp>
#include <abi/device_targets.hpp>
#include <abi/readable_name.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "device_assembly.hpp"
#include "diagnostics.hpp"
#include "image_writer.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace sinter::capture {
namespace {

/// The aspects that the type needs if it is double or half, or contains double or half.
abi::aspect_set aspects_of(llvm::Type* type, llvm::DenseMap<llvm::Type*, abi::aspect_set>& known) {
  if (type->isDoubleTy()) return abi::aspect_bit(abi::aspect_fp64);
  if (type->isHalfTy()) return abi::aspect_bit(abi::aspect_fp16);
  if (type->getNumContainedTypes() == 0) return {};
  if (const auto found = known.find(type); found != known.end()) return found->second;
  abi::aspect_set bits;
  for (llvm::Type* inner : type->subtypes()) bits |= aspects_of(inner, known);
  return known[type] = bits;
}

/// Returns whether this is an atomic access of 64 bits. The size of the accessed type shows how many bits are accessed.
bool is_wide_atomic(const llvm::Instruction& instruction) {
  const llvm::Type* type = nullptr;
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    type = exchange->getNewValOperand()->getType();
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) type = update->getType();
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isAtomic()) type = load->getType();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && store->isAtomic()) {
    type = store->getValueOperand()->getType();
  }
  return type && instruction.getDataLayout().getTypeSizeInBits(const_cast<llvm::Type*>(type)) == 64;
}

statement_place place_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc();
  if (!location) return {};
  return place_in_text(*location);
}

/// Returns the source location of a variable. The instruction that makes the variable has no location, so the location
/// is taken from debug information or, without -g, from the variable's first use.
statement_place place_of_variable(const llvm::Value& variable) {
  statement_place first;
  for (const llvm::DbgVariableRecord* record : llvm::findDVRDeclares(const_cast<llvm::Value*>(&variable))) {
    if (const llvm::DILocation* location = record->getDebugLoc()) return place_in_text(*location);
  }
  for (const llvm::User* user : variable.users()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    // A lifetime marker has the location of the statement, not of the variable.
    if (!instruction || instruction->isLifetimeStartOrEnd()) continue;
    const statement_place place = place_of(*instruction);
    if (place.line == 0) continue;
    if (first.line == 0 || std::tie(place.line, place.column) < std::tie(first.line, first.column)) first = place;
  }
  return first;
}

/// Returns the place of the instruction. If the instruction has no place, returns the place of the variable that the
/// instruction makes or fills.
statement_place nearest_place(const llvm::Instruction& instruction) {
  const statement_place own = place_of(instruction);
  if (own.line != 0) return own;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return place_of_variable(*store->getPointerOperand()->stripPointerCasts());
  }
  return place_of_variable(instruction);
}

statement_place place_of_function(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  if (!subprogram) return {};
  return place_in_text(*subprogram);
}

bool is_of_headers(llvm::StringRef symbol) { return symbol.starts_with("_ZN4sycl") || symbol.starts_with("_ZNK4sycl"); }
/// Whether the symbol is an internal function of the headers. Such functions use no aspects themselves: the aspects in
/// them come from the user's call.
bool is_inside_of_headers(llvm::StringRef symbol) {
  return symbol.starts_with("_ZN4sycl3_V16detail") || symbol.starts_with("_ZNK4sycl3_V16detail") ||
         symbol.starts_with("_ZNK4sycl3_V16stream") || symbol.starts_with("_ZN4sycl3_V16stream");
}

/// The demangled name without parameters and return type.
std::string plain_name(llvm::StringRef symbol) {
  llvm::ItaniumPartialDemangler demangler;
  const std::string mangled = symbol.str();  // must outlive the demangler, which refers to it
  if (demangler.partialDemangle(mangled.c_str())) return mangled;
  char* name = demangler.getFunctionName(nullptr, nullptr);
  std::string text = name ? name : mangled;
  std::free(name);
  return abi::without_inline_namespace(std::move(text));
}

std::string name_of(unsigned aspect) {
  for (const auto& [value, name] : known_aspects().names) {
    if (value == aspect) return name;
  }
  for (const abi::aspect_row& each : abi::aspect_table) {
    if (each.number == aspect) return each.name;
  }
  return std::to_string(aspect);
}

/// Returns the integers in a structure. If all integers are zero, LLVM's constant has no operands; the function then
/// returns zeros.
std::vector<std::uint64_t> numbers_of(const llvm::Constant& structure) {
  std::vector<std::uint64_t> numbers;
  for (unsigned i = 0; const llvm::Constant* value = structure.getAggregateElement(i); ++i) {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) numbers.push_back(number->getLimitedValue());
  }
  return numbers;
}

/// The arguments of an annotation, as bits.
abi::aspect_set bits_of(const llvm::Constant& arguments) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(arguments.stripPointerCasts());
  if (!variable || !variable->hasInitializer()) return {};
  abi::aspect_set bits;
  for (const std::uint64_t each : numbers_of(*variable->getInitializer())) bits |= abi::aspect_bit(each);
  return bits;
}

/// The arguments of an annotation, as sizes.
std::vector<std::uint32_t> sizes_of(const llvm::Constant& arguments) {
  std::vector<std::uint32_t> sizes;
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(arguments.stripPointerCasts());
  if (!variable || !variable->hasInitializer()) return sizes;
  for (const std::uint64_t each : numbers_of(*variable->getInitializer())) {
    sizes.push_back(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(each, std::numeric_limits<std::uint32_t>::max())));
  }
  return sizes;
}

/// Whether a kernel has the work-group size that a function requires. Sizes of kernels are padded with ones in front.
bool has_group_size(const kernel_layout& kernel, const std::vector<std::uint32_t>& size) {
  std::array<std::uint32_t, 3> padded{1, 1, 1};
  if (size.size() > padded.size()) return false;
  std::copy(size.begin(), size.end(), padded.end() - static_cast<std::ptrdiff_t>(size.size()));
  return kernel.required_work_group_size == padded;
}

std::string text_of(const std::vector<std::uint32_t>& size) {
  std::string text;
  for (const std::uint32_t each : size) text += (text.empty() ? "" : ",") + std::to_string(each);
  return text;
}

/// The kernel's required sizes as the attribute gave them, without padding.
std::vector<std::uint32_t> group_of(const kernel_layout& kernel) {
  const auto& padded = kernel.required_work_group_size;
  return {padded.end() - kernel.group_dimensions, padded.end()};
}

}  // namespace

aspect_analysis::aspect_analysis(const llvm::Module& host, const llvm::Module& device,
                                 llvm::ArrayRef<captured_kernel> kernels) {
  for (const llvm::Function& function : device) {
    if (!function.isIntrinsic()) scan(function);
  }
  read_annotations(host);
  for (const captured_kernel& kernel : kernels) {
    facts& its = m_functions[kernel.symbol];
    its.declared |= kernel.layout.required_aspects;
    its.declares |= kernel.layout.declares_aspects;
    its.sub_group_size = kernel.layout.required_sub_group_size;
  }
  propagate();
  for (const captured_kernel& kernel : kernels) {
    m_functions[kernel.symbol].sub_group_size = sub_group_size(kernel.symbol);
  }
}

void aspect_analysis::read_annotations(const llvm::Module& host) {
  const llvm::GlobalVariable* list = host.getNamedGlobal("llvm.global.annotations");
  const auto* entries =
      list && list->hasInitializer() ? llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer()) : nullptr;
  if (!entries) return;
  for (const llvm::Use& use : entries->operands()) {
    const auto* entry = llvm::dyn_cast<llvm::ConstantStruct>(use.get());
    if (!entry || entry->getNumOperands() < 5) continue;
    const auto* function = llvm::dyn_cast<llvm::Function>(entry->getOperand(0)->stripPointerCasts());
    const auto* text_variable = llvm::dyn_cast<llvm::GlobalVariable>(entry->getOperand(1)->stripPointerCasts());
    if (!function || !text_variable || !text_variable->hasInitializer()) continue;
    const auto* text = llvm::dyn_cast<llvm::ConstantDataSequential>(text_variable->getInitializer());
    if (!text || !text->isCString()) continue;
    const auto found = m_functions.find(function->getName());
    if (found == m_functions.end()) continue;
    if (text->getAsCString() == "sycl_device_has") {
      found->second.declared |= bits_of(*entry->getOperand(4));
      found->second.declares = true;
    } else if (text->getAsCString() == "sycl_reqd_sub_group_size") {
      const std::vector<std::uint32_t> sizes = sizes_of(*entry->getOperand(4));
      if (sizes.size() == 1 && found->second.sub_group_size == 0) found->second.sub_group_size = sizes.front();
    } else if (text->getAsCString() == "sycl_reqd_work_group_size") {
      if (found->second.group_size.empty()) found->second.group_size = sizes_of(*entry->getOperand(4));
    } else if (text->getAsCString() == "sycl_uses_aspects") {
      found->second.own.push_back({bits_of(*entry->getOperand(4)), {}});
    } else {
      for (aspect_use& use : uses_from_annotation(text->getAsCString())) found->second.own.push_back(std::move(use));
    }
  }
}

void aspect_analysis::scan(const llvm::Function& function) {
  facts& its = m_functions[function.getName().str()];
  its.of_headers = is_of_headers(function.getName());
  its.place = place_of_function(function);
  if (const auto known = known_aspects().uses.find(function.getName()); known != known_aspects().uses.end()) {
    its.own = known->second;
  }
  llvm::DenseMap<llvm::Type*, abi::aspect_set> types;
  abi::aspect_set seen, seen_nowhere;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    abi::aspect_set bits;
    if (is_wide_atomic(instruction) && !is_inside_of_headers(function.getName())) {
      bits |= abi::aspect_bit(abi::aspect_atomic64);
    }
    const auto* assembly = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (assembly && is_ptx(*assembly)) bits |= abi::aspect_bit(abi::number_of_aspect(abi::ptx_aspect));
    if (!its.of_headers) {
      bits |= aspects_of(instruction.getType(), types);
      for (const llvm::Use& operand : instruction.operands()) bits |= aspects_of(operand->getType(), types);
      if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
        bits |= aspects_of(local->getAllocatedType(), types);
      if (const auto* member = llvm::dyn_cast<llvm::GEPOperator>(&instruction))
        bits |= aspects_of(member->getSourceElementType(), types);
    }
    if (bits & ~seen) {
      const statement_place place = nearest_place(instruction);
      // A use without a source location is skipped, so that a later use of the same aspect can be shown to the user.
      if (place.line != 0) its.own.push_back({bits & ~seen, place});
      (place.line != 0 ? seen : seen_nowhere) |= bits;
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const auto* callee = call ? llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts()) : nullptr;
    if (callee && !callee->isIntrinsic()) its.calls.push_back({callee->getName().str(), place_of(instruction)});
  }
  if (seen_nowhere & ~seen) its.own.push_back({seen_nowhere & ~seen, its.place});
}

void aspect_analysis::propagate() {
  llvm::StringMap<std::vector<facts*>> callers;
  for (auto& [name, its] : m_functions) {
    for (const aspect_use& use : its.own) its.used |= use.aspects;
    for (const call& each : its.calls) callers[each.callee].push_back(&its);
  }
  // In each round, callers get the aspects of their callees. Few rounds are needed, because chains of calls are short.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [name, its] : m_functions) {
      const auto found = callers.find(name);
      if (found == callers.end() || !(its.used | its.declared)) continue;
      for (facts* caller : found->second) {
        const abi::aspect_set before = caller->used;
        caller->used |= its.used | its.declared;
        changed |= caller->used != before;
      }
    }
  }
}

abi::aspect_set aspect_analysis::required(llvm::StringRef function) const {
  const auto found = m_functions.find(function);
  return found == m_functions.end() ? abi::aspect_set{} : found->second.used | found->second.declared;
}

std::vector<aspect_analysis::call> aspect_analysis::sized_callees(llvm::StringRef kernel) const {
  std::vector<call> sized;
  std::set<std::string, std::less<>> seen{kernel.str()};
  std::deque<std::string> work{kernel.str()};
  for (; !work.empty(); work.pop_front()) {
    const auto found = m_functions.find(work.front());
    if (found == m_functions.end()) continue;
    for (const call& each : found->second.calls) {
      if (!seen.insert(each.callee).second) continue;
      work.push_back(each.callee);
      const auto callee = m_functions.find(each.callee);
      if (callee == m_functions.end()) continue;
      if (callee->second.sub_group_size != 0 || !callee->second.group_size.empty()) sized.push_back(each);
    }
  }
  return sized;
}

std::uint32_t aspect_analysis::sub_group_size(llvm::StringRef kernel) const {
  const auto found = m_functions.find(kernel);
  if (found == m_functions.end()) return 0;
  if (found->second.sub_group_size != 0) return found->second.sub_group_size;
  for (const call& each : sized_callees(kernel)) {
    const std::uint32_t size = m_functions.find(each.callee)->second.sub_group_size;
    if (size != 0) return size;
  }
  return 0;
}

/// Searches breadth-first for the nearest use, because the shortest chain of calls is the easiest to read.
std::string aspect_analysis::message(llvm::StringRef function, const std::string& name, unsigned aspect,
                                     const std::string& why, statement_place& place) const {
  struct step {
    std::string at, caller;
    statement_place place;  ///< the place of the call
  };
  const abi::aspect_set bit = abi::aspect_bit(aspect);
  llvm::StringMap<step> steps;
  std::deque<std::string> work{function.str()};
  steps[function] = {function.str(), "", {}};
  std::string last;
  while (last.empty() && !work.empty()) {
    const std::string at = work.front();
    work.pop_front();
    const auto found = m_functions.find(at);
    if (found == m_functions.end()) continue;
    for (const aspect_use& use : found->second.own) {
      if (!(use.aspects & bit) || place.line != 0) continue;
      last = at;
      place = use.place;
    }
    // A function that declares the aspect (device_has) counts as a use as well.
    if (last.empty() && at != function && found->second.declared & bit) last = at;
    for (const call& each : found->second.calls) {
      if (steps.try_emplace(each.callee, step{each.callee, at, each.place}).second) work.push_back(each.callee);
    }
  }
  // No callee uses or declares the aspect, so the chain consists of the function alone, which declares it.
  if (last.empty()) last = function.str();
  std::vector<const step*> path;
  for (std::string at = last; !at.empty(); at = steps[at].caller) path.insert(path.begin(), &steps[at]);
  // In two cases, the warning names the call of the last function, and not a use in this function. In the first case,
  // the function only declares the aspect, so it has no use. In the second case, the function belongs to Sinter's
  // headers, whose code means nothing to the user.
  if (place.line == 0 && !is_of_headers(path.back()->caller)) place = path.back()->place;
  for (std::size_t i = path.size(); i-- > 1 && is_of_headers(path[i]->at);) {
    if (path[i]->place.line != 0) place = path[i]->place;
  }
  if (const auto found = m_functions.find(last);
      place.line == 0 && found != m_functions.end() && !found->second.of_headers) {
    place = found->second.place;
  }
  std::string chain = "\n  " + name + "()";
  // A kernel's own place is in the headers, so the user needs no -g if the chain begins at a kernel.
  bool has_places = place.line != 0 || is_of_headers(function);
  bool is_below_kernel = is_of_headers(function);
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (is_of_headers(path[i]->at)) continue;
    // The first function below the headers' wrappers is the kernel's function object.
    if (std::exchange(is_below_kernel, false)) continue;
    chain += "\n  " + plain_name(path[i]->at) + "()";
    const statement_place& from = path[i]->place;
    if (from.line != 0) chain += " " + from.file + ":" + std::to_string(from.line) + ":" + std::to_string(from.column);
    has_places |= from.line != 0;
  }
  return "function '" + name + "' uses aspect '" + name_of(aspect) + "' " + why +
         "\nuse is from this call chain:" + chain + (has_places ? "" : "\ncompile with '-g' to get source location");
}

bool aspect_analysis::is_of_kernel(llvm::StringRef symbol, llvm::ArrayRef<captured_kernel> kernels) const {
  const facts& its = m_functions.find(symbol)->second;
  return llvm::any_of(kernels, [&](const captured_kernel& kernel) {
    // Only the kernel's wrappers, which belong to the headers, may stand between the kernel and its function object.
    llvm::StringSet<> seen;
    std::vector<std::string> work{kernel.symbol};
    while (!work.empty()) {
      const std::string at = std::move(work.back());
      work.pop_back();
      const auto found = m_functions.find(at);
      if (found == m_functions.end() || !seen.insert(at).second) continue;
      if (at == symbol) return at != kernel.symbol && kernel.layout.required_aspects == its.declared;
      if (!found->second.of_headers) continue;
      for (const call& each : found->second.calls) work.push_back(each.callee);
    }
    return false;
  });
}

void aspect_analysis::warn_of_undeclared(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels) const {
  for (const auto& [symbol, its] : m_functions) {
    if (!its.declares || !(its.used & ~its.declared) || is_of_kernel(symbol, kernels)) continue;
    const captured_kernel* kernel = nullptr;
    for (const captured_kernel& each : kernels) {
      if (each.symbol == symbol) kernel = &each;
    }
    const std::string name = kernel ? kernel->layout.display_name : plain_name(symbol);
    abi::for_each_aspect(its.used & ~its.declared, [&](unsigned aspect) {
      statement_place place;
      const std::string text = message(symbol, name, aspect, "not listed in 'sycl::device_has'", place);
      warn(host, kernel ? kernel->layout.location_id : 0, kernel ? kernel->layout.source_position : "", place, text);
    });
  }
}

void aspect_analysis::warn_of_targets(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels,
                                      llvm::ArrayRef<llvm::Function*> exports, const target_list& targets) const {
  if (targets.empty()) return;
  const std::string why = "that not all fixed targets have: not ";
  const auto check = [&](llvm::StringRef symbol, const std::string& name, const kernel_layout& layout) {
    const auto found = m_functions.find(symbol);
    const statement_place here = layout.location_id == 0 && found != m_functions.end() ? found->second.place
                                                                                          : statement_place();
    abi::for_each_aspect(required(symbol), [&](unsigned aspect) {
      const std::string lacking = targets_without(aspect, targets);
      if (lacking.empty()) return;
      statement_place place;
      const std::string text = message(symbol, name, aspect, why + lacking, place);
      warn(host, layout.location_id, layout.source_position, place, text);
    });
    if (layout.sizes_for_cpu) return;
    const auto complain = [&](const char* what, const std::string& size, const std::string& lacking) {
      if (lacking.empty()) return;
      warn(host, layout.location_id, layout.source_position, here,
           "function '" + name + "' has required " + what + " size '" + size + "' " + why + lacking);
    };
    if (const std::uint32_t size = sub_group_size(symbol); size != 0) {
      complain("sub-group", std::to_string(size), targets_without_size(size, targets));
    }
    if (layout.group_dimensions != 0) {
      complain("work-group", text_of(group_of(layout)),
               targets_without_group(layout.required_work_group_size, targets));
    }
  };
  for (const captured_kernel& kernel : kernels) check(kernel.symbol, kernel.layout.display_name, kernel.layout);
  for (const llvm::Function* function : exports) check(function->getName(), plain_name(function->getName()), {});
}

void aspect_analysis::warn_of_sizes(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels,
                                    llvm::ArrayRef<llvm::Function*> exports) const {
  for (const captured_kernel& kernel : kernels) {
    const kernel_layout& layout = kernel.layout;
    const std::uint32_t dimensions = dimensions_of(kernel);
    // A single task has one work-item, whatever number of dimensions is required.
    if (layout.group_dimensions != 0 && layout.group_dimensions != dimensions && !layout.own_groups &&
        shape_of(kernel) != abi::kernel_shape::single_task) {
      warn(host, layout.location_id, layout.source_position, {},
           "kernel '" + layout.display_name + "' has required work-group size '" + text_of(group_of(layout)) +
               "', and is launched with " + std::to_string(dimensions) +
               (dimensions == 1 ? " dimension" : " dimensions") + "; it needs a size for each");
    }
    const std::uint32_t chosen = sub_group_size(kernel.symbol);
    for (const call& each : sized_callees(kernel.symbol)) {
      const facts& its = m_functions.find(each.callee)->second;
      const auto complain = [&](const std::string& what) {
        warn(host, kernel.layout.location_id, kernel.layout.source_position, each.place,
             "function '" + plain_name(each.callee) + "' has required " + what);
      };
      const std::string whose = "' that does not match its calling kernel '" + kernel.layout.display_name + "'";
      if (its.sub_group_size != 0 && its.sub_group_size != chosen) {
        complain("sub-group size '" + std::to_string(its.sub_group_size) + whose + ", which has '" +
                 std::to_string(chosen) + "'");
      }
      // The kernel's own function object is left out: the kernel's attributes come from this object, so the two always
      // agree.
      if (!its.group_size.empty() && !has_group_size(kernel.layout, its.group_size)) {
        complain("work-group size '" + text_of(its.group_size) + whose + "; only that of the kernel has an effect");
      }
    }
  }
  for (const llvm::Function* function : exports) {
    const auto found = m_functions.find(function->getName());
    if (found == m_functions.end() || found->second.group_size.empty()) continue;
    warn(host, 0, "", place_of_function(*function),
         "function '" + plain_name(found->first) +
             "' (SYCL_EXTERNAL) has a required work-group size, which only kernels can have; it has no effect");
  }
}

void aspect_analysis::write_metadata(llvm::Module& device) const {
  llvm::LLVMContext& context = device.getContext();
  llvm::Type* const number = llvm::Type::getInt32Ty(context);
  const auto add_bits = [&](llvm::SmallVectorImpl<llvm::Metadata*>& operands, abi::aspect_set bits) {
    abi::for_each_aspect(bits, [&](unsigned aspect) {
      operands.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(number, aspect)));
    });
  };
  abi::aspect_set unnamed;
  for (llvm::Function& function : device) {
    const auto found = m_functions.find(function.getName());
    if (found == m_functions.end() || function.isDeclaration()) continue;
    const auto attach = [&](const char* kind, abi::aspect_set bits) {
      llvm::SmallVector<llvm::Metadata*, 4> operands;
      add_bits(operands, bits);
      function.setMetadata(kind, llvm::MDNode::get(context, operands));
      unnamed |= bits;
    };
    if (found->second.used) attach("sycl_used_aspects", found->second.used);
    if (found->second.declares) attach("sycl_declared_aspects", found->second.declared);
    if (const std::uint32_t size = found->second.sub_group_size; size != 0) {
      auto* value = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(number, size));
      function.setMetadata("intel_reqd_sub_group_size", llvm::MDNode::get(context, {value}));
    }
  }
  const auto add_row = [&](const char* list, const std::string& name, abi::aspect_set bits) {
    llvm::SmallVector<llvm::Metadata*, 4> row{llvm::MDString::get(context, name)};
    add_bits(row, bits);
    device.getOrInsertNamedMetadata(list)->addOperand(llvm::MDNode::get(context, row));
  };
  for (const auto& [name, bits] : known_aspects().types) {
    add_row("sycl_types_that_use_aspects", name, bits);
    unnamed |= bits;
  }
  // The list has all aspects that the program's enumeration names, and all other aspects that the code uses.
  const auto add_name = [&](unsigned aspect, const std::string& name) {
    llvm::Metadata* row[] = {llvm::MDString::get(context, name),
                             llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(number, aspect))};
    device.getOrInsertNamedMetadata("sycl_aspects")->addOperand(llvm::MDNode::get(context, row));
    if (aspect < abi::aspect_limit) unnamed = unnamed & ~abi::aspect_bit(aspect);
  };
  for (const auto& [aspect, name] : known_aspects().names) add_name(aspect, name);
  if (known_aspects().names.empty()) {
    for (const abi::aspect_row& each : abi::aspect_table) add_name(each.number, each.name);
  }
  abi::for_each_aspect(unnamed, [&](unsigned aspect) { add_name(aspect, name_of(aspect)); });
}

}  // namespace sinter::capture
