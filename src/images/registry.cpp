#include "registry.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>
#include <thread>

#include "loader.hpp"

namespace sinter {
namespace {

/// What image_record::runtime points to.
struct registered_image {
  image_view view;
  std::atomic<std::uint64_t> uses{0};
};

// Constant-initialised, so that constructors of any order find it; never destroyed.
struct registry {
  constinit static inline abi::image_record* first = nullptr;
  constinit static inline std::size_t refused = 0;
  /// Protects both.
  static std::mutex& mutex() {
    static auto* instance = new std::mutex;
    return *instance;
  }
};

registered_image* registered(const abi::kernel_descriptor& kernel) noexcept {
  return kernel.image ? static_cast<registered_image*>(kernel.image->runtime) : nullptr;
}

const char* file_of(const void* address) noexcept {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "the program";
}

std::string check_record(const abi::image_record& record) {
  if (record.version != abi::image_format_version) return "its record has another version; recompile the program";
  if (std::string error = validate_image(record.image, record.image_size); !error.empty()) return error;
  for (std::uint32_t i = 0; i < record.descriptor_count; ++i) {
    const abi::kernel_descriptor& kernel = *record.descriptors[i];
    if (kernel.index >= record.image->kernel_count) return "a kernel's index lies outside of it";
    const abi::image_kernel& row = image_view(record.image).kernel(kernel.index);
    if (row.block_size != kernel.block_size || row.shape != kernel.shape) return "it does not fit the program's kernels";
  }
  return {};
}

} // namespace

const image_view* image_of(const abi::kernel_descriptor& kernel) noexcept {
  const registered_image* image = registered(kernel);
  return image ? &image->view : nullptr;
}

image_use::image_use(const abi::kernel_descriptor& kernel) noexcept : m_image(registered(kernel)) {
  if (m_image) static_cast<registered_image*>(m_image)->uses.fetch_add(1, std::memory_order_acquire);
}

image_use::~image_use() {
  if (m_image) static_cast<registered_image*>(m_image)->uses.fetch_sub(1, std::memory_order_release);
}

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
  std::lock_guard lock(registry::mutex());
  if (!error.empty()) {
    ++registry::refused;
    std::fprintf(stderr,
                 "sinter: the device image in %s can't be used: %s. Its kernels run as host code, which is slower.\n",
                 file_of(record), error.c_str());
    return;
  }
  record->runtime = new (std::nothrow) registered_image{image_view(record->image)};
  record->next = registry::first;
  registry::first = record;
}

void __sinter_unregister_image(sinter::abi::image_record* record) noexcept {
  using namespace sinter;
  auto* image = static_cast<registered_image*>(record->runtime);
  if (!image) return;
  {
    std::lock_guard lock(registry::mutex());
    for (abi::image_record** at = &registry::first; *at; at = &(*at)->next) {
      if (*at == record) {
        *at = record->next;
        break;
      }
    }
  }
  // Commands that run kernels of this image have to end before its code and data go.
  while (image->uses.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  for (std::uint32_t i = 0; i < record->descriptor_count; ++i) forget_tiers(*record->descriptors[i]);
  record->runtime = nullptr;
  delete image;
}
