#pragma once
/// The drivers that OpenCL's loader looks for, and why some can't be used; the loader itself skips these silently.

#include <string>
#include <vector>

struct opencl_driver {
  std::string file;              ///< the .icd file; empty: a variable names the library itself
  std::string library;           ///< as the file names it; empty: it names none
  std::string problem;           ///< a sentence without its end; empty: the library can be opened and is a driver
  bool from_file_names = false;  ///< OCL_ICD_FILENAMES names it, which only Khronos' loader reads
};

struct opencl_drivers {
  std::string place;  ///< the folder, file or library where the loader looks
  std::vector<opencl_driver> found;
};

/// Opens each library, in a child of this process, which has to have one thread only.
opencl_drivers try_opencl_drivers();

/// The line that sinter-info prints.
std::string text_of(const opencl_driver& driver);
