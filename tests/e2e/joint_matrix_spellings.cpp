/// joint_matrix in the forms in which programs for other compilers write it: kernels that require no sub-group size
/// and get the device's largest, operands by const pointers and by pointers with properties, two matrices in one
/// joint_matrix_apply; buffers, packed b and the product that earlier revisions of the extension return; tiles that are
/// converted on their way into local memory; elements by get_wi_data.
#include <algorithm>
#include <cmath>

#include <sycl/ext/intel/experimental/matrix.hpp>
#include <sycl/ext/oneapi/matrix/matrix.hpp>

#include "check.hpp"

namespace {

using namespace sycl::ext::oneapi::experimental::matrix;
using sycl::half;
using sycl::sub_group;
using sycl::ext::oneapi::bfloat16;
using sycl::ext::oneapi::experimental::annotated_ptr;

template <class T>
auto global(T* pointer) {
  return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(pointer);
}

/// The elements are whole numbers, so all sums are exact in any order.
template <class T>
std::vector<T> numbers(std::size_t count) {
  std::uniform_int_distribution<int> small(-4, 4);
  std::vector<T> result(count);
  for (T& each : result) each = static_cast<T>(static_cast<float>(small(e2e::random())));
  return result;
}

bool has(std::size_t sub_group_size, matrix_type type, std::size_t m, std::size_t n, std::size_t k) {
  const sycl::device device = e2e::make_queue().get_device();
#ifdef SINTER_E2E_LIBRARY_MODE
  // Without the plugin, the runtime does not know the sub-group size that a kernel requires.
  if (sub_group_size != 0 && sub_group_size != device.get_info<sycl::info::device::native_vector_width_float>())
    return false;
#endif
  const auto sizes = device.get_info<sycl::info::device::sub_group_sizes>();
  const auto list = device.get_info<sycl::ext::oneapi::experimental::info::device::matrix_combinations>();
  return (sub_group_size == 0 || std::find(sizes.begin(), sizes.end(), sub_group_size) != sizes.end()) &&
         std::any_of(list.begin(), list.end(), [&](const combination& each) {
           const bool fits = each.max_msize != 0 ? m <= each.max_msize && n <= each.max_nsize && k <= each.max_ksize
                                                 : m == each.msize && n == each.nsize && k == each.ksize;
           return fits && each.atype == type && each.ctype == matrix_type::fp32 && each.dtype == matrix_type::fp32;
         });
}

// The next two functions require no sub-group size, so their sub-groups have the device's default size.
constexpr int edge = 16;

void scaled_sum(half const* __restrict__ a, half const* __restrict__ b, float const* c, float* d, unsigned n,
                unsigned k, float alpha, float beta, sycl::nd_item<3>& item) {
  sub_group sg = item.get_sub_group();
  auto p_a = global(a);
  joint_matrix<sub_group, half, use::a, edge, edge, layout::row_major> sub_a;
  joint_matrix<sub_group, half, use::b, edge, edge, layout::col_major> sub_b;
  joint_matrix<sub_group, float, use::accumulator, edge, edge> sub_c, sub_acc;
  joint_matrix_fill(sg, sub_acc, 0.0f);
  auto row = item.get_group(2) * edge;
  auto column = item.get_group(1) * edge;
  for (unsigned i = 0; i < k; i += edge) {
    joint_matrix_load(sg, sub_a, p_a + row * k + i, k);
    joint_matrix_load(sg, sub_b, annotated_ptr(b + column * k + i), k);
    joint_matrix_mad(sg, sub_acc, sub_a, sub_b, sub_acc);
  }
  joint_matrix_load(sg, sub_c, annotated_ptr(c + row * n + column), n, layout::row_major);
  joint_matrix_apply(sg, sub_acc, sub_c, [=](const float& acc, float& each) { each = alpha * acc + beta * each; });
  joint_matrix_store(sg, sub_c, annotated_ptr(d + row * n + column), n, layout::row_major);
}

}  // namespace

