"""Makes a scene with wrong results small: removes or simplifies parts of its tree, as long as its results are still
wrong.

Many variants are compiled as one program, because compiling and starting a program take longer than a kernel.
"""
import re

from runs import Failure, verdict
from program import program_text
from tree import Block, Expr, Statement


class Edit:
    """A change of the tree: in the list `container`, the adjacent objects `old` are replaced by `new`."""

    def __init__(self, saves, *changes):
        self.saves, self.changes = saves, changes
        self.done = []

    def apply(self):
        for container, old, new in self.changes:
            at = next((i for i, one in enumerate(container) if one is old[0]), None)
            if at is None or any(a is not b for a, b in zip(container[at:], old)) or len(container) < at + len(old):
                self.undo()
                return False
            container[at:at + len(old)] = new
            self.done.append((container, at, old, new))
        return True

    def undo(self):
        for container, at, old, new in reversed(self.done):
            container[at:at + len(new)] = old
        self.done = []


def size_of(part):
    return len(part.text(0) if isinstance(part, (Statement, Block)) else part.text() if isinstance(part, Expr)
               else str(part))


def is_unused(name, whole, part):
    pattern = r"\b%s\b" % re.escape(name)
    return len(re.findall(pattern, whole)) == len(re.findall(pattern, part))


