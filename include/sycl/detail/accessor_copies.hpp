#pragma once
/// Copies and fills of the elements that accessors reach (SYCL 2020 4.9.4.3). handler derives from the class
/// accessor_copies.

#include <cstddef>
#include <type_traits>
#include <vector>

#include "../accessor.hpp"
#include "compiled_core.hpp"
#include "shared.hpp"

namespace sycl::inline _V1::detail {

/// Describes the rows of memory that an accessor reaches, or the same number of rows in memory without gaps.
struct memory_rows {
  char* data;
  std::size_t row_bytes, rows, planes, row_stride, plane_stride;
};

struct accessor_memory {
  template <class T, int D, access_mode M, target G, access::placeholder P>
  static memory_rows rows(const accessor<T, D, M, G, P>& memory) noexcept {
    const auto& part = memory.m_range;
    const auto& whole = memory.m_memory;
    char* const data = const_cast<char*>(reinterpret_cast<const char*>(memory.m_data));
    if constexpr (D == 0) return {data, sizeof(T), 1, 1, 0, 0};
    memory_rows result{data, part[D - 1] * sizeof(T), 1, 1, whole[D - 1] * sizeof(T), 0};
    if constexpr (D > 1) {
      result.rows = part[D - 2];
      result.plane_stride = result.row_stride * whole[D - 2];
    }
    if constexpr (D > 2) result.planes = part[0];
    return result;
  }
  template <class Accessor, class U>
  static memory_rows packed(const Accessor& shape, U* data) noexcept {
    memory_rows result = rows(shape);
    result.data = const_cast<char*>(reinterpret_cast<const char*>(data));
    result.row_stride = result.row_bytes;
    result.plane_stride = result.row_bytes * result.rows;
    return result;
  }
  template <class Accessor>
  static bool is_packed(const Accessor& memory) noexcept {
    return memory.m_range == memory.m_memory;
  }
};

/// A base class of handler, which has the copies and fills of accessors.
template <class Handler>
class accessor_copies {
public:
  /// Throws errc::invalid if the destination is too small.
  template <class T, int D, access_mode M, target G, access::placeholder P, class U, int E, access_mode N, target H,
            access::placeholder Q>
  void copy(const accessor<T, D, M, G, P>& source, const accessor<U, E, N, H, Q>& destination) {
    static_assert(mode_reads(M) && mode_writes(N), "copy reads its source and writes its destination");
    if (destination.byte_size() < source.byte_size()) {
      throw_invalid("copy: the destination accessor is smaller than the source");
    }
    group().require(source);
    group().require(destination);
    strided(accessor_memory::rows(source), accessor_memory::rows(destination), "copy");
  }
  template <class T, int D, access_mode M, target G, access::placeholder P, class U>
  void copy(const accessor<T, D, M, G, P>& source, U* destination) {
    static_assert(mode_reads(M), "copy reads its source");
    group().require(source);
    strided(accessor_memory::rows(source), accessor_memory::packed(source, destination), "copy",
            sinter::abi::pointer_end::destination);
  }
  template <class T, int D, access_mode M, target G, access::placeholder P, shared_pointer Pointer>
  void copy(const accessor<T, D, M, G, P>& source, Pointer destination) {
    copy(source, destination.get());
    keep(make_counted<holder<Pointer>>(destination));
  }
  template <class U, class T, int D, access_mode M, target G, access::placeholder P>
  void copy(const U* source, const accessor<T, D, M, G, P>& destination) {
    static_assert(mode_writes(M), "copy writes its destination");
    group().require(destination);
    strided(accessor_memory::packed(destination, source), accessor_memory::rows(destination), "copy",
            sinter::abi::pointer_end::source);
  }
  template <shared_pointer Pointer, class T, int D, access_mode M, target G, access::placeholder P>
  void copy(Pointer source, const accessor<T, D, M, G, P>& destination) {
    copy(static_cast<const typename Pointer::element_type*>(source.get()), destination);
    keep(make_counted<holder<Pointer>>(source));
  }
  template <class T, int D, access_mode M, target G, access::placeholder P>
  void fill(const accessor<T, D, M, G, P>& destination, const std::type_identity_t<T>& value) {
    static_assert(mode_writes(M), "fill writes its destination");
    group().require(destination);
    const memory_rows whole = accessor_memory::rows(destination);
    if (accessor_memory::is_packed(destination) || D == 1) {
      return set_fill(implementation(group()), whole.data, &value, sizeof(T), destination.size());
    }
    // The accessor accesses only a part of a buffer, and the rows of this part have gaps between them. Therefore the
    // fill copies rows from host memory that contains the value repeatedly, without gaps.
    struct element {  // a structure wraps the value, because std::vector<bool> would pack bits
      T value;
    };
    auto pattern = make_counted<holder<std::vector<element>>>(destination.size(), element{value});
    strided(accessor_memory::packed(destination, pattern->value.data()), whole, "fill",
            sinter::abi::pointer_end::source);
    keep(pattern);
  }
  /// Copies the accessor's current contents to the host memory from which the buffer was made.
  template <class T, int D, access_mode M, target G, access::placeholder P>
  void update_host(const accessor<T, D, M, G, P>& source) {
    group().require(source);
    const memory_rows part = accessor_memory::rows(source);
    set_update_host(implementation(group()), {nullptr, part.data, part.row_bytes, part.rows, part.planes,
                                              part.row_stride, part.plane_stride, part.row_stride, part.plane_stride});
  }

private:
  Handler& group() noexcept { return static_cast<Handler&>(*this); }
  void keep(shared<counted> object) { keep_alive(implementation(group()), static_cast<shared<counted>&&>(object)); }
  void strided(const memory_rows& source, const memory_rows& destination, const char* name,
               sinter::abi::pointer_end pointer = sinter::abi::pointer_end::none) {
    set_strided_copy(
        implementation(group()), name,
        {destination.data, source.data, source.row_bytes, source.rows, source.planes, destination.row_stride,
         destination.plane_stride, source.row_stride, source.plane_stride, destination.row_bytes, destination.rows},
        pointer);
  }
};

}  // namespace sycl::detail
