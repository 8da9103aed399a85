#pragma once
/// A header of the extension sycl_khr_split_headers; its contents are in the headers that it includes.

#include "../../accessor.hpp"
#include "../../host_accessor.hpp"
#include "../../local_accessor.hpp"
#include "version.hpp"
