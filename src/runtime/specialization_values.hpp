#pragma once
/// Values of specialization constants, of a command group or a bundle.

#include <abi/launch_abi.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <sycl/kernel_bundle.hpp>

namespace sycl::inline _V1::detail {

/// Values of specialization constants by key.
class specialization_values : public counted {
public:
  specialization_values() = default;
  ~specialization_values() override;

  void set(std::uint64_t key, const void* value, std::size_t bytes, std::size_t alignment);
  const void* find(std::uint64_t key) const noexcept;
  /// Adds the values of `others`. Values that are set in this object stay.
  void inherit(const specialization_values& others);
  /// Returns a table that is valid until the next change.
  const specialization_table* table() noexcept;
  bool empty() const noexcept { return m_entries.empty(); }

private:
  std::vector<specialization_table::entry> m_entries;
  std::vector<std::size_t> m_alignments;  ///< alignment of each value, in the order of the table
  specialization_table m_table{};
};

}  // namespace sycl::detail
