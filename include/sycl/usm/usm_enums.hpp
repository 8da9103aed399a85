#pragma once
/// DPC++'s name of a part of usm.hpp.

#include "../usm.hpp"
