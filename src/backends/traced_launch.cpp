#include "traced_launch.hpp"

#include <array>
#include <base/per_thread.hpp>
#include <base/trace.hpp>
#include <images/kernel_name.hpp>
#include <images/registry.hpp>

namespace sinter {
namespace {

/// Each thread has such a cache of the names of kernels. All entries become invalid when an image is registered or
/// unregistered.
struct known_names {
  struct entry {
    const abi::kernel_descriptor* kernel = nullptr;
    std::uint64_t changes = 0;
    const char* name = "";
  };
  std::array<entry, 64> entries;
};

}  // namespace

const char* traced_name(const abi::kernel_descriptor& kernel) {
  auto& entries = per_thread<known_names>().entries;
  auto& known = entries[reinterpret_cast<std::uintptr_t>(&kernel) / sizeof(kernel) % entries.size()];
  const std::uint64_t changes = registry_changes();
  if (known.kernel != &kernel || known.changes != changes) {
    known = {&kernel, changes, lasting_text(kernel_display_name(kernel))};
  }
  return known.name;
}

std::uint64_t traced_bytes(const memory_work& work) noexcept {
  switch (work.what) {
    case memory_work::kind::none:
      return 0;
    case memory_work::kind::copy:
      return work.copy.bytes();
    case memory_work::kind::fill:
      return work.fill.pattern_bytes * work.fill.count;
    case memory_work::kind::texels:
      return work.texels.bytes();
    case memory_work::kind::hint:
      return work.hint.bytes;
  }
  return 0;
}

}  // namespace sinter
