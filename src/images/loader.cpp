#include "loader.hpp"

#include <cpuid.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/stat.h>

#include <abi/chosen_cpu.hpp>
#include <abi/device_abi.hpp>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <base/environment.hpp>
#include <base/large_stack.hpp>
#include <base/program_end.hpp>
#include <thread>
#include <vector>

#include <sycl/exception.hpp>

#include "cache.hpp"
#include "kernel_name.hpp"
#include "registry.hpp"
#include "specialized_tiers.hpp"

namespace sinter {
namespace {

// ---------------------------------------------------------------------------------------------------- the JIT

/// Where libsinter-jit.so is: beside this library, or in the build tree.
const std::string& jit_path() {
  static const auto* path = [] {
    Dl_info self;
    std::string folder = ".";
    if (dladdr(reinterpret_cast<const void*>(&acquire_tier), &self) && self.dli_fname) {
      folder = self.dli_fname;
      const std::size_t slash = folder.rfind('/');
      folder = slash == std::string::npos ? "." : folder.substr(0, slash);
    }
    auto* found = new std::string(folder + "/libsinter-jit.so");
    struct stat facts;
    if (stat(found->c_str(), &facts) != 0 && stat((folder + "/../jitd/libsinter-jit.so").c_str(), &facts) == 0) {
      *found = folder + "/../jitd/libsinter-jit.so";
    }
    return found;
  }();
  return *path;
}


struct jit_library {
  const abi::jit_api* api = nullptr;
  std::string error;
};

const jit_library& jit() {
  static const auto* library = [] {
    auto* result = new jit_library;
    void* handle = dlopen(jit_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char* reason = dlerror();
      result->error = "the compiler can't be opened: " + std::string(reason ? reason : jit_path());
      return result;
    }
    auto open = reinterpret_cast<abi::jit_open_function>(dlsym(handle, abi::jit_open_symbol));
    result->api = open ? open(abi::contract_version) : nullptr;
    if (!result->api) result->error = jit_path() + " belongs to another version of Sinter; reinstall both libraries";
    return result;
  }();
  return *library;
}

// ---------------------------------------------------------------------------------------------------- counters

struct summary {
  std::atomic<unsigned> compiled{0}, hits{0}, failures{0};
  std::atomic<std::uint64_t> microseconds{0};
};

void print_summary();

summary& counts() {
  static auto* instance = [] {
    if (environment().report_summary) std::atexit(print_summary);
    return new summary;
  }();
  return *instance;
}

void print_summary() {
  const kernel_cache& cache = kernel_cache::instance();
  std::fprintf(stderr, "sinter: %u kernels compiled in %.1f ms, %u loaded from the cache, %u not compiled; cache: %s\n",
               counts().compiled.load(), static_cast<double>(counts().microseconds.load()) / 1000.0,
               counts().hits.load(), counts().failures.load(),
               cache.enabled() ? cache.directory().c_str() : ("off (" + cache.disabled_because() + ")").c_str());
}

// ---------------------------------------------------------------------------------------------------- cache writer

/// Writes cache files behind the program's back; the end of the program waits for it. Never destroyed.
class background_writer {
public:
  static background_writer& instance() {
    static auto* writer = new background_writer;
    return *writer;
  }

  void add(std::function<void()> job) {
    std::lock_guard lock(m_mutex);
    m_jobs.push_back(std::move(job));
    drain_first_at_exit();
    if (!m_started) {
      m_started = true;
      serve_background_work([] { instance().drain(); });
      std::thread([this] { run(); }).detach();
    }
    m_changed.notify_all();
  }

  void drain() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_jobs.empty() && !m_busy; });
  }

  /// LLVM makes static objects while it works, and the program destroys the latest first: the wait has to be registered
  /// after them, each time anew.
  static void drain_first_at_exit() {
    std::atexit(drain_commands);
  }

