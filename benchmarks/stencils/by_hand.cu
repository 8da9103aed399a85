/// The pipelines of stencils.cpp for an NVIDIA GPU, in CUDA C++. Each pipeline runs as separate kernels, and as one
/// kernel that was fused by hand and works in tiles.
///
/// Compile it by `nvcc -O3 -arch=native -o by_hand by_hand.cu`. usage: by_hand PIPELINE [ROUNDS [HEIGHT [WIDTH
/// [REPEATS]]]]; prints the same lines as the program `stencils`: one line of JSON per round, with the milliseconds of
/// each variant. The results of both variants are compared with a tolerance, because contraction differs.
///
/// Each block has a tile of 64 x 32. In each stage, the block computes the elements of the tile, and the elements
/// around the tile that later stages read. The results are in shared memory, and a barrier follows each stage.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int tile_x = 64, tile_y = 32, threads = 256;

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "by_hand: %s\n", cudaGetErrorString(result));
  std::exit(1);
}

__device__ int limited(int at, int size) { return at < 0 ? 0 : at >= size ? size - 1 : at; }

/// An image in memory. Reads outside of the image return the values at its border.
template <class T>
struct image {
  T* data;
  int height, width;
  __device__ T operator()(int y, int x) const { return data[limited(y, height) * width + limited(x, width)]; }
};

/// Part of an image in shared memory: the tile at (y, x) and `Around` elements around it.
template <class T, int AroundY, int AroundX>
struct part {
  static constexpr int height = tile_y + 2 * AroundY, width = tile_x + 2 * AroundX;
  T data[height * width];
};
template <class T, int AroundY, int AroundX>
struct view {
  const part<T, AroundY, AroundX>& of;
  int first_y, first_x, height, width;
  __device__ T operator()(int y, int x) const {
    const int row = limited(y, height) - first_y + AroundY, column = limited(x, width) - first_x + AroundX;
    return of.data[row * of.width + column];
  }
};

/// Computes `to` = f(y, x) for the elements of the tile, and for the elements around the tile. Leaves out elements
/// outside of the image.
template <class T, int AroundY, int AroundX, class F>
__device__ void compute(part<T, AroundY, AroundX>& to, int height, int width, const F& f) {
  const int first_y = blockIdx.y * tile_y - AroundY, first_x = blockIdx.x * tile_x - AroundX;
  for (int i = threadIdx.x; i < to.height * to.width; i += threads) {
    const int y = first_y + i / to.width, x = first_x + i % to.width;
    if (y >= 0 && y < height && x >= 0 && x < width) to.data[i] = f(y, x);
  }
  __syncthreads();
}
template <class T, class F>
__device__ void write(image<T> to, const F& f) {
  for (int i = threadIdx.x; i < tile_y * tile_x; i += threads) {
    const int y = blockIdx.y * tile_y + i / tile_x, x = blockIdx.x * tile_x + i % tile_x;
    if (y < to.height && x < to.width) to.data[y * to.width + x] = f(y, x);
  }
}
#define VIEW(name, of, ay, ax, type) \
  const view<type, ay, ax> name{of, int(blockIdx.y) * tile_y, int(blockIdx.x) * tile_x, in.height, in.width}

struct blur_x {
  template <class A> static __device__ unsigned short at(const A& a, int y, int x) {
    return static_cast<unsigned short>((a(y, x - 1) + a(y, x) + a(y, x + 1)) / 3);
  }
};
struct blur_y {
  template <class A> static __device__ unsigned short at(const A& a, int y, int x) {
    return static_cast<unsigned short>((a(y - 1, x) + a(y, x) + a(y + 1, x)) / 3);
  }
};
template <class At>
__device__ float weigh(const At& at) {
  return at(-3) * 0.03f + at(-2) * 0.11f + at(-1) * 0.22f + at(0) * 0.28f + at(1) * 0.22f + at(2) * 0.11f + at(3) * 0.03f;
}
struct weigh_x {
  template <class A> static __device__ float at(const A& a, int y, int x) {
    return weigh([&](int by) { return a(y, x + by); });
  }
};
struct weigh_y {
  template <class A> static __device__ float at(const A& a, int y, int x) {
    return weigh([&](int by) { return a(y + by, x); });
  }
};
struct gradient_x {
  template <class A> static __device__ float at(const A& a, int y, int x) {
    return (a(y - 1, x + 1) - a(y - 1, x - 1)) + 2 * (a(y, x + 1) - a(y, x - 1)) + (a(y + 1, x + 1) - a(y + 1, x - 1));
  }
};
struct gradient_y {
  template <class A> static __device__ float at(const A& a, int y, int x) {
    return (a(y + 1, x - 1) - a(y - 1, x - 1)) + 2 * (a(y + 1, x) - a(y - 1, x)) + (a(y + 1, x + 1) - a(y - 1, x + 1));
  }
};
struct box {
  template <class A> static __device__ float at(const A& a, int y, int x) {
    float sum = 0;
    for (int by = -1; by <= 1; ++by) {
      for (int bx = -1; bx <= 1; ++bx) sum += a(y + by, x + bx);
    }
    return sum;
  }
};
struct sweep {
  template <class A> static __device__ float at(const A& a, int y, int x) {
    return 0.25f * (a(y - 1, x) + a(y + 1, x) + a(y, x - 1) + a(y, x + 1));
  }
};

