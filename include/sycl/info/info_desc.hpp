#pragma once
/// DPC++'s name of a part of info.hpp.

#include "../info.hpp"
