#pragma once
/// Marks functions that libsinter.so exports to the headers.
#define SINTER_EXPORT __attribute__((visibility("default")))

/// Device functions of the headers are inlined, because code that asks for a work-item's position has to be in the
/// kernel's own function.
#define SINTER_DEVICE_INLINE inline __attribute__((always_inline))
