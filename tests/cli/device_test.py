"""Where the mixes of a study are made: `--device`."""
from program import ProgramTest, main, scenario


class Device(ProgramTest):
    def built_without_cuda(self):
        self.write("small.yaml", scenario())
        done = self.wattfill("run", "small.yaml", "--device", "cuda", "--quiet", code=None)
        if "built without CUDA" not in done.stderr:
            self.skipTest("this program is built with CUDA")
        return done

    def test_cuda_without_a_build_for_it_says_how_to_build(self):
        done = self.built_without_cuda()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "--device: cuda: built without CUDA (configure with -DWATTFILL_CUDA=ON); use --device cpu or auto\n")
        self.assertEqual(done.stdout, "")

    def test_auto_goes_on_without_a_device_with_the_same_bytes_and_a_note(self):
        self.built_without_cuda()
        text = scenario()
        self.assertEqual(self.results(text, "--device", "auto", out="auto"), self.results(text, "--device", "cpu", out="cpu"))
        done = self.wattfill("run", "small.yaml", "--device", "auto")
        self.assertEqual(done.stderr, "note: --device auto: runs on the host: built without CUDA (configure with -DWATTFILL_CUDA=ON); use --device cpu or auto\n")
        self.assertEqual(self.wattfill("run", "small.yaml", "--device", "auto", "--quiet").stderr, "")

    def test_a_device_of_another_name_is_refused(self):
        self.write("small.yaml", scenario())
        self.assertEqual(self.wattfill("run", "small.yaml", "--device", "gpu", code=2).stderr, '--device: "gpu" is not known; write cpu, cuda or auto\n')

    def test_timelines_stay_on_the_host(self):
        self.write("t.yaml", TIMELINE)
        self.assertEqual(self.wattfill("run", "t.yaml", "--device", "cuda", code=2).stderr,
                         "--device: cuda: timelines run on the host; leave the option out, or write auto\n")


TIMELINE = """wattfill: 1
name: small-event
kind: timeline
seed: 1
curves: [emerald-a100]
cluster: {gpus: 64}
jobs:
  explicit:
    - {id: dolly, curve: emerald-a100/ft_llama_8b_dolly, gpus: 32, submit_s: 0, work_s: 3600}
limit: {at: gpu, steps: [[0, 90000]]}
policies: [proportional]
until: done
"""


if __name__ == "__main__":
    main()
