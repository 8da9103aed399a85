"""Operations of a program on its arrays between kernels: fills and copies."""
from tree import SCALARS, literal


def make_command(random, arrays):
    """The text of a command that uses one of the arrays, or nothing."""
    targets = [one for one in arrays if one.role == "own" and one.kind in SCALARS]
    if not targets:
        return ""
    to = random.choice(targets)
    first = random.choice([0, 0, random.randint(0, to.count - 1)])
    count = random.randint(1, to.count - first)
    sources = [one for one in arrays if one is not to and one.kind == to.kind]
    if sources and random.random() < 0.6:
        source = random.choice(sources)
        place = random.randint(0, source.count - count) if count < source.count else 0
        count = min(count, source.count)
        if random.random() < 0.5:
            return f"queue.copy(array_{source.name}.data + {place}, array_{to.name}.data + {first}, {count});"
        return (f"queue.memcpy(array_{to.name}.data + {first}, array_{source.name}.data + {place}, "
                f"{count} * sizeof({to.kind}));")
    if random.random() < 0.3:
        return (f"queue.memset(array_{to.name}.data + {first}, {random.choice([0, 1, 0x5a, 0xff])}, "
                f"{count} * sizeof({to.kind}));")
    value = literal(to.kind, random.choice([0, 1, 7]))
    return f"queue.fill(array_{to.name}.data + {first}, {to.kind}({value}), {count});"
