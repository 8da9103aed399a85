#pragma once
/// DPC++'s name of a part of buffer.hpp.

#include "../buffer.hpp"
