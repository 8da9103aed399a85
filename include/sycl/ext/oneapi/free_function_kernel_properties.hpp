#pragma once
/// DPC++'s name of a header with the properties of free-function kernels.

#include "experimental/free_function_kernels.hpp"
