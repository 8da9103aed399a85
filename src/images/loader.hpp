#pragma once
/// Finds or makes the code of a kernel: in memory, in the cache, by the JIT.

#include <abi/launch_abi.hpp>
#include <atomic>
#include <abi/local_range.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "code_origin.hpp"
#include "fusion_facts.hpp"
#include "group_layout.hpp"

namespace sinter {

/// Code for one kernel with one width of ids and, work-groups, one local range.
struct kernel_tier {
  abi::cpu_entry entry = nullptr;  ///< null: run the host entry
  std::uint64_t context_bytes_per_item = 0;
  std::uint64_t scratch_bytes_per_item = 0;
  std::uint64_t private_bytes = 0;
  code_origin origin = code_origin::host_entry;
  bool bounded = false;                ///< work-items end by themselves, soon
  bool needs_stack = false;            ///< more than small threads have
  bool grouped = false;                ///< fused code: whether it counts work-groups
  std::string name;                    ///< fused code: for reports
  void* library = nullptr;             ///< dlopen handle of a cached kernel
  abi::jit_object* object = nullptr;   ///< owner of JIT code
  group_layout layout{};               ///< that launches need to have
  kernel_tier* next = nullptr;         ///< code of the same kernel for other layouts of groups
};

/// Of an nd_range kernel's launches. Others have none to be made for, and groups of one gain nothing.
inline abi::local_range local_range_of(const abi::kernel_descriptor& kernel, const std::uint64_t* launched) noexcept {
  if (kernel.shape != abi::kernel_shape::nd_range || launched[0] * launched[1] * launched[2] == 1) return {};
  return {launched[0], launched[1], launched[2]};
}

/// The code to launch the kernel with, which sees these specialization constants (null: none are set). Compiles at most
/// once, whoever asks: for the first layout of groups, and for all others together. The caller holds an image_use. A kernel
/// that can't be compiled gets its host entry with one warning, or errc::build under SINTER_STRICT.
const kernel_tier& acquire_tier(abi::kernel_descriptor& kernel, bool narrow_ids, const abi::local_range& local_range,
                                const void* block, const abi::specialization_table* constants);

/// A kernel that capture has refused counts as not compiled, once.
void count_refused(const abi::kernel_descriptor& kernel);

/// As above without constants, when the code is there already, else null.
inline const kernel_tier* known_tier(const abi::kernel_descriptor& kernel, bool narrow_ids,
                                     const abi::local_range& local_range, const void* block) noexcept {
  const kernel_tier* any = nullptr;
  const void* first = __atomic_load_n(&kernel.tiers[narrow_ids ? 0 : 1], __ATOMIC_ACQUIRE);
  for (const auto* tier = static_cast<const kernel_tier*>(first); tier; tier = tier->next) {
    if (tier->layout.is_any()) {
      any = tier;
    } else if (tier->layout.fits(local_range, block)) {
      return tier;
    }
  }
  return any;
}

/// What became of a request to fuse; facts.refused says why there is no code.
struct fused_code {
  kernel_tier tier;
  fusion_facts facts;
  std::string origin;  ///< report line: how long it took to compile, or that it was there
  mutable std::atomic<bool> reported{false};
};
struct fusion_job {
  std::span<abi::kernel_descriptor* const> members;
  std::string key;  ///< equal for requests that may run the same code, in this process and in others
  /// The numbers of the request that code with these facts depends on; they are compared.
  std::function<std::string(const fusion_facts&)> numbers;
};
/// Code for these numbers, or a refusal, from the persistent cache; null when there is none.
std::unique_ptr<fused_code> load_fusion(const fusion_job& job);
/// Compiles members as one kernel and keeps what comes of it. `may_depend_on`: what a refusal may rest on.
std::unique_ptr<fused_code> compile_fusion(const fusion_job& job, abi::fusion_request request,
                                           std::span<const abi::fusion_dependence> may_depend_on);
/// What checked kernels call; before the first of them is made.
void serve_access_checks(const abi::access_check_functions& functions) noexcept;
/// Runs the job on the thread that fills the cache; the end of the program waits for it.
void run_in_background(std::function<void()> job);

/// The image goes: frees the kernel's code. Nothing runs it any more.
void forget_tiers(abi::kernel_descriptor& kernel) noexcept;

/// What the JIT says of itself; opens it. Empty members and a reason when it can't be opened.
struct jit_facts {
  std::string path, llvm_version, llvm_path, cpu_name, error;
};
jit_facts query_jit();

} // namespace sinter
