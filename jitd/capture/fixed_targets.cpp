#include "fixed_targets.hpp"

#include <abi/image_format.hpp>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/Metadata.h"

namespace sinter::capture {
namespace {

template <class... Aspects>
constexpr std::uint64_t bits(Aspects... aspects) {
  return (abi::aspect_bit(static_cast<std::uint64_t>(aspects)) | ...);
}

// Numbers of sycl::aspect: fp16, fp64, online_compiler, online_linker, queue_profiling, usm_..._allocations, atomic64.
constexpr std::uint64_t of_all = bits(5, 6, 10, 11, 12, 13, 14, 15, 28);
constexpr device_target table[] = {
    {"x86_64", abi::kernel_for_x86_64, of_all | bits(1, 32, 40), 127},  // cpu, host_debuggable, emulated
    {"nvptx64", abi::kernel_for_nvptx64, of_all | bits(2), 32},         // gpu
};

}  // namespace

std::uint32_t parse_fixed_targets(llvm::StringRef names, std::string& error) {
  std::uint32_t flags = 0;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  names.split(parts, ',');
  for (llvm::StringRef part : parts) {
    const auto* found = llvm::find_if(table, [&](const device_target& each) { return each.name == part; });
    if (found == std::end(table)) {
      error = "there is no target '" + part.str() + "'; there are";
      for (const device_target& each : table) error += (&each == table ? " '" : ", '") + each.name.str() + "'";
      return 0;
    }
    flags |= found->flag;
  }
  return flags;
}

std::string names_of_targets(std::uint32_t flags) {
  std::string names;
  for (const device_target& each : table) {
    if ((flags & each.flag) != 0) names += (names.empty() ? "" : ",") + each.name.str();
  }
  return names;
}

std::uint32_t targets_without(std::uint64_t aspects, std::uint32_t flags) {
  std::uint32_t lacking = 0;
  for (const device_target& each : table) {
    if ((aspects & ~each.aspects) != 0) lacking |= flags & each.flag;
  }
  return lacking;
}

std::uint32_t targets_without_size(std::uint32_t sub_group_size, std::uint32_t flags) {
  std::uint32_t lacking = 0;
  for (const device_target& each : table) {
    const bool has = llvm::has_single_bit(sub_group_size) && (each.sub_group_sizes & sub_group_size) != 0;
    if (!has) lacking |= flags & each.flag;
  }
  return lacking;
}

std::uint32_t& fixed_targets() {
  static thread_local std::uint32_t flags = 0;
  return flags;
}

void write_fixed_targets(llvm::Function& function, std::uint32_t flags) {
  llvm::LLVMContext& context = function.getContext();
  llvm::SmallVector<llvm::Metadata*, 2> names;
  for (const device_target& each : table) {
    if ((flags & each.flag) != 0) names.push_back(llvm::MDString::get(context, each.name));
  }
  function.setMetadata("sycl_fixed_targets", llvm::MDNode::get(context, names));
}

}  // namespace sinter::capture
