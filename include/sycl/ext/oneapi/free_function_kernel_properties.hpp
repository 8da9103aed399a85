#pragma once
/// This header has DPC++'s name; the properties of free-function kernels are in experimental/free_function_kernels.hpp.

#include "experimental/free_function_kernels.hpp"
