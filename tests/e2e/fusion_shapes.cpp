#include "fusion.hpp"
E2E_MAIN