private:
  void run() {
    // A file that may not become so large is an error like a full disk, and not the end of the program.
    sigset_t too_large;
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &too_large, nullptr);
    std::unique_lock lock(m_mutex);
    for (;;) {
      m_changed.wait(lock, [&] { return !m_jobs.empty(); });
      std::function<void()> job = std::move(m_jobs.front());
      m_jobs.pop_front();
      m_busy = true;
      lock.unlock();
      // Threads have what `ulimit -s` says.
      on_large_stack(job);
      lock.lock();
      drain_first_at_exit();
      m_busy = false;
      m_changed.notify_all();
    }
  }

  std::mutex m_mutex;  // protects all below
  std::condition_variable m_changed;
  std::deque<std::function<void()>> m_jobs;
  bool m_busy = false;
  bool m_started = false;
};

// ---------------------------------------------------------------------------------------------------- keys

/// What decides which instructions the JIT chooses, without asking LLVM.
const std::string& cpu_identity() {
  static const auto* identity = [] {
    auto* text = new std::string;
    auto add = [&](unsigned leaf, unsigned subleaf, bool skip_b) {
      unsigned a = 0, b = 0, c = 0, d = 0;
      __get_cpuid_count(leaf, subleaf, &a, &b, &c, &d);
      char line[48];
      // EBX of leaf 1 holds the number of the core that happens to ask.
      std::snprintf(line, sizeof(line), "%x.%x.%x.%x,", a, skip_b ? 0 : b, c, d);
      *text += line;
    };
    add(1, 0, true);
    add(7, 0, false);
    add(7, 1, false);
    add(0x80000001u, 0, true);
    add(0x80000002u, 0, false);
    add(0x80000003u, 0, false);
    add(0x80000004u, 0, false);
    unsigned low = 0, high = 0;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE)) {
      __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    }
    *text += std::to_string(low);
    if (const char* chosen = abi::chosen_cpu()) *text += std::string(" as ") + chosen;
    return text;
  }();
  return *identity;
}

/// The images whose functions become part of the kernel's code.
std::string key_of_links(const abi::kernel_descriptor& kernel) {
  std::string text;
  for (const abi::image_header* image : links_of(kernel).externals) {
    text += "external " + std::to_string(image->hash_high) + "." + std::to_string(image->hash_low) + "\n";
  }
  return text;
}

/// What all code depends on.
const std::string& common_key() {
  static const auto* key = new std::string("contract " + std::to_string(abi::contract_version) + "\njit " +
                                           file_stamp(jit_path()) + "\ncpu " + cpu_identity() + "\n");
  return *key;
}

std::string make_key(const abi::kernel_descriptor& kernel, std::uint32_t flags, const std::string& constants) {
  const abi::image_header& image = image_of(kernel)->header();
  return common_key() + "image " + std::to_string(image.hash_high) + "." + std::to_string(image.hash_low) + "\n" +
         key_of_links(kernel) + "kernel " + std::to_string(kernel.index) + "\nflags " + std::to_string(flags) +
         "\nconstants " + constants + "\n";
}

// Fused code for different numbers lies side by side. More than this replace each other.
constexpr unsigned fusion_slots = 4;

std::string fusion_key(const fusion_job& job, unsigned slot) {
  return common_key() + "fusion " + std::to_string(slot) + "\n" + key_of_links(*job.members.front()) + job.key;
}

// ---------------------------------------------------------------------------------------------------- tiers

abi::runtime_functions runtime_table = {__sinter_trap, __sinter_assert_fail, {}};

/// Connects code with this process. False when it is already connected to other addresses.
bool bind(const abi::kernel_info& info, const abi::kernel_descriptor& kernel, kernel_tier& tier) {
  if (info.contract != abi::contract_version) return false;
  if (info.imports) {
    const void* const* const imports = links_of(kernel).imports.data();
    if (*info.imports && *info.imports != imports) return false;
    *info.imports = imports;
  }
  if (info.runtime) *info.runtime = &runtime_table;
  tier.entry = info.entry;
  tier.bounded = (info.flags & abi::code_is_bounded) != 0;
  tier.needs_stack = (info.flags & abi::code_needs_stack) != 0;
  tier.context_bytes_per_item = info.context_bytes_per_item;
  tier.scratch_bytes_per_item = info.scratch_bytes_per_item;
  tier.private_bytes = info.private_bytes;
  return true;
}

