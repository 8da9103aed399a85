#pragma once
/// Contract 1, continued (device_abi.hpp): images that texture units of a GPU read and write.
///
/// Numbers of textures and surfaces are the driver's. `form` is a texture_form, `kind` a texture_kind, and both are
/// constant. Devices without texture units have no such numbers: calls are asked for only where __sinter_texture_units
/// is true, which the JIT knows.

#include "device_abi.hpp"

namespace sinter::abi {

/// How many coordinates an image has, and whether it has layers. A volume's third coordinate is where others have their
/// layer; a cube's layer is its face.
enum class texture_form : std::uint32_t { line, plane, volume, lines, planes, cube };

/// The numbers that a texture's texels become: those of normalized and of floating-point channels, signed and unsigned
/// integers.
enum class texture_kind : std::uint32_t { floats, signed_integers, unsigned_integers };

}  // namespace sinter::abi

/// Four channels: the bits of numbers of 32 bits each.
typedef std::uint32_t sinter_texel_words __attribute__((vector_size(16)));

// clang-format off
extern "C" {
/// Whether the device has texture units that these functions use. Always false in library mode.
SINTER_DEVICE_CONST bool __sinter_texture_units() noexcept;
/// Whether work-items that run together have the same texture. A unit serves one texture at a time: where they have
/// others, ordinary code is several times as fast. Any answer is right.
SINTER_DEVICE_CONST bool __sinter_texture_alike(std::uint64_t texture) noexcept;
/// Samples by the texture's sampler, on the first level. Coordinates that the form lacks have no meaning.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_sample(std::uint64_t texture, std::uint32_t form,
    std::uint32_t kind, float x, float y, float z, std::uint32_t layer) noexcept;
/// Samples a mip map at a level, or between two.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_level(std::uint64_t texture, std::uint32_t form,
    std::uint32_t kind, float x, float y, float z, float level) noexcept;
/// One channel of the four texels that a linear filter of a plane reads. `channel` is constant.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_gather(std::uint64_t texture, std::uint32_t kind,
    std::uint32_t channel, float x, float y) noexcept;
/// Reads a texel as it is in memory; outside, it is zeros. `bytes` is constant: 1, 2, 4, 8 or 16. x counts bytes.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_load(std::uint64_t surface, std::uint32_t form,
    std::uint32_t bytes, std::int32_t x, std::int32_t y, std::int32_t z) noexcept;
/// Writes a texel; outside, nothing is written.
void __sinter_texture_store(std::uint64_t surface, std::uint32_t form, std::uint32_t bytes, std::int32_t x,
    std::int32_t y, std::int32_t z, sinter_texel_words texel) noexcept;
}
// clang-format on
