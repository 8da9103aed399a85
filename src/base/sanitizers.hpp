#pragma once
/// Which sanitizers the library is compiled with. Sanitizers have to see that memory is freed, so with a sanitizer the
/// library keeps no memory for later objects.

#if defined(__has_feature)
#define SINTER_HAS_FEATURE(name) __has_feature(name)
#else
#define SINTER_HAS_FEATURE(name) 0
#endif

namespace sinter {

#if defined(__SANITIZE_ADDRESS__) || SINTER_HAS_FEATURE(address_sanitizer)
constexpr bool address_sanitized = true;
#else
constexpr bool address_sanitized = false;
#endif

#if defined(__SANITIZE_THREAD__) || SINTER_HAS_FEATURE(thread_sanitizer)
constexpr bool thread_sanitized = true;
#else
constexpr bool thread_sanitized = false;
#endif

} // namespace sinter

#undef SINTER_HAS_FEATURE
