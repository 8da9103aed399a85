#pragma once
/// DPC++'s name of math.hpp.

#include "math.hpp"
