#!/usr/bin/env python3
"""The photo example with every kind of PNG, with damaged files, and with wrong options."""
import os
import random
import struct
import zlib

import common

PHOTO = os.path.join(common.BUILD, "examples", "photo", "photo")
FOLDER = common.Folder()
CACHE = {"SINTER_CACHE_DIR": FOLDER / "cache"}
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
KINDS = [(GREY, d) for d in (1, 2, 4, 8, 16)] + [(RGB, 8), (RGB, 16)] + [(PALETTE, d) for d in (1, 2, 4, 8)] + \
        [(GREY_ALPHA, 8), (GREY_ALPHA, 16), (RGBA, 8), (RGBA, 16)]
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]  # Adam7


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width, height, colour, depth, interlaced=False, transparency=False, seed=1):
    """The bytes of a PNG with random samples."""
    dice = random.Random(seed)
    rows = b""
    for x0, y0, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        columns, lines = -(-(width - x0) // dx), -(-(height - y0) // dy)
        if columns <= 0 or lines <= 0:
            continue
        length = (columns * CHANNELS[colour] * depth + 7) // 8
        for _ in range(lines):
            rows += bytes([dice.randrange(2)]) + dice.randbytes(length)  # filters None and Sub
    parts = [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))]
    if colour == PALETTE:
        parts.append(chunk(b"PLTE", dice.randbytes(3 << depth)))
        if transparency:
            parts.append(chunk(b"tRNS", dice.randbytes(1 << depth)))
    elif transparency and colour in (GREY, RGB):
        parts.append(chunk(b"tRNS", b"\0\1" * CHANNELS[colour]))
    return b"".join(parts) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def header(data):
    """(width, height, depth, colour type) of a PNG."""
    return struct.unpack(">IIBB", data[16:26])


def photo(*words, **more):
    return common.run([PHOTO, *words], **{**CACHE, **more})


def develop(data, *options):
    """Runs the photo example on these bytes. Returns the result and the bytes of the output file (None if there is
    none)."""
    source, target = FOLDER / "in.png", FOLDER / "out.png"
    with open(source, "wb") as file:
        file.write(data)
    if os.path.exists(target):
        os.unlink(target)
    result = photo(*options, source, target)
    if not os.path.exists(target):
        return result, None
    with open(target, "rb") as file:
        return result, file.read()


def test_all_kinds():
    """pictures in grey, colour and with a palette, 1 to 16 bit, with and without alpha, interlaced or not"""
    for colour, depth in KINDS:
        for interlaced in (False, True):
            for transparency in (False, True):
                if transparency and colour in (GREY_ALPHA, RGBA):
                    continue
                result, out = develop(png(23, 18, colour, depth, interlaced, transparency), "--depth", "16")
                what = f"colour type {colour}, {depth} bit, interlaced {interlaced}, tRNS {transparency}"
                common.check(result.code == 0 and out, f"{what}: {result.text}")
                alpha = transparency or colour in (GREY_ALPHA, RGBA)
                common.check(header(out) == (23, 18, 16, RGBA if alpha else RGB), f"{what}: header {header(out)}")


def test_sizes():
    """pictures of one pixel, one row, one column, and sizes near the tile size of 16"""
    for width, height in ((1, 1), (1, 50), (50, 1), (15, 16), (17, 33), (16, 16)):
        result, out = develop(png(width, height, RGB, 8), "--sharpen", "1", "--vignette", "0.5")
        result.expect(contains=["decode", "sharpen", "MPix/s"])
        common.check(header(out) == (width, height, 8, RGB), f"{width} x {height}: header {header(out)}")


def test_fused():
    """the picture's bits are the same kernel by kernel, fused by the program, and fused by the runtime"""
    for width, height in ((1, 1), (37, 21), (256, 130)):
        picture = png(width, height, RGB, 16)
        options = ["--depth", "16", "--exposure", "0.7", "--sharpen", "1.5", "--vignette", "0.4", "--saturation", "1.3"]
        result, expected = develop(picture, *options)
        result.expect(lacks=[" ... "])
        result, out = develop(picture, *options, "--fuse")
        result.expect(contains=["decode ... dither, quantise"])
        common.check(out == expected, f"{width} x {height}: --fuse gives another picture")
        # Fused code is compiled in the background, so only the last runs are fused.
        result, out = develop(picture, *options, "--auto", "--repeat", "60")
        result.expect()
        common.check(out == expected, f"{width} x {height}: --auto gives another picture")


