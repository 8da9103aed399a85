#pragma once
/// Includes the standard headers that the umbrella headers of other implementations include, so that programs written
/// for these implementations compile unchanged. The standard headers double the compile time of <sycl/sycl.hpp>.
/// SINTER_LEAN_HEADERS leaves them out, and with precompiled headers they cost nothing. <queue>, <thread> and <random>
/// are not included: no other implementation promises them, and std::queue would make `queue` ambiguous in programs
/// that use the namespaces std and sycl.

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cassert>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
