// Precompiled header for tests through the public API, because Sinter's headers take half of their compile time.
// Doctest is not part of it, because a program with a main function of its own uses the header, too.
#include <algorithm>
#include <atomic>
#include <memory>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>
