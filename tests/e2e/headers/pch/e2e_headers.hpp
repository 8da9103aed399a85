// Precompiled header with the includes of most end-to-end programs.
#include "../../check.hpp"

#include <sycl/ext/sinter/auto_fusion.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>
