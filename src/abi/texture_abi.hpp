#pragma once
/// Contract 1, continued (device_abi.hpp): images that texture units of a GPU read and write.
///
/// Numbers of textures and surfaces are the driver's. `form` is a texture_form, `kind` a texture_kind, and both are
/// constant. Devices without texture units have no such numbers, so these functions are called only where
/// __sinter_texture_units is true. The JIT knows its result.

#include "device_abi.hpp"

namespace sinter::abi {

/// How many coordinates an image has, and whether it has layers. The argument for a layer holds a volume's third
/// coordinate, and the face of a cube.
enum class texture_form : std::uint32_t { line, plane, volume, lines, planes, cube };

/// The kind of numbers that texels become: floats (normalized and floating-point channels), or signed and unsigned
/// integers.
enum class texture_kind : std::uint32_t { floats, signed_integers, unsigned_integers };

}  // namespace sinter::abi

/// The four channels of a texel: the bits of four numbers of 32 bits.
typedef std::uint32_t sinter_texel_words __attribute__((vector_size(16)));

// clang-format off
extern "C" {
/// Returns whether the device has texture units that these functions use. In library mode the result is always false.
SINTER_DEVICE_CONST bool __sinter_texture_units() noexcept;
/// Returns whether work-items that run together have the same texture. A unit serves one texture at a time: if the
/// work-items have different textures, ordinary code is several times as fast. Both answers lead to correct results.
SINTER_DEVICE_CONST bool __sinter_texture_alike(std::uint64_t texture) noexcept;
/// Samples the first level of a texture with its sampler. Coordinates that the form lacks have no meaning.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_sample(std::uint64_t texture, std::uint32_t form,
    std::uint32_t kind, float x, float y, float z, std::uint32_t layer) noexcept;
/// Samples a mip map at a level, or between two levels.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_level(std::uint64_t texture, std::uint32_t form,
    std::uint32_t kind, float x, float y, float z, float level) noexcept;
/// Returns one channel of the four texels that a linear filter of a plane reads. `channel` is constant.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_gather(std::uint64_t texture, std::uint32_t kind,
    std::uint32_t channel, float x, float y) noexcept;
/// Reads a texel without conversion; texels outside the image are zeros. `bytes` is constant: 1, 2, 4, 8 or 16. x
/// counts bytes.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_load(std::uint64_t surface, std::uint32_t form,
    std::uint32_t bytes, std::int32_t x, std::int32_t y, std::int32_t z) noexcept;
/// Writes a texel, or nothing if it lies outside the image.
void __sinter_texture_store(std::uint64_t surface, std::uint32_t form, std::uint32_t bytes, std::int32_t x,
    std::int32_t y, std::int32_t z, sinter_texel_words texel) noexcept;
}
// clang-format on