// ------------------------------------------------------------------------------------------------- one by one

template <class Stage, class T>
__global__ void alone(image<T> in, image<T> out) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < in.height && x < in.width) out.data[y * in.width + x] = Stage::at(in, y, x);
}
__global__ void product(image<float> a, image<float> b, image<float> out) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x, i = y * a.width + x;
  if (y < a.height && x < a.width) out.data[i] = a.data[i] * b.data[i];
}
__global__ void sharpen(image<float> a, image<float> b, image<float> out) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x, i = y * a.width + x;
  if (y < a.height && x < a.width) out.data[i] = a.data[i] + 1.5f * (a.data[i] - b.data[i]);
}
__device__ float strength(float a, float b, float c) {
  const float trace = a + c;
  return a * c - b * b - 0.04f * trace * trace;
}
__global__ void corners(image<float> a, image<float> b, image<float> c, image<float> out) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x, i = y * a.width + x;
  if (y < a.height && x < a.width) out.data[i] = strength(a.data[i], b.data[i], c.data[i]);
}

// ------------------------------------------------------------------------------------------------- fused by hand

using u16 = unsigned short;

__global__ __launch_bounds__(threads) void blur_fused(image<u16> in, image<u16> out) {
  __shared__ part<u16, 1, 0> rows;
  compute(rows, in.height, in.width, [&](int y, int x) { return blur_x::at(in, y, x); });
  VIEW(a, rows, 1, 0, u16);
  write(out, [&](int y, int x) { return blur_y::at(a, y, x); });
}

__global__ __launch_bounds__(threads) void unsharp_fused(image<float> in, image<float> out) {
  __shared__ part<float, 3, 0> rows;
  compute(rows, in.height, in.width, [&](int y, int x) { return weigh_x::at(in, y, x); });
  VIEW(a, rows, 3, 0, float);
  write(out, [&](int y, int x) {
    const float here = in.data[y * in.width + x];
    return here + 1.5f * (here - weigh_y::at(a, y, x));
  });
}

__global__ __launch_bounds__(threads) void harris_fused(image<float> in, image<float> out) {
  __shared__ part<float, 1, 1> xx, xy, yy;
  const int first_y = blockIdx.y * tile_y - 1, first_x = blockIdx.x * tile_x - 1;
  for (int i = threadIdx.x; i < xx.height * xx.width; i += threads) {
    const int y = first_y + i / xx.width, x = first_x + i % xx.width;
    if (y < 0 || y >= in.height || x < 0 || x >= in.width) continue;
    const float gx = gradient_x::at(in, y, x), gy = gradient_y::at(in, y, x);
    xx.data[i] = gx * gx, xy.data[i] = gx * gy, yy.data[i] = gy * gy;
  }
  __syncthreads();
  VIEW(a, xx, 1, 1, float);
  VIEW(b, xy, 1, 1, float);
  VIEW(c, yy, 1, 1, float);
  write(out, [&](int y, int x) { return strength(box::at(a, y, x), box::at(b, y, x), box::at(c, y, x)); });
}

__global__ __launch_bounds__(threads) void jacobi_fused(image<float> in, image<float> out) {
  __shared__ union {
    part<float, 4, 4> first;
    part<float, 2, 2> third;
  } odd;
  __shared__ union {
    part<float, 3, 3> second;
    part<float, 1, 1> fourth;
  } even;
  compute(odd.first, in.height, in.width, [&](int y, int x) { return sweep::at(in, y, x); });
  VIEW(a, odd.first, 4, 4, float);
  compute(even.second, in.height, in.width, [&](int y, int x) { return sweep::at(a, y, x); });
  VIEW(b, even.second, 3, 3, float);
  compute(odd.third, in.height, in.width, [&](int y, int x) { return sweep::at(b, y, x); });
  VIEW(c, odd.third, 2, 2, float);
  compute(even.fourth, in.height, in.width, [&](int y, int x) { return sweep::at(c, y, x); });
  VIEW(d, even.fourth, 1, 1, float);
  write(out, [&](int y, int x) { return sweep::at(d, y, x); });
}

// ------------------------------------------------------------------------------------------------- measuring

template <class T>
struct pictures {
  int height, width;
  std::vector<image<T>> all;
  image<T> operator[](std::size_t i) {
    while (i >= all.size()) {
      image<T> next{nullptr, height, width};
      check(cudaMalloc(&next.data, sizeof(T) * height * width));
      all.push_back(next);
    }
    return all[i];
  }
};

