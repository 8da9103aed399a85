/// Implements the functions of abi/texture_abi.hpp for host code, which has no texture units.
#include <abi/texture_abi.hpp>
#include <base/panic.hpp>

#define SINTER_DEVICE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

[[noreturn]] void refuse() { sinter::panic("host code asks for a texture unit"); }

}  // namespace

SINTER_DEVICE_EXPORT bool __sinter_texture_units() noexcept { return false; }
SINTER_DEVICE_EXPORT bool __sinter_texture_alike(std::uint64_t) noexcept { refuse(); }
SINTER_DEVICE_EXPORT sinter_texel_words __sinter_texture_sample(std::uint64_t, std::uint32_t, std::uint32_t, float,
                                                                float, float, std::uint32_t) noexcept {
  refuse();
}
SINTER_DEVICE_EXPORT sinter_texel_words __sinter_texture_level(std::uint64_t, std::uint32_t, std::uint32_t, float,
                                                               float, float, float) noexcept {
  refuse();
}
SINTER_DEVICE_EXPORT sinter_texel_words __sinter_texture_gather(std::uint64_t, std::uint32_t, std::uint32_t, float,
                                                                float) noexcept {
  refuse();
}
SINTER_DEVICE_EXPORT sinter_texel_words __sinter_texture_load(std::uint64_t, std::uint32_t, std::uint32_t, std::int32_t,
                                                              std::int32_t, std::int32_t) noexcept {
  refuse();
}
SINTER_DEVICE_EXPORT void __sinter_texture_store(std::uint64_t, std::uint32_t, std::uint32_t, std::int32_t,
                                                 std::int32_t, std::int32_t, sinter_texel_words) noexcept {
  refuse();
}
