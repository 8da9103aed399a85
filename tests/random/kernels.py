"""Random kernels over the arrays of a scene.

This module decides which work-item may access which element, so that there are no races: a work-item writes only its
own elements. Between two barriers, an array of a group is either written by the owners of elements, or read by all
work-items, or changed by one atomic operation.
"""
import limits
from arrays import Array
from constants import Constant
from expressions import Scope, Variable
from reductions import Reduction
from statements import Writer
from together import GroupFunctions
from tree import BITS, FLOATS, SCALARS, Block, Expr, Statement, spelled

ATOMIC_KINDS = ["u32", "u64", "i32", "i64"]

# The linear global id of work-item `i` of the group, by the number of dimensions.
IN_GROUP = {2: "(it.get_group(0) * it.get_local_range(0) + i / it.get_local_range(1)) * it.get_global_range(1) + "
               "it.get_group(1) * it.get_local_range(1) + i % it.get_local_range(1)",
            3: "((it.get_group(0) * it.get_local_range(0) + i / (it.get_local_range(1) * it.get_local_range(2))) * "
               "it.get_global_range(1) + it.get_group(1) * it.get_local_range(1) + "
               "i / it.get_local_range(2) % it.get_local_range(1)) * it.get_global_range(2) + "
               "it.get_group(2) * it.get_local_range(2) + i % it.get_local_range(2)"}


