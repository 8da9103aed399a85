/// A small library of which two variants exist.
extern "C" [[gnu::visibility("default")]] int sinter_test_value(int number) { return number + SINTER_TEST_VALUE; }
