#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>

namespace photo {
namespace {

/// An option that takes a number: its name, the setting that it changes, and its range.
struct number_option {
  const char* name;
  float settings::* target;
  float least, most;
};
constexpr number_option number_options[] = {
    {"--temperature", &settings::temperature, -100, 100},
    {"--tint", &settings::tint, -100, 100},
    {"--exposure", &settings::exposure, -8, 8},
    {"--contrast", &settings::contrast, 0, 1},
    {"--saturation", &settings::saturation, 0, 4},
    {"--vignette", &settings::vignette, 0, 1},
    {"--sharpen", &settings::sharpen, 0, 4},
};

float number(const std::string& name, const char* text, float least, float most) {
  float value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc() || rest != end || !(value >= least && value <= most)) {
    char range[64];
    std::snprintf(range, sizeof range, "%g to %g", least, most);
    throw option_error(name + " takes a number from " + range + ", not \"" + text + "\"");
  }
  return value;
}

int whole_number(const std::string& name, const char* text, int least, int most) {
  const float value = number(name, text, static_cast<float>(least), static_cast<float>(most));
  if (value != static_cast<float>(static_cast<int>(value))) throw option_error(name + " takes a whole number");
  return static_cast<int>(value);
}

} // namespace

options parse_options(int count, const char* const* words) {
  options result;
  std::string* const files[] = {&result.input, &result.output};
  std::size_t file_count = 0;

  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--help" || word == "-h") {
      result.help = true;
      return result;
    }
    if (!word.starts_with("-")) {
      if (file_count == 2) throw option_error("one input and one output, please; \"" + word + "\" is too much");
      *files[file_count++] = word;
      continue;
    }

    const auto value = [&] {
      if (i + 1 == count) throw option_error(word + " needs a value");
      return words[++i];
    };
    const number_option* found = nullptr;
    for (const number_option& option : number_options) {
      if (word == option.name) found = &option;
    }
    if (found) {
      result.how.*(found->target) = number(word, value(), found->least, found->most);
    } else if (word == "--depth") {
      result.how.output_bits = whole_number(word, value(), 8, 16);
      if (result.how.output_bits != 8 && result.how.output_bits != 16) throw option_error("--depth is 8 or 16");
    } else if (word == "--fuse") {
      result.how.fuse = true;
    } else if (word == "--auto") {
      result.automatic = true;
    } else if (word == "--repeat") {
      result.repeat = whole_number(word, value(), 1, 1000);
    } else {
      throw option_error("unknown option " + word);
    }
  }
  if (file_count != 2) throw option_error("an input and an output file are needed");
  return result;
}

const char* usage() {
  return R"(Develops a photograph with a chain of SYCL kernels and shows how long each one took.

usage: photo [options] INPUT.png OUTPUT.png

  --temperature N   white balance, -100 (blue) to 100 (amber); default 0
  --tint N          white balance, -100 (green) to 100 (magenta); default 0
  --exposure N      brightness in stops, -8 to 8; default 0
  --contrast N      strength of the filmic tone curve, 0 to 1; default 0.5
  --saturation N    0 (grey) to 4; default 1
  --vignette N      darker corners, 0 to 1; default 0
  --sharpen N       unsharp mask, 0 to 4; default 0
  --depth N         bits per sample of the output, 8 or 16; default 8
  --fuse            join kernels (sycl_ext_codeplay_kernel_fusion); the picture stays the same, bit by bit
  --auto            the same where the runtime finds that it pays, from the third run of the chain on (--repeat)
  --repeat N        run the chain N times and time each run, 1 to 1000; default 1
  --help            this text

The input may be any PNG of up to 268 million pixels; colours are taken as sRGB. Environment variables that choose the
device, and others: sinter-info --environment.

Exit codes: 0 done, 1 the device failed, 2 a wrong option or a file that cannot be read or written.
)";
}

} // namespace photo
