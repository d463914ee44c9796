"""What a run leaves when it is killed, and what --resume makes of it; shards and their merge."""
import hashlib
import json
import os
import random
import resource
import shutil
import subprocess
import time

import program
from program import BY_HAND, PROGRAM, ProgramTest, scenario
from timeline_test import EVENT, WEEK

STUDY = scenario(replications=2100, jobs=8, mixes=BY_HAND + "  more: {replications: 300, jobs: 5, draw: {all: {where: {}}}}\n", cuts="[0, 0.1, 0.3]",
                 more="outer: {draws: 9, clusters: true}\ncapacity: {speed_loss: [0.05]}\nsweep: {objective: [gpu_speed, normalized]}\n")
SHORT = ("--keep-every", "0", "--quiet")


class Resume(ProgramTest):
    def kill_at(self, seconds, *words):
        """Runs and kills the program; True if it was killed before its end."""
        with subprocess.Popen([PROGRAM, "run", "small.yaml", *words], cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as running:
            try:
                running.wait(seconds)
                return False
            except subprocess.TimeoutExpired:
                running.kill()
                return True

    def bytes_of(self, out="out"):
        return {file.name: file.read_bytes() for file in (self.folder / out).iterdir() if file.name != "manifest.json"}

    def resumed_after_kills(self, text, points, seed):
        whole = self.results(text, out="whole")
        begin = time.monotonic()
        self.results(text, "--keep-every", "0", out="timed")
        took = time.monotonic() - begin
        draws, killed, tried = random.Random(seed), 0, 0
        while tried < points or (killed <= points // 3 and tried < 10 * points):  # a run may end before it is killed, and more of them do where others run, too
            tried += 1
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            for _ in range(draws.choice((1, 1, 2))):  # some are killed again after they were resumed
                killed += self.kill_at(took * draws.random(), "--out", "out", "--resume", *SHORT)
            self.wattfill("run", "small.yaml", "--out", "out", "--resume", *SHORT)
            self.assertEqual(self.bytes_of(), whole)
        print(f"killed {killed} times at {tried} points")
        self.assertGreater(killed, points // 3)

    def test_a_study_killed_at_random_points_and_resumed_gives_the_same_bytes(self):
        self.resumed_after_kills(STUDY, int(os.environ.get("WATTFILL_KILLS", "10")), 1)

    def test_a_timeline_study_killed_and_resumed_gives_the_same_bytes(self):
        self.resumed_after_kills(WEEK.replace("replications: 5", "replications: 40"), 3, 2)

    def keep_pieces(self, text=STUDY):
        """The bytes of the pieces of a whole study, as they would be if it had been killed at its very end, and its results."""
        whole = self.results(text, out="whole")
        self.wattfill("run", "small.yaml", "--out", "shard", "--shard", "1/1", *SHORT)
        pieces = (self.folder / "shard/pieces.bin").read_bytes()
        return pieces, whole

    def test_a_file_of_pieces_cut_or_changed_at_any_byte_is_used_only_as_far_as_it_is_proven(self):
        pieces, whole = self.keep_pieces(scenario())
        rows = (self.folder / "shard/pieces.csv").read_bytes()
        draws = random.Random(7)
        for turn in range(16):
            of_rows = turn % 4 == 3
            bytes_, name = (rows, "pieces.csv") if of_rows else (pieces, "pieces.bin")
            at = draws.randrange(len(bytes_))
            for damaged in (bytes_[:at], bytes_[:at] + bytes([bytes_[at] ^ (1 << draws.randrange(8))]) + bytes_[at + 1:]):
                (self.folder / "shard" / name).write_bytes(damaged)
                done = self.wattfill("run", "small.yaml", "--out", "shard", "--shard", "1/1", "--resume", *SHORT, code=None)
                if done.returncode == 2 and not of_rows:  # its first 24 bytes say that it is no such file, or one of a later version
                    self.assertLess(at, 24, done.stderr)
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                self.wattfill("merge", "shard", "--out", "merged", "--quiet")
                self.assertEqual(self.bytes_of("merged"), whole)

    def test_what_is_finished_is_not_computed_again(self):
        pieces, _ = self.keep_pieces()
        done = self.wattfill("run", "small.yaml", "--out", "shard", "--shard", "1/1", "--resume", "--keep-every", "0")
        self.assertRegex(done.stderr, r"going on with (\d+) of \1 pieces")
        self.assertEqual((self.folder / "shard/pieces.bin").read_bytes(), pieces)

    def test_a_changed_study_is_refused_with_what_changed(self):
        self.keep_pieces()
        def refused(*words, what):
            done = self.wattfill("run", "small.yaml", "--out", "shard", "--shard", "1/1", "--resume", *words, code=2)
            self.assertIn(f"shard/pieces.bin: --resume: {what}", done.stderr)
            self.assertIn("(results of both would be mixed); undo the change, or run without --resume to begin anew", done.stderr)

        refused("--seed", "4", what='scenario: was "seed: 3", is "seed: 4"')
        refused("--set", "mixes.drawn.jobs=9", what='scenario: was "drawn: {replications: 2100, jobs: 8, weighting: arrivals,')
        refused("--rows", "summary", what="rows: was all, is summary")
        done = self.wattfill("run", "small.yaml", "--out", "shard", "--resume", code=2)
        self.assertIn("shard: was 1/1, is nothing", done.stderr)
        curves = self.folder / "curves"
        curves.mkdir()
        for suffix in (".yaml", ".csv"):
            text = (program.SOURCE / f"curves/emerald-a100{suffix}").read_text(encoding="utf-8")
            (curves / f"emerald-a100{suffix}").write_text(text + ("# \n" if suffix == ".yaml" else ""), encoding="utf-8")
        refused("--curves", "curves", what="input emerald-a100.yaml: was ")

    def test_a_version_that_changed_is_refused(self):
        pieces, _ = self.keep_pieces(scenario())  # made into a file as another version would have written it
        start, head, after = pieces[:24], pieces[24:40], pieces[40:]
        length = int.from_bytes(head[8:], "little")
        payload = after[:length]  # begins with how far the rows go
        at = payload.index(b"version") + len("version")
        size = int.from_bytes(payload[at:at + 8], "little")
        payload = payload[:at] + (5).to_bytes(8, "little") + b"0.0.9" + payload[at + 8 + size:]
        record = head[:8] + len(payload).to_bytes(8, "little") + payload
        (self.folder / "shard/pieces.bin").write_bytes(start + record + hashlib.sha256(record).hexdigest().encode() + after[length + 64:])
        done = self.wattfill("run", "small.yaml", "--out", "shard", "--shard", "1/1", "--resume", code=2)
        self.assertRegex(done.stderr, r"shard/pieces\.bin: --resume: version: was 0\.0\.9, is \d")

    def test_a_full_disk_loses_nothing_that_was_finished(self):
        whole = self.results(STUDY, out="whole")
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "wattfill-test", disk], check=False, capture_output=True).returncode != 0:
            self.skipTest("no small file system can be mounted here")
        try:
            for size in ("3m", "8m"):
                subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)
                done = self.wattfill("run", "small.yaml", "--out", "disk/out", "--threads", "1", *SHORT, code=3)
                self.assertRegex(done.stderr, r"disk/out/\S+: could not be written: No space left on device")
                self.assertEqual(self.listing("disk/out"), ["pieces.bin", "pieces.csv"])
                subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
                done = self.wattfill("run", "small.yaml", "--out", "disk/out", "--resume", "--keep-every", "0")
                self.assertRegex(done.stderr, r"going on with [1-9]\d* of")
                self.assertEqual(self.bytes_of("disk/out"), whole)
                shutil.rmtree(disk / "out")
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_resuming_where_nothing_was_left_is_a_plain_run(self):
        whole = self.results(out="whole")
        self.wattfill("run", "small.yaml", "--out", "out", "--resume", "--quiet")
        self.assertEqual(self.bytes_of(), whole)
        self.wattfill("run", "small.yaml", "--out", "out", "--resume", "--quiet")
        self.assertEqual(self.bytes_of(), whole)

    def test_wrong_options_are_refused(self):
        self.write("small.yaml", scenario())
        for words, what in ((("--shard", "0/3"), '"0/3" is not I/N'), (("--shard", "4/3"), '"4/3" is not I/N'), (("--shard", "1"), '"1" is not I/N'),
                            (("--shard", "1/"), '"1/" is not I/N'), (("--shard", "1/2x"), '"1/2x" is not I/N'), (("--shard", "1/100001"), "N up to 100000"),
                            (("--shard", "1/2", "--replication", "1"), "no study to be cut in parts"), (("--keep-every", "-1"), "not a number of seconds"),
                            (("--keep-every", "never", "--resume"), "never keeps nothing, and --resume needs it")):
            self.assertIn(what, self.wattfill("run", "small.yaml", "--out", "out", *words, code=2).stderr)
        self.assertEqual(self.listing(), [])


