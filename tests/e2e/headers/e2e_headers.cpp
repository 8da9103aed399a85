// Nothing: its precompiled header is what counts.
int main() {}
