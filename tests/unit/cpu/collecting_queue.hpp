#pragma once
/// A queue whose asynchronous errors a test can read.

#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

namespace test {

/// The errors that a handler has received, each with its code and its text.
struct error_log {
  struct entry {
    std::error_code code;  ///< the code of a sycl::exception; 0 for other exceptions
    std::string text;
  };
  std::vector<entry> entries;
  int calls = 0;

  /// Returns a handler that fills the log. The log must exist as long as the queue may call the handler.
  sycl::async_handler handler() {
    return [this](sycl::exception_list list) {
      ++calls;
      for (const std::exception_ptr& error : list) {
        try {
          std::rethrow_exception(error);
        } catch (const sycl::exception& caught) {
          entries.push_back({caught.code(), caught.what()});
        } catch (const std::exception& caught) {
          entries.push_back({{}, caught.what()});
        } catch (...) {
          entries.push_back({{}, "something else"});
        }
      }
    };
  }
};

/// Returns the error that a call throws, or a default entry with the text "nothing was thrown".
template <class Call>
error_log::entry thrown_by(const Call& call) {
  try {
    call();
  } catch (const sycl::exception& caught) {
    return {caught.code(), caught.what()};
  } catch (const std::exception& caught) {
    return {{}, caught.what()};
  }
  return {{}, "nothing was thrown"};
}

/// Polls until the condition holds. If the condition does not hold after two minutes, returns false, so that a mistake
/// makes the test fail, not hang. No correct run takes two minutes, even on the busiest machine.
template <class Condition>
bool holds_soon(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace test
