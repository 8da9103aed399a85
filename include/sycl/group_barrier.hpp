#pragma once
/// DPC++'s name of a part of group.hpp.

#include "group.hpp"