/// Opens a file of the cache.
bool open_cached(const abi::kernel_descriptor& kernel, const std::string& path, kernel_tier& tier) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    kernel_cache::instance().reject(path, reason ? reason : "dlopen failed");
    return false;
  }
  const auto* info = static_cast<const abi::kernel_info*>(dlsym(library, abi::kernel_info_symbol));
  if (!info || !bind(*info, kernel, tier)) {
    dlclose(library);
    return false;
  }
  tier.library = library;
  tier.origin = code_origin::cache;
  counts().hits.fetch_add(1);
  return true;
}

bool load_cached(const abi::kernel_descriptor& kernel, const std::string& key, kernel_tier& tier) {
  const std::string path = kernel_cache::instance().find(key);
  return !path.empty() && open_cached(kernel, path, tier);
}

/// For refusals: there is nothing to link.
std::string make_empty_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wxe");
  return file && std::fclose(file) == 0 ? std::string() : "it can't be written";
}

/// Keeps an object in the cache; without an object, only the facts.
void store(const abi::jit_api* api, const abi::jit_object* object, const std::string& key, const std::string& facts) {
  kernel_cache::instance().store(key, file_stamp(api->llvm_path), facts, [&](const std::string& path) {
    char error[512] = "";
    if (!object) return make_empty_file(path);
    return api->link(object, path.c_str(), error, sizeof(error)) ? std::string() : std::string(error);
  });
}

void report_lanes(const std::string& what, const abi::jit_result& result) {
  if (environment().report_vectorize) std::fprintf(stderr, "sinter: vectorize: %s\n%s", what.c_str(), result.lanes);
}

/// Empty on success, else a sentence.
std::string compile(const abi::kernel_descriptor& kernel, std::uint32_t flags,
                    const abi::specialization_table* constants, const std::string& key, kernel_tier& tier) {
  const jit_library& library = jit();
  if (!library.api) return library.error;
  const std::vector<const abi::image_header*>& externals = links_of(kernel).externals;
  abi::jit_request request{abi::contract_version, flags, kernel.image->image, kernel.index,
                           static_cast<std::uint32_t>(externals.size()), constants, externals.data()};
  abi::jit_result result{};
  if (!library.api->compile(&request, &result)) return result.error;
  counts().compiled.fetch_add(1);
  counts().microseconds.fetch_add(static_cast<std::uint64_t>(result.milliseconds * 1000.0));
  const abi::local_range groups = abi::known_local_range(constants);
  std::string of_groups;
  for (unsigned d = 3 - kernel.dimensions; groups[2] != 0 && d < 3; ++d) {
    of_groups += (of_groups.empty() ? ", groups of " : " x ") + std::to_string(groups[d]);
  }
  report_lanes("kernel '" + kernel_display_name(kernel) + "'" + of_groups, result);
  tier.object = result.object;
  tier.origin = code_origin::jit;
  if (!bind(*result.info, kernel, tier)) return "the compiled code is of another version";
  if (kernel_cache::instance().enabled()) {
    background_writer::instance().add([api = library.api, object = result.object, key] { store(api, object, key, {}); });
  }
  return {};
}

/// As tier_maker.
kernel_tier* make_tier(const abi::kernel_descriptor& kernel, bool narrow_ids,
                       const abi::specialization_table* constants, const std::string& description) {
  auto tier = std::make_unique<kernel_tier>();
  std::uint32_t flags = narrow_ids ? abi::jit_narrow_ids : 0;
  if (environment().check_barriers) flags |= abi::jit_check_barriers;
  if (environment().checks_accesses()) flags |= abi::jit_check_accesses;
  flags |= environment().lanes << abi::jit_lanes_shift | usual_sub_group_size() << abi::jit_sub_group_shift |
           environment().block << abi::jit_block_shift;
  const std::string key = make_key(kernel, flags, description);
  // Only who compiles can tell.
  if (!environment().report_vectorize && load_cached(kernel, key, *tier)) return tier.release();
  std::string error;
  on_large_stack([&] { error = compile(kernel, flags, constants, key, *tier); });
  if (error.empty()) return tier.release();
  counts().failures.fetch_add(1);
  const std::string text = "kernel '" + kernel_display_name(kernel) + "' could not be compiled for the CPU device: " + error;
  if (environment().strict) throw sycl::exception(sycl::make_error_code(sycl::errc::build), text);
  if (environment().warning_level > 0) {
    std::fprintf(stderr, "sinter: %s. It runs as host code, which is slower; SINTER_STRICT=1 makes this an error\n",
                 text.c_str());
  }
  *tier = kernel_tier();
  return tier.release();
}

