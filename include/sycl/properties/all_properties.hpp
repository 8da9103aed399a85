#pragma once
/// DPC++'s name of the properties, which stand beside what takes them.

#include "../accessor.hpp"
#include "../buffer.hpp"
#include "../ext/oneapi/queue_properties.hpp"
#include "../queue.hpp"
#include "../reduction.hpp"
#include "../usm.hpp"
