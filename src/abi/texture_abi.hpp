#pragma once
/// Contract 1, continued (device_abi.hpp): images that texture units of a GPU read and write.
///
/// `texture` and `surface` are the driver's handles. `form` is a texture_form, `kind` is a texture_kind, and both have
/// to be constant. Devices without texture units have no such handles, so code must not call these functions unless
/// __sinter_texture_units returns true. The JIT replaces calls of __sinter_texture_units with a constant.

#include "device_abi.hpp"

namespace sinter::abi {

/// Says how many coordinates an image has, and whether the image has layers (`lines`, `planes`). Loads and stores have
/// no parameter `layer`: in a volume, `z` is the third coordinate, and in images with layers, `z` is the layer. A
/// cube's face is loaded and stored as a layer of planes.
enum class texture_form : std::uint32_t { line, plane, volume, lines, planes, cube };

/// The type of the numbers that a load returns. For normalized and floating-point channels, these are floats. For other
/// channels, these are signed or unsigned integers.
enum class texture_kind : std::uint32_t { floats, signed_integers, unsigned_integers };

}  // namespace sinter::abi

/// The four channels of a texel: the bits of four numbers of 32 bits.
typedef std::uint32_t sinter_texel_words __attribute__((vector_size(16)));

// clang-format off
extern "C" {
/// Returns whether the device has texture units for these functions. In library mode the result is always false.
SINTER_DEVICE_CONST bool __sinter_texture_units() noexcept;
/// Returns whether all work-items that execute together (a warp) use the same texture. A texture unit serves one
/// texture at a time. If work-items use different textures, ordinary code that reads the texels is several times as
/// fast as the texture unit. The result is only a hint: the code is correct in both cases.
SINTER_DEVICE_CONST bool __sinter_texture_alike(std::uint64_t texture) noexcept;
/// Samples the first level of a texture with the texture's own sampler. Coordinates of dimensions that the form does
/// not have are ignored.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_sample(std::uint64_t texture, std::uint32_t form,
    std::uint32_t kind, float x, float y, float z, std::uint32_t layer) noexcept;
/// Samples a mip map at a level, or between two levels.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_level(std::uint64_t texture, std::uint32_t form,
    std::uint32_t kind, float x, float y, float z, float level) noexcept;
/// Returns one channel of the four texels that a linear filter reads in a plane. `channel` has to be constant.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_gather(std::uint64_t texture, std::uint32_t kind,
    std::uint32_t channel, float x, float y) noexcept;
/// Reads a texel without conversion; texels outside the image are zeros. `bytes` is the size of a texel: 1, 2, 4, 8 or
/// 16. `bytes` has to be constant. `x` counts bytes, not texels.
SINTER_DEVICE_PURE sinter_texel_words __sinter_texture_load(std::uint64_t surface, std::uint32_t form,
    std::uint32_t bytes, std::int32_t x, std::int32_t y, std::int32_t z) noexcept;
/// Writes a texel. Does nothing if the coordinates lie outside the image.
void __sinter_texture_store(std::uint64_t surface, std::uint32_t form, std::uint32_t bytes, std::int32_t x,
    std::int32_t y, std::int32_t z, sinter_texel_words texel) noexcept;
}
// clang-format on