def edits_of_block(statements, whole, result):
    free = [one for one in statements if not one.keep and (not one.declares
                                                           or is_unused(one.declares, whole, one.text(0)))]
    free += [one for one in statements if one.keep and one.declares and is_unused(one.declares, whole, one.text(0))]
    for one in free:
        result.append(Edit(size_of(one), (statements, [one], [])))
    # Several independent edits are tried at once.
    names = set(map(id, free))
    run = []
    for one in statements + [None]:
        if one is not None and id(one) in names:
            run.append(one)
            continue
        for length in {len(run), len(run) // 2}:
            if length >= 2:
                for begin in range(0, len(run) - length + 1, length):
                    part = run[begin:begin + length]
                    result.append(Edit(sum(map(size_of, part)), (statements, part, [])))
        run = []
    for one in statements:
        for bare in one.bare or []:
            inner = bare.statements if isinstance(bare, Block) else [bare]
            if not re.search(r"\b(break|continue)\b", bare.text(0)):
                result.append(Edit(size_of(one) - size_of(bare), (statements, [one], [Statement([Block(inner)])])))
        # The block's statements declare no names, so removing the braces is safe.
        if len(one.parts) == 1 and isinstance(one.parts[0], Block) and not any(s.declares
                                                                               for s in one.parts[0].statements):
            result.append(Edit(2, (statements, [one], list(one.parts[0].statements))))
        edits_of_parts(one.parts, whole, result)


def edits_of_parts(parts, whole, result):
    for part in parts:
        if isinstance(part, Block):
            edits_of_block(part.statements, whole, result)
        elif isinstance(part, Expr):
            for simple in part.simpler()[:4]:
                result.append(Edit(size_of(part) - size_of(simple) + 0.5, (parts, [part], [simple])))
            edits_of_parts(part.parts, whole, result)


def edits(scene):
    whole, result = scene.text(), []
    for kernel in scene.kernels:
        if len(scene.kernels) > 1:
            result.append(Edit(size_of(kernel.body) + 500, (scene.kernels, [kernel], [])))
        edits_of_block(kernel.prologue, whole, result)
        edits_of_block(kernel.body.statements, whole, result)
        text = kernel.text(False)
        for one in kernel.arguments:
            if is_unused(one.split()[2], text, one):
                result.append(Edit(len(one), (kernel.arguments, [one], [])))
        inside = "".join(one.text(0) for one in kernel.prologue + kernel.body.statements)
        for one in kernel.used:
            if not re.search(r"\b%s\b" % one.name, inside):
                result.append(Edit(100, (kernel.used, [one], [])))
        for one in kernel.reductions:
            if not re.search(r"\b%s\b" % one.name, inside):
                result.append(Edit(100, (kernel.reductions, [one], [])))
        for one in kernel.constants:
            if one.first not in kernel.prologue:
                result.append(Edit(100, (kernel.constants, [one], [])))
        for one in kernel.locals:
            first = one.first.text(0)
            if is_unused(one.name, inside, first):
                result.append(Edit(len(first) + 100, (kernel.locals, [one], []), (kernel.prologue, [one.first], [])))
    for helper in scene.helpers:
        if is_unused(helper.name, whole, helper.text()):
            result.append(Edit(len(helper.text()), (scene.helpers, [helper], [])))
        else:
            edits_of_block(helper.block.statements, whole, result)
    result += [Edit(500, (scene.refusals, [one], [])) for one in scene.refusals]
    result += [Edit(200, (scene.commands, [one], [""])) for one in scene.commands if one]
    for one in scene.arrays:
        if len(scene.arrays) > 1 and not any(one in kernel.used for kernel in scene.kernels):
            result.append(Edit(150, (scene.arrays, [one], [])))
    for one in scene.structures:
        if not any(array.kind == one[0] for array in scene.arrays):
            result.append(Edit(150, (scene.structures, [one], [])))
    if len(scene.shapes) > 1:
        for one in {id(shape): shape for shape in scene.shapes}.values():
            result.append(Edit(300, (scene.shapes, [one], [])))
    for total, local in {id(shape): shape for shape in scene.shapes}.values():
        smaller = [size if scene.grouped else max(1, (old + 1) // 2) for size, old in zip(local, total)]
        if smaller != total:
            old = next(one for one in scene.shapes if one[0] is total)
            result.append(Edit(10, (scene.shapes, [old], [(smaller, local)])))
    return sorted(result, key=lambda one: -one.saves)


class Shrinker:
    def __init__(self, builder, scene, mode, kind, say, name):
        self.builder, self.scene, self.mode, self.kind, self.say, self.name = builder, scene, mode, kind, say, name
        self.tried = set()

    def failing(self, texts):
        """Returns which of the scenes, given as texts of functions, still have the same kind of fault."""
        class Text:
            def __init__(self, name, text):
                self.name, self.body = name, text

            def text(self):
                return self.body
        scenes = [Text(f"c{i}", text.replace(f"scene_{self.scene.name}",
                                             f"scene_c{i}").replace(f"print(\"{self.scene.name}\")",
                                                                    f"print(\"c{i}\")"))
                  for i, text in enumerate(texts)]
        try:
            program, plain = self.builder.compile(self.name, program_text(scenes, "shrinking"), self.mode.level)
        except Failure as failure:
            if len(texts) == 1:
                return []
            half = len(texts) // 2
            first, second = self.failing(texts[:half]), self.failing(texts[half:])
            return first + [half + i for i in second]
        expected = self.builder.expected(plain, self.mode)
        whole = verdict(expected, self.builder.run(program, self.mode))
        if whole is None:
            return []
        if self.kind == "values" and whole[0] == "values":
            return [int(name[1:]) for name in whole[1]]
        result = []
        for i in range(len(texts)):
            words = [f"c{i}"]
            one = verdict(self.builder.expected(plain, self.mode, words),
                          self.builder.run(program, self.mode, words, 120))
            if one and one[0] == self.kind:
                result.append(i)
        return result

    def shrink(self, seconds, clock):
        """Shrinks until nothing more can be removed, or the time is over; returns the scene."""
        end = clock() + seconds
        if not self.failing([self.scene.text()]):
            self.say("does not go wrong alone")
            return None
        progress = False
        while clock() < end:
            batch, texts = [], []
            for edit in edits(self.scene):
                if len(batch) >= 24:
                    break
                if not edit.apply():
                    continue
                text = self.scene.text()
                edit.undo()
                # An edit that did not help is tried again only at the end.
                key = tuple((id(old[0]), "".join(map(str, (one.text() if isinstance(one, Expr) else id(one)
                                                           for one in new))))
                            for _, old, new in edit.changes)
                if key not in self.tried:
                    self.tried.add(key)
                    batch.append(edit)
                    texts.append(text)
            if not batch:
                if not progress:
                    break
                progress = False
                self.tried.clear()
                continue
            good = [batch[i] for i in self.failing(texts)]
            if not good:
                continue
            before = len(self.scene.text())
            self.keep(good)
            progress = progress or len(self.scene.text()) < before
            self.say(f"{len(self.scene.text())} characters")
        return self.scene

    def keep(self, good):
        """Applies all edits that helped, if these edits also work together. Otherwise applies half of the edits, and so
        on down to the best edit."""
        while len(good) > 1:
            together = [edit for edit in good if edit.apply()]
            text = self.scene.text()
            if self.failing([text]):
                return
            for edit in reversed(together):
                edit.undo()
            good = good[:len(good) // 2]
        good[0].apply()
