#pragma once
/// This header has DPC++'s name; its contents are in vec.hpp.

#include "vec.hpp"
