#pragma once
/// Marks functions that libsinter.so exports to the headers.
#define SINTER_EXPORT __attribute__((visibility("default")))

/// Device functions of the headers are inlined, because code that asks for a work-item's position has to end up in the
/// kernel anyway.
#define SINTER_DEVICE_INLINE inline __attribute__((always_inline))
