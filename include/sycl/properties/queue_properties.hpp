#pragma once
/// DPC++'s name of a part of queue.hpp.

#include "../queue.hpp"
