#pragma once
/// Images in memory of a device's texture units, and the numbers by which kernels use them (abi/texture_abi.hpp).

#include <cstddef>
#include <cstdint>

#include <sycl/detail/image_texels.hpp>

namespace sinter {

struct texture_shape {
  std::size_t extent[3] = {};  ///< in texels, x first; 0: the image lacks the dimension
  std::uint32_t layers = 1, levels = 1;
  bool has_layers = false, is_cube = false, gathers = false;
  sycl::detail::image_traits traits;  ///< its format; for textures, its sampler as well
};

/// The part of a sampler that image_traits leave out.
struct texture_sampler {
  bool seamless = false;  ///< filters go on across the faces of a cube
  float least_level = 0, most_level = 0;
};

/// Throws sycl::exception. All members may be called concurrently.
class device_textures {
public:
  virtual ~device_textures() = default;

  /// Memory, which has no addresses; null: the units have no such images. Throws errc::memory_allocation if there is no
  /// more.
  virtual void* allocate(const texture_shape& shape) = 0;
  /// A level's part of it, which lives as long.
  virtual void* level_of(void* memory, std::uint32_t level) = 0;
  /// Nothing uses it any more.
  virtual void deallocate(void* memory) noexcept = 0;
  /// The driver's object for the memory: for copies (texel_copy), and for programs that use the driver.
  virtual void* native(void* memory) = 0;

  /// Bytes of which the distance of rows has to be a multiple, so that planes in memory with addresses are sampled.
  virtual std::size_t row_alignment() = 0;
  /// A number for samples of the whole memory.
  virtual std::uint64_t make_texture(void* memory, const texture_shape& shape, const texture_sampler& sampler) = 0;
  /// For samples of a plane in memory with addresses; 0: the units can't sample such memory.
  virtual std::uint64_t make_texture_of(const void* rows, std::size_t pitch, const texture_shape& shape) = 0;
  /// A number for texels of memory without levels, or of one level.
  virtual std::uint64_t make_surface(void* memory) = 0;
  virtual void destroy_texture(std::uint64_t texture) noexcept = 0;
  virtual void destroy_surface(std::uint64_t surface) noexcept = 0;

  /// Memory that a graphics interface has exported as a file descriptor, which belongs to the driver from here on.
  virtual std::uint64_t import_memory(int descriptor, std::size_t bytes) = 0;
  virtual void release_memory(std::uint64_t memory) = 0;
  /// A part of it gets addresses on the device, until `unmap`.
  virtual void* map(std::uint64_t memory, std::size_t offset, std::size_t bytes) = 0;
  virtual void unmap(void* address) = 0;
  /// The image in it, as `allocate` makes them; null: the units have no such images.
  virtual void* map_texels(std::uint64_t memory, const texture_shape& shape) = 0;
  /// Semaphores likewise. `counts`: they have values, which commands wait for and set.
  virtual std::uint64_t import_semaphore(int descriptor, bool counts) = 0;
  virtual void release_semaphore(std::uint64_t semaphore) = 0;
  /// The driver's stream waits for the semaphore, or signals it.
  virtual void use_semaphore(std::uint64_t semaphore, std::uint64_t value, bool waits, void* stream) = 0;
};

}  // namespace sinter
