#include "kernel_identity.hpp"

#include <algorithm>
#include <base/race_notes.hpp>
#include <images/kernel_name.hpp>
#include <images/kernel_view.hpp>
#include <images/registry.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <runtime/object_access.hpp>

namespace sycl::inline _V1 {
namespace detail {
namespace {

using descriptors_by_identity = std::map<const kernel_identity*, const sinter::abi::kernel_descriptor*>;

/// Returns one kernel of the program's images for each identity: the first one. Programs may have thousands of kernels
/// with long names, so the table is made again only after images were registered or unregistered.
std::shared_ptr<const descriptors_by_identity> all_descriptors() {
  static auto* mutex = new (sinter::lasting) std::mutex;
  static auto* known = new std::shared_ptr<const descriptors_by_identity>;
  static std::uint64_t made_at = 0;
  std::lock_guard lock(*mutex);
  const std::uint64_t now = sinter::registry_changes();
  if (!*known || made_at != now) {
    auto made = std::make_shared<descriptors_by_identity>();
    for (const auto* kernel : sinter::registered_kernels()) made->emplace(intern_kernel(kernel->type_name()), kernel);
    *known = std::move(made);
    made_at = now;
  }
  return *known;
}

}  // namespace

const kernel_identity* intern_kernel(const char* type_name) {
  static auto* mutex = new (sinter::lasting) std::mutex;
  static auto* known = new std::map<std::string, std::unique_ptr<kernel_identity>, std::less<>>;
  std::lock_guard lock(*mutex);
  auto found = known->find(std::string_view(type_name));
  if (found == known->end()) {
    auto made = std::make_unique<kernel_identity>(kernel_identity{type_name, sinter::kernel_display_name(type_name)});
    found = known->emplace(type_name, std::move(made)).first;
  }
  return found->second.get();
}

kernel_id kernel_id_of(const char* type_name) { return object_access::make_kernel_id(intern_kernel(type_name)); }

std::vector<const kernel_identity*> program_kernels() {
  std::vector<const kernel_identity*> result;
  for (const auto& [identity, descriptor] : *all_descriptors()) result.push_back(identity);
  return result;
}

const sinter::abi::kernel_descriptor* find_descriptor(const kernel_identity* id) {
  const auto all = all_descriptors();
  const auto found = all->find(id);
  return found == all->end() ? nullptr : found->second;
}

bool names_specialization_constant(const sinter::abi::kernel_descriptor& descriptor, const std::uint64_t* key) {
  const sinter::image_use keep_image(descriptor);
  const sinter::kernel_view kernel(descriptor);
  if (!kernel.has_image()) return true;
  const auto constants = kernel.constants();
  return key ? std::any_of(constants.begin(), constants.end(), [=](const auto& each) { return each.key == *key; })
             : !constants.empty();
}

}  // namespace detail

const char* kernel_id::get_name() const noexcept { return m_identity->display_name.c_str(); }

std::vector<kernel_id> get_kernel_ids() {
  std::vector<kernel_id> result;
  for (const auto* each : detail::program_kernels()) result.push_back(detail::object_access::make_kernel_id(each));
  return result;
}

}  // namespace sycl
