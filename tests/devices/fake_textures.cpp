/// Implements the fake driver's arrays and its texture and surface objects. An array is memory of the host, and an
/// object is a number. The library refuses all calls that NVIDIA's driver refuses.
#include <unistd.h>

#include <algorithm>
#include <backends/cuda/driver.hpp>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "fake_driver.hpp"

namespace sinter::cuda {

struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR shape;
  std::vector<char> bytes;

  explicit CUarray_st(const CUDA_ARRAY3D_DESCRIPTOR& its_shape) : shape(its_shape) {
    bytes.resize(row() * height() * std::max<std::size_t>(shape.Depth, 1));
  }
  std::size_t texel() const {
    const unsigned format = shape.Format;
    const std::size_t channel = format % 8 == 1 || format == CU_AD_FORMAT_SIGNED_INT8                            ? 1
                                : format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_UNSIGNED_INT32 ||
                                          format == CU_AD_FORMAT_SIGNED_INT32
                                      ? 4
                                      : 2;
    return channel * shape.NumChannels;
  }
  std::size_t row() const { return shape.Width * texel(); }
  std::size_t height() const { return std::max<std::size_t>(shape.Height, 1); }
};
/// Imported external memory. This library uses a file as such memory.
struct CUextMemory_st {
  int file;
  std::size_t bytes;
};
struct CUextSemaphore_st {
  bool counts;
};
struct CUmipmappedArray_st {
  std::vector<std::unique_ptr<CUarray_st>> levels;
};

namespace {

using gpu::success, gpu::invalid_value;

constexpr std::size_t most_texels = 131072;

bool is_possible(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  const bool is_cube = (shape.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
  return shape.Width != 0 && shape.Width <= most_texels && shape.Height <= most_texels && shape.NumChannels != 3 &&
         shape.NumChannels <= 4 && (!is_cube || (shape.Width == shape.Height && shape.Depth == 6)) &&
         (shape.Height != 0 || shape.Depth == 0 || (shape.Flags & CUDA_ARRAY3D_LAYERED) != 0);
}

/// Returns the address of a row in a copy's source or destination: row y of plane z. Returns null if the row is outside
/// of the source or destination.
char* row_of(void* array, int type, const void* memory, const void* host, std::size_t pitch, std::size_t height,
             std::size_t x, std::size_t y, std::size_t z, std::size_t bytes) {
  if (type != gpu::copy_node::array_memory) {
    const void* begin = type == gpu::copy_node::host_memory ? host : memory;
    return static_cast<char*>(const_cast<void*>(begin)) + (z * height + y) * pitch + x;
  }
  auto& from = *static_cast<CUarray_st*>(array);
  const std::size_t place = (z * from.height() + y) * from.row() + x;
  if (x + bytes > from.row() || y >= from.height() || place + bytes > from.bytes.size()) return nullptr;
  return from.bytes.data() + place;
}

std::mutex making;
std::map<std::uint64_t, fake_texture> made;
std::uint64_t numbers = 0;

}  // namespace
}  // namespace sinter::cuda

fake_texture fake_texture_of(std::uint64_t number) {
  const std::lock_guard lock(sinter::cuda::making);
  return sinter::cuda::made.at(number);
}

