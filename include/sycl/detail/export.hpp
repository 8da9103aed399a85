#pragma once
/// Marks functions that libsinter.so exports to the headers.
#define SINTER_EXPORT __attribute__((visibility("default")))

/// Device functions of the headers are always inlined: code that queries the position of a work-item has to be in the
/// kernel's own function.
#define SINTER_DEVICE_INLINE inline __attribute__((always_inline))
