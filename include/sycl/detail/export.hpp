#pragma once
/// Marks what libsinter.so exports to the headers.
#define SINTER_EXPORT __attribute__((visibility("default")))

/// Device functions of the headers: what asks for a work-item's position has to end up in the kernel anyway.
#define SINTER_DEVICE_INLINE inline __attribute__((always_inline))
