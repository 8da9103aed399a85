"""Specialization constants of a kernel: numbers that the program sets for each launch, or that keep their defaults."""
from expressions import Variable
from tree import BITS, Statement, literal


class Constant:
    def __init__(self, random, name):
        self.name, self.kind = name, random.choice(["i32", "u32", "i64", "u64", "u8", "i16"])
        self.low, width = random.choice([(0, 4), (0, 64), (1, 1000)] if self.kind[0] == "u" or BITS[self.kind] == 16
                                        else [(0, 4), (-20, 41), (1, 1000)])
        if BITS[self.kind] == 8:
            width = min(width, 200)
        self.high, self.seed = self.low + width - 1, random.getrandbits(32)
        self.default = random.randint(self.low, self.high)
        self.is_set = random.random() < 0.8
        self.first = Statement([f"const {self.kind} {name} = constants.get_specialization_constant<id_{name}>();"],
                               declares=name)

    def declaration(self):
        return (f"inline constexpr sycl::specialization_id<{self.kind}> "
                f"id_{self.name}({literal(self.kind, self.default)});\n")

    def setting(self):
        """Statements that set the constant for a launch, to a value that depends on the launch's size n."""
        if not self.is_set:
            return []
        value = f"program::argument<{self.kind}>({self.seed}u + n, {self.low}, {self.high - self.low + 1})"
        return [f"  handler.set_specialization_constant<id_{self.name}>({value});"]

    def variable(self):
        return Variable(self.name, self.kind, self.low, self.high, uniform=True)
