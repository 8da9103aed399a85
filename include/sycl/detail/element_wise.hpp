/// The math headers include this file at their beginning, where it defines macros, and again at their end, where it
/// undefines them. The macros extend a function `name` of float and double to arguments for which `concept` holds.
///
/// Each macro contains a loop of its own. If the macros called a common helper with a lambda, the compiler would have
/// to compile about a hundred lambdas for every user's file.
#ifndef SINTER_ELEMENT_WISE_1

#define SINTER_ELEMENT_WISE_1(name, concept)                                                          \
  template <detail::concept A>                                                                        \
  constexpr detail::vector_t<A> name(const A& x) noexcept {                                           \
    detail::vector_t<A> result{};                                                                     \
    for (int i = 0; i < detail::count<A>; ++i) detail::set_part(result, i, name(detail::part(x, i))); \
    return result;                                                                                    \
  }
/// Arguments of integer types are converted to double. If a program includes <cmath> and uses the namespaces std and
/// sycl, this overload wins over the standard library's template, which has the same parameters but no constraint.
#define SINTER_OF_INTEGER(name)          \
  template <class T>                     \
    requires(detail::integer_type<T>)    \
  double name(T x) noexcept {            \
    return name(static_cast<double>(x)); \
  }
#define SINTER_ELEMENT_WISE_2(name, concept)                                     \
  template <detail::concept A, detail::like<A> B>                                \
  constexpr detail::vector_t<A> name(const A& x, const B& y) noexcept {          \
    detail::vector_t<A> result{};                                                \
    for (int i = 0; i < detail::count<A>; ++i) {                                 \
      detail::set_part(result, i, name(detail::part(x, i), detail::part(y, i))); \
    }                                                                            \
    return result;                                                               \
  }
#define SINTER_ELEMENT_WISE_3(name, concept)                                                         \
  template <detail::concept A, detail::like<A> B, detail::like<A> C>                                 \
  constexpr detail::vector_t<A> name(const A& x, const B& y, const C& z) noexcept {                  \
    detail::vector_t<A> result{};                                                                    \
    for (int i = 0; i < detail::count<A>; ++i) {                                                     \
      detail::set_part(result, i, name(detail::part(x, i), detail::part(y, i), detail::part(z, i))); \
    }                                                                                                \
    return result;                                                                                   \
  }

#else

#undef SINTER_OF_INTEGER
#undef SINTER_ELEMENT_WISE_1
#undef SINTER_ELEMENT_WISE_2
#undef SINTER_ELEMENT_WISE_3

#endif