template <class Work>
double milliseconds(int repeats, const Work& work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin)), check(cudaEventCreate(&end));
  check(cudaEventRecord(begin));
  for (int i = 0; i < repeats; ++i) work();
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float time = 0;
  check(cudaEventElapsedTime(&time, begin, end));
  return time / repeats;
}

/// Measures the separate kernels, and the fused kernel. The input is picture 0, and the two results are pictures 1 and
/// 2.
template <class T, class OneByOne, class Fused>
int measure(int rounds, int height, int width, int repeats, OneByOne one_by_one, Fused fused) {
  pictures<T> p{height, width, {}};
  const std::size_t count = static_cast<std::size_t>(height) * width;
  std::vector<T> start(count), a(count), b(count);
  unsigned long long random = 42;
  for (T& each : start) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const auto number = static_cast<unsigned>(random >> 33) % 1000;
    each = static_cast<T>(sizeof(T) == 4 ? number / 1000.0f : number);
  }
  check(cudaMemcpy(p[0].data, start.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  for (std::size_t i = 0; i < 11; ++i) p[i];
  one_by_one(p), fused(p);
  check(cudaDeviceSynchronize());
  check(cudaMemcpy(a.data(), p[1].data, count * sizeof(T), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(b.data(), p[2].data, count * sizeof(T), cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < count; ++i) {
    if (std::abs(double(a[i]) - double(b[i])) <= 1e-3 * (1 + std::abs(double(a[i])))) continue;
    std::fprintf(stderr, "by_hand: element %zu differs\n", i);
    return 1;
  }
  for (int round = 0; round < rounds; ++round) {
    const double first = milliseconds(repeats, [&] { one_by_one(p); }), second = milliseconds(repeats, [&] { fused(p); });
    std::printf("{\"CUDA one by one\": %.4f, \"CUDA by hand\": %.4f}\n", first, second);
  }
  return 0;
}

int number_of(int word_count, char** words, int which, int usual) {
  return word_count > which ? std::atoi(words[which]) : usual;
}

}  // namespace

int main(int word_count, char** words) {
  const std::string name = word_count > 1 ? words[1] : "";
  const int rounds = number_of(word_count, words, 2, 15), height = number_of(word_count, words, 3, 4096);
  const int width = number_of(word_count, words, 4, height), repeats = number_of(word_count, words, 5, 20);
  if (height <= 0 || width <= 0 || repeats <= 0) return 2;
  const dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
  const dim3 tiles((width + tile_x - 1) / tile_x, (height + tile_y - 1) / tile_y);
  using floats = pictures<float>;
  if (name == "blur") {
    return measure<u16>(rounds, height, width, repeats,
                        [&](auto& p) {
                          alone<blur_x><<<grid, block>>>(p[0], p[3]);
                          alone<blur_y><<<grid, block>>>(p[3], p[1]);
                        },
                        [&](auto& p) { blur_fused<<<tiles, threads>>>(p[0], p[2]); });
  }
  if (name == "unsharp") {
    return measure<float>(rounds, height, width, repeats,
                          [&](floats& p) {
                            alone<weigh_x><<<grid, block>>>(p[0], p[3]);
                            alone<weigh_y><<<grid, block>>>(p[3], p[4]);
                            sharpen<<<grid, block>>>(p[0], p[4], p[1]);
                          },
                          [&](floats& p) { unsharp_fused<<<tiles, threads>>>(p[0], p[2]); });
  }
  if (name == "harris") {
    return measure<float>(rounds, height, width, repeats,
                          [&](floats& p) {
                            alone<gradient_x><<<grid, block>>>(p[0], p[3]);
                            alone<gradient_y><<<grid, block>>>(p[0], p[4]);
                            product<<<grid, block>>>(p[3], p[3], p[5]);
                            product<<<grid, block>>>(p[3], p[4], p[6]);
                            product<<<grid, block>>>(p[4], p[4], p[7]);
                            for (std::size_t i = 0; i < 3; ++i) alone<box><<<grid, block>>>(p[5 + i], p[8 + i]);
                            corners<<<grid, block>>>(p[8], p[9], p[10], p[1]);
                          },
                          [&](floats& p) { harris_fused<<<tiles, threads>>>(p[0], p[2]); });
  }
  if (name == "jacobi") {
    return measure<float>(rounds, height, width, repeats,
                          [&](floats& p) {
                            alone<sweep><<<grid, block>>>(p[0], p[3]);
                            alone<sweep><<<grid, block>>>(p[3], p[4]);
                            alone<sweep><<<grid, block>>>(p[4], p[3]);
                            alone<sweep><<<grid, block>>>(p[3], p[4]);
                            alone<sweep><<<grid, block>>>(p[4], p[1]);
                          },
                          [&](floats& p) { jacobi_fused<<<tiles, threads>>>(p[0], p[2]); });
  }
  std::fputs("usage: by_hand blur|unsharp|harris|jacobi [ROUNDS [HEIGHT [WIDTH [REPEATS]]]]\n", stderr);
  return 2;
}
