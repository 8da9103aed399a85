// The precompiled header of the conformance suite needs a source file.
