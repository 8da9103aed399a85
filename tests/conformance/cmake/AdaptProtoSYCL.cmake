set(CMAKE_CXX_STANDARD 20)
add_library(SYCL::SYCL INTERFACE IMPORTED GLOBAL)
target_link_libraries(SYCL::SYCL INTERFACE ProtoSYCL)
set(CTS_NOTHING ${CMAKE_CURRENT_LIST_DIR}/nothing.cpp)

# What nearly every file of the suite includes, parsed once: it halves the time that the suite takes to build.
function(add_precompiled_header)
  add_library(cts_precompiled OBJECT ${CTS_NOTHING})
  target_link_libraries(cts_precompiled PRIVATE CTS::util Catch2::Catch2 ProtoSYCL)
  # group_scan.h of the suite uses unordered_map without including it.
  target_precompile_headers(cts_precompiled PRIVATE <unordered_map> ${CMAKE_SOURCE_DIR}/tests/common/common.h)
  target_compile_definitions(cts_precompiled PRIVATE SYCL_CTS_COMPILING_WITH_PROTOSYCL)
  set_target_properties(cts_precompiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

function(add_sycl_executable_implementation)
  cmake_parse_arguments(args "" "NAME;OBJECT_LIBRARY" "TESTS" ${ARGN})
  if(NOT TARGET cts_precompiled)
    add_precompiled_header()
  endif()
  add_library(${args_OBJECT_LIBRARY} OBJECT ${args_TESTS})
  add_executable(${args_NAME} $<TARGET_OBJECTS:${args_OBJECT_LIBRARY}>)
  add_sycl_to_target(TARGET ${args_OBJECT_LIBRARY} SOURCES ${args_TESTS})
  set_target_properties(${args_OBJECT_LIBRARY} PROPERTIES
    INCLUDE_DIRECTORIES $<TARGET_PROPERTY:${args_NAME},INCLUDE_DIRECTORIES>
    COMPILE_DEFINITIONS $<TARGET_PROPERTY:${args_NAME},COMPILE_DEFINITIONS>
    COMPILE_OPTIONS $<TARGET_PROPERTY:${args_NAME},COMPILE_OPTIONS>
    COMPILE_FEATURES $<TARGET_PROPERTY:${args_NAME},COMPILE_FEATURES>
    POSITION_INDEPENDENT_CODE ON)
  # These define SYCL_SIMPLE_SWIZZLES before they include SYCL.
  if(NOT args_NAME MATCHES "vector_swizzle")
    target_precompile_headers(${args_OBJECT_LIBRARY} REUSE_FROM cts_precompiled)
  endif()
endfunction()
