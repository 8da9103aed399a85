#pragma once
/// DPC++'s name of a part of accessor.hpp.

#include "../accessor.hpp"
