#pragma once
/// Which sanitizers the library is compiled with. With a sanitizer, the library does not keep the memory of destroyed
/// objects for later objects, because the sanitizer has to see that this memory is freed.

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
