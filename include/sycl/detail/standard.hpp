#pragma once
/// std::shared_ptr, std::function and std::reverse_iterator, without what else their headers bring.
///
/// Every user's file pays for these headers. libstdc++ keeps the three in inner headers that cost a third of <memory>,
/// <functional> and <iterator> (which brings the stream buffers along).

#include <version>

#if defined(__GLIBCXX__) && __has_include(<bits/shared_ptr.h>) && __has_include(<bits/std_function.h>)
#include <bits/shared_ptr.h>
#include <bits/std_function.h>
#include <bits/stl_iterator.h>
#else
#include <functional>
#include <iterator>
#include <memory>
#endif
