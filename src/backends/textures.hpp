#pragma once
/// Images in a device's texture memory, and the handles that kernels use for them (abi/texture_abi.hpp).

#include <cstddef>
#include <cstdint>

#include <sycl/detail/image_texels.hpp>

namespace sinter {

struct texture_shape {
  std::size_t extent[3] = {};  ///< size in texels, x first; 0: the image does not have this dimension
  std::uint32_t layers = 1, levels = 1;
  bool has_layers = false, is_cube = false, gathers = false;
  sycl::detail::image_traits traits;  ///< the image's format, and the sampler of a texture
};

/// The properties of a sampler that are not in image_traits.
struct texture_sampler {
  bool seamless = false;  ///< filters cross the edges between the faces of a cube
  float least_level = 0, most_level = 0;
};

/// Texture memory, textures and surfaces of a device. Members throw sycl::exception and may be called concurrently.
class device_textures {
public:
  virtual ~device_textures() = default;

  /// Allocates texture memory. The host does not know its addresses. Returns null if the texture units do not support
  /// such images. Throws errc::memory_allocation if there is no more memory.
  virtual void* allocate(const texture_shape& shape) = 0;
  /// Returns the part of the memory for one mip level. The part exists as long as the memory.
  virtual void* level_of(void* memory, std::uint32_t level) = 0;
  /// Frees memory that is no longer used.
  virtual void deallocate(void* memory) noexcept = 0;
  /// Returns the driver's object for the memory, for copies (texel_copy) and for user programs that call the driver
  /// themselves.
  virtual void* native(void* memory) = 0;

  /// Returns the alignment in bytes that the distance between rows must have if an ordinary allocation is sampled as a
  /// plane (make_texture_of).
  virtual std::size_t row_alignment() = 0;
  /// Returns a texture: the handle that kernels pass to sample the image in `memory`, with all its levels.
  virtual std::uint64_t make_texture(void* memory, const texture_shape& shape, const texture_sampler& sampler) = 0;
  /// Returns a texture for a plane in an ordinary allocation, or 0 if the texture units can't sample such memory.
  virtual std::uint64_t make_texture_of(const void* rows, std::size_t pitch, const texture_shape& shape) = 0;
  /// Returns a surface: the handle that kernels pass to read and write texels. `memory` has no mip levels, or is a
  /// single mip level (level_of).
  virtual std::uint64_t make_surface(void* memory) = 0;
  virtual void destroy_texture(std::uint64_t texture) noexcept = 0;
  virtual void destroy_surface(std::uint64_t surface) noexcept = 0;

  /// Imports memory that a graphics interface has exported as a file descriptor. From now on, the driver owns the
  /// descriptor.
  virtual std::uint64_t import_memory(int descriptor, std::size_t bytes) = 0;
  virtual void release_memory(std::uint64_t memory) = 0;
  /// Maps a part of imported memory to addresses on the device, until `unmap`.
  virtual void* map(std::uint64_t memory, std::size_t offset, std::size_t bytes) = 0;
  virtual void unmap(void* address) = 0;
  /// Returns an image in imported memory, which is used like an image from `allocate`, or null if the texture units do
  /// not support such images.
  virtual void* map_texels(std::uint64_t memory, const texture_shape& shape) = 0;
  /// Imports a semaphore that a graphics interface has exported. `counts` says that the semaphore has a value, which
  /// commands set and wait for (a timeline semaphore).
  virtual std::uint64_t import_semaphore(int descriptor, bool counts) = 0;
  virtual void release_semaphore(std::uint64_t semaphore) = 0;
  /// Makes the driver's stream wait for the semaphore, or signal it.
  virtual void use_semaphore(std::uint64_t semaphore, std::uint64_t value, bool waits, void* stream) = 0;
};

}  // namespace sinter
