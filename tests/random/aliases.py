"""Statements that use memory by two pointers. In each call the pointers differ, but the first pointer of one call may
be equal to the second pointer of another call."""
from tree import FLOATS, SCALARS, Block, Expr, Statement


class AliasStatements:
    """Part of Writer."""

    def through_pointers(self, scope, flag):
        """A call of a helper with pointers to two of the work-item's own elements; `flag` decides which pointer is
        which. None if no helper fits."""
        r = self.random
        pairs = [(helper, array) for helper in self.helpers for array in self.arrays
                 if helper.memory == array.kind and array.owned and array.slots >= 2 and array.pointer
                 and not array.fields]
        if not pairs:
            return None
        helper, array = r.choice(pairs)
        first, second = r.sample(range(array.slots), 2)
        # Adds a number that only this generator knows to be zero, so the compiler can't see that two expressions name
        # the same element.
        hidden = lambda: f" + {self.zero}" if r.random() < 0.6 else ""
        place = lambda part: array.slot(scope, part).text() + hidden()
        to, source = self.name("p"), self.name("p")
        result = [
            Statement([f"{array.kind}* {to} = {flag} ? &{array.name}[{place(second)}] : "
                       f"&{array.name}[{place(first)}];"], declares=to),
            Statement([f"const {array.kind}* {source} = {flag} ? &{array.name}[{place(first)}] : "
                       f"&{array.name}[{place(second)}];"], declares=source)]
        parts = [f"{helper.name}({to}, {source}"]
        for _, kind in helper.parameters:
            parts += [", ", scope.exact(kind, scope.value(kind, 1))]
        return result + [Statement(parts + [");"])]

    def restrict_call(self, scope, depth):
        r = self.random
        counters = [one for one in scope.variables if one.name[0] in "kn" and one.kind in ("i32", "u32", "u64", "i64")
                    and one.low >= 0]
        flag = self.name("c")
        if counters and r.random() < 0.8:
            head = [f"const int {flag} = int({r.choice(counters).name} & 1);"]
        else:
            head = [f"const int {flag} = int(", scope.fit("i32", 0, 1, scope.integer(1, "i32")), ");"]
        calls = self.through_pointers(scope, flag)
        return calls and [Statement(head, declares=flag)] + calls

    def restrict_loop(self, scope, depth):
        """A loop that swaps the pointers in each iteration. Mostly the loop contains nothing else, so that the compiler
        unrolls it."""
        r = self.random
        arrays = [one for one in self.arrays if one.owned and one.slots >= 2 and one.pointer and not one.fields
                  and one.kind in SCALARS]
        if not arrays or scope.uniform_only:
            return None
        array, k, call = r.choice(arrays), self.name("k"), self.name("call")
        to, source, first, second, held = (self.name("p") for _ in range(5))
        kind, parts = array.kind, r.sample(range(array.slots), 2)
        inner = scope.inner()
        inner.named_counter(k, 12)
        inner.loads = []  # the array has no other name within a call
        value = inner.value(kind, r.choice([0, 0, 1]))
        body = Block([Statement([f"*{to} = {kind}("] + self.changed(kind, f"*{source}", inner.exact(kind, value)) +
                                [");"], keep=True)])
        places = [array.slot(scope, part).text() + f" + {self.zero}" for part in parts]
        result = [Statement([f"{kind}* {one} = &{array.name}[{place}];"], declares=one)
                  for one, place in zip((first, second), places)]
        function = self.pointer_function(call, kind, to, source, body)
        if r.random() < 0.5:  # the loop swaps the two pointers at its end
            turn = [Statement([f"{call}({first}, {second});"]),
                    Statement([f"{kind}* {held} = {first}; {first} = {second}; {second} = {held};"])]
        else:
            turn = [Statement([f"{call}({k} & 1 ? {first} : {second}, {k} & 1 ? {second} : {first});"])]
        if r.random() < 0.2 and depth > 0:
            turn += self.statement(inner, 0)
        if self.grouped and self.amounts and r.random() < 0.4:
            return result + self.run_loop(call, function, first, second, k)
        bound = r.choice([str(r.choice([4, 8, 12]))] + [f"int({one} % 13)" for one in self.amounts] * 2)
        result.append(Statement([f"for (int {k} = 0; {k} < {bound}; ++{k}) ", Block([function] + turn)]))
        if self.loops < 2 and r.random() < 0.6:  # repeats the loop, which then first loads what it stored last
            outer, rounds = self.name("k"), r.choice(["2", "3"] + [f"int({one} % 4)" for one in self.amounts])
            result = [Statement([f"for (int {outer} = 0; {outer} < {rounds}; ++{outer}) ", Block(result)])]
        return result

    def run_loop(self, call, function, first, second, k):
        """Swaps pointers in a loop. The swap depends on the work-item's position in its run of neighbouring work-items.
        Each iteration doubles or halves the length of the runs, as sorting algorithms do."""
        r = self.random
        s, kind = self.name("s"), r.choice(["u32", "u32", "u64"])
        low, amount = f"({kind}(l) & ({s} - 1))", f"(u32({r.choice(self.amounts)}) % 6u)"
        test = r.choice([f"{low} & 1", f"{low} == 0", f"{low} * 2 >= {s}", f"{low} > 2"])
        head = r.choice([f"for ({kind} {s} = {kind}(1) << {amount}; {s} != 0; {s} /= 2) ",
                         f"for ({kind} {s} = {kind}(1) << {amount}; {s} <= {kind}(64); {s} *= 2) ",
                         f"for ({kind} {s} = {kind}(32) >> {amount}; {s} != 0; {s} /= 2) "])
        turn = Statement([f"{call}({test} ? {first} : {second}, {test} ? {second} : {first});"])
        return [Statement([f"int {k} = 0;"], declares=k),
                Statement([head, Block([function, turn, Statement([f"++{k};"])])])]

    def changed(self, kind, text, value):
        """Parts of an expression that changes a value. Changing it twice rarely has the same effect as changing it
        once, so a repeated or missing change is detected."""
        if kind in FLOATS:
            return [f"{text} {self.random.choice('+-*')} ", value]
        return [f"u64({text}) {self.random.choice('+-+-*^|')} u64(", value, ")"]

    @staticmethod
    def pointer_function(name, kind, to, source, body):
        return Statement([f"const auto {name} = [&]({kind}* __restrict {to}, const {kind}* __restrict {source}) ", body,
                          ";"], declares=name)

    def restrict_phase(self, scope, array, where, other):
        """Calls of a lambda that has restrict pointers and contains barriers. `other`: the work-item whose element is
        read behind the first barrier."""
        r = self.random
        call, k, to, source = self.name("call"), self.name("k"), self.name("p"), self.name("p")
        own = "".join(array.step([array.linear]))
        place = array.step(array.in_group(other))
        first, second = r.sample(range(array.slots), 2)
        inner = scope.inner()
        inner.loads = [lambda at: Expr(array.kind, f"{source}[{own}]")]  # the array has no other name within a call
        barrier = Statement([f"sycl::group_barrier({where});"], keep=True)
        body = Block([
            Statement([f"{to}[{own}] = ", inner.exact(array.kind, inner.value(array.kind, 2)), ";"]), barrier,
            Statement([f"{to}[{own}] = {array.kind}("] +
                      self.changed(array.kind, f"{to}[{own}]", Expr(array.kind, [f"{source}["] + place + ["]"])) +
                      [");"]),
            barrier])
        names = [f"{array.start(second)} + {self.zero}", f"{array.start(first)}"]
        bound = r.choice([str(r.randint(1, 6))] + [f"int({one} % 7)" for one in self.amounts])
        return [self.pointer_function(call, array.kind, to, source, body),
                Statement([f"for (int {k} = 0; {k} < {bound}; ++{k}) "
                           f"{call}(&{array.name}[{k} & 1 ? {names[0]} : {names[1]}], "
                           f"&{array.name}[{k} & 1 ? {names[1]} : {names[0]}]);"])]
