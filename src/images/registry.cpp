#include "registry.hpp"

#include <base/race_notes.hpp>
#include <algorithm>
#include <atomic>
#include <base/program_end.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "closed_libraries.hpp"
#include "device_globals.hpp"
#include "jump_targets.hpp"
#include "loader.hpp"

namespace sinter {
namespace {

/// The runtime's data about an image, to which image_record::runtime points.
struct registered_image {
  image_view view;
  std::vector<const void*> behind_jumps;  ///< the record's imports, with targets in place of jumps (jump_targets.hpp)
  bool may_close = false;
  std::atomic<std::uint64_t> uses{0};
  /// The links of the image. The last element is the current one; code may still be bound to earlier elements.
  std::vector<std::unique_ptr<const image_links>> links{};
  std::uint64_t links_generation = 0;  ///< the value of registry::generation when the last element of `links` was made
  using functions = std::shared_ptr<const std::vector<called_function>>;
  std::map<std::uint32_t, functions> demanding{};  ///< for each kernel: the functions with requirements that it calls
  std::uint64_t demanding_generation = 0;
  /// For each kernel: the last registry::generation in which the kernel called no function that has requirements.
  /// Launches read this number without the lock.
  std::unique_ptr<std::atomic<std::uint64_t>[]> undemanding{};
};

constinit std::atomic<std::uint64_t> image_changes{0};

// The registry's members are initialised at compile time, so that constructors of images may run in any order. They are
// never destroyed.
struct registry {
  constinit static inline abi::image_record* first = nullptr;
  constinit static inline std::size_t refused = 0;
  constinit static inline std::atomic<std::uint64_t> generation{1};  ///< counts changes of the exports of images
  /// Returns the mutex that protects the members of the registry and the links of images.
  static std::mutex& mutex() {
    static auto* instance = new (sinter::lasting) std::mutex;
    return *instance;
  }
};

registered_image* registered(const abi::kernel_descriptor& kernel) noexcept {
  return kernel.image ? static_cast<registered_image*>(kernel.image->runtime) : nullptr;
}

/// Several libraries may export functions of the same name. So a function is identified by its name and its address on
/// the host.
struct exported_function {
  const abi::image_record* record;
  const abi::image_export* row;
};
using export_map = std::map<std::pair<const void*, std::string_view>, exported_function>;

export_map all_exports() {
  export_map exports;
  for (const abi::image_record* record = registry::first; record; record = record->next) {
    const image_view view(record->image);
    for (std::uint32_t i = 0; i < record->image->export_count; ++i) {
      const abi::image_export& row = view.exported(i);
      exports.try_emplace({record->export_addresses[i], view.string(row.symbol)}, exported_function{record, &row});
    }
  }
  return exports;
}

/// Returns the exported function to which the import refers, or null if no image exports it.
const exported_function* find_import(const export_map& exports, const abi::image_record& record, std::uint32_t index) {
  const image_view view(record.image);
  const std::string_view symbol = view.string(view.imported(index).symbol);
  auto found = exports.find({record.import_addresses[index], symbol});
  if (found == exports.end()) {
    found = exports.find({static_cast<const registered_image*>(record.runtime)->behind_jumps[index], symbol});
  }
  return found == exports.end() ? nullptr : &found->second;
}

std::vector<called_function> find_demanding(const abi::kernel_descriptor& kernel) {
  const export_map exports = all_exports();
  std::vector<const exported_function*> reached;
  const auto add = [&](const abi::image_record& record, std::span<const abi::image_call> calls) {
    for (const abi::image_call& each : calls) {
      const exported_function* found = find_import(exports, record, each.import);
      if (found && std::find(reached.begin(), reached.end(), found) == reached.end()) reached.push_back(found);
    }
  };
  const image_view image(kernel.image->image);
  add(*kernel.image, image.calls(image.kernel(kernel.index)));
  std::vector<called_function> result;
  for (std::size_t at = 0; at < reached.size(); ++at) {
    const exported_function& function = *reached[at];
    const abi::image_export& row = *function.row;
    const image_view view(function.record->image);
    if (row.required_aspects || row.required_sub_group_size != 0 || row.flags != 0) {
      result.push_back({view.string(row.symbol), row.flags, row.required_aspects, row.required_sub_group_size});
    }
    add(*function.record, view.calls(row));
  }
  return result;
}

image_links find_links(const abi::image_record& image) {
  image_links result;
  const export_map exports = all_exports();
  std::vector<const abi::image_record*> work{&image};
  for (std::size_t at = 0; at < work.size(); ++at) {
    const abi::image_record& record = *work[at];
    const std::uint32_t count = record.image->import_count;
    if (count != 0)
      result.imports.insert(result.imports.end(), record.import_addresses, record.import_addresses + count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const exported_function* found = find_import(exports, record, i);
      if (!found) continue;
      const auto& known = result.externals;
      if (std::find(known.begin(), known.end(), found->record->image) != known.end()) continue;
      result.externals.push_back(found->record->image);
      work.push_back(found->record);
    }
  }
  return result;
}

template <class Visitor>
void visit_device_globals(const abi::image_record& record, const Visitor& visit) noexcept {
  const image_view view(record.image);
  for (std::uint32_t i = 0; i < record.image->import_count; ++i) {
    const std::uint64_t bytes = view.imported(i).device_global_bytes;
    if (bytes != 0) visit(record.import_addresses[i], bytes);
  }
}

std::string check_record(const abi::image_record& record) {
  if (record.version != abi::image_format_version) return "its record has another version; recompile the program";
  if (std::string error = validate_image(record.image, record.image_size); !error.empty()) return error;
  for (std::uint32_t i = 0; i < record.descriptor_count; ++i) {
    const abi::kernel_descriptor& kernel = *record.descriptors[i];
    if (kernel.index >= record.image->kernel_count) return "a kernel's index lies outside of it";
    const abi::image_kernel& row = image_view(record.image).kernel(kernel.index);
    if (row.block_size != kernel.block_size || row.shape != kernel.shape)
      return "it does not fit the program's kernels";
  }
  return {};
}

} // namespace

const image_view* image_of(const abi::kernel_descriptor& kernel) noexcept {
  const registered_image* image = registered(kernel);
  return image ? &image->view : nullptr;
}

const image_links& links_of(const abi::kernel_descriptor& kernel) {
  registered_image& image = *registered(kernel);
  std::lock_guard lock(registry::mutex());
  if (image.links_generation != registry::generation) {
    image_links found = find_links(*kernel.image);
    const bool same = !image.links.empty() && image.links.back()->externals == found.externals &&
                      image.links.back()->imports == found.imports;
    if (!same) image.links.push_back(std::make_unique<const image_links>(std::move(found)));
    image.links_generation = registry::generation;
  }
  return *image.links.back();
}

std::shared_ptr<const std::vector<called_function>> demanding_functions(const abi::kernel_descriptor& kernel) {
  registered_image& image = *registered(kernel);
  std::atomic<std::uint64_t>& undemanding = image.undemanding[kernel.index];
  if (undemanding.load(std::memory_order_relaxed) == registry::generation.load(std::memory_order_relaxed)) return {};
  std::lock_guard lock(registry::mutex());
  if (image.demanding_generation != registry::generation) {
    image.demanding.clear();
    image.demanding_generation = registry::generation;
  }
  registered_image::functions& known = image.demanding[kernel.index];
  if (!known) known = std::make_shared<const std::vector<called_function>>(find_demanding(kernel));
  if (known->empty()) undemanding.store(registry::generation, std::memory_order_relaxed);
  return known;
}

void hold_image(const abi::kernel_descriptor& kernel) noexcept {
  if (registered_image* image = registered(kernel)) image->uses.fetch_add(1, std::memory_order_acquire);
}

void let_image_go(const abi::kernel_descriptor& kernel) noexcept {
  if (registered_image* image = registered(kernel)) image->uses.fetch_sub(1, std::memory_order_release);
}

std::uint64_t image_holders(const abi::kernel_descriptor& kernel) noexcept {
  const registered_image* image = registered(kernel);
  return image ? image->uses.load(std::memory_order_acquire) : 0;
}

bool libraries_may_close() noexcept { return closable_libraries.load(std::memory_order_relaxed) != 0; }

image_use::image_use(const abi::kernel_descriptor& kernel) noexcept : m_kernel(kernel) { hold_image(kernel); }
image_use::~image_use() { let_image_go(m_kernel); }

std::vector<const abi::kernel_descriptor*> registered_kernels() {
  std::lock_guard lock(registry::mutex());
  std::vector<const abi::kernel_descriptor*> result;
  for (const abi::image_record* record = registry::first; record; record = record->next) {
    for (std::uint32_t i = 0; i < record->descriptor_count; ++i) {
      if ((record->descriptors[i]->flags & abi::descriptor_is_helper) == 0) result.push_back(record->descriptors[i]);
    }
  }
  return result;
}

std::uint64_t registry_changes() noexcept { return image_changes.load(std::memory_order_acquire); }

registry_counts count_images() noexcept {
  std::lock_guard lock(registry::mutex());
  registry_counts counts{0, 0, registry::refused};
  for (const abi::image_record* record = registry::first; record; record = record->next) {
    ++counts.images;
    counts.kernels += record->descriptor_count;
  }
  return counts;
}

} // namespace sinter