def test_damaged_files():
    """damaged, truncated and manipulated files lead to a message and exit code 2, never to a crash"""
    good = png(40, 30, RGBA, 8)
    cases = {"empty": b"", "text": b"hello, this is no picture", "signature only": good[:8], "no pixels": good[:33],
             "no pixel data": good[:33] + chunk(b"IEND", b""), "half": good[:len(good) // 2],
             "zero width": good[:16] + b"\0\0\0\0" + good[20:],
             "huge": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1 << 20, 1 << 20, 8, 2, 0, 0, 0)) + good[33:],
             "wide": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1 << 30, 1, 8, 2, 0, 0, 0)) + good[33:],
             "bad depth": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 3, 2, 0, 0, 0)) + good[33:],
             "palette without table": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 3, 0, 0, 0)) + good[33:]}
    for name, data in cases.items():
        result, out = develop(data)
        common.check(result.code == 2, f"{name}: exit code {result.code}: {result.text}")
        common.check(result.err.startswith("photo: ") and len(result.err) < 400, f"{name}: {result.err}")
        common.check(out is None, f"{name}: an output was written")


def test_random_damage():
    """files with random changes at any position lead to a picture or a message, never to a crash"""
    dice = random.Random(7)
    for round_number in range(60):
        colour, depth = dice.choice(KINDS)
        data = bytearray(png(31, 19, colour, depth, dice.random() < 0.5, dice.random() < 0.5, round_number))
        for _ in range(dice.randrange(1, 6)):
            data[dice.randrange(8, len(data))] = dice.randrange(256)
        result, _ = develop(bytes(data))
        common.check(result.code in (0, 2), f"round {round_number}: exit code {result.code}: {result.text}")


def test_options():
    """wrong options and files lead to one line and exit code 2; --help prints an explanation"""
    source = FOLDER / "good.png"
    with open(source, "wb") as file:
        file.write(png(8, 8, RGB, 8))
    photo("--help").expect(contains=["usage: photo", "--exposure", "--sharpen", "--repeat", "Exit codes"])
    for words in ([], [source], ["--exposure"], ["--exposure", "bright", source, "x.png"], ["--exposure", "99", source, "x.png"],
                  ["--exposure", "nan", source, "x.png"], ["--depth", "9", source, "x.png"], ["--depth", "8.5", source, "x.png"],
                  ["--repeat", "0", source, "x.png"], ["--frobnicate", source, "x.png"], [source, "x.png", "y.png"],
                  ["--saturation", "1x", source, "x.png"]):
        result = photo(*words)
        common.check(result.code == 2 and len(result.err.splitlines()) == 1, f"{words}: {result.code} {result.text}")
    for bad_in in ("/no/such/file.png", FOLDER.path):
        result = photo(bad_in, FOLDER / "x.png")
        common.check(result.code == 2 and bad_in in result.err, f"{bad_in}: {result.code} {result.text}")
    for bad_out in ("/no/such/folder/x.png", FOLDER.path, "/dev/full"):
        result = photo(source, bad_out)
        common.check(result.code == 2 and bad_out in result.err, f"{bad_out}: {result.code} {result.text}")
    common.check(os.path.exists("/dev/full"), "/dev/full was removed")


def test_lens():
    """the lens example handles pictures of any size, compares its result with plain code, and reports differences"""
    lens = os.path.join(common.BUILD, "examples", "lens")
    source, target = FOLDER / "lens_in.png", FOLDER / "lens_out.png"
    for width, height in ((1, 1), (2, 31), (40, 23)):
        with open(source, "wb") as file:
            file.write(png(width, height, RGB, 8))
        for words in ([], ["-30", "0.2"]):
            common.run([lens, source, target, *words], **CACHE).expect(contains=[f"{width} x {height} pixels"])
            with open(target, "rb") as file:
                common.check(header(file.read())[:2] == (width, height), "the picture has another size")
    common.run([lens, FOLDER / "nowhere.png", target], **CACHE).expect(code=1, contains=["lens: "])
    common.run([lens], **CACHE).expect(code=2, contains=["usage: lens"])


def test_missing_device():
    """if the device is missing, each example says so and ends with code 1"""
    with open(FOLDER / "in.png", "wb") as file:
        file.write(png(8, 8, RGB, 8))
    for example, words in (("vector_add", []), ("local_memory", []), ("photo/photo", ["in.png", "out.png"])):
        result = common.run([os.path.join(common.BUILD, "examples", example), *words], cwd=FOLDER.path,
                            SINTER_DEVICE="gpu:99")
        result.expect(code=1, contains=["gpu:99", "there is"], lacks=["terminate"])


def test_large():
    """pictures of 21 megapixels work"""
    if common.SANITIZED:
        raise common.Skip("takes too long in a sanitized build")
    width, height = 6000, 3500
    row = b"\0" + random.Random(3).randbytes(width * 3)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(row * height, 1)) + chunk(b"IEND", b"")
    result, out = develop(data, "--sharpen", "0.5")
    result.expect(contains=["21.0 megapixels"])
    common.check(header(out)[:2] == (width, height), "wrong size")


common.main(globals())
