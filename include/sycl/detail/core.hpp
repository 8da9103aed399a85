#pragma once
/// In DPC++, the header of everything that is no extension; here, it includes everything.

#include "../sycl.hpp"
