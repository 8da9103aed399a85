#pragma once
/// std::function, std::mutex and std::reverse_iterator, without what else their headers bring: every user's file pays for these.

#include <version>

#if defined(__GLIBCXX__) && __has_include(<bits/std_function.h>)
#include <bits/std_function.h>
#include <bits/std_mutex.h>
#include <bits/stl_iterator.h>
#else
#include <functional>
#include <iterator>
#include <mutex>
#endif
