#pragma once
/// The number of random cases in a test. Builds with sanitizers run fewer cases, because they are ten times slower and
/// check memory, not results.

namespace sinter::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SINTER_TEST_SANITIZED
#endif
#endif

constexpr unsigned cases_of(unsigned all) {
#ifdef SINTER_TEST_SANITIZED
  return all / 8;
#else
  return all;
#endif
}

}  // namespace sinter::test
