#pragma once
/// DPC++'s name of vec.hpp.

#include "vec.hpp"
