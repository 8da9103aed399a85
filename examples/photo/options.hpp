#pragma once
/// The command line of the photo example.

#include <stdexcept>
#include <string>

#include "pipeline.hpp"

namespace photo {

struct options {
  settings how;
  bool automatic = false;  ///< lets the runtime join kernels if it can prove that results stay the same
  int repeat = 1;  ///< how often the pipeline runs; only the timing table shows it
  bool help = false;
  std::string input, output;
};

/// A mistake in the command line. The text is for the user.
struct option_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws option_error.
options parse_options(int count, const char* const* words);

/// The text of --help.
const char* usage();

} // namespace photo
