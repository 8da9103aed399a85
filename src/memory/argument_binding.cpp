#include "argument_binding.hpp"

#include <abi/accessor_layout.hpp>
#include <cstring>

#include "accessor_fields.hpp"
#include "buffer_record.hpp"

namespace sycl::inline _V1::detail {

void bind_arguments(std::span<const sinter::abi::image_leaf> leaves, void* block,
                    const sinter::device_backend& device) {
  for (const sinter::abi::image_leaf& leaf : leaves) {
    if (leaf.kind != sinter::abi::leaf_kind::accessor) continue;
    const accessor_fields accessor(block, leaf.offset, leaf.dimensions);
    if (!accessor.record) continue;
    const void* bound = accessor.record->address_on(device, accessor.data);
    std::memcpy(static_cast<char*>(block) + leaf.offset + sinter::abi::accessor_layout::data, &bound, sizeof(bound));
  }
}

namespace {

bool is_only_read(const buffer_record& record, std::span<const requirement> requirements) {
  bool known = false;
  for (const requirement& each : requirements) {
    if (&record_of(each) != &record) continue;
    if (each.mode != access_mode::read) return false;
    known = true;
  }
  return known;
}

}  // namespace

bool accessors_are_disjoint(std::span<const sinter::abi::image_leaf> leaves, const void* block,
                            std::span<const requirement> requirements) {
  constexpr std::size_t most = 16;  // limited, because each pair of accessors is compared
  const buffer_record* records[most];
  std::size_t count = 0;
  for (const sinter::abi::image_leaf& leaf : leaves) {
    if (leaf.kind != sinter::abi::leaf_kind::accessor) continue;
    const buffer_record* record = accessor_fields(block, leaf.offset, leaf.dimensions).record;
    if (!record || count == most) return false;
    const auto begin = reinterpret_cast<std::uintptr_t>(record->data());
    for (const buffer_record* other : std::span(records, count)) {
      const auto its_begin = reinterpret_cast<std::uintptr_t>(other->data());
      if (begin >= its_begin + other->bytes() || its_begin >= begin + record->bytes()) continue;
      if (record != other || !is_only_read(*record, requirements)) return false;
    }
    records[count++] = record;
  }
  return count > 1;
}

void bind_memory(sinter::memory_work& work, std::span<const requirement> requirements,
                 const sinter::device_backend& device) {
  const auto bound = [&](const void* address) {
    for (const requirement& each : requirements) {
      const buffer_record& record = record_of(each);
      const auto offset =
          static_cast<std::size_t>(static_cast<const char*>(address) - static_cast<const char*>(record.data()));
      if (offset < record.bytes()) return const_cast<void*>(record.address_on(device, address));
    }
    return const_cast<void*>(address);
  };
  if (work.what == sinter::memory_work::kind::copy) {
    using sinter::abi::pointer_end;
    if (work.pointer != pointer_end::destination) {
      work.copy.destination = static_cast<char*>(bound(work.copy.destination));
    }
    if (work.pointer != pointer_end::source) work.copy.source = static_cast<const char*>(bound(work.copy.source));
  } else if (work.what == sinter::memory_work::kind::fill) {
    work.fill.destination = bound(work.fill.destination);
  }
}

}  // namespace sycl::detail
