"""Statements with ids that are cut, shifted and put together by numbers which only make sense behind a guard."""
from expressions import Variable
from tree import BITS, FLOATS, SCALARS, Block, Expr, Statement


class MaskStatements:
    """Part of Writer."""

    def masked_position(self, scope, depth):
        arrays = [one for one in self.arrays if one.whole and one.kind in SCALARS and not one.fields]
        if not arrays or scope.uniform_only or not self.amounts:
            return None
        r = self.random
        array, shift, result = r.choice(arrays), self.name("d"), self.name("v")
        kind = r.choice(["u32", "u64", "i64"])
        amount = r.choice(self.amounts)
        if r.random() < 0.3:
            amount = f"{amount} {r.choice(['+ 20', '* 2', '% 16', '/ 3'])}"
        at, one = f"{kind}({array.linear})", f"({kind}(1) << {shift})"
        stride, most = r.choice([(one, 11), (f"({kind}({r.choice([1, 3])}) << {shift})", 10), (f"{kind}({shift})", 32)])
        low = f"({at} & ({stride} - 1))"
        text = r.choice([low, f"({at} & {stride})", f"({at} * 2 - {low})", f"({at} * 2 - {low} + {stride})",
                         f"({at} ^ {stride})", f"({at} / {stride if most != 32 else kind + '(4)'})",
                         f"({at} * 4 | ({at} & 3))", f"(({at} << 1) | ({shift} & 1))"])
        value = Expr(array.kind, f"{array.name}[{text}]")
        if r.random() < 0.4:
            value = Expr(array.kind, [f"({at} > ({kind}(3) << {shift}) ? ", value, " : ",
                                      scope.exact(array.kind, scope.value(array.kind, 1)), ")"])
        first = Statement([f"{array.kind} {result} = ", scope.exact(array.kind, scope.value(array.kind, 1)), ";"],
                          declares=result)
        behind = Statement([f"{result} = {array.kind}({result} {r.choice('+-*' if array.kind in FLOATS else '^&|')} ",
                            value, ");"])
        body = Block([behind])
        if depth > 0 and r.random() < 0.3:
            inner = scope.inner()
            inner.variables.append(Variable(result, array.kind, mutable=True))
            body.statements += self.statement(inner, depth - 1)
        scope.variables.append(Variable(result, array.kind, mutable=True))
        statements = [Statement([f"const u32 {shift} = static_cast<u32>({amount});"], declares=shift), first,
                      Statement([f"if ({shift} >= 1 && {shift} < {most}) ", body], bare=[body])]
        return statements + self.keep_values(scope, scope.variables[-1:])

    def pointer_table(self, scope, depth):
        """Pointers in a private array, some of them changed by some work-items."""
        arrays = [one for one in self.arrays if one.whole and not one.fields and one.kind in BITS]
        if not arrays or scope.uniform_only:
            return None
        r = self.random
        array, table, k = r.choice(arrays), self.name("p"), self.name("k")
        size = r.choice([2, 4, 8])
        place = lambda: scope.fit("u32", 0, 1023, scope.integer(1, "u32"))
        which = lambda: scope.fit("u32", 0, size - 1, scope.integer(1, "u32"))
        spelling = f"const {array.kind}*"
        result = [Statement([f"{spelling} {table}[{size}]; for (int {k} = 0; {k} < {size}; ++{k}) {table}[{k}] = "
                             f"&{array.name}[{array.linear} + {k}];"], declares=table)]
        for _ in range(r.randint(1, 3)):
            body = Block([Statement([f"{table}[", which(), f"] = &{array.name}[", place(), "];"])])
            owned = [one for one in self.arrays if one.owned]
            test = self.chosen(r.choice(owned)) if owned and r.random() < 0.5 else scope.condition(1)
            result.append(Statement(["if (", test, ") ", body], bare=[body]))

        def load(where):
            if where.uniform_only:
                return None
            return Expr(array.kind, [f"*{table}[", where.fit("u32", 0, size - 1, where.integer(1, "u32")), "]"])
        scope.loads.append(load)
        return result
