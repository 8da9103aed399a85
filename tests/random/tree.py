"""Trees of random programs: expressions with an interval that contains their values, statements, blocks.

Because of the intervals, programs have no undefined behaviour: the generator never writes an expression that can
overflow. The shrinker uses the intervals as well: it may replace an expression by any constant in its interval, or by a
part of the expression that has the same type and an interval inside the expression's interval.
"""
import re

BITS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64}
INTS = list(BITS)
FLOATS = ["f32", "f64", "f16"]
SCALARS = INTS + FLOATS
VECTORS = [f"vec<{kind}, {count}>" for kind in ("u8", "u16", "u32", "u64", "f32", "f64") for count in (2, 4)] + \
          ["vec<u32, 3>", "vec<f32, 8>", "vec<u8, 16>"]


def is_signed(kind):
    return kind[0] == "i"


def span(kind):
    """Least and largest value of an integer type."""
    if kind == "bool":
        return 0, 1
    bits = BITS[kind]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed(kind) else (0, (1 << bits) - 1)


def literal(kind, value):
    if kind == "bool":
        return "true" if value else "false"
    if kind == "f32":
        return f"{float(value)!r}f"
    if kind == "f64":
        return repr(float(value))
    if kind == "f16":
        return f"f16({float(value)!r}f)"
    if kind.startswith("vec"):
        return f"sycl::{kind}({literal(element_of(kind), value)})"
    suffix = {"i32": "", "u32": "u", "i64": "ll", "u64": "ull"}.get(kind)
    if suffix is None:
        return f"{kind}({value})"
    if kind == "i32" and value == -(1 << 31):
        return "(-2147483647 - 1)"
    if kind == "i64" and value == -(1 << 63):
        return "(-9223372036854775807ll - 1)"
    return f"{value}{suffix}" if value >= 0 else f"({value}{suffix})"


def element_of(kind):
    return re.match(r"vec<(\w+),", kind).group(1)


def spelled(kind):
    return "sycl::" + kind if kind.startswith("vec<") else kind


def depth_of(random):
    return random.choice([1, 1, 2, 2, 3, 4])


class Expr:
    """`parts` are strings and expressions. low and high are None if the type is not an integer."""

    def __init__(self, kind, parts, low=None, high=None):
        self.kind = kind
        self.parts = parts if isinstance(parts, list) else [parts]
        if low is None and (kind in BITS or kind == "bool"):
            low, high = span(kind)
        self.low, self.high = low, high

    def text(self):
        return "".join(part if isinstance(part, str) else part.text() for part in self.parts)

    def fits(self, kind):
        least, most = span(kind)
        return least <= self.low and self.high <= most

    def simpler(self):
        """The texts of possible replacements, with the simplest first."""
        own = self.text()
        choices = []
        if self.kind in BITS or self.kind == "bool":
            values = [value for value in (0, 1) if self.low <= value <= self.high] or [self.low]
            choices += [Expr(self.kind, literal(self.kind, value), value, value) for value in values]
        elif self.kind in FLOATS or self.kind.startswith("vec"):
            choices.append(Expr(self.kind, literal(self.kind, 1)))
        stack = [part for part in self.parts if isinstance(part, Expr)]
        while stack:
            part = stack.pop(0)
            if part.kind == self.kind and (self.low is None or self.low <= part.low and part.high <= self.high):
                choices.append(part)
            elif self.kind in BITS and part.kind in BITS and part.low >= self.low and part.high <= self.high:
                choices.append(Expr(self.kind, [f"({self.kind})(", part, ")"], part.low, part.high))
            else:
                stack += [inner for inner in part.parts if isinstance(inner, Expr)]
        return [choice for choice in choices if len(choice.text()) < len(own) or
                len(choice.text()) == len(own) and not own[:1].isdigit()]


class Block:
    def __init__(self, statements=None):
        self.statements = statements if statements is not None else []

    def text(self, depth):
        return "{\n" + "".join(one.text(depth + 1) for one in self.statements) + "  " * depth + "}"


class Statement:
    """`parts` are strings, expressions and blocks. `bare` is a list of statements that the shrinker may put in place of
    this statement."""

    def __init__(self, parts, keep=False, bare=None, declares=None):
        self.parts = parts if isinstance(parts, list) else [parts]
        self.keep, self.bare, self.declares = keep, bare, declares

    def text(self, depth):
        words = [part if isinstance(part, str) else part.text(depth) if isinstance(part, Block) else part.text()
                 for part in self.parts]
        return "  " * depth + "".join(words) + "\n"
