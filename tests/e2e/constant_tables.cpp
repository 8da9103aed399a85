/// Kernels read a value from a constant table in one branch and from other memory in another branch. The pointer in the
/// other branch refers to another table, to private memory or to local memory, or it is null. The same function
/// computes on the device and on the host.
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string_view>

#include "check.hpp"

namespace {

constexpr std::size_t count = 96;

constexpr float table[8] = {1, 2, 3.5f, 5, 8, 13, 21, 34};
constexpr int offsets[8] = {0, -1, 2, 3, -4, 5, 6, 7};
constexpr std::array<unsigned char, 7> bytes{3, 1, 4, 1, 5, 9, 2};
constexpr std::string_view words[3] = {"x", "yy", "zzz"};
struct row {
  float weights[4];
  int next;
  const char* name;
};
constexpr row rows[3] = {{{1, 2, 3, 4}, 1, "a"}, {{5, 6, 7, 8}, 2, "bb"}, {{9, 10, 11, 12}, 0, "ccc"}};

/// Inputs of a work-item, passed through memory so that the compiler does not know them.
struct inputs {
  const float* real;
  const int* number;
  const char* text;
};

/// Calls `function(i, in)` for all i on the device and on the host, and compares.
template <class Function>
void compare(const char* name, Function function) {
  sycl::queue queue = e2e::make_queue();
  float* real = sycl::malloc_shared<float>(count + 16, queue);
  int* number = sycl::malloc_shared<int>(count + 16, queue);
  char* text = sycl::malloc_shared<char>(count + 16, queue);
  for (std::size_t i = 0; i < count + 16; ++i) {
    real[i] = static_cast<float>(e2e::random()() % 40);
    number[i] = static_cast<int>(e2e::random()() % 9);
    text[i] = static_cast<char>('a' + i % 26);
  }
  const inputs in{real, number, text};
  float* out = sycl::malloc_shared<float>(count, queue);
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> id) {
    out[id] = static_cast<float>(function(static_cast<int>(id[0]), in));
  });
  queue.wait();
  for (std::size_t i = 0; i < count; ++i) {
    const float expected = static_cast<float>(function(static_cast<int>(i), in));
    if (out[i] == expected) continue;
    e2e::fail(__FILE__, __LINE__, std::string(name) + ": " + std::to_string(out[i]) + " instead of " +
                                      std::to_string(expected) + " at " + std::to_string(i));
    break;
  }
  for (void* memory : {static_cast<void*>(real), static_cast<void*>(number), static_cast<void*>(text),
                       static_cast<void*>(out)}) {
    sycl::free(memory, queue);
  }
}

}  // namespace

TEST("an element of a table or of memory") {
  compare("choice", [](int i, inputs in) { return i < 4 ? table[i + 2] : in.real[i]; });
  compare("known element", [](int i, inputs in) { return *(in.number[i] > 4 ? &table[3] : &in.real[i]); });
  compare("branches", [](int i, inputs in) {
    float value;
    if (in.number[i] > 3) {
      value = table[in.number[i] & 7];
    } else {
      value = in.real[i + 8];
    }
    return value * 2;
  });
  compare("two tables", [](int i, inputs in) { return in.number[i] > 4 ? offsets[i & 7] : offsets[7 - (i & 7)]; });
  compare("references", [](int i, inputs in) {
    return std::max(table[i & 7], in.real[i]) + std::min({table[7 - (i & 7)], in.real[i], in.real[i + 8]});
  });
  compare("std::array", [](int i, inputs in) {
    return static_cast<std::size_t>(i) < bytes.size() ? int{bytes[static_cast<std::size_t>(i)]} : in.number[i];
  });
  compare("a switch", [](int i, inputs in) {
    switch (in.number[i]) {
      case 0: return 11;
      case 1: return 7;
      case 2: return 99;
      case 3: return -4;
      case 4: return 1234;
      default: return in.number[i + 8];
    }
  });
}

