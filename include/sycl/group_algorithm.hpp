#pragma once
/// DPC++'s name of group_algorithms.hpp.

#include "group_algorithms.hpp"
