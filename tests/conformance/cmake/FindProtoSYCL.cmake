# Lets the conformance suite's CMake files find Sinter through pkg-config; the suite knows no implementation of this name,
# and treats ProtoSYCL as one without known faults.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SINTER REQUIRED sinter)
add_library(ProtoSYCL INTERFACE)
target_compile_options(ProtoSYCL INTERFACE ${SINTER_CFLAGS} -w -ffp-model=precise)
target_link_options(ProtoSYCL INTERFACE ${SINTER_LDFLAGS})
function(add_sycl_to_target)
  cmake_parse_arguments(ADD_SYCL "" "TARGET" "SOURCES" ${ARGN})
  target_link_libraries(${ADD_SYCL_TARGET} PUBLIC ProtoSYCL)
endfunction()
set(ProtoSYCL_FOUND TRUE)
