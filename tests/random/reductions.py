"""Reductions of kernels: each work-item contributes some values; the number of values, and the statements that
contribute them, differ between work-items."""
from together import OPERATIONS
from tree import Statement


class Reduction:
    """The result variable of a reduction, in the middle of a separate array."""

    def __init__(self, random, name):
        self.operation = random.choice(list(OPERATIONS))
        self.kind = random.choice(OPERATIONS[self.operation])
        self.name, self.seed = name, random.getrandbits(16)
        self.forgets = random.random() < 0.3  # ignores the variable's old value

    def array(self):
        return f"program::array<{self.kind}> array_{self.name}(queue, \"{self.name}\", 3, {self.seed}u);"

    def argument(self):
        words = "sycl::property_list{sycl::property::reduction::initialize_to_identity()}"
        more = f", {words}" if self.forgets else ""
        return f"sycl::reduction(array_{self.name}.data + 1, sycl::{self.operation}<{self.kind}>(){more})"


class ReductionStatements:
    """Part of Writer."""

    def reduce(self, scope, depth):
        if not self.reductions:
            return None
        one = self.random.choice(self.reductions)
        return [Statement([f"{one.name}.combine(", scope.exact(one.kind, scope.value(one.kind, 2)), ");"])]
