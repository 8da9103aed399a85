#pragma once
/// DPC++'s name of vec.hpp and half.hpp.

#include "half.hpp"
#include "vec.hpp"
