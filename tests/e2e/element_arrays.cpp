/// Private arrays, in which all work-items use the same index at the same time. In vector code, the elements that all
/// work-items have at one index must lie side by side. The tests have barriers or none, groups that fill vectors and
/// groups that don't, elements of several sizes, structures, fills and copies, indices that differ between work-items,
/// and arrays whose layout can't change.
#include "check.hpp"

namespace {

struct pair {
  float first, second;
};

/// Loops that can't be unrolled, because their number of iterations is an argument.
template <class T, int Size>
T mix(std::size_t item, int length, const T* data) {
  T values[Size] = {};
  for (int k = 0; k < length; ++k) values[k] = static_cast<T>(data[item] + static_cast<T>(k * 3));
  for (int k = 1; k < length; ++k) values[k] = static_cast<T>(values[k] + values[k - 1] * 2);
  // Each work-item also changes one element whose index depends on the work-item.
  const int own = static_cast<int>(item) % length;
  values[own] = static_cast<T>(values[own] + 1);
  T copies[Size], sum = 0;
  if (own % 3 == 0) {
    std::memcpy(copies, values, sizeof(copies));
  } else {
    std::memset(copies, own % 3, sizeof(copies));
  }
  for (int k = 0; k < length; ++k) sum = static_cast<T>(sum * 3 + values[length - 1 - k] + copies[k]);
  return static_cast<T>(sum + values[(own * 7 + 1) % length]);
}

template <class T, int Size>
void check_without_barriers(sycl::queue& queue, std::size_t count, int length) {
  T* data = sycl::malloc_shared<T>(count, queue);
  T* out = sycl::malloc_shared<T>(count, queue);
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<T>(i * 5 % 97);
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> id) { out[id] = mix<T, Size>(id[0], length, data); });
  queue.wait();
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(out[i] + 0, (mix<T, Size>(i, length, data)) + 0);
  sycl::free(data, queue);
  sycl::free(out, queue);
}

template <class T, int Size>
void check_across_barriers(sycl::queue& queue, std::size_t groups, std::size_t size, int length) {
  const std::size_t count = groups * size;
  T* data = sycl::malloc_shared<T>(count, queue);
  T* out = sycl::malloc_shared<T>(count, queue);
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<T>(i * 5 % 97);
  const auto at = [=](std::size_t i, int k) { return static_cast<T>(data[i] + static_cast<T>(k * k)); };
  queue
      .submit([&](sycl::handler& handler) {
        sycl::local_accessor<T, 1> shared(size, handler);
        handler.parallel_for(sycl::nd_range<1>(count, size), [=](sycl::nd_item<1> item) {
          const std::size_t i = item.get_global_id(0), here = item.get_local_id(0);
          T values[Size];
          pair pairs[Size];
          for (int k = 0; k < length; ++k) {
            values[k] = at(i, k);
            pairs[k] = {static_cast<float>(k), static_cast<float>(here)};
          }
          shared[here] = values[length - 1];
          item.barrier(sycl::access::fence_space::local_space);
          const T neighbour = shared[(here + 1) % size];
          for (int k = 0; k < length; ++k) values[k] = static_cast<T>(values[k] + neighbour);
          item.barrier(sycl::access::fence_space::local_space);
          T sum = 0;
          float pair_sum = 0;
          for (int k = 0; k < length; ++k) {
            sum = static_cast<T>(sum * 3 + values[k]);
            pair_sum += pairs[k].first * 2 + pairs[length - 1 - k].second;
          }
          const int of_pairs = static_cast<int>(pair_sum);
          out[i] = static_cast<T>(sum + values[i % static_cast<std::size_t>(length)] + static_cast<T>(of_pairs));
        });
      })
      .wait();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t here = i % size, next = i - here + (here + 1) % size;
    T sum = 0;
    const T neighbour = at(next, length - 1);
    for (int k = 0; k < length; ++k) sum = static_cast<T>(sum * 3 + static_cast<T>(at(i, k) + neighbour));
    const T own = static_cast<T>(at(i, static_cast<int>(i % static_cast<std::size_t>(length))) + neighbour);
    const int pairs = length * (length - 1) + length * static_cast<int>(here);
    CHECK_EQUAL(out[i] + 0, static_cast<T>(sum + own + static_cast<T>(pairs)) + 0);
  }
  sycl::free(data, queue);
  sycl::free(out, queue);
}

}  // namespace

TEST("elements are counted together") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t count : {1, 7, 16, 33, 500}) {
    for (int length : {1, 2, 31, 40}) {
      check_without_barriers<std::uint32_t, 40>(queue, count, length);
      check_without_barriers<std::uint64_t, 40>(queue, count, length);
      check_without_barriers<std::uint16_t, 40>(queue, count, length);
      check_without_barriers<std::uint8_t, 40>(queue, count, length);
    }
  }
}

