// The cases of textures.cpp, written with CUDA's arrays, textures and surfaces.
// nvcc -O3 -std=c++17 -arch=native textures.cu
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr float cosine = 0.99862953f, sine = 0.05233596f;
constexpr unsigned texture_side = 256, reads = 8;

__host__ __device__ std::uint32_t scrambled(std::uint32_t value) {
  value = (value ^ value >> 16) * 0x7feb352du;
  value = (value ^ value >> 15) * 0x846ca68bu;
  return value ^ value >> 16;
}
__host__ __device__ float fraction_of(std::uint32_t value) { return static_cast<float>(value >> 8) * 0x1p-24f; }

__global__ void turn(cudaTextureObject_t from, float4* out, int n, float middle) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  const float across = x + 0.5f - middle, down = y + 0.5f - middle;
  out[y * n + x] = tex2D<float4>(from, cosine * across + sine * down + middle, cosine * down - sine * across + middle);
}
__global__ void flip(cudaTextureObject_t from, float4* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = tex2D<float4>(from, y + 0.25f, x + 0.25f);
}
__global__ void volume(cudaTextureObject_t from, float4* out, int count, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float x = i % side, y = i / side % side, z = i / (side * side) % side;
  out[i] = tex3D<float4>(from, x + 0.25f * z, y + 0.3f, z + 0.6f);
}
__device__ unsigned byte_of(float value) { return __float2uint_rn(__saturatef(value) * 255); }
__global__ void write(cudaSurfaceObject_t to, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n) return;
  const float x = static_cast<float>(column) / static_cast<float>(n);
  const uchar4 texel = make_uchar4(byte_of(x), byte_of(1 - x), byte_of(0.5f), byte_of(1));
  surf2Dwrite(texel, to, column * 4, row);
}
__global__ void render(const cudaTextureObject_t* known, float4* out, int count, unsigned all) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float4 sum = make_float4(0, 0, 0, 0);
  for (unsigned k = 0; k < reads; ++k) {
    const std::uint32_t number = scrambled(i * reads + k);
    const float4 texel = tex2D<float4>(known[number % all], fraction_of(number * 3) * texture_side,
                                       fraction_of(number * 5) * texture_side);
    sum.x += texel.x, sum.y += texel.y, sum.z += texel.z, sum.w += texel.w;
  }
  out[i] = sum;
}

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

template <class Launch>
void measure(const char* name, const float4* results, std::size_t count, const Launch& launch) {
  double best = 1e9;
  for (int round = 0; round < 8; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) launch();
    check(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    if (round > 0) best = std::min(best, taken.count() / 20);
  }
  std::vector<float4> some(std::min<std::size_t>(count, 65536));
  check(cudaMemcpy(some.data(), results, some.size() * sizeof(float4), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const float4& each : some) sum += each.x + each.y + each.z + each.w;
  std::printf("%s %.4f %.6g\n", name, best, sum);
}

struct image {
  cudaArray_t array = nullptr;
  image(const void* texels, cudaExtent size, cudaChannelFormatDesc format, std::size_t texel) {
    check(cudaMalloc3DArray(&array, &format, size, cudaArraySurfaceLoadStore));
    if (!texels) return;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<void*>(texels), size.width * texel, size.width, size.height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(size.width, size.height, std::max<std::size_t>(size.depth, 1));
    copy.kind = cudaMemcpyHostToDevice;
    check(cudaMemcpy3D(&copy));
  }
  cudaResourceDesc resource() const {
    cudaResourceDesc result = {};
    result.resType = cudaResourceTypeArray;
    result.res.array.array = array;
    return result;
  }
  cudaTextureObject_t texture(bool bytes) const {
    cudaTextureDesc how = {};
    for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = bytes ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    const cudaResourceDesc from = resource();
    cudaTextureObject_t result = 0;
    check(cudaCreateTextureObject(&result, &from, &how, nullptr));
    return result;
  }
};

int main(int count, char** arguments) {
  const std::size_t n = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 4096;
  const std::size_t textures = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1000;
  const std::size_t least = 64 * textures + texture_side * texture_side;
  const std::size_t texels = std::max({n * n, std::size_t{128} * 128 * 128, least});
  std::vector<std::uint32_t> bytes(texels);
  std::vector<float4> numbers(texels);
  for (std::size_t i = 0; i < texels; ++i) {
    bytes[i] = scrambled(static_cast<std::uint32_t>(i));
    numbers[i] = make_float4(fraction_of(bytes[i]), fraction_of(bytes[i] * 3), fraction_of(bytes[i] * 5),
                             fraction_of(bytes[i] * 7));
  }
  float4* out = nullptr;
  check(cudaMalloc(&out, n * n * sizeof(float4)));
  const auto of_bytes = cudaCreateChannelDesc<uchar4>();
  const auto of_numbers = cudaCreateChannelDesc<float4>();
  const dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
  const float middle = 0.5f * n;
  const image byte_plane(bytes.data(), make_cudaExtent(n, n, 0), of_bytes, 4);
  const cudaTextureObject_t byte_texture = byte_plane.texture(true);
  measure("turn_rgba8", out, n * n, [&] { turn<<<grid, block>>>(byte_texture, out, n, middle); });
  measure("flip_rgba8", out, n * n, [&] { flip<<<grid, block>>>(byte_texture, out, n); });
  const image number_plane(numbers.data(), make_cudaExtent(n, n, 0), of_numbers, 16);
  const cudaTextureObject_t number_texture = number_plane.texture(false);
  measure("turn_rgba32f", out, n * n, [&] { turn<<<grid, block>>>(number_texture, out, n, middle); });
  const image cube(numbers.data(), make_cudaExtent(128, 128, 128), of_numbers, 16);
  const cudaTextureObject_t cube_texture = cube.texture(false);
  const int in_volume = static_cast<int>(std::min<std::size_t>(n * n, std::size_t{1} << 23));
  measure("volume_rgba32f", out, in_volume,
          [&] { volume<<<(in_volume + 255) / 256, 256>>>(cube_texture, out, in_volume, 128); });
  const cudaResourceDesc target = byte_plane.resource();
  cudaSurfaceObject_t surface = 0;
  check(cudaCreateSurfaceObject(&surface, &target));
  measure("write_rgba8", out, 4, [&] { write<<<grid, block>>>(surface, n); });
  std::vector<cudaTextureObject_t> handles;
  for (std::size_t i = 0; i < textures; ++i) {
    const image each(bytes.data() + 64 * i, make_cudaExtent(texture_side, texture_side, 0), of_bytes, 4);
    handles.push_back(each.texture(true));
  }
  cudaTextureObject_t* known = nullptr;
  check(cudaMalloc(&known, textures * sizeof(*known)));
  check(cudaMemcpy(known, handles.data(), textures * sizeof(*known), cudaMemcpyHostToDevice));
  const int pixels = static_cast<int>(n * n / 4);
  measure("render", out, pixels, [&] { render<<<(pixels + 255) / 256, 256>>>(known, out, pixels, textures); });
}
