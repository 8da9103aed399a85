"""The preferences of a scene: some statements never occur in it, others often, so that each scene tries something
else."""


class Taste:
    def __init__(self, random, lean=False, fond_of=()):
        """`lean`: hardly any statements, because the rest of a kernel hides how single statements are compiled."""
        self.random, self.weights = random, {}
        self.choices = [0, 0, 0, 0, 6] if lean else [0, 1, 1, 2, 6]
        if lean:
            self.weights = {"declare": 1, "assign": 0.5, "store": 0.5}
        if fond_of:
            self.choices = [0] * 19 + [6]
            self.weights.update((name, 6) for name in fond_of)

    def weight(self, maker, usual):
        """How often that maker of statements is chosen; `usual`: in most scenes."""
        name = maker.__name__
        if name not in self.weights:
            self.weights[name] = self.random.choice(self.choices)
        return usual * self.weights[name]
