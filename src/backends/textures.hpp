#pragma once
/// Images in memory of a device's texture units, and the numbers by which kernels use them (abi/texture_abi.hpp).

#include <cstddef>
#include <cstdint>

#include <sycl/detail/image_texels.hpp>

namespace sinter {

struct texture_shape {
  std::size_t extent[3] = {};  ///< size in texels, x first; 0: the image lacks the dimension
  std::uint32_t layers = 1, levels = 1;
  bool has_layers = false, is_cube = false, gathers = false;
  sycl::detail::image_traits traits;  ///< the image's format, and the sampler of a texture
};

/// The properties of a sampler that image_traits lacks.
struct texture_sampler {
  bool seamless = false;  ///< filters work across the faces of a cube
  float least_level = 0, most_level = 0;
};

/// Memory and objects of a device's texture units. Members throw sycl::exception and may be called concurrently.
class device_textures {
public:
  virtual ~device_textures() = default;

  /// Allocates memory, which has no addresses. Returns null if the units have no such images. Throws
  /// errc::memory_allocation if there is no more memory.
  virtual void* allocate(const texture_shape& shape) = 0;
  /// Returns the part of the memory for one level. The part lives as long as the memory.
  virtual void* level_of(void* memory, std::uint32_t level) = 0;
  /// Frees memory that is no longer used.
  virtual void deallocate(void* memory) noexcept = 0;
  /// Returns the driver's object for the memory. Copies (texel_copy) use it, and programs that use the driver.
  virtual void* native(void* memory) = 0;

  /// Returns the alignment, in bytes, of the distance between rows for planes in memory with addresses that are
  /// sampled.
  virtual std::size_t row_alignment() = 0;
  /// Returns the number by which kernels sample the whole memory.
  virtual std::uint64_t make_texture(void* memory, const texture_shape& shape, const texture_sampler& sampler) = 0;
  /// Returns the number by which kernels sample a plane in memory with addresses, or 0 if the units can't sample such
  /// memory.
  virtual std::uint64_t make_texture_of(const void* rows, std::size_t pitch, const texture_shape& shape) = 0;
  /// Returns the number by which kernels read and write texels of memory without levels, or of one level.
  virtual std::uint64_t make_surface(void* memory) = 0;
  virtual void destroy_texture(std::uint64_t texture) noexcept = 0;
  virtual void destroy_surface(std::uint64_t surface) noexcept = 0;

  /// Imports memory that a graphics interface has exported as a file descriptor. From here on the driver owns the
  /// descriptor.
  virtual std::uint64_t import_memory(int descriptor, std::size_t bytes) = 0;
  virtual void release_memory(std::uint64_t memory) = 0;
  /// Gives a part of imported memory addresses on the device, until `unmap`.
  virtual void* map(std::uint64_t memory, std::size_t offset, std::size_t bytes) = 0;
  virtual void unmap(void* address) = 0;
  /// Returns an image in imported memory, like an image of `allocate`, or null if the units have no such images.
  virtual void* map_texels(std::uint64_t memory, const texture_shape& shape) = 0;
  /// Imports a semaphore that a graphics interface has exported. `counts` says that it has a value, which commands set
  /// and wait for.
  virtual std::uint64_t import_semaphore(int descriptor, bool counts) = 0;
  virtual void release_semaphore(std::uint64_t semaphore) = 0;
  /// Makes the driver's stream wait for the semaphore, or signal it.
  virtual void use_semaphore(std::uint64_t semaphore, std::uint64_t value, bool waits, void* stream) = 0;
};

}  // namespace sinter
