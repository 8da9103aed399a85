#pragma once
/// Provides std::function, std::hash, std::reverse_iterator and a declaration of std::mutex. The standard headers that
/// define them contain much more, which every user's file would have to compile.

#include <version>

#if defined(__GLIBCXX__) && __has_include(<bits/std_function.h>)
#include <bits/functional_hash.h>
#include <bits/std_function.h>
#include <bits/stl_iterator.h>
#if !_GLIBCXX_INLINE_VERSION
namespace std {
class mutex;
}
#else
#include <mutex>
#endif
#else
#include <functional>
#include <iterator>
#include <mutex>
#endif
