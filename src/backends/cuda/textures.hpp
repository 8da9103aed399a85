#pragma once
/// Makes arrays, texture objects and surface objects with NVIDIA's driver, and imports memory and semaphores of
/// graphics interfaces.

#include <backends/gpu/gpu_context.hpp>
#include <backends/textures.hpp>

#include "driver.hpp"

namespace sinter::cuda {

struct texture_memory;

class texture_units final : public device_textures {
public:
  texture_units(const driver& functions, gpu::gpu_context& gpu) : m_functions(functions), m_gpu(gpu) {}

  void* allocate(const texture_shape& shape) override;
  void* level_of(void* memory, std::uint32_t level) override;
  void deallocate(void* memory) noexcept override;
  void* native(void* memory) override;
  std::size_t row_alignment() override;
  std::uint64_t make_texture(void* memory, const texture_shape& shape, const texture_sampler& sampler) override;
  std::uint64_t make_texture_of(const void* rows, std::size_t pitch, const texture_shape& shape) override;
  std::uint64_t make_surface(void* memory) override;
  void destroy_texture(std::uint64_t texture) noexcept override;
  void destroy_surface(std::uint64_t surface) noexcept override;

  std::uint64_t import_memory(int descriptor, std::size_t bytes) override;
  void release_memory(std::uint64_t memory) override;
  void* map(std::uint64_t memory, std::size_t offset, std::size_t bytes) override;
  void unmap(void* address) override;
  void* map_texels(std::uint64_t memory, const texture_shape& shape) override;
  std::uint64_t import_semaphore(int descriptor, bool counts) override;
  void release_semaphore(std::uint64_t semaphore) override;
  void use_semaphore(std::uint64_t semaphore, std::uint64_t value, bool waits, void* stream) override;

private:
  void find_levels(texture_memory& made, std::uint32_t count);

  const driver& m_functions;
  gpu::gpu_context& m_gpu;
};

}  // namespace sinter::cuda