class Kernel(GroupFunctions):
    def __init__(self, scene, random):
        self.scene, self.random = scene, random
        r = random
        self.grouped = scene.grouped
        self.dimensions = scene.dimensions
        self.phased = self.grouped and not scene.in_place and r.random() < 0.6
        self.sub_groups = self.phased and (self.dimensions == 1 or scene.rows) and r.random() < 0.6
        self.sub_group_size = r.choice([0, 0, 4, 8, 16, 32]) if self.sub_groups else 0
        if self.sub_group_size:
            self.sub_group_size = limits.sub_group or self.sub_group_size
        self.exchanges = self.sub_groups and r.random() < 0.4  # little else
        self.locals, self.reductions, self.constants, self.again = [], [], [], []
        self.prologue, self.body = [], None
        self.arguments = []
        self.write()

    def write(self):
        r, scene = self.random, self.scene
        scope = Scope(r, [one for one in scene.helpers if not one.memory])
        for position in range(r.randint(0, 3)):
            kind = r.choice(["i32", "u32", "i64", "u64", "f32", "u8"])
            low, width = r.choice([(0, 8), (0, 64), (-20, 41), (1, 1000)])
            if kind[0] == "u":
                low = max(low, 0)
            name = self.argument(kind, low, width)
            scope.variables.append(Variable(name, kind, low, low + width - 1, uniform=True) if kind in BITS else
                                   Variable(name, kind, uniform=True))
        for _ in range(r.choice([0, 0, 0, 0, 0, 0, 1, 2])):
            one = Constant(r, f"c{scene.names[0]}")
            scene.names[0] += 1
            self.constants.append(one)
            self.prologue.append(one.first)
            scope.variables.append(one.variable())
        self.ids(scope)
        arrays = self.views(scope)
        writer = Writer(r, scene.names, arrays, scene.helpers, scene.taste)
        for _ in range(r.choice([0, 0, 0, 0, 0, 0, 1, 2])):
            self.reductions.append(Reduction(r, writer.name("r")))
        writer.reductions, writer.again, writer.tables = self.reductions, self.again, scene.tables
        scope.loads += [table.load for table in scene.tables]
        writer.budget, writer.grouped = r.choice([3, 4, 6, 6, 12]), self.grouped
        if scene.lean:
            writer.budget = r.choice([2, 3, 4, 6])
        self.sizes(writer)
        if self.phased and r.random() < 0.4:
            self.keep_pointer(writer, scope)
        if not self.phased:
            if r.random() < 0.5:
                writer.may_return = lambda where: "return;"
            self.body = writer.block(scope, r.randint(2, 8), 1 if scene.lean else 3)
            return
        self.body = Block(self.phases(writer, scope, r.randint(1, 3), 0 if scene.lean else 2))
        self.body.statements += self.keep_locals(writer, scope)

    def argument(self, kind, low, width, seed=None):
        name = f"q{self.scene.names[0]}"
        self.scene.names[0] += 1
        seed = self.random.getrandbits(32) if seed is None else seed
        self.arguments.append(f"const {kind} {name} = program::argument<{kind}>({seed}u, {low}, {width});")
        return name

    def sizes(self, writer):
        """Makes numbers that statements use as sizes and counts."""
        r = self.random
        if r.random() < 0.7:
            writer.zero = self.argument("i32", 0, 1)
        writer.amounts = [self.argument(r.choice(["i32", "u32", "u64"]), 0, r.choice([8, 40, 90, 90]))]
        ranges = ["local_range", "global_range", "group_range"] if self.grouped else ["range"]
        writer.amounts += [f"it.get_{r.choice(ranges)}({r.randrange(self.dimensions)})" for _ in range(2)]

    def keep_pointer(self, writer, scope):
        """Adds a pointer into an array, which the kernel uses before and behind barriers."""
        arrays = [one for one in writer.arrays if one.whole and one.kind in BITS and not one.fields]
        if not arrays:
            return
        array, name = self.random.choice(arrays), writer.name("p")
        places = [scope.fit("u32", 0, 1023, scope.integer(1, "u32")) for _ in range(2)]
        self.prologue.append(Statement([f"const {array.kind}* {name} = ", scope.condition(1), f" ? &{array.name}[",
                                        places[0], f"] : &{array.name}[", places[1], "];"], declares=name))
        scope.loads += [lambda where: None if where.uniform_only else Expr(array.kind, f"*{name}")] * 2

    def ids(self, scope):
        """Declares g (the linear id) and n (the number of work-items), and for groups also l (the linear local id),
        group and lsize (the size of the group)."""
        r, d = self.random, self.dimensions
        kind = r.choice(["int", "int", "unsigned", "std::size_t", "long"])
        own = {"int": "i32", "unsigned": "u32", "std::size_t": "u64", "long": "i64"}[kind]
        one = (lambda i: f"it.get_global_id({i})") if self.grouped else (lambda i: f"it[{i}]")
        names = ["x", "y", "z"][:d]
        for i, name in enumerate(names):
            self.prologue.append(Statement([f"const {kind} {name} = static_cast<{kind}>({one(i)});"], keep=True,
                                           declares=name))
            scope.variables.append(Variable(name, own, 0, 1023))
        all_of = "get_global_range" if self.grouped else "get_range"
        if r.random() < 0.5 or d == 1:
            linear = names[0]
            for i in range(1, d):
                linear = f"({linear}) * static_cast<{kind}>(it.{all_of}({i})) + {names[i]}"
        else:
            linear = f"static_cast<{kind}>(it.{'get_global_linear_id' if self.grouped else 'get_linear_id'}())"
        self.prologue.append(Statement([f"const {kind} g = {linear};"], keep=True, declares="g"))
        scope.variables.append(Variable("g", own, 0, 1023))
        if self.grouped:
            self.prologue.append(Statement([f"const {kind} l = static_cast<{kind}>(it.get_local_linear_id());"],
                                           keep=True, declares="l"))
            self.prologue.append(Statement([f"const {kind} group = static_cast<{kind}>(it.get_group_linear_id());"],
                                           keep=True,
                                           declares="group"))
            scope.variables.append(Variable("l", own, 0, 255))
            scope.variables.append(Variable("group", own, 0, 1023, uniform=True))
        if self.sub_groups:
            self.prologue.append(Statement(["const sycl::sub_group sg = it.get_sub_group();"], keep=True,
                                           declares="sg"))
            self.prologue.append(Statement(["const u32 lane = sg.get_local_linear_id();"], keep=True, declares="lane"))
            scope.variables.append(Variable("lane", "u32", 0, 31))
        if self.phased:
            self.prologue.append(Statement(["const auto gr = it.get_group();"], keep=True, declares="gr"))
            if d > 1:
                self.prologue.append(Statement([f"const auto in_group = [=](u32 i) {{ return {IN_GROUP[d]}; }};"],
                                               keep=True, declares="in_group"))

    def views(self, scope):
        r, scene = self.random, self.scene
        chosen = [one for one in scene.arrays if r.random() < 0.75]
        if all(one.role != "own" for one in chosen):  # the kernel would have no visible effect
            chosen.append(r.choice([one for one in scene.arrays if one.role == "own"]))
        self.used = chosen
        own = [one for one in chosen if one.role == "own" and not one.fields]
        if own and not self.phased and not scene.buffers and (scene.in_place or r.random() < 0.1):
            one = r.choice(own)
            self.again = [one.with_mode(owned=True, name=f"{one.name}_again", ids="g", dimensions=self.dimensions)]
            scope.loads += [self.again[0].load_own] * 2
        detour = None
        if r.random() < 0.45:
            seed = r.getrandbits(32)
            detour = [self.argument("u32", 1, 2, seed) for _ in range(2)]
        arrays = []
        for one in chosen:
            if one.role == "in":
                view = one.with_mode(whole=True)
                scope.loads.append(view.load_any)
            elif one.role == "atomic":
                view = one.with_mode(atomic=r.choice(one.operations))
                view.atomic = one.operation
            else:
                view = one.with_mode(owned=True, ids=r.choice(["g", "l", "lane"] if self.sub_groups else ["g", "l"]
                                                              if self.grouped else ["g"]),
                                     leader="sg.leader()" if self.sub_groups else None)
                if not self.phased:
                    scope.loads.append(view.load_own)
            view.pointer, view.dimensions, view.detour = True, self.dimensions, detour
            arrays.append(view)
        if self.phased:
            for _ in range(r.choice([0, 1, 1, 2, 2, 3])):
                kind = r.choice(SCALARS + ATOMIC_KINDS)
                local = Array(f"local{scene.names[0]}", kind, r.choice([1, 1, 2, 4]),
                              r.choice(["rows", "columns", "reverse"]))
                scene.names[0] += 1
                local.local, local.owned, local.linear, local.total, local.pointer = True, True, "l", "lsize", True
                local.ids = r.choice(["l", "lane"]) if self.sub_groups else "l"
                self.locals.append(local)
                place = f"static_cast<u32>(l) * {local.slots} + k"
                local.first = Statement([f"for (u32 k = 0; k < {local.slots}; ++k) {local.name}[{place}] = ",
                                         scope.exact(kind, scope.value(kind, 1)), ";"], keep=True)
                self.prologue.append(local.first)
            if self.locals:
                self.prologue.append(Statement(["sycl::group_barrier(gr);"], keep=True))
        return arrays + self.locals

    # ------------------------------------------------------------------------------------------- phases

    def phases(self, writer, scope, count, depth):
        """Returns statements. Each of them ends with a barrier. Some are in loops and branches that whole groups
        take."""
        r = self.random
        statements = []
        everything = writer.arrays
        for _ in range(count):
            choice = r.random()
            if depth > 0 and choice < 0.2:
                k = writer.name("k")
                inner = scope.inner()
                inner.variables.append(Variable(k, "i32", 0, 3, uniform=True))
                bound = Expr("i32", "3", 3, 3)
                if r.random() < 0.6:
                    same = scope.uniform()
                    bound = same.fit("i32", 0, 4, same.integer(1, "i32"))
                body = Block(self.phases(writer, inner, r.randint(1, 2), depth - 1))
                bare = Block([Statement([f"const int {k} = 0;"], declares=k)] + body.statements)
                statements.append(Statement([f"for (int {k} = 0; {k} < ", bound, f"; ++{k}) ", body], bare=[bare]))
                continue
            if depth > 0 and choice < 0.3:
                body = Block(self.phases(writer, scope.inner(), 1, depth - 1))
                statements.append(Statement(["if (", scope.uniform().condition(1), ") ", body], bare=[body]))
                continue
            inner = scope.inner()
            writer.arrays = []
            results = r.choice([one for one in everything if one.role == "own"])
            for one in everything:
                view = one
                if one.has_phases():
                    mode = r.choice(["own", "own", "read", "atomic"] if one.kind in ATOMIC_KINDS and not one.fields
                                    else ["own", "read"])
                    if one is results:
                        mode = "own"
                    if mode == "own":
                        view = one.with_mode(owned=True)
                        inner.loads.append(view.load_own)
                    elif mode == "read":
                        view = one.with_mode(owned=False)
                        inner.loads += [view.load_in_group] * 2
                    else:
                        operations = ["add", "or", "xor", "max",
                                      "min"] if one.kind[0] == "u" else ["or", "and", "max", "min"]
                        view = one.with_mode(owned=False)
                        if one.local:
                            view.atomic = r.choice(operations)
                            view.count = 1
                        else:
                            view = None
                if view is not None:
                    writer.arrays.append(view)
            body, depth_here = [], 1 if self.scene.lean else 2
            for _ in range(r.randint(1, 2 if self.scene.lean else 3)):
                if r.random() < (0.75 if self.exchanges else 0.35):
                    body += self.together(writer, inner)
                elif r.random() < 0.15:
                    body += self.alone(writer, inner) or writer.statement(inner, depth_here)
                else:
                    body += writer.statement(inner, depth_here)
            body += writer.keep_values(inner, inner.variables[len(scope.variables):] or inner.variables[:3])
            barrier = Statement(["sycl::group_barrier(gr);"], keep=True)
            phase = Block(body + [barrier])
            statements.append(Statement([phase]))
        writer.arrays = everything
        return statements

    def keep_locals(self, writer, scope):
        """Other work-items have left values in local memory. The statements copy these values to global memory."""
        statements, inner = [], scope.inner()
        for one in self.locals:
            name = writer.name("v")
            statements.append(Statement([f"const {one.kind} {name} = ", one.load_in_group(scope), ";"], declares=name))
            inner.variables.append(Variable(name, one.kind))
        return statements + writer.keep_values(inner, inner.variables[len(scope.variables):])

    # ------------------------------------------------------------------------------------------- text

    def launch(self):
        """The kernel's range, and the head of its lambda."""
        d = self.dimensions
        sizes = ", ".join(f"s.global[{i}]" for i in range(d))
        reductions = "".join(f"{one.argument()}, " for one in self.reductions)
        more = "".join(f", auto& {one.name}" for one in self.reductions)
        more += ", sycl::kernel_handler constants" if self.constants else ""
        if not self.grouped:
            return f"sycl::range<{d}>({sizes}), {reductions}[=](sycl::item<{d}> it{more})"
        local = ", ".join(f"s.local[{i}]" for i in range(d))
        attribute = f" [[sycl::reqd_sub_group_size({self.sub_group_size})]]" if self.sub_group_size else ""
        return (f"sycl::nd_range<{d}>(sycl::range<{d}>({sizes}), sycl::range<{d}>({local})), "
                f"{reductions}[=](sycl::nd_item<{d}> it{more}){attribute}")

    def text(self, buffers):
        lines = list(self.arguments)
        lines += [f"program::sub_group_size({self.sub_group_size});", "queue.submit([&](sycl::handler& handler) {"]
        lines += [line for one in self.constants for line in one.setting()]
        for one in self.used:
            if buffers:
                tag = "sycl::read_only" if one.role == "in" else "sycl::read_write"
                lines.append(f"  sycl::accessor {one.name}(buffer_{one.name}, handler, {tag});")
            else:
                lines.append(
                    f"  {'const ' if one.role == 'in' else ''}{one.kind_text()}* {one.name} = array_{one.name}.data;")
        for one in self.again:
            lines.append(f"  {spelled(one.kind)}* {one.name} = array_{one.name[:-6]}.data;")
        for one in self.locals:
            lines.append(
                f"  sycl::local_accessor<{one.kind}> {one.name}(sycl::range<1>(lsize * {one.slots}), handler);")
        lines.append(f"  handler.parallel_for({self.launch()} {{")
        lines = ["    " + line + "\n" for line in lines]
        lines += [one.text(4) for one in self.prologue + self.body.statements]
        return "".join(lines) + "      });\n    });\n"
