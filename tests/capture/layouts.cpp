// Argument blocks of every layout. main prints the leaf table that each kernel must have ("kernel
// offset,size,kind ...").
#include "mini_launch.hpp"

#include <cstdio>

struct empty {};
struct base_a {
  short s;
};
struct base_b {
  double d;
};
union either {
  int i;
  double d[2];
};
enum class small_enum : unsigned char { one };
struct nested : base_a, base_b {
  [[no_unique_address]] empty nothing;
  char c[3];
  struct {
    float* p;
    either u;
  } inner[2];
  small_enum e;
};
struct bits {
  int a : 3;
  int b : 7;
  unsigned c : 20;
  char after;
};

struct functor {
  nested n;
  bits b;
  int matrix[2][2];
  const void* pointer;
  bool flag;
  void operator()(std::size_t i) const { n.inner[1].p[i] = n.inner[0].u.i + b.b + matrix[1][0] + flag; }
};

/// Classes with the names of SYCL's classes, but in another namespace.
namespace mine::sycl {
template <class T, int D>
struct accessor {
  int first;
  T* data;
  int last;
};
struct stream {
  float* data;
};
inline namespace v1 {
struct sampler {
  short size;
};
} // namespace v1
} // namespace mine::sycl
struct outer {
  struct sycl {
    struct kernel_handler {
      char c;
    };
  };
};
struct foreign {
  mine::sycl::accessor<float, 1> view;
  mine::sycl::stream out;
  mine::sycl::sampler reads;
  outer::sycl::kernel_handler handler;
  void operator()(std::size_t i) const { view.data[i] = view.first + view.last + reads.size + handler.c + *out.data; }
};

/// The JIT turns the values of some classes into constants, whatever members these classes have. Other namespaces have
/// classes with the same names.
namespace sycl::detail {
struct image_traits {
  unsigned word;
};
struct image_layout {
  int extent[2];
  image_traits traits;
  long pitch;
};
} // namespace sycl::detail
namespace sycl {
inline namespace _V1 {
namespace experimental {
template <class T, class Id>
struct spec_constant {
  T value;
};
} // namespace experimental
struct sampler {
  unsigned short modes[2];
};
} // namespace _V1
} // namespace sycl
namespace mine::detail {
struct image_traits {
  unsigned word;
};
} // namespace mine::detail
struct made_for {
  sycl::detail::image_layout image;
  sycl::sampler samplers[2];
  sycl::experimental::spec_constant<double, empty> factor;
  mine::detail::image_traits plain;
  void operator()(std::size_t) const {
    *reinterpret_cast<double*>(image.pitch) =
        image.extent[0] + image.traits.word + samplers[1].modes[0] + factor.value + plain.word;
  }
};

struct only_empty {
  empty a;
  void operator()(std::size_t) const {}
};

int main() {
  functor f{};
  launch<class whole>(f);
  launch<class hollow>(only_empty{});
  foreign others{};
  launch<class others_names>(others);
  launch<class adapted>(made_for{});
  int* p = nullptr;
  float s = 1;
  launch<class captured>([=](std::size_t i) { p[i] = static_cast<int>(s); });

  auto offset = [&](const auto& member) {
    return static_cast<int>(reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&f));
  };
  // kinds: 0 scalar, 1 pointer, 4 opaque bytes, 7 a value that the JIT may compile in as a constant
  std::printf("whole %d,2,0 %d,8,0", offset(f.n.s), offset(f.n.d));
  for (char& c : f.n.c) std::printf(" %d,1,0", offset(c));
  for (auto& inner : f.n.inner) std::printf(" %d,8,1 %d,16,4", offset(inner.p), offset(inner.u));
  std::printf(" %d,1,0", offset(f.n.e));
  int start = offset(f.b);
  std::printf(" %d,1,4 %d,1,4 %d,2,4 %d,1,0", start, start + 1, start + 2, offset(f.b.after));
  for (auto& row : f.matrix) {
    for (int& element : row) std::printf(" %d,4,0", offset(element));
  }
  std::printf(" %d,8,1 %d,1,0\n", offset(f.pointer), offset(f.flag));
  std::printf("hollow\n");
  std::printf("others_names 0,4,0 8,8,1 16,4,0 24,8,1 32,2,0 34,1,0\n");
  std::printf("adapted 0,4,0 4,4,0 8,4,7 16,8,0 24,4,7 28,4,7 32,8,7 40,4,0\n");
  std::printf("captured 0,8,1 8,4,0\n");
}
