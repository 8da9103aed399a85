#pragma once
/// Macros for overloads that exist only for their message. If a call fits no overload, compilers list all overloads
/// with a reason for each: 300 lines for parallel_for.

// Clang reports a call of an `unavailable` function template twice, but a call with `diagnose_if` once, in the line
// of the call. With -Wpedantic, Clang warns that the attribute is an extension, also in programs that find these
// headers by -I.
#if defined(__clang__)
#define SINTER_MISTAKE(sentence)                                                                   \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wgcc-compat\"")            \
      __attribute__((diagnose_if(true, sentence, "error"))) _Pragma("clang diagnostic pop")
#else
#define SINTER_MISTAKE(sentence) __attribute__((unavailable(sentence)))
#endif
// Clang 19 ignores diagnose_if of constructors. The attribute is repeated here instead of a macro within a macro,
// because each macro adds a note to the error.
#if defined(__clang__) && __clang_major__ >= 22
#define SINTER_MISTAKE_OF_CONSTRUCTOR(sentence)                                                    \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wgcc-compat\"")            \
      __attribute__((diagnose_if(true, sentence, "error"))) _Pragma("clang diagnostic pop")
#else
#define SINTER_MISTAKE_OF_CONSTRUCTOR(sentence) __attribute__((unavailable(sentence)))
#endif
// Marks a deduction guide as a mistake, with Clang only: g++ allows no attributes on deduction guides.
#define SINTER_MISTAKE_OF_GUIDE(sentence) __attribute__((unavailable(sentence)))

namespace sycl::inline _V1::detail {

/// The result type of mistaken calls: it converts to anything, so that no second error follows.
struct mistake {
  template <class Wanted>
  operator Wanted() const;
};

/// For static assertions in templates that should never be instantiated.
template <class...>
inline constexpr bool never = false;

}  // namespace sycl::detail