class Shards(ProgramTest):
    def shards(self, text, count, *words):
        self.write("small.yaml", text)
        names = []
        for i in range(1, count + 1):
            names.append(f"{i}-of-{count}")
            self.wattfill("run", "small.yaml", "--out", names[-1], "--shard", f"{i}/{count}", "--quiet", *words)
        return names

    def merged(self, names, out="merged"):
        shutil.rmtree(self.folder / out, ignore_errors=True)
        self.wattfill("merge", *names, "--out", out, "--quiet")
        return {file.name: file.read_bytes() for file in (self.folder / out).iterdir() if file.name != "manifest.json"}

    def test_shards_merged_in_any_order_are_the_study_byte_for_byte(self):
        whole = self.results(STUDY, out="whole")
        self.assertEqual(sorted(whole), ["allocation.csv", "capacity.csv", "replications.csv", "summary.csv"])
        draws = random.Random(3)
        for count in (1, 2, 3, 7):
            names = self.shards(STUDY, count, "--threads", str(1 + count % 2))
            self.assertEqual(self.merged(names), whole)
            draws.shuffle(names)
            self.assertEqual(self.merged(names), whole)
            for name in names:
                manifest = json.loads((self.folder / name / "manifest.json").read_text(encoding="utf-8"))
                self.assertEqual(manifest["shard"], name.replace("-of-", "/"))
        manifest = json.loads((self.folder / "merged/manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["merged"], names)

    def test_summaries_alone_and_timelines_are_cut_in_parts_too(self):
        for text, words in ((STUDY, ("--rows", "summary")), (WEEK, ())):
            whole = self.results(text, *words, out="whole")
            self.assertEqual(self.merged(self.shards(text, 3, *words)), whole)
            shutil.rmtree(self.folder / "whole")
            for i in (1, 2, 3):
                shutil.rmtree(self.folder / f"{i}-of-3")

    def test_a_study_that_stops_when_it_knows_enough_stops_at_the_same_mix_however_it_is_made(self):
        text = scenario(replications=9000, mixes="  more: {replications: 9000, jobs: 40, draw: {all: {where: {}}}}\n", policies="[proportional, oracle]",
                        more="stop: {score: speed_gpu, half_width: 0.0008}\n")
        whole = self.results(text, "--threads", "1", out="whole")
        counts = {(row["mix"], row["count"]) for row in self.rows(whole, "summary.csv")}
        self.assertEqual(len(counts), 2)  # all policies and cuts of a mix have the same mixes
        fewer = {mix: int(count) for mix, count in counts}
        self.assertLess(fewer["more"], fewer["drawn"])  # a mix of more jobs varies less
        self.assertLess(fewer["drawn"], 9000)
        self.assertEqual(len(self.rows(whole)), 4 * sum(fewer.values()))
        for count in (1, 3):
            self.assertEqual(self.merged(self.shards(text, count)), whole)
        self.kill_and_resume(whole)

    def kill_and_resume(self, whole):
        """Ends in the middle because the disk is full, and goes on."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
        self.wattfill("run", "small.yaml", "--out", "killed", *SHORT, code=3, preexec_fn=limit)
        done = self.wattfill("run", "small.yaml", "--out", "killed", "--resume", "--keep-every", "0")
        self.assertRegex(done.stderr, r"going on with [1-9]\d* of")
        self.assertEqual({file.name: file.read_bytes() for file in (self.folder / "killed").iterdir() if file.name != "manifest.json"}, whole)

    def test_every_shard_of_a_small_study_has_something_to_do_or_nothing(self):
        whole = self.results(out="whole")
        self.assertEqual(self.merged(self.shards(scenario(), 7)), whole)  # one piece, seven shards

    def test_the_merge_refuses_what_does_not_belong_together(self):
        names = self.shards(scenario(replications=3000), 2)
        def refused(*words, what):
            done = self.wattfill("merge", *words, "--out", "merged", code=2)
            for text in (what if isinstance(what, tuple) else (what,)):
                self.assertIn(text, done.stderr)
            self.assertFalse((self.folder / "merged").exists())

        refused("1-of-2", what=("1 of 4 pieces are missing, from number 2 on (given: shard 1/2); run the shards that are missing",))
        refused("1-of-2", "2-of-2", "1-of-2", what=("is shard 1/2 and holds 2 pieces, from number 0 on, that 1-of-2/pieces.bin (shard 1/2) holds, too; name every shard once",))
        self.shards(scenario(replications=3000), 3)
        refused("1-of-2", "2-of-3", "3-of-3", what="holds, too; name every shard once, all of one --shard I/N")
        refused(*names, "nowhere", what="nowhere/pieces.bin: is not there")
        self.write("other/pieces.bin", "no pieces at all, but more than twenty-four bytes")
        refused(*names, "other", what="other/pieces.bin: is no file of finished pieces")
        table = (self.folder / "2-of-2/pieces.csv").read_text(encoding="utf-8")
        self.write("2-of-2/pieces.csv", table.replace("0.", "1.", 1))
        refused(*names, what="2-of-2/pieces.csv: the rows of piece 2 are not those that were written with it (the file was changed, or is not whole); run this part of the study again with --resume")
        self.wattfill("run", "small.yaml", "--out", "2-of-2", "--shard", "2/2", "--resume", "--quiet")
        self.assertEqual((self.folder / "2-of-2/pieces.csv").read_text(encoding="utf-8"), table)
        done = self.wattfill("merge", *names, "--out", "1-of-2", code=2)
        self.assertIn("is one of the shards", done.stderr)
        self.wattfill("run", "small.yaml", "--out", "seed", "--shard", "2/2", "--seed", "5", "--quiet")
        refused("1-of-2", "seed", what=('seed/pieces.bin: is of another study: scenario: was "seed: 5", is "seed: 3"; run this shard again',))
        (self.folder / "small.yaml").unlink()
        refused(*names, what="small.yaml, which is not there")

    def test_streams_over_time_cannot_be_cut(self):
        self.write("small.yaml", EVENT)
        done = self.wattfill("run", "small.yaml", "--shard", "1/2", code=2)
        self.assertIn("add --rows summary, or leave --shard out", done.stderr)
        whole = self.results(EVENT, "--rows", "summary", out="whole")
        self.assertEqual(self.merged(self.shards(EVENT, 2, "--rows", "summary")), whole)


if __name__ == "__main__":
    program.main()
