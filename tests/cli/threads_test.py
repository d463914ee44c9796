"""Results do not depend on threads. These tests also run under ThreadSanitizer."""
import program
from program import BY_HAND, ProgramTest, scenario


class Threads(ProgramTest):
    def test_any_number_of_threads_gives_the_same_bytes(self):
        text = scenario(replications=700, jobs=12, mixes=BY_HAND, policies="[proportional, oracle, pfi-aware, quadratic, equal-split]", more="outer: {draws: 7, clusters: true}\n")
        one = self.results(text, "--threads", 1, out="1")
        self.assertEqual(set(one), set(program.RESULTS))
        for threads in (2, 3, 8):
            self.assertEqual(self.results(text, "--threads", threads, out=str(threads)), one, threads)

    def test_more_threads_than_replications_are_no_trouble(self):
        self.assertEqual(self.results(None, "--threads", 64, out="many"), self.results(None, "--threads", 1, out="one"))


if __name__ == "__main__":
    program.main()
