#pragma once
/// Marks what libsinter.so exports to the headers.
#define SINTER_EXPORT __attribute__((visibility("default")))
