#pragma once
/// Helpers for programs that provoke errors of drivers and compare the messages.

#include <cstdio>
#include <exception>
#include <initializer_list>
#include <string>

#include <sycl/sycl.hpp>

namespace faults {

inline bool check(bool condition, const char* what) {
  if (!condition) std::printf("wrong: %s\n", what);
  return condition;
}

/// Returns the message of the exception that `act` throws. The exception must have this code.
template <class Act>
std::string words_of(sycl::errc code, const Act& act) {
  try {
    act();
  } catch (const sycl::exception& error) {
    if (error.code() == code) return error.what();
    return std::string("another code: ") + error.what();
  }
  return "nothing was thrown";
}

inline bool has(const std::string& text, std::initializer_list<const char*> words) {
  bool all = true;
  for (const char* each : words) all &= text.find(each) != std::string::npos;
  if (!all) std::printf("the words are: %s\n", text.c_str());
  return all;
}

/// An asynchronous handler that appends all messages.
inline sycl::async_handler collect_words(std::string& seen) {
  return [&seen](const sycl::exception_list& errors) {
    for (const auto& each : errors) {
      try {
        std::rethrow_exception(each);
      } catch (const sycl::exception& error) {
        seen += error.what();
      }
    }
  };
}

}  // namespace faults
