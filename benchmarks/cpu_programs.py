"""The programs that compare kernels on the CPU with OpenMP or intrinsics."""

#: For each program of cpu/, and for everyday: sizes for the measurement of compile times, and goals (start of the
#: case's name, reference, speed).
CPU_PROGRAMS = {
    "babelstream": ([1000, 100, 100, 100], []),
    "matmul": ([64], [("matmul", "same tiling", 1.2), ("matmul", "register-blocked", 0.5)]),
    "joint_matrix": ([64], [("joint-matrix", "openmp", 1.0), ("joint-matrix", "register-blocked", 0.7)]),
    "nbody": ([256], [("nbody", "intrinsics", 0.9)]),
    "black_scholes": ([1000], [("black-scholes", "libmvec", 1.1)]),
    "mandelbrot": ([64, 64, 50], [("mandelbrot", "masked", 0.85)]),
    "stencil": ([64, 32], [("stencil", "openmp", 0.95)]),
    "flat_ids": ([64, 32], [("", "openmp", 0.95)]),
    "index_spellings": ([64], [("", "size_t", 0.9)]),
    "reduction": ([1000], [("reduction", "openmp", 0.95)]),
    "scan": ([1000], []),
    "histogram": ([1000], []),
    "bitonic": ([2048], []),
    "spmv": ([1000], []),
    "transpose": ([64], []),
    "resample": ([67], [("resampling", "openmp", 0.9)]),
    "idioms": ([2048], [("", "without", 1.1)]),
    "everyday": ([64], [("", "openmp", 0.95)]),
}
