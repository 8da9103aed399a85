#pragma once
/// DPC++'s name of specialization.hpp.

#include "specialization.hpp"