// Set when the program ends: images of the program unregister after LLVM's static objects are gone, and memory goes anyway.
std::atomic<bool> program_ends{false};

/// Kernels that are being made lock one of these, so that each is made once and different ones rarely wait.
std::mutex& making(const void* slot) {
  static auto* locks = new std::mutex[64];
  return locks[(reinterpret_cast<std::uintptr_t>(slot) / sizeof(void*)) % 64];
}

} // namespace

void count_refused(const abi::kernel_descriptor& kernel) {
  static std::mutex mutex;
  static auto* known = new std::set<const abi::kernel_descriptor*>;
  std::lock_guard lock(mutex);
  if (known->insert(&kernel).second) counts().failures.fetch_add(1);
}

const kernel_tier& acquire_tier(abi::kernel_descriptor& kernel, bool narrow_ids, const abi::local_range& local_range,
                                const void* block, const abi::specialization_table* constants) {
  if (!constants) {
    if (const kernel_tier* known = known_tier(kernel, narrow_ids, local_range, block)) return *known;
  }
  static const int registered = std::atexit([] { program_ends = true; });
  (void)registered;
  group_layout layout(local_range, block, image_view(kernel.image->image).leaves(kernel.index));
  if (constants) {
    const auto make = [&](const auto* folded, const std::string& description) {
      return make_tier(kernel, narrow_ids, folded, description);
    };
    return acquire_specialized(kernel, narrow_ids, layout, *constants, make);
  }
  void** slot = &kernel.tiers[narrow_ids ? 0 : 1];
  std::lock_guard lock(making(slot));
  if (const kernel_tier* known = known_tier(kernel, narrow_ids, local_range, block)) return *known;
  auto* first = static_cast<kernel_tier*>(__atomic_load_n(slot, __ATOMIC_ACQUIRE));
  std::size_t others = 0;
  for (const kernel_tier* tier = first; tier; tier = tier->next) ++others;
  if (others >= most_group_layouts) layout = {};
  // What is not set has its default, which is known.
  const std::vector entries = layout.describe();
  const abi::specialization_table known_values{static_cast<std::uint32_t>(entries.size()), entries.data()};
  kernel_tier* made = make_tier(kernel, narrow_ids, &known_values, describe(known_values));
  // What runs as host code does so in groups of any kind.
  if (made->entry) made->layout = std::move(layout);
  made->next = first;
  __atomic_store_n(slot, made, __ATOMIC_RELEASE);
  return *made;
}

namespace {

void describe_tier(const fusion_job& job, kernel_tier& tier) {
  for (const abi::kernel_descriptor* member : job.members) {
    tier.grouped |= member->shape == abi::kernel_shape::nd_range;
    tier.name += (tier.name.empty() ? "fused " : " + ") + kernel_display_name(*member);
  }
}

/// A free slot, else one that the numbers choose. Asked where files are written, one after the other.
std::string choose_key(std::span<const std::string> keys, const std::string& numbers) {
  for (const std::string& key : keys) {
    if (!kernel_cache::instance().has_file(key)) return key;
  }
  return keys[std::hash<std::string>()(numbers) % keys.size()];
}

void store_fusion(const fusion_job& job, const fused_code& code) {
  if (!kernel_cache::instance().enabled()) return;
  std::vector<std::string> keys;
  for (unsigned slot = 0; slot < fusion_slots; ++slot) keys.push_back(fusion_key(job, slot));
  background_writer::instance().add([api = jit().api, object = code.tier.object, keys, facts = code.facts] {
    store(api, object, choose_key(keys, facts.numbers), write_fusion_facts(facts));
  });
}

} // namespace

