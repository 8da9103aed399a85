/// Keeps static objects of this library, and of lld in it, from being destroyed: a kernel may still be compiled for the
/// cache while the program ends. The symbol is hidden, so it replaces the C library's function for this library only.

extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
