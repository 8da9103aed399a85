#pragma once
/// Finds or makes the code of a kernel: in memory, in the cache, by the JIT.

#include <abi/launch_abi.hpp>
#include <backends/backend.hpp>
#include <string>

namespace sinter {

/// Code for one kernel with one width of ids.
struct kernel_tier {
  abi::cpu_entry entry = nullptr;  ///< null: run the host entry
  std::uint64_t context_bytes_per_item = 0;
  std::uint64_t scratch_bytes_per_item = 0;
  launch_tier kind = launch_tier::host_entry;
  void* library = nullptr;             ///< dlopen handle of a cached kernel
  abi::jit_object* object = nullptr;   ///< owner of JIT code
};

/// The code to launch the kernel with. Compiles at most once, whoever asks. The caller holds an image_use. A kernel that can't
/// be compiled gets its host entry with one warning, or errc::build under SINTER_STRICT.
const kernel_tier& acquire_tier(abi::kernel_descriptor& kernel, bool narrow_ids);

/// The image goes: frees the kernel's code. Nothing runs it any more.
void forget_tiers(abi::kernel_descriptor& kernel) noexcept;

/// What the JIT says of itself; opens it. Empty members and a reason when it can't be opened.
struct jit_facts {
  std::string path, llvm_version, llvm_path, cpu_name, error;
};
jit_facts query_jit();

} // namespace sinter
