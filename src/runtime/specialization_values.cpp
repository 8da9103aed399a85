#include "specialization_values.hpp"

#include <algorithm>
#include <cstring>
#include <images/registry.hpp>
#include <new>
#include <runtime/handler_impl.hpp>
#include <runtime/kernel_bundle.hpp>
#include <string>

namespace sycl::inline _V1::detail {

specialization_values::~specialization_values() {
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    ::operator delete(const_cast<void*>(m_entries[i].value), std::align_val_t(m_alignments[i]));
  }
}

void specialization_values::set(std::uint64_t key, const void* value, std::size_t bytes, std::size_t alignment) {
  auto found = std::find_if(m_entries.begin(), m_entries.end(), [=](const auto& each) { return each.key == key; });
  if (found != m_entries.end()) {
    std::memcpy(const_cast<void*>(found->value), value, bytes);
    return;
  }
  m_entries.reserve(m_entries.size() + 1);
  m_alignments.reserve(m_alignments.size() + 1);
  void* copy = ::operator new(bytes, std::align_val_t(alignment));
  std::memcpy(copy, value, bytes);
  m_entries.push_back({key, copy, bytes});
  m_alignments.push_back(alignment);
}

const void* specialization_values::find(std::uint64_t key) const noexcept {
  for (const auto& each : m_entries) {
    if (each.key == key) return each.value;
  }
  return nullptr;
}

void specialization_values::inherit(const specialization_values& others) {
  for (std::size_t i = 0; i < others.m_entries.size(); ++i) {
    const auto& other = others.m_entries[i];
    if (!find(other.key)) set(other.key, other.value, other.size, others.m_alignments[i]);
  }
}

const specialization_table* specialization_values::table() noexcept {
  m_table = {static_cast<std::uint32_t>(m_entries.size()), m_entries.data()};
  return &m_table;
}

specialization_values& handler_impl::own_values(const char* what) {
  optional_parts& mine = make_optional();
  if (mine.bundle) {
    detail::throw_error(errc::invalid,
                        std::string(what) +
                            ": the command group uses a kernel bundle, which has the values; set them there, in "
                            "its input state");
  }
  if (!mine.values) mine.values = make_counted<specialization_values>();
  return *mine.values;
}

const specialization_table* handler_impl::visible_values() {
  // The table is copied, because later changes of the values must not affect this launch.
  const optional_parts& its = optional();
  const shared<specialization_values>& source = its.bundle ? its.bundle->values : its.values;
  if (!source || source->empty()) return nullptr;
  auto copy = make_counted<specialization_values>();
  copy->inherit(*source);
  keep(copy);
  return make_optional().constants = copy->table();
}

const specialization_table* handler_impl::named_constants(const sinter::abi::kernel_descriptor& kernel) {
  const optional_parts& its = *m_optional;
  if (its.constants || (!its.values && (!its.bundle || its.bundle->values->empty()))) return its.constants;
  const sinter::image_use keep_image(kernel);
  const bool has_image = sinter::image_of(kernel) != nullptr;
  // If the kernel calls functions of other files, these may read any constant.
  const bool calls_others = has_image && !sinter::links_of(kernel).externals.empty();
  return calls_others || names_specialization_constant(kernel, nullptr) ? visible_values() : nullptr;
}

const void* handler_impl::find_value(std::uint64_t key) const noexcept {
  const optional_parts& its = optional();
  const shared<specialization_values>& source = its.bundle ? its.bundle->values : its.values;
  return source ? source->find(key) : nullptr;
}

void handler_impl::use_bundle(const shared<kernel_bundle_impl>& bundle) {
  if (bundle->home != m_queue->get_context()) {
    detail::throw_error(
        errc::invalid,
        "use_kernel_bundle: the bundle's context is not the queue's; make the bundle in queue::get_context()");
  }
  optional_parts& mine = make_optional();
  if (mine.values) {
    detail::throw_error(
        errc::invalid,
        "use_kernel_bundle: the command group has set specialization constants itself; do one or the other");
  }
  mine.bundle = bundle;
}

void set_specialization(handler_impl& handler, std::uint64_t key, const void* value, std::size_t bytes,
                        std::size_t alignment) {
  handler.own_values("set_specialization_constant").set(key, value, bytes, alignment);
}

const void* get_specialization(handler_impl& handler, std::uint64_t key) {
  return handler.own_values("get_specialization_constant").find(key);
}

const void* visible_specialization(handler_impl& handler, std::uint64_t key) { return handler.find_value(key); }

const specialization_table* specialization_values_of(handler_impl& handler) { return handler.visible_values(); }

void use_bundle(handler_impl& handler, const shared<kernel_bundle_impl>& bundle) { handler.use_bundle(bundle); }

}  // namespace sycl::detail
