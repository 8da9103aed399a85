#pragma once
/// Swizzles as member functions: v.xy(), v.wzyx(), v.rgb() and every other choice of two to four of the letters xyzw or
/// rgba (SYCL 2020 4.14.2). By the specification, these functions exist only in files that define SYCL_SIMPLE_SWIZZLES
/// before they include SYCL. Compiling the 672 functions takes time.

namespace sycl::inline _V1::detail {

template <class Self>
class simple_swizzles {
public:
#define SINTER_SWIZZLE(name, ...)                                                                                \
  constexpr decltype(auto) name() noexcept { return static_cast<Self&>(*this).template swizzle<__VA_ARGS__>(); } \
  constexpr decltype(auto) name() const noexcept {                                                               \
    return static_cast<const Self&>(*this).template swizzle<__VA_ARGS__>();                                      \
  }
  // Each macro appends one letter (x, y, z or w) to the name. The letters p, q and r are the beginning of the name, and
  // i, j and k are their indices.
#define SINTER_SWIZZLE_4(x, y, z, w, p, i, q, j, r, k) \
  SINTER_SWIZZLE(p##q##r##x, i, j, k, 0)               \
  SINTER_SWIZZLE(p##q##r##y, i, j, k, 1)               \
  SINTER_SWIZZLE(p##q##r##z, i, j, k, 2)               \
  SINTER_SWIZZLE(p##q##r##w, i, j, k, 3)
#define SINTER_SWIZZLE_3_4(x, y, z, w, p, i, q, j, r, k) \
  SINTER_SWIZZLE(p##q##r, i, j, k)                       \
  SINTER_SWIZZLE_4(x, y, z, w, p, i, q, j, r, k)
#define SINTER_SWIZZLE_2_3_4(x, y, z, w, p, i, q, j) \
  SINTER_SWIZZLE(p##q, i, j)                         \
  SINTER_SWIZZLE_3_4(x, y, z, w, p, i, q, j, x, 0)   \
  SINTER_SWIZZLE_3_4(x, y, z, w, p, i, q, j, y, 1)   \
  SINTER_SWIZZLE_3_4(x, y, z, w, p, i, q, j, z, 2)   \
  SINTER_SWIZZLE_3_4(x, y, z, w, p, i, q, j, w, 3)
#define SINTER_SWIZZLES_OF(x, y, z, w, p, i)   \
  SINTER_SWIZZLE_2_3_4(x, y, z, w, p, i, x, 0) \
  SINTER_SWIZZLE_2_3_4(x, y, z, w, p, i, y, 1) \
  SINTER_SWIZZLE_2_3_4(x, y, z, w, p, i, z, 2) \
  SINTER_SWIZZLE_2_3_4(x, y, z, w, p, i, w, 3)
#define SINTER_SWIZZLES(x, y, z, w)    \
  SINTER_SWIZZLES_OF(x, y, z, w, x, 0) \
  SINTER_SWIZZLES_OF(x, y, z, w, y, 1) \
  SINTER_SWIZZLES_OF(x, y, z, w, z, 2) \
  SINTER_SWIZZLES_OF(x, y, z, w, w, 3)
  SINTER_SWIZZLES(x, y, z, w)
  SINTER_SWIZZLES(r, g, b, a)
#undef SINTER_SWIZZLES
#undef SINTER_SWIZZLES_OF
#undef SINTER_SWIZZLE_2_3_4
#undef SINTER_SWIZZLE_3_4
#undef SINTER_SWIZZLE_4
#undef SINTER_SWIZZLE
};

} // namespace sycl::detail
