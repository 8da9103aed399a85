#pragma once
/// Macros for overloads that exist only for their error message. Without such overloads, a call with wrong arguments
/// matches no overload, and compilers list all overloads with the reason why each one does not match: 300 lines for
/// parallel_for.

// Clang reports an error twice for a call of a function template with the attribute `unavailable`. With `diagnose_if`
// it reports the error once, in the line of the call. If a program includes these headers by -I, and not as system
// headers, Clang warns with -Wpedantic that diagnose_if is an extension. So the macro disables this warning.
#if defined(__clang__)
#define SINTER_MISTAKE(sentence)                                                                   \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wgcc-compat\"")            \
      __attribute__((diagnose_if(true, sentence, "error"))) _Pragma("clang diagnostic pop")
#else
#define SINTER_MISTAKE(sentence) __attribute__((unavailable(sentence)))
#endif
// Clang 19 ignores diagnose_if on constructors, so the macro for Clang 19 uses another attribute. The attribute
// diagnose_if is written out again, because a macro within a macro would add a note to each error.
#if defined(__clang__) && __clang_major__ >= 22
#define SINTER_MISTAKE_OF_CONSTRUCTOR(sentence)                                                    \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wgcc-compat\"")            \
      __attribute__((diagnose_if(true, sentence, "error"))) _Pragma("clang diagnostic pop")
#else
#define SINTER_MISTAKE_OF_CONSTRUCTOR(sentence) __attribute__((unavailable(sentence)))
#endif
// Marks a deduction guide as a mistake. The macro works only with Clang, because g++ allows no attributes on deduction
// guides.
#define SINTER_MISTAKE_OF_GUIDE(sentence) __attribute__((unavailable(sentence)))

namespace sycl::inline _V1::detail {

/// The type that mistaken calls return: it converts to any type, so that the compiler reports no second error.
struct mistake {
  template <class Wanted>
  operator Wanted() const;
};

/// A false value for static assertions, in templates that should never be instantiated.
template <class...>
inline constexpr bool never = false;

}  // namespace sycl::detail
