#pragma once
/// Prints the kernels' facts in the device images of a file.

#include <string>

/// Prints the images of an object file, program or shared library (ELF, 64 bits). Empty on success, else a sentence.
std::string print_images_of(const char* path);
