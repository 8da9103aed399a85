#include "fixed_targets.hpp"

#include <abi/device_targets.hpp>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/MemoryBuffer.h"

namespace sinter::capture {
namespace {

/// Names of the targets that meet a condition, with commas between them.
template <class Condition>
std::string names_where(const target_list& targets, const Condition& condition) {
  std::string names;
  for (const device_configuration& each : targets) {
    if (condition(each)) names += (names.empty() ? "" : ",") + each.target;
  }
  return names;
}

const device_configuration* target_named(const target_list& targets, llvm::StringRef name) {
  const auto found = llvm::find_if(targets, [&](const device_configuration& each) { return name == each.target; });
  return found == targets.end() ? nullptr : &*found;
}

}  // namespace

target_list find_targets(llvm::StringRef path, std::string& error) {
  target_list targets = known_device_configurations();
  if (path.empty()) return targets;
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file) {
    error = "the file can't be read: " + file.getError().message();
    return targets;
  }
  const target_list own = read_device_configurations((*file)->getMemBufferRef());
  if (own.empty()) error = "the file describes no target, or is malformed";
  for (const device_configuration& each : own) {
    llvm::erase_if(targets, [&](const device_configuration& known) { return known.target == each.target; });
    targets.push_back(each);
  }
  return targets;
}

void choose_targets(llvm::StringRef names, const target_list& known, target_list& chosen, std::string& error) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  names.split(parts, ',');
  for (llvm::StringRef part : parts) {
    const device_configuration* found = target_named(known, part);
    // A target's name is written into a line of text, so it can't contain a line break.
    if (!found || part.contains('\n')) {
      error = "there is no target '" + part.str() + "'; there are";
      for (const device_configuration& each : known) error += (&each == &known[0] ? " '" : ", '") + each.target + "'";
      return;
    }
    if (!target_named(chosen, part)) chosen.push_back(*found);
  }
}

std::string targets_without(unsigned aspect, const target_list& targets) {
  return names_where(targets, [&](const device_configuration& each) {
    return llvm::none_of(each.aspects, [&](std::uint32_t its) {
      return abi::aspect_bit(its) == abi::aspect_bit(aspect) && aspect != abi::aspect_limit;
    });
  });
}

std::string targets_without_size(std::uint32_t sub_group_size, const target_list& targets) {
  return names_where(
      targets, [&](const device_configuration& each) { return !each.sub_group_sizes.contains(sub_group_size); });
}

std::string targets_without_group(const std::array<std::uint32_t, 3>& size, const target_list& targets) {
  return names_where(targets, [&](const device_configuration& each) {
    std::uint64_t items = 1;
    for (std::size_t i = 0; i < size.size(); ++i) {
      if (each.max_work_item_sizes[i] != 0 && size[i] > each.max_work_item_sizes[i]) return true;
      if (each.max_work_group_size == 0) continue;
      // No overflow: both factors are below 2^32.
      items *= size[i];
      if (items > each.max_work_group_size) return true;
    }
    return false;
  });
}

std::uint32_t flags_of(const target_list& targets) {
  std::uint32_t flags = 0;
  for (const device_configuration& each : targets) {
    const auto* known = llvm::find_if(abi::known_targets,
                                      [&](const abi::known_target& row) { return each.target == row.name; });
    if (known == std::end(abi::known_targets)) return 0;
    flags |= known->flag;
  }
  return flags;
}

target_list& fixed_targets() {
  static thread_local target_list targets;
  return targets;
}

void write_fixed_targets(llvm::Function& function, const target_list& targets) {
  llvm::LLVMContext& context = function.getContext();
  llvm::SmallVector<llvm::Metadata*, 2> names;
  for (const device_configuration& each : targets) names.push_back(llvm::MDString::get(context, each.target));
  function.setMetadata("sycl_fixed_targets", llvm::MDNode::get(context, names));
}

}  // namespace sinter::capture
