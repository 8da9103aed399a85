#pragma once
/// The built-in functions (SYCL 2020 4.17.5 to 4.17.9) for scalars, and element by element for vec, swizzles and
/// marray:
///
/// - detail/math_libm.hpp: sin, pow, fma ...
/// - detail/math_functions.hpp: sinpi, rsqrt, frexp ...; native:: and half_precision::
/// - detail/math_integer.hpp: add_sat, clz, mul_hi, rotate ...
/// - detail/math_common.hpp: clamp, max, mix, smoothstep ...
/// - detail/math_geometric.hpp: cross, dot, length ...
/// - detail/math_relational.hpp: isnan, isless, any, select ...

#include "detail/math_common.hpp"
#include "detail/math_functions.hpp"
#include "detail/math_geometric.hpp"
#include "detail/math_integer.hpp"
#include "detail/math_libm.hpp"
#include "detail/math_relational.hpp"
