/// Includes the headers of standard_headers.cpp and Sinter's umbrella header.
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <sycl/sycl.hpp>
