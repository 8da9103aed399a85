#pragma once
/// This header has DPC++'s name; its contents are in vec.hpp and half.hpp.

#include "half.hpp"
#include "vec.hpp"
