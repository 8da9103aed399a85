#pragma once
/// This header has DPC++'s name; its contents are in half.hpp.

#include "half.hpp"