TEST("a kernel that requires no sub-group size, in groups of the largest") {
  if (!has(0, matrix_type::fp16, edge, edge, edge)) return;
  constexpr unsigned m = 32, n = 48, k = 80;
  sycl::queue q = e2e::make_queue();
  const auto sizes = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  const std::size_t wave = *std::max_element(sizes.begin(), sizes.end());
  // With vectors of four floats, a sub-group has too few work-items for matrices of half.
  if (q.get_backend() == sycl::backend::sinter_cpu &&
      q.get_device().get_info<sycl::info::device::native_vector_width_float>() < 8) {
    return;
  }
  const auto host_a = numbers<half>(m * k), host_b = numbers<half>(k * n);
  const auto host_c = numbers<float>(m * n);
  auto* a = sycl::malloc_shared<half>(m * k, q);
  auto* b = sycl::malloc_shared<half>(k * n, q);
  auto* c = sycl::malloc_shared<float>(m * n, q);
  auto* d = sycl::malloc_shared<float>(m * n, q);
  q.memcpy(a, host_a.data(), sizeof(half) * m * k);
  q.memcpy(b, host_b.data(), sizeof(half) * k * n);
  q.memcpy(c, host_c.data(), sizeof(float) * m * n);
  q.wait();
  q.submit([&](sycl::handler& cgh) {
    cgh.parallel_for(sycl::nd_range<3>({1, n / edge, m / edge * wave}, {1, 1, wave}),
                     [=](sycl::nd_item<3> item) { scaled_sum(a, b, c, d, n, k, 0.5f, 2.0f, item); });
  });
  q.wait();
  int wrong = 0;
  for (unsigned i = 0; i < m; ++i) {
    for (unsigned j = 0; j < n; ++j) {
      float sum = 0;
      for (unsigned h = 0; h < k; ++h) sum += float(host_a[i * k + h]) * float(host_b[j * k + h]);
      wrong += d[i * n + j] != 0.5f * sum + 2.0f * host_c[i * n + j];
    }
  }
  CHECK_EQUAL(wrong, 0);
  for (void* each : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c), static_cast<void*>(d)})
    sycl::free(each, q);
}

TEST("buffers, packed b, a product that is returned, and elements by number") {
  NOT_ON_CUDA_OR_HIP;
  constexpr std::size_t tm = 8, tn = 16, tk = 16, m = 2 * tm, n = 2 * tn, k = 2 * tk;
  if (!has(tn, matrix_type::bf16, tm, tn, tk)) return;
  auto a = numbers<bfloat16>(m * k), b = numbers<bfloat16>(k * n);
  std::vector<float> c(m * n, 1.0f);
  {
    sycl::buffer<bfloat16, 2> buffer_a(a.data(), sycl::range<2>(m, k));
    sycl::buffer<bfloat16, 2> buffer_b(b.data(), sycl::range<2>(k / 2, n * 2));
    sycl::buffer<float, 2> buffer_c(c.data(), sycl::range<2>(m, n));
    sycl::queue q = e2e::make_queue();
    q.submit([&](sycl::handler& cgh) {
       sycl::accessor accC(buffer_c, cgh, sycl::read_write);
       sycl::accessor accA(buffer_a, cgh, sycl::read_only);
       sycl::accessor accB(buffer_b, cgh, sycl::read_only);
       cgh.parallel_for(
           sycl::nd_range<2>({m / tm, n / tn * 16}, {1, 1 * 16}),
           [=](sycl::nd_item<2> spmd_item) [[intel::reqd_sub_group_size(16)]] {
             const auto row = spmd_item.get_global_id(0) - spmd_item.get_local_id(0);
             const auto column = spmd_item.get_global_id(1) - spmd_item.get_local_id(1);
             sub_group sg = spmd_item.get_sub_group();
             joint_matrix<sub_group, bfloat16, use::a, tm, tk, layout::row_major> sub_a;
             joint_matrix<sub_group, bfloat16, use::b, tk, tn, sycl::ext::intel::experimental::matrix::layout::packed>
                 sub_b;
             joint_matrix<sub_group, float, use::accumulator, tm, tn> sub_c;
             joint_matrix_load(sg, sub_c,
                               accC.template get_multi_ptr<sycl::access::decorated::no>() + row * tm * n +
                                   column / 16 * tn,
                               n, layout::row_major);
             for (std::size_t i = 0; i < k / tk; ++i) {
               joint_matrix_load(sg, sub_a,
                                 accA.template get_multi_ptr<sycl::access::decorated::no>() + row * tm * k + i * tk, k);
               joint_matrix_load(sg, sub_b,
                                 accB.template get_multi_ptr<sycl::access::decorated::no>() + i * tk / 2 * (n * 2) +
                                     column / 16 * tn * 2,
                                 n * 2);
               sub_c = joint_matrix_mad(sg, sub_a, sub_b, sub_c);
             }
             auto own = sycl::ext::intel::experimental::matrix::get_wi_data(sg, sub_c);
             for (std::size_t i = 0; i < own.length(); ++i) own[i] *= 2;
             joint_matrix_store(sg, sub_c,
                                accC.template get_multi_ptr<sycl::access::decorated::no>() + row * tm * n +
                                    column / 16 * tn,
                                n, layout::row_major);
           });
     }).wait();
  }
  int wrong = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 1;
      for (std::size_t h = 0; h < k; ++h) sum += float(a[i * k + h]) * float(b[h / 2 * (n * 2) + j * 2 + h % 2]);
      wrong += c[i * n + j] != 2 * sum;
    }
  }
  CHECK_EQUAL(wrong, 0);
}

