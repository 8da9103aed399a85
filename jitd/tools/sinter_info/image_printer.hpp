#pragma once
/// Prints the kernels' facts in the device images of a file.

#include <string>

/// Prints the images of an object file, program or shared library (ELF, 64 bits). Returns an empty text on success, and
/// otherwise a sentence about the fault.
std::string print_images_of(const char* path);