std::unique_ptr<fused_code> load_fusion(const fusion_job& job) {
  for (unsigned slot = 0; slot < fusion_slots; ++slot) {
    std::string bytes;
    const std::string path = kernel_cache::instance().find(fusion_key(job, slot), &bytes);
    if (path.empty()) continue;  // evicted; others may be there
    auto code = std::make_unique<fused_code>();
    if (!read_fusion_facts(bytes, job.members.size(), code->facts)) {
      kernel_cache::instance().reject(path, "its facts are wrong");
      return nullptr;
    }
    if (job.numbers(code->facts) != code->facts.numbers) continue;
    if (!code->facts.refused.empty()) return code;
    if (!open_cached(*job.members.front(), path, code->tier)) return nullptr;
    code->origin = "  loaded      from the cache\n";
    describe_tier(job, code->tier);
    return code;
  }
  return nullptr;
}

std::unique_ptr<fused_code> compile_fusion(const fusion_job& job, abi::fusion_request request,
                                           std::span<const abi::fusion_dependence> may_depend_on) {
  const std::vector<const abi::image_header*>& externals = links_of(*job.members.front()).externals;
  request.external_count = static_cast<std::uint32_t>(externals.size());
  request.externals = externals.data();
  auto code = std::make_unique<fused_code>();
  fusion_facts& facts = code->facts;
  auto refuse = [&](const std::string& why) {
    facts = {};
    facts.refused = why;
    facts.depends_on.assign(may_depend_on.begin(), may_depend_on.end());
    facts.numbers = job.numbers(facts);
    return std::move(code);
  };
  if (environment().checks_accesses()) return refuse("SINTER_CHECK looks at kernels one by one");
  const abi::jit_api* api = nullptr;
  abi::jit_result result{};
  abi::fusion_result fusion{};
  bool fused = false;
  on_large_stack([&] {
    api = jit().api;
    fused = api && api->fuse(&request, &result, &fusion);
  });
  if (!api) return refuse(jit().error);
  background_writer::drain_first_at_exit();
  if (!fused) {
    auto refused = refuse(result.error);
    store_fusion(job, *refused);
    return refused;
  }
  report_lanes("fused kernel", result);
  counts().compiled.fetch_add(1);
  counts().microseconds.fetch_add(static_cast<std::uint64_t>(result.milliseconds * 1000.0));
  code->tier.object = result.object;
  code->tier.origin = code_origin::jit;
  if (!bind(*result.info, *job.members.front(), code->tier)) return refuse("the compiled code is of another version");
  facts.report = fusion.report;
  facts.trusted = fusion.trusted;
  facts.depends_on.assign(fusion.depends_on, fusion.depends_on + fusion.dependence_count);
  facts.take_numbers_of(fusion);
  const abi::fusion_member& launched = request.members[facts.range_member];
  const std::uint64_t(&range)[3] = launched.element_dimensions != 0 ? launched.element_range : launched.global_range;
  facts.work_items = range[0] * range[1] * range[2];
  facts.numbers = job.numbers(facts);
  store_fusion(job, *code);
  char line[64];
  std::snprintf(line, sizeof(line), "  compiled    in %.1f ms\n", result.milliseconds);
  code->origin = line;
  describe_tier(job, code->tier);
  return code;
}

void serve_access_checks(const abi::access_check_functions& functions) noexcept { runtime_table.checks = functions; }

void run_in_background(std::function<void()> job) { background_writer::instance().add(std::move(job)); }

void forget_tiers(abi::kernel_descriptor& kernel) noexcept {
  if (program_ends) return;
  auto tiers = take_specialized(kernel);
  for (void*& slot : kernel.tiers) {
    auto* first = static_cast<kernel_tier*>(__atomic_exchange_n(&slot, nullptr, __ATOMIC_ACQ_REL));
    for (kernel_tier* tier = first; tier; tier = tier->next) tiers.emplace_back(tier);
  }
  for (const auto& tier : tiers) {
    if (!tier) continue;
    // Behind its way into the cache, and without waiting: dlclose holds the loader's lock here, which that way may need.
    if (tier->object) {
      background_writer::instance().add([api = jit().api, object = tier->object] { api->release(object); });
    }
    if (tier->library) dlclose(tier->library);
  }
}

jit_facts query_jit() {
  jit_facts facts{jit_path(), {}, {}, {}, jit().error};
  if (const abi::jit_api* api = jit().api) {
    facts.llvm_version = api->llvm_version;
    facts.llvm_path = api->llvm_path;
    facts.cpu_name = api->cpu_name;
  }
  return facts;
}

} // namespace sinter