void __sinter_register_image(sinter::abi::image_record* record) noexcept {
  using namespace sinter;
  std::string error = check_record(*record);
  std::vector<const void*> behind_jumps;
  if (error.empty()) behind_jumps = resolved_imports(*record);
  std::lock_guard lock(registry::mutex());
  if (!error.empty()) {
    ++registry::refused;
    std::fprintf(stderr,
                 "sinter: the device image in %s can't be used: %s. Its kernels run as host code, which is slower.\n",
                 file_of(record), error.c_str());
    return;
  }
  std::unique_ptr<std::atomic<std::uint64_t>[]> undemanding(
      new (std::nothrow) std::atomic<std::uint64_t>[record->image->kernel_count]());
  const bool may_close = was_opened_later(record);
  if (may_close) closable_libraries.fetch_add(1);
  record->runtime =
      new (std::nothrow) registered_image{image_view(record->image), std::move(behind_jumps), may_close};
  static_cast<registered_image*>(record->runtime)->undemanding = std::move(undemanding);
  visit_device_globals(*record, add_device_global);
  record->next = registry::first;
  registry::first = record;
  image_changes.fetch_add(1);
  if (record->image->export_count != 0) ++registry::generation;
}

void __sinter_unregister_image(sinter::abi::image_record* record) noexcept {
  using namespace sinter;
  auto* image = static_cast<registered_image*>(record->runtime);
  if (!image) return;
  // At the end of the process, an image that can't be closed stays registered, because a detached thread may still be
  // about to use it.
  if (!image->may_close && is_exiting()) return;
  {
    std::lock_guard lock(registry::mutex());
    for (abi::image_record** at = &registry::first; *at; at = &(*at)->next) {
      if (*at == record) {
        *at = record->next;
        break;
      }
    }
    image_changes.fetch_add(1);
    if (record->image->export_count != 0) ++registry::generation;
  }
  // Commands that run kernels of this image have to be complete before the image's code and data are unloaded.
  await_uses(image->uses, record);
  if (image->uses.load() != 0) return;
  if (image->may_close) closable_libraries.fetch_sub(1);
  for (std::uint32_t i = 0; i < record->descriptor_count; ++i) forget_code(*record->descriptors[i]);
  visit_device_globals(*record, [](const void* variable, std::uint64_t) noexcept { remove_device_global(variable); });
  record->runtime = nullptr;
  delete image;
}
