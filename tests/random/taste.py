"""What a scene is fond of: some statements it never has, others often, so that each scene tries something else."""


class Taste:
    def __init__(self, random):
        self.random, self.weights = random, {}

    def weight(self, maker, usual):
        """How often that maker of statements is chosen, where `usual` is what most would do."""
        name = maker.__name__
        if name not in self.weights:
            self.weights[name] = self.random.choice([0, 1, 1, 2, 6])
        return usual * self.weights[name]
