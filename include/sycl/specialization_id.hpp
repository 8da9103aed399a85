#pragma once
/// This header has DPC++'s name; its contents are in specialization.hpp.

#include "specialization.hpp"