TEST("tiles in local memory, floats rounded to tf32 on the way, bias and activation on the accumulator") {
  constexpr std::size_t k = 24, step = 8;
  const std::size_t size = has(32, matrix_type::tf32, edge, edge, step) ? 32 : 0;
  if (size == 0) return;
  sycl::queue q = e2e::make_queue();
  auto* a = sycl::malloc_shared<float>(edge * k, q);
  auto* b = sycl::malloc_shared<float>(k * edge, q);
  auto* c = sycl::malloc_shared<float>(edge * edge, q);
  const auto host_a = numbers<float>(edge * k), host_b = numbers<float>(k * edge);
  std::copy(host_a.begin(), host_a.end(), a);
  std::copy(host_b.begin(), host_b.end(), b);
  q.submit([&](sycl::handler& cgh) {
    sycl::local_accessor<float, 1> tile_a(edge * step, cgh), tile_b(step * edge, cgh);
    cgh.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(32)]] {
      auto sg = item.get_sub_group();
      using precision::tf32;
      joint_matrix<sub_group, tf32, use::a, edge, step, layout::row_major> left;
      joint_matrix<sub_group, tf32, use::b, step, edge, layout::row_major> right;
      joint_matrix<sub_group, float, use::accumulator, edge, edge> sum, result;
      joint_matrix_fill(sg, sum, 0);
      for (std::size_t start = 0; start < k; start += step) {
        for (std::size_t i = item.get_local_id(0); i < edge * step; i += 32) {
          tile_a[i] = a[i / step * k + start + i % step];
          tile_b[i] = b[start * edge + i];
        }
        sycl::group_barrier(item.get_group());
        joint_matrix_load(sg, left, tile_a.get_multi_ptr<sycl::access::decorated::no>(), step);
        joint_matrix_load(sg, right, tile_b.get_multi_ptr<sycl::access::decorated::no>(), edge);
        joint_matrix_apply(sg, left, [](float& x) { x = round_to_tf32(x); });
        joint_matrix_apply(sg, right, [](float& x) { x = round_to_tf32(x); });
        joint_matrix_mad(sg, sum, left, right, sum);
        sycl::group_barrier(item.get_group());
      }
      joint_matrix_copy(sg, sum, result);
      joint_matrix_apply(sg, result, [](float& x) { x = sycl::fmax(x - 3.0f, 0.0f); });
      joint_matrix_store(sg, result, global(c), edge, layout::row_major);
    });
  });
  q.wait();
  int wrong = 0;
  for (std::size_t i = 0; i < edge; ++i) {
    for (std::size_t j = 0; j < edge; ++j) {
      float sum = -3;
      for (std::size_t h = 0; h < k; ++h) sum += host_a[i * k + h] * host_b[h * edge + j];
      wrong += c[i * edge + j] != std::max(sum, 0.0f);
    }
  }
  CHECK_EQUAL(wrong, 0);
  for (float* each : {a, b, c}) sycl::free(each, q);
}

E2E_MAIN
