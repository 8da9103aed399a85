// This program is empty: only its precompiled header is used.
int main() {}
