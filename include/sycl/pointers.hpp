#pragma once
/// DPC++'s name of a part of multi_ptr.hpp.

#include "multi_ptr.hpp"
