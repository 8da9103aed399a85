"""Programs of many scenes."""
import random

from crossing import CrossingScene
from scenes import Scene


def make_scene(seed, number, rows=True, tables=False):
    """`tables`: the scene has little but tables and pointers to them."""
    r = random.Random(seed * 1000 + number)
    if tables:
        return Scene(r, str(number), rows, fond_of=["joined_pointer", "either_value", "letters"])
    return CrossingScene(r, str(number)) if r.random() < 0.25 else Scene(r, str(number), rows)


def program_text(scenes, comment):
    head = "".join(f"// {line}\n" for line in comment.splitlines())
    table = ", ".join(f"{{\"{one.name}\", scene_{one.name}::run}}" for one in scenes)
    return (head + "#include \"program.hpp\"\n\n" + "\n".join(one.text() for one in scenes) +
            f"\nint main(int count, char** words) {{\n  const program::scene scenes[] = {{{table}}};\n"
            "  return program::run(scenes, count, words);\n}\n")