#pragma GCC visibility push(default)
extern "C" {
using namespace sinter::cuda;
namespace gpu = sinter::gpu;

int cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* shape) {
  if (!is_possible(*shape)) return invalid_value;
  ++fake_driver_calls.arrays;
  return *array = new CUarray_st(*shape), success;
}
int cuArrayDestroy(CUarray array) {
  delete array;
  return --fake_driver_calls.arrays, success;
}
int cuMipmappedArrayCreate(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* shape, unsigned levels) {
  if (!is_possible(*shape)) return invalid_value;
  *array = new CUmipmappedArray_st;
  for (unsigned level = 0; level < levels; ++level) {
    CUDA_ARRAY3D_DESCRIPTOR part = *shape;
    for (std::size_t* extent : {&part.Width, &part.Height, &part.Depth}) {
      if (*extent != 0) *extent = std::max<std::size_t>(*extent >> level, 1);
    }
    (*array)->levels.push_back(std::make_unique<CUarray_st>(part));
  }
  return ++fake_driver_calls.arrays, success;
}
int cuMipmappedArrayGetLevel(CUarray* array, CUmipmappedArray from, unsigned level) {
  if (level >= from->levels.size()) return invalid_value;
  return *array = from->levels[level].get(), success;
}
int cuMipmappedArrayDestroy(CUmipmappedArray array) {
  delete array;
  return --fake_driver_calls.arrays, success;
}
int cuTexObjectCreate(CUtexObject* number, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* texture,
                      const CUDA_RESOURCE_VIEW_DESC*) {
  const bool of_rows = resource->resType == CU_RESOURCE_TYPE_PITCH2D;
  if (of_rows && (resource->res.plane.pitchInBytes % 32 != 0 || resource->res.plane.devPtr % 256 != 0)) {
    return invalid_value;
  }
  const bool normalized = (texture->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  // Wrapping addressing modes and mip levels need normalized coordinates. Images of integers are never filtered.
  if (!normalized && (texture->addressMode[0] % 2 == 0 || resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)) {
    return invalid_value;
  }
  if ((texture->flags & CU_TRSF_READ_AS_INTEGER) != 0 && texture->filterMode == 1) return invalid_value;
  const std::lock_guard lock(making);
  *number = ++numbers;
  made[*number] = {static_cast<unsigned>(resource->resType), texture->flags, texture->addressMode[0],
                   texture->filterMode, texture->mipmapFilterMode, texture->maxMipmapLevelClamp,
                   {texture->addressMode[1], texture->addressMode[2]}};
  return ++fake_driver_calls.textures, success;
}
int cuTexObjectDestroy(CUtexObject number) {
  const std::lock_guard lock(making);
  if (made.erase(number) == 0) return invalid_value;
  return --fake_driver_calls.textures, success;
}
int cuSurfObjectCreate(CUsurfObject* number, const CUDA_RESOURCE_DESC* resource) {
  if (resource->resType != CU_RESOURCE_TYPE_ARRAY) return invalid_value;
  if (fake_driver_calls.surface_result != success) return fake_driver_calls.surface_result;
  if ((static_cast<CUarray>(resource->res.array)->shape.Flags & CUDA_ARRAY3D_SURFACE_LDST) == 0) return invalid_value;
  const std::lock_guard lock(making);
  return *number = ++numbers, ++fake_driver_calls.surfaces, success;
}
int cuImportExternalMemory(CUexternalMemory* memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* from) {
  if (from->type != 1 || from->size == 0) return invalid_value;
  *memory = new CUextMemory_st{from->handle.fd, from->size};
  return ++fake_driver_calls.imports, success;
}
int cuDestroyExternalMemory(CUexternalMemory memory) {
  close(memory->file);
  delete memory;
  return --fake_driver_calls.imports, success;
}
int cuExternalMemoryGetMappedBuffer(gpu::device_address* address, CUexternalMemory memory,
                                    const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* part) {
  if (part->offset + part->size > memory->bytes) return invalid_value;
  void* const copy = std::malloc(part->size);
  if (pread(memory->file, copy, part->size, static_cast<off_t>(part->offset)) < 0) return invalid_value;
  return *address = reinterpret_cast<gpu::device_address>(copy), success;
}
int cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray* array, CUexternalMemory memory,
                                            const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC* wanted) {
  const int result = cuMipmappedArrayCreate(array, &wanted->arrayDesc, wanted->numLevels);
  if (result != success) return result;
  std::vector<char>& first = (*array)->levels[0]->bytes;
  return pread(memory->file, first.data(), first.size(), static_cast<off_t>(wanted->offset)) < 0 ? invalid_value
                                                                                                : success;
}
int cuImportExternalSemaphore(CUexternalSemaphore* semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* from) {
  if (from->type != 1 && from->type != 9) return invalid_value;
  *semaphore = new CUextSemaphore_st{from->type == 9};
  return ++fake_driver_calls.imports, success;
}
int cuDestroyExternalSemaphore(CUexternalSemaphore semaphore) {
  delete semaphore;
  return --fake_driver_calls.imports, success;
}
int cuSignalExternalSemaphoresAsync(const CUexternalSemaphore*, const CUDA_EXTERNAL_SEMAPHORE_PARAMS* how, unsigned,
                                    CUstream) {
  return fake_driver_calls.semaphore_uses.push_back(static_cast<long long>(how->value)), success;
}
int cuWaitExternalSemaphoresAsync(const CUexternalSemaphore*, const CUDA_EXTERNAL_SEMAPHORE_PARAMS* how, unsigned,
                                  CUstream) {
  return fake_driver_calls.semaphore_uses.push_back(-static_cast<long long>(how->value)), success;
}
int cuSurfObjectDestroy(CUsurfObject) { return --fake_driver_calls.surfaces, success; }
int cuMemcpy3DAsync_v2(const gpu::copy_node* copy, CUstream) {
  for (std::size_t z = 0; z < copy->depth; ++z) {
    for (std::size_t y = 0; y < copy->height; ++y) {
      const char* from = row_of(copy->source_array, copy->source_type, reinterpret_cast<const void*>(copy->source),
                                copy->source_host, copy->source_pitch, copy->source_height, copy->source_x,
                                copy->source_y + y, copy->source_z + z, copy->bytes);
      char* to = row_of(copy->array, copy->type, reinterpret_cast<const void*>(copy->destination), copy->host,
                        copy->pitch, copy->rows, copy->x, copy->y + y, copy->z + z, copy->bytes);
      if (!from || !to) return invalid_value;
      std::memcpy(to, from, copy->bytes);
    }
  }
  return ++fake_driver_calls.copies, success;
}
}
#pragma GCC visibility pop
