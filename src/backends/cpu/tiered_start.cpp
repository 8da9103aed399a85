#include "tiered_start.hpp"

#include <base/background_work.hpp>
#include <base/environment.hpp>
#include <base/race_notes.hpp>
#include <cstdlib>
#include <images/kernel_view.hpp>
#include <images/loader.hpp>
#include <images/registry.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include <sycl/exception.hpp>

#include "multiply_add.hpp"

namespace sinter {
namespace {

bool gives_same_results(std::uint32_t flags) noexcept {
  if ((flags & abi::kernel_host_copy) == 0) return false;
  return adds_products_once() || (flags & abi::kernel_host_adds_products_once) == 0;
}

// Set at the end of the program. From then on, code that was requested is no longer compiled.
std::atomic<bool> no_more_code{false};

}  // namespace

bool may_start_on_host(const kernel_launch& launch) noexcept {
  const environment_values& values = environment();
  if (values.check_barriers || values.checks_accesses() || values.check_addresses) return false;
  if (launch.code || launch.constants || values.force_host_entry) return false;
  // A thread that closes a library holds the dynamic loader's lock while it waits until all code from the library is
  // compiled. The JIT needs the same lock, so compiling in the background could deadlock.
  if (libraries_may_close()) return false;
  const std::uint32_t flags = kernel_view(*launch.kernel).flags();
  if (!gives_same_results(flags)) return false;
  std::uint64_t units = 1;
  for (int d = 0; d < 3; ++d) units *= launch.global_range[d] / launch.local_range[d];
  // Compiled code can take over from host code only between two units of work. If there is only one unit and it has
  // loops, its host code might run for a long time.
  return units > 1 || (flags & abi::kernel_host_loops) == 0;
}

tiered_start& tiered_start::of(const kernel_launch& launch, const code_target& target) {
  using key = std::tuple<const abi::kernel_descriptor*, abi::id_width, abi::local_range>;
  struct known_starts {
    std::mutex mutex;
    std::map<key, std::unique_ptr<tiered_start>> of_key;
  };
  static auto* known = new (sinter::lasting) known_starts;
  const abi::local_range group = local_range_of(*launch.kernel, launch.local_range);
  const std::lock_guard lock(known->mutex);
  std::unique_ptr<tiered_start>& found = known->of_key[{launch.kernel, launch.ids(), group}];
  if (!found) found.reset(new tiered_start(target, group));
  return *found;
}

const code_variant* tiered_start::find_code(const kernel_launch& launch) {
  const code_variant* code = find_variant(*launch.kernel, m_target, launch.ids(), m_group, launch.block);
  if (code || m_looked.load(std::memory_order_relaxed)) return code;
  code = acquire_cached_code(*launch.kernel, m_target, launch.ids(), m_group, launch.block);
  m_looked = true;
  return code;
}

void tiered_start::note(const kernel_launch& launch, double nanoseconds) {
  const double before = m_nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
  if (before + nanoseconds >= worth_compiling && !m_asked.exchange(true)) ask(launch);
}

void tiered_start::ask(const kernel_launch& launch) {
  const auto* bytes = static_cast<const char*>(launch.block);
  auto block = std::make_shared<std::vector<char>>(bytes, bytes + launch.kernel->block_size);
  auto use = std::make_shared<image_use>(*launch.kernel);
  auto compile = [this, kernel = launch.kernel, ids = launch.ids(), block, use]() mutable {
    if (no_more_code) return;
    try {
      acquire_code(*kernel, m_target, ids, m_group, block->data(), nullptr);
    } catch (const sycl::exception&) {
      // The next launch throws this error again and reports it.
      m_failed = true;
    }
    use.reset();
  };
  // The first compilation runs on this thread, because in this compilation LLVM registers functions with exit()
  // (jitd/service/llvm_end.hpp). The function that waits for background work has to be registered after LLVM's
  // functions, so that exit() calls it before them.
  static std::once_flag first;
  bool is_first = false;
  std::call_once(first, [&] {
    compile();
    is_first = true;
  });
  if (is_first) return;
  run_in_background(std::move(compile));
  // This function is registered after the function that waits for background work, so exit() calls this function first.
  std::atexit([] { no_more_code = true; });
}

}  // namespace sinter
