#pragma once
/// DPC++'s name of half.hpp.

#include "half.hpp"