TEST("elements outlive barriers") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t size : {1, 5, 16, 48, 127, 128, 256, 384}) {
    for (int length : {1, 9, 24}) {
      check_across_barriers<std::uint32_t, 24>(queue, 3, size, length);
      check_across_barriers<std::uint64_t, 24>(queue, 2, size, length);
      check_across_barriers<std::uint8_t, 24>(queue, 2, size, length);
    }
  }
}

TEST("arrays that are looked at otherwise") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t count = 100;
  unsigned* out = sycl::malloc_shared<unsigned>(count, queue);
  const int length = static_cast<int>(queue.get_device().get_info<sycl::info::device::max_compute_units>() % 2) + 15;
  for (int which = 0; which < 3; ++which) {
    queue
        .parallel_for(sycl::range<1>(count),
                      [=](sycl::id<1> id) {
                        unsigned values[16];
                        for (int k = 0; k < length; ++k) values[k] = static_cast<unsigned>(k + 1) << (k + id[0] % 8);
                        for (int k = length; k < 16; ++k) values[k] = 0;
                        unsigned sum = 0;
                        if (which == 0) {  // loads two elements at a time
                          for (int k = 0; k < 16; k += 2) {
                            std::uint64_t both;
                            std::memcpy(&both, values + k, sizeof(both));
                            sum += static_cast<unsigned>(both ^ both >> 32);
                          }
                        } else if (which == 1) {  // loads byte by byte
                          const auto* bytes = reinterpret_cast<const unsigned char*>(values);
                          for (int k = 0; k < 4 * length; ++k) sum = sum * 31 + bytes[k];
                        } else {  // loads through a pointer that leads to one of two arrays
                          unsigned others[16];
                          for (int k = 0; k < 16; ++k) others[k] = static_cast<unsigned>(k);
                          const unsigned* chosen = id[0] % 3 == 0 ? others : values;
                          for (int k = 0; k < length; ++k) sum = sum * 7 + chosen[k];
                        }
                        out[id] = sum;
                      })
        .wait();
    for (std::size_t i = 0; i < count; ++i) {
      unsigned values[16] = {}, sum = 0;
      for (int k = 0; k < length; ++k) values[k] = static_cast<unsigned>(k + 1) << (static_cast<unsigned>(k) + i % 8);
      if (which == 0) {
        for (int k = 0; k < 16; k += 2) sum += values[k] ^ values[k + 1];
      } else if (which == 1) {
        for (int k = 0; k < 4 * length; ++k) sum = sum * 31 + (values[k / 4] >> (8 * (k % 4)) & 255);
      } else {
        for (int k = 0; k < length; ++k) sum = sum * 7 + (i % 3 == 0 ? static_cast<unsigned>(k) : values[k]);
      }
      CHECK_EQUAL(out[i], sum);
    }
  }
  sycl::free(out, queue);
}

namespace {

/// Sorts four bytes, and returns one of them. The sort stores to one of two places of the array.
int sorted_byte(unsigned i) {
  signed char bytes[4] = {static_cast<signed char>(i + 4), static_cast<signed char>(i ^ 1000),
                          static_cast<signed char>(i), static_cast<signed char>(i / 3 % 10)};
  for (int k = 1; k < 4; ++k) {
    const signed char byte = bytes[k];
    int place = k - 1;
    for (; place >= 0 && bytes[place] > byte; --place) bytes[place + 1] = bytes[place];
    bytes[place + 1] = byte;
  }
  return bytes[i % 4];
}

}  // namespace

TEST("arrays of bytes that are sorted") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t count = 96;
  int* out = sycl::malloc_shared<int>(count, queue);
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> id) { out[id] = sorted_byte(unsigned(id[0])); }).wait();
  for (unsigned i = 0; i < count; ++i) {
    signed char bytes[4] = {static_cast<signed char>(i + 4), static_cast<signed char>(i ^ 1000),
                            static_cast<signed char>(i), static_cast<signed char>(i / 3 % 10)};
    std::sort(bytes, bytes + 4);
    CHECK_EQUAL(out[i], int(bytes[i % 4]));
  }
  sycl::free(out, queue);
}

TEST("arrays of bytes that are filled with a captured value") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t count = 96;
  unsigned* out = sycl::malloc_shared<unsigned>(count, queue);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<unsigned>(i * 2654435761u >> 20);
  const int value = static_cast<int>(queue.get_device().get_info<sycl::info::device::max_compute_units>() % 200);
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> id) {
                      unsigned char bytes[10];
                      std::memset(bytes, value, sizeof(bytes));
                      out[id] = bytes[out[id] % 10];
                    })
      .wait();
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(out[i], static_cast<unsigned>(value));
  sycl::free(out, queue);
}

E2E_MAIN
