// Functions of OpenCL C and OpenCL.std, as SPIRV-LLVM-Translator names them (SPV target CL2.0), in terms of the device
// ABI and of libm. The file is compiled without OpenCL's own headers. The importer links the functions into modules
// that use them. Addresses of all spaces are one kind of address here: the importer removes the spaces.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define OVERLOAD __attribute__((overloadable, always_inline))
#define TOGETHER __attribute__((overloadable, always_inline, convergent))

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong size_t;
#define VECTORS(T)                                  \
  typedef T T##2 __attribute__((ext_vector_type(2))); \
  typedef T T##3 __attribute__((ext_vector_type(3))); \
  typedef T T##4 __attribute__((ext_vector_type(4))); \
  typedef T T##8 __attribute__((ext_vector_type(8))); \
  typedef T T##16 __attribute__((ext_vector_type(16)));
VECTORS(char)
VECTORS(uchar)
VECTORS(short)
VECTORS(ushort)
VECTORS(int)
VECTORS(uint)
VECTORS(long)
VECTORS(ulong)
VECTORS(float)
VECTORS(double)

typedef enum memory_scope {
  scope_item = __OPENCL_MEMORY_SCOPE_WORK_ITEM,
  scope_group = __OPENCL_MEMORY_SCOPE_WORK_GROUP,
  scope_device = __OPENCL_MEMORY_SCOPE_DEVICE,
  scope_all = __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES,
  scope_sub_group = __OPENCL_MEMORY_SCOPE_SUB_GROUP
} memory_scope;
typedef enum memory_order {
  order_relaxed = __ATOMIC_RELAXED,
  order_acquire = __ATOMIC_ACQUIRE,
  order_release = __ATOMIC_RELEASE,
  order_acq_rel = __ATOMIC_ACQ_REL,
  order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;

// ------------------------------------------------------------------------------------------- the device ABI

size_t __sinter_global_id(uint) __attribute__((const));
size_t __sinter_local_id(uint) __attribute__((const));
size_t __sinter_group_id(uint) __attribute__((const));
size_t __sinter_global_range(uint) __attribute__((const));
size_t __sinter_local_range(uint) __attribute__((const));
size_t __sinter_group_range(uint) __attribute__((const));
size_t __sinter_global_offset(uint) __attribute__((const));
void __sinter_barrier(uint, uint) __attribute__((convergent));
void __sinter_fence(uint, uint);
uint __sinter_sub_group_size(void) __attribute__((const));
uint __sinter_sub_group_local_id(void) __attribute__((const));
uint __sinter_sub_group_local_range(void) __attribute__((const));

// OpenCL's dimension 0 is the last one.
#define POSITION(name, ours, beyond) \
  size_t OVERLOAD name(uint d) { return d < 3 ? __sinter_##ours(2 - d) : beyond; }
POSITION(get_global_id, global_id, 0)
POSITION(get_local_id, local_id, 0)
POSITION(get_group_id, group_id, 0)
POSITION(get_global_size, global_range, 1)
POSITION(get_local_size, local_range, 1)
POSITION(get_enqueued_local_size, local_range, 1)
POSITION(get_num_groups, group_range, 1)
POSITION(get_global_offset, global_offset, 0)
size_t OVERLOAD get_global_linear_id(void) {
  const size_t x = __sinter_global_id(2) - __sinter_global_offset(2), y = __sinter_global_id(1) - __sinter_global_offset(1),
               z = __sinter_global_id(0) - __sinter_global_offset(0);
  return (z * __sinter_global_range(1) + y) * __sinter_global_range(2) + x;
}
size_t OVERLOAD get_local_linear_id(void) {
  return (__sinter_local_id(0) * __sinter_local_range(1) + __sinter_local_id(1)) * __sinter_local_range(2) +
         __sinter_local_id(2);
}

uint OVERLOAD get_sub_group_local_id(void) { return __sinter_sub_group_local_id(); }
uint OVERLOAD get_sub_group_size(void) { return __sinter_sub_group_local_range(); }
uint OVERLOAD get_max_sub_group_size(void) { return __sinter_sub_group_size(); }
uint OVERLOAD get_sub_group_id(void) { return (uint)get_local_linear_id() / __sinter_sub_group_size(); }
uint OVERLOAD get_num_sub_groups(void) {
  const uint items = (uint)(__sinter_local_range(0) * __sinter_local_range(1) * __sinter_local_range(2));
  return (items + __sinter_sub_group_size() - 1) / __sinter_sub_group_size();
}

// Scopes of the ABI: 1 sub-group, 2 group, 3 device. Orders: 0 relaxed, 3 acq_rel.
void TOGETHER barrier(uint flags) { __sinter_barrier(2, 2); }
void TOGETHER work_group_barrier(uint flags) { __sinter_barrier(2, 2); }
void TOGETHER work_group_barrier(uint flags, memory_scope scope) { __sinter_barrier(2, scope == scope_group ? 2 : 3); }
void TOGETHER sub_group_barrier(uint flags) { __sinter_barrier(1, 1); }
void TOGETHER sub_group_barrier(uint flags, memory_scope scope) { __sinter_barrier(1, 2); }
void OVERLOAD mem_fence(uint flags) { __sinter_fence(3, 2); }
void OVERLOAD read_mem_fence(uint flags) { __sinter_fence(3, 2); }
void OVERLOAD write_mem_fence(uint flags) { __sinter_fence(3, 2); }
void OVERLOAD atomic_work_item_fence(uint flags, memory_order order, memory_scope scope) {
  if (order != order_relaxed) __sinter_fence(3, scope == scope_group ? 2 : 3);
}

// ------------------------------------------------------------------------------------------- functions of each element

// Scalar forms come first; vectors call them.
#define UNARY(R, T, f, ...)                     \
  R OVERLOAD f(T a) { return __VA_ARGS__; }     \
  R##2 OVERLOAD f(T##2 a) { return (R##2)(f(a.s0), f(a.s1)); }                                  \
  R##3 OVERLOAD f(T##3 a) { return (R##3)(f(a.s0), f(a.s1), f(a.s2)); }                         \
  R##4 OVERLOAD f(T##4 a) { return (R##4)(f(a.lo), f(a.hi)); }                                  \
  R##8 OVERLOAD f(T##8 a) { return (R##8)(f(a.lo), f(a.hi)); }                                  \
  R##16 OVERLOAD f(T##16 a) { return (R##16)(f(a.lo), f(a.hi)); }
#define BINARY(R, T, U, f, ...)                     \
  R OVERLOAD f(T a, U b) { return __VA_ARGS__; }    \
  R##2 OVERLOAD f(T##2 a, U##2 b) { return (R##2)(f(a.s0, b.s0), f(a.s1, b.s1)); }                       \
  R##3 OVERLOAD f(T##3 a, U##3 b) { return (R##3)(f(a.s0, b.s0), f(a.s1, b.s1), f(a.s2, b.s2)); }        \
  R##4 OVERLOAD f(T##4 a, U##4 b) { return (R##4)(f(a.lo, b.lo), f(a.hi, b.hi)); }                       \
  R##8 OVERLOAD f(T##8 a, U##8 b) { return (R##8)(f(a.lo, b.lo), f(a.hi, b.hi)); }                       \
  R##16 OVERLOAD f(T##16 a, U##16 b) { return (R##16)(f(a.lo, b.lo), f(a.hi, b.hi)); }
#define TERNARY(R, T, f, ...)                         \
  R OVERLOAD f(T a, T b, T c) { return __VA_ARGS__; } \
  R##2 OVERLOAD f(T##2 a, T##2 b, T##2 c) { return (R##2)(f(a.s0, b.s0, c.s0), f(a.s1, b.s1, c.s1)); }              \
  R##3 OVERLOAD f(T##3 a, T##3 b, T##3 c) {                                                                         \
    return (R##3)(f(a.s0, b.s0, c.s0), f(a.s1, b.s1, c.s1), f(a.s2, b.s2, c.s2));                                   \
  }                                                                                                                 \
  R##4 OVERLOAD f(T##4 a, T##4 b, T##4 c) { return (R##4)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi)); }              \
  R##8 OVERLOAD f(T##8 a, T##8 b, T##8 c) { return (R##8)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi)); }              \
  R##16 OVERLOAD f(T##16 a, T##16 b, T##16 c) { return (R##16)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi)); }

// ------------------------------------------------------------------------------------------- numbers

// libm's functions without an intrinsic, under the device ABI's names.
#define LIBM1(f)                                                  \
  float __sinter_math_##f##_f32(float) __attribute__((const));    \
  double __sinter_math_##f##_f64(double) __attribute__((const));  \
  UNARY(float, float, f, __sinter_math_##f##_f32(a))              \
  UNARY(double, double, f, __sinter_math_##f##_f64(a))
#define LIBM2(f)                                                          \
  float __sinter_math_##f##_f32(float, float) __attribute__((const));     \
  double __sinter_math_##f##_f64(double, double) __attribute__((const));  \
  BINARY(float, float, float, f, __sinter_math_##f##_f32(a, b))           \
  BINARY(double, double, double, f, __sinter_math_##f##_f64(a, b))
LIBM1(cbrt) LIBM1(erf) LIBM1(erfc) LIBM1(lgamma) LIBM1(tgamma) LIBM1(expm1) LIBM1(log1p) LIBM1(asinh) LIBM1(acosh)
LIBM1(atanh) LIBM1(logb) LIBM2(hypot) LIBM2(fmod) LIBM2(fdim) LIBM2(remainder) LIBM2(nextafter)

#if __clang_major__ < 22
// clang 19 lacks some of the functions that are used below.
#define OLDER1(name)                                                     \
  float OVERLOAD older_##name(float a) { return __builtin_##name##f(a); } \
  double OVERLOAD older_##name(double a) { return __builtin_##name(a); }
#define OLDER2(name, T, U)                                                       \
  float OVERLOAD older_##name(float a, T b) { return __builtin_##name##f(a, b); } \
  double OVERLOAD older_##name(double a, U b) { return __builtin_##name(a, b); }
OLDER1(exp10) OLDER2(atan2, float, double) OLDER2(fmin, float, double) OLDER2(fmax, float, double)
OLDER2(ldexp, int, int)
#define __builtin_elementwise_exp10 older_exp10
#define __builtin_elementwise_atan2 older_atan2
#define __builtin_elementwise_minnum older_fmin
#define __builtin_elementwise_maxnum older_fmax
#define __builtin_elementwise_ldexp older_ldexp
#endif

#define REAL1(f, ...) UNARY(float, float, f, __VA_ARGS__) UNARY(double, double, f, __VA_ARGS__)
#define REAL2(f, ...) BINARY(float, float, float, f, __VA_ARGS__) BINARY(double, double, double, f, __VA_ARGS__)
#define REAL3(f, ...) TERNARY(float, float, f, __VA_ARGS__) TERNARY(double, double, f, __VA_ARGS__)
#define NATIVE1(f) UNARY(float, float, native_##f, f(a)) UNARY(float, float, half_##f, f(a))

REAL1(sqrt, __builtin_elementwise_sqrt(a)) REAL1(fabs, __builtin_elementwise_abs(a))
REAL1(ceil, __builtin_elementwise_ceil(a)) REAL1(floor, __builtin_elementwise_floor(a))
REAL1(trunc, __builtin_elementwise_trunc(a)) REAL1(rint, __builtin_elementwise_rint(a))
REAL1(round, __builtin_elementwise_round(a)) REAL1(exp, __builtin_elementwise_exp(a))
REAL1(exp2, __builtin_elementwise_exp2(a)) REAL1(exp10, __builtin_elementwise_exp10(a))
REAL1(log, __builtin_elementwise_log(a)) REAL1(log2, __builtin_elementwise_log2(a))
REAL1(log10, __builtin_elementwise_log10(a)) REAL1(sin, __builtin_elementwise_sin(a))
REAL1(cos, __builtin_elementwise_cos(a)) REAL1(tan, __builtin_elementwise_tan(a))
REAL1(asin, __builtin_elementwise_asin(a)) REAL1(acos, __builtin_elementwise_acos(a))
REAL1(atan, __builtin_elementwise_atan(a)) REAL1(sinh, __builtin_elementwise_sinh(a))
REAL1(cosh, __builtin_elementwise_cosh(a)) REAL1(tanh, __builtin_elementwise_tanh(a))
REAL1(rsqrt, 1 / sqrt(a))
REAL1(sinpi, sin(a * 3.14159265358979323846f)) REAL1(cospi, cos(a * 3.14159265358979323846f))
REAL1(degrees, a * 57.295779513082320877f) REAL1(radians, a * 0.017453292519943295769f)
REAL1(sign, a > 0 ? 1 : a < 0 ? -1 : a == 0 ? a : 0)
REAL2(fmin, __builtin_elementwise_minnum(a, b)) REAL2(fmax, __builtin_elementwise_maxnum(a, b))
REAL2(min, b < a ? b : a) REAL2(max, a < b ? b : a)
REAL2(pow, __builtin_elementwise_pow(a, b)) REAL2(powr, __builtin_elementwise_pow(a, b))
REAL2(atan2, __builtin_elementwise_atan2(a, b)) REAL2(copysign, __builtin_elementwise_copysign(a, b))
REAL2(step, b < a ? 0 : 1)
REAL3(fma, __builtin_elementwise_fma(a, b, c)) REAL3(mad, __builtin_elementwise_fma(a, b, c))
REAL3(clamp, a < b ? b : a > c ? c : a) REAL3(mix, a + (b - a) * c)
BINARY(float, float, int, pown, __builtin_elementwise_pow(a, (float)b))
BINARY(double, double, int, pown, __builtin_elementwise_pow(a, (double)b))
BINARY(float, float, int, ldexp, __builtin_elementwise_ldexp(a, b))
BINARY(double, double, int, ldexp, __builtin_elementwise_ldexp(a, b))
NATIVE1(sqrt) NATIVE1(rsqrt) NATIVE1(exp) NATIVE1(exp2) NATIVE1(exp10) NATIVE1(log) NATIVE1(log2) NATIVE1(log10)
NATIVE1(sin) NATIVE1(cos) NATIVE1(tan)
UNARY(float, float, native_recip, 1 / a) UNARY(float, float, half_recip, 1 / a)
BINARY(float, float, float, native_divide, a / b) BINARY(float, float, float, half_divide, a / b)
BINARY(float, float, float, native_powr, pow(a, b)) BINARY(float, float, float, half_powr, pow(a, b))

#define GEOMETRY(T)                                                                                        \
  T OVERLOAD dot(T a, T b) { return a * b; }                                                               \
  T OVERLOAD dot(T##2 a, T##2 b) { return a.s0 * b.s0 + a.s1 * b.s1; }                                     \
  T OVERLOAD dot(T##3 a, T##3 b) { return a.s0 * b.s0 + a.s1 * b.s1 + a.s2 * b.s2; }                       \
  T OVERLOAD dot(T##4 a, T##4 b) { return a.s0 * b.s0 + a.s1 * b.s1 + a.s2 * b.s2 + a.s3 * b.s3; }         \
  T##3 OVERLOAD cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }                            \
  T##4 OVERLOAD cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), 0); }
#define LENGTHS(T, V)                                               \
  T OVERLOAD length(V a) { return sqrt(dot(a, a)); }                \
  T OVERLOAD distance(V a, V b) { return length(a - b); }           \
  V OVERLOAD normalize(V a) { return a / length(a); }               \
  T OVERLOAD fast_length(V a) { return sqrt(dot(a, a)); }           \
  T OVERLOAD fast_distance(V a, V b) { return length(a - b); }      \
  V OVERLOAD fast_normalize(V a) { return a / length(a); }
GEOMETRY(float) GEOMETRY(double)
LENGTHS(float, float) LENGTHS(float, float2) LENGTHS(float, float3) LENGTHS(float, float4)
LENGTHS(double, double) LENGTHS(double, double2) LENGTHS(double, double3) LENGTHS(double, double4)

// ------------------------------------------------------------------------------------------- integers

#define INTEGER(T, U, bits)                                                                         \
  BINARY(T, T, T, min, b < a ? b : a) BINARY(T, T, T, max, a < b ? b : a)                           \
  TERNARY(T, T, clamp, a < b ? b : a > c ? c : a)                                                   \
  UNARY(T, T, clz, a == 0 ? bits : __builtin_clzg((U)a)) UNARY(T, T, ctz, a == 0 ? bits : __builtin_ctzg((U)a)) \
  UNARY(T, T, popcount, __builtin_popcountg((U)a))                                                  \
  BINARY(T, T, T, rotate, (T)((U)a << ((U)b % bits) | (U)a >> ((bits - (U)b % bits) % bits)))       \
  BINARY(T, T, T, add_sat, __builtin_elementwise_add_sat(a, b))                                     \
  BINARY(T, T, T, sub_sat, __builtin_elementwise_sub_sat(a, b))                                     \
  UNARY(U, T, abs, (U)(a < 0 ? 0 - (U)a : (U)a))                                                    \
  BINARY(U, T, T, abs_diff, a > b ? (U)a - (U)b : (U)b - (U)a)                                      \
  BINARY(T, T, T, hadd, (T)((a & b) + ((a ^ b) >> 1))) BINARY(T, T, T, rhadd, (T)((a | b) - ((a ^ b) >> 1)))
INTEGER(char, uchar, 8) INTEGER(uchar, uchar, 8) INTEGER(short, ushort, 16) INTEGER(ushort, ushort, 16)
INTEGER(int, uint, 32) INTEGER(uint, uint, 32) INTEGER(long, ulong, 64) INTEGER(ulong, ulong, 64)
BINARY(int, int, int, mul_hi, (int)(((long)a * b) >> 32)) BINARY(uint, uint, uint, mul_hi, (uint)(((ulong)a * b) >> 32))
TERNARY(int, int, mad_hi, mul_hi(a, b) + c) TERNARY(uint, uint, mad_hi, mul_hi(a, b) + c)
BINARY(int, int, int, mul24, a * b) BINARY(uint, uint, uint, mul24, a * b)
TERNARY(int, int, mad24, a * b + c) TERNARY(uint, uint, mad24, a * b + c)

// ------------------------------------------------------------------------------------------- relations

#define RELATION(T, bits, test, name)                                                                             \
  int OVERLOAD name(T a) { return test; }                                                                         \
  bits##2 OVERLOAD name(T##2 a) { return test; }                                                                  \
  bits##3 OVERLOAD name(T##3 a) { return test; }                                                                  \
  bits##4 OVERLOAD name(T##4 a) { return test; }                                                                  \
  bits##8 OVERLOAD name(T##8 a) { return test; }                                                                  \
  bits##16 OVERLOAD name(T##16 a) { return test; }
RELATION(float, int, a != a, isnan) RELATION(double, long, a != a, isnan)
RELATION(float, int, fabs(a) == __builtin_inff(), isinf) RELATION(double, long, fabs(a) == __builtin_inf(), isinf)
RELATION(float, int, fabs(a) < __builtin_inff(), isfinite) RELATION(double, long, fabs(a) < __builtin_inf(), isfinite)

// ------------------------------------------------------------------------------------------- vectors in memory

#define VLOAD_IN(N, T, space)                                                                                         \
  T##N OVERLOAD vload##N(size_t at, const space T* from) {                                                            \
    T##N value;                                                                                                       \
    __builtin_memcpy(&value, (const __generic void*)(from + at * N), sizeof(T) * N);                                  \
    return value;                                                                                                     \
  }
#define VSTORE_IN(N, T, space)                                                                                        \
  void OVERLOAD vstore##N(T##N value, size_t at, space T* to) {                                                       \
    __builtin_memcpy((__generic void*)(to + at * N), &value, sizeof(T) * N);                                          \
  }
#define VMEMORY(N, T)                                                                                                 \
  VLOAD_IN(N, T, __global) VLOAD_IN(N, T, __local) VLOAD_IN(N, T, __private) VLOAD_IN(N, T, __generic)                \
  VSTORE_IN(N, T, __global) VSTORE_IN(N, T, __local) VSTORE_IN(N, T, __private) VSTORE_IN(N, T, __generic)
#define VMEMORY_ALL(T) VMEMORY(2, T) VMEMORY(3, T) VMEMORY(4, T) VMEMORY(8, T) VMEMORY(16, T)
VMEMORY_ALL(char) VMEMORY_ALL(uchar) VMEMORY_ALL(short) VMEMORY_ALL(ushort) VMEMORY_ALL(int) VMEMORY_ALL(uint)
VMEMORY_ALL(long) VMEMORY_ALL(ulong) VMEMORY_ALL(float) VMEMORY_ALL(double)

// ------------------------------------------------------------------------------------------- atomics

// A relaxed order stays relaxed. All other orders become the strongest one.
#define ORDERED(call, ...)                                                                  \
  (order == order_relaxed ? call(__VA_ARGS__, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES) \
                          : call(__VA_ARGS__, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES))
#define FETCH(T, A, name)                                                                                             \
  T OVERLOAD atomic_fetch_##name##_explicit(volatile __generic A* at, T value, memory_order order, memory_scope scope) { \
    return ORDERED(__opencl_atomic_fetch_##name, at, value);                                                          \
  }
#define ATOMIC_MEMORY(T, A)                                                                                           \
  T OVERLOAD atomic_load_explicit(volatile __generic A* at, memory_order order, memory_scope scope) {                 \
    return ORDERED(__opencl_atomic_load, at);                                                                         \
  }                                                                                                                   \
  void OVERLOAD atomic_store_explicit(volatile __generic A* at, T value, memory_order order, memory_scope scope) {    \
    ORDERED(__opencl_atomic_store, at, value);                                                                        \
  }                                                                                                                   \
  T OVERLOAD atomic_exchange_explicit(volatile __generic A* at, T value, memory_order order, memory_scope scope) {    \
    return ORDERED(__opencl_atomic_exchange, at, value);                                                              \
  }
#define ATOMIC_COMPARE(T, A, strength, space)                                                                         \
  bool OVERLOAD atomic_compare_exchange_##strength##_explicit(volatile __generic A* at, space T* expected, T value,   \
                                                              memory_order success, memory_order failure,             \
                                                              memory_scope scope) {                                   \
    return __opencl_atomic_compare_exchange_strong(at, expected, value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST,           \
                                                   __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES);                            \
  }
#define ATOMIC_INTEGER(T, A)                                                                                          \
  FETCH(T, A, add) FETCH(T, A, sub) FETCH(T, A, or) FETCH(T, A, xor) FETCH(T, A, and) FETCH(T, A, min)                \
  FETCH(T, A, max) ATOMIC_MEMORY(T, A) ATOMIC_COMPARE(T, A, strong, __generic)                                        \
  ATOMIC_COMPARE(T, A, strong, __private) ATOMIC_COMPARE(T, A, weak, __generic) ATOMIC_COMPARE(T, A, weak, __private)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
ATOMIC_INTEGER(int, atomic_int)
ATOMIC_INTEGER(uint, atomic_uint)
ATOMIC_INTEGER(long, atomic_long)
ATOMIC_INTEGER(ulong, atomic_ulong)
ATOMIC_MEMORY(float, atomic_float)
