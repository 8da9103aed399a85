/// The standard headers that a program with queues, events and exceptions needs anyway.
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>
