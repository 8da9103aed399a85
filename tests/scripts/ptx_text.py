"""Functions that read the text of PTX, for tests."""
import re


def modules(text):
    """The text of the module of each kernel."""
    return re.split(r"(?m)^(?=\.version)", text)[1:]


def unset_addresses(module):
    """Returns the registers that hold addresses of accesses and that no instruction sets, with the function's name.
    Other registers may be unset, because a program may copy values that it never set."""
    found = []
    for name, body in re.findall(r"(?ms)^(?:\.visible |\.weak )*\.(?:entry|func) .*?(\w+)\(.*?^\{$(.*?)^\}$", module):
        read = set(re.findall(r"\[(%rd\d+)", body))
        # An instruction sets its first operand: one register, or several registers in braces.
        is_set = set()
        for operands in re.findall(r"(?m)^\s*(?:@!?%p\d+\s+)?(?!st\.|red\.|call)[a-z][\w.]*\s+(\{[^}]*\}|%rd\d+)", body):
            is_set.update(re.findall(r"%rd\d+", operands))
        is_set.update(re.findall(r"%rd\d+", " ".join(re.findall(r"\bcall\S*\s*\(([^)]*)\)", body))))
        found += [f"{name}: {register}" for register in sorted(read - is_set)]
    return found
