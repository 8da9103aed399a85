#pragma once
/// This header has DPC++'s name; its contents are in math.hpp.

#include "math.hpp"
