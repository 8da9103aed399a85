#pragma once
/// DPC++'s name of a part of access.hpp.

#include "../access.hpp"
