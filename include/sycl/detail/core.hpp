#pragma once
/// DPC++'s name of all that is no extension; here of everything.

#include "../sycl.hpp"