TEST("pointers to a table or to memory") {
  compare("loop", [](int i, inputs in) {
    const float* from = in.number[i] > 4 ? table + (i & 3) : in.real + i;
    float sum = 0;
    for (int k = 0; k < (in.number[0] & 3) + 1; ++k) sum += from[k];
    return sum;
  });
  compare("walk", [](int i, inputs in) {
    const float* at = table;
    while (at < table + 7 && *at < in.real[i]) ++at;
    const float* last = in.number[i] > 4 ? at : &in.real[i];
    return *last + 1;
  });
  compare("search", [](int i, inputs in) {
    const float* found = std::lower_bound(table, table + 8, in.real[i]);
    return found == table + 8 ? in.real[8] : *found;
  });
  compare("nothing", [](int i, inputs in) {
    const float* best = nullptr;
    for (int k = 0; k < 8; ++k) {
      if (in.number[i + k] > 4 && (!best || table[k] > *best)) best = in.number[i] > 6 ? &in.real[i + k] : &table[k];
    }
    return best ? *best : -1;
  });
  compare("rows", [](int i, inputs in) {
    const row* at = &rows[i % 3];
    for (int k = 0; k < in.number[0]; ++k) at = &rows[at->next];
    row own = rows[i % 3];
    own.weights[in.number[i] & 3] = in.real[i];
    const row& chosen = in.number[i] > 4 ? own : *at;
    return chosen.weights[in.number[i + 1] & 3] + static_cast<float>(at->name[0]);
  });
  compare("literals", [](int i, inputs in) {
    const char* text = in.number[i] > 4 ? "of sinter" : in.text + i;
    return text[in.number[i + 1] & 7] + words[i % 3][0] + static_cast<int>(words[i % 3].size());
  });
}

TEST("pointers to a table or to private memory") {
  compare("array", [](int i, inputs in) {
    float own[8];
    for (int k = 0; k < 8; ++k) own[(k + i) & 7] = in.real[k];
    const float* from = in.number[i] > 4 ? &table[i & 7] : &own[in.number[i + 1] & 7];
    return *from;
  });
  compare("known element", [](int i, inputs in) {
    float own[8];
    for (int k = 0; k < 8; ++k) own[(k + i) & 7] = in.real[k];
    return *(in.number[i] > 4 ? &table[1] : &own[in.number[i + 1] & 7]);
  });
  compare("rounded down", [](int i, inputs in) {
    alignas(16) float own[8];
    for (int k = 0; k < 8; ++k) own[(k + i) & 7] = in.real[k];
#if __has_builtin(__builtin_align_down)
    const float* pair = __builtin_align_down(&own[in.number[i] & 7], 8);
#else
    const float* pair = &own[in.number[i] & 6];
#endif
    const float* from = in.number[i + 1] > 4 ? pair : &table[2];
    return from[0] + from[1];
  });
  compare("number", [](int i, inputs in) {
    const auto* const none = reinterpret_cast<const float*>(64);
    float own[8];
    for (int k = 0; k < 8; ++k) own[(k + i) & 7] = in.real[k];
    const float* from = in.number[i] > 5 ? none : in.number[i] > 2 ? &own[i & 7] : &table[i & 7];
    return from != none ? *from : -2;
  });
}

TEST("pointers to a table, to local memory or to nothing") {
  sycl::queue queue = e2e::make_queue();
  float* data = sycl::malloc_shared<float>(64, queue);
  float expected[64];
  for (int i = 0; i < 64; ++i) data[i] = static_cast<float>(e2e::random()() % 40);
  for (int i = 0; i < 64; ++i) {
    expected[i] = (data[i] < 20 ? table[i & 7] : data[i ^ 1]) + (data[i] > 30 ? data[i ^ 2] : -1);
  }
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<float> shared(64, handler);
    handler.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_global_id(0);
      shared[i] = data[i];
      sycl::group_barrier(item.get_group());
      const float* from = data[i] < 20 ? &table[i & 7] : &shared[i ^ 1];
      const float* other = data[i] > 30 ? &shared[i ^ 2] : nullptr;
      const float value = *from + (other ? *other : -1);
      sycl::group_barrier(item.get_group());
      data[i] = value;
    });
  });
  queue.wait();
  for (int i = 0; i < 64; ++i) CHECK_EQUAL(data[i], expected[i]);
  sycl::free(data, queue);
}

E2E_MAIN
