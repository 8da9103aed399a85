#pragma once
/// sycl_khr_split_headers

#include "../../exception.hpp"
#include "../../exception_classes.hpp"
#include "version.hpp"
