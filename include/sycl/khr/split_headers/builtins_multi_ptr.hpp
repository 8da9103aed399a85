#pragma once
/// A header of the extension sycl_khr_split_headers; its contents are in the headers that it includes.

#include "../../math.hpp"
#include "../../multi_ptr.hpp"
#include "version.hpp"
