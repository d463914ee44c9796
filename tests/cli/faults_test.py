"""What goes wrong around a run, and what grows: killed, interrupted, out of room or memory, folders and inputs that go or cannot be read, odd clocks, locales and paths."""
import json
import os
import pty
import resource
import shutil
import signal
import subprocess
import time
import unittest

import program
from program import PROGRAM, ProgramTest, scenario

LONG = ("--set", "mixes.drawn.replications=3000000")
TIMELINE = """wattfill: 1
name: event
kind: timeline
seed: 1
start: 2025-05-01T12:00:00-07:00
curves: [emerald-a100]
cluster: {gpus: 64}
jobs: {trace: jobs.csv}
limit: {series: {file: limit.csv, utc_offset: "-07:00"}}
policies: [proportional, oracle]
"""
JOBS = "id,curve,submit,gpus,work_s\na,emerald-a100/ft_llama_8b_dolly,2025-05-01T12:00:00-07:00,32,3600\nb,emerald-a100/pt_mpt_7b_fast,2025-05-01T19:30:00Z,32,3600\n"
LIMIT = "time,limit_w\n2025-05-01 12:00:00,20000\n2025-05-01 12:40:00,15000\n2025-05-01 13:10:00,20000\n"
# Put in front of the system's: each reading of the clock is years before or after the last. What only ever runs on (CLOCK_MONOTONIC) is left as it is.
JUMPING = r"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long turns;
static long jump(void) { return (turns++ % 2 ? 4000000000L : -1200000000L) + turns * 86400; }
int clock_gettime(clockid_t id, struct timespec* at) {
  int const code = (int)syscall(SYS_clock_gettime, id, at);
  if (id == CLOCK_REALTIME) at->tv_sec += jump();
  return code;
}
int gettimeofday(struct timeval* at, void* zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t* at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
"""


class Faults(ProgramTest):
    def started(self, *words):
        """A long run that has begun to write, and the file it writes."""
        running = subprocess.Popen([PROGRAM, "run", "small.yaml", "--out", "out", "--threads", "1", *LONG, *words], cwd=self.folder, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.kill)
        begun = time.monotonic()
        while True:
            files = list((self.folder / "out").glob("pieces.csv"))
            if files and files[0].exists() and files[0].stat().st_size > 0:
                return running, files[0]
            self.assertIsNone(running.poll(), running.stderr.read() if running.poll() is not None else "")
            self.assertLess(time.monotonic() - begun, 60)
            time.sleep(0.02)

    def limited(self, megabytes, *words):
        """The program with so much address space."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        return self.wattfill(*words, code=None, preexec_fn=limit)

    def usage(self, scenario_file, *words):
        """What a run of its own took: user time and peak memory."""
        child = subprocess.Popen([PROGRAM, "run", scenario_file, "--out", f"out-{scenario_file}", "--quiet", *words], cwd=self.folder, env=self.environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return usage

    def as_nobody(self):
        """Options to run a copy of the program as someone who may not read everything; root may."""
        if os.geteuid() != 0:
            return {}
        copy = self.folder / "program"
        shutil.copy(PROGRAM, copy)
        copy.chmod(0o755)
        self.folder.chmod(0o755)
        curves = self.folder / "curves"
        shutil.copytree(program.SOURCE / "curves", curves)
        return {"executable": str(copy), "user": 65534, "env": {"WATTFILL_CURVES": str(curves)}}

    def test_what_kill_9_leaves_is_removed_by_the_next_run_and_the_old_results_stay(self):
        before = self.results()
        running, temporary = self.started()
        running.send_signal(signal.SIGKILL)
        running.wait(timeout=60)
        self.assertTrue(temporary.exists())
        self.assertEqual({name: (self.folder / "out" / name).read_bytes() for name in before}, before)
        self.assertEqual(self.results(), before)
        self.assertEqual(self.listing(), sorted([*before, "manifest.json"]))

    def test_a_folder_that_vanishes_is_3_and_says_so(self):
        self.write("small.yaml", scenario())
        running, _ = self.started("--set", "mixes.drawn.replications=100000")
        running.send_signal(signal.SIGSTOP)
        shutil.rmtree(self.folder / "out")
        running.send_signal(signal.SIGCONT)
        # The run goes on into a file without a name; that there is no folder shows when the file is put in its place.
        _, message = running.communicate(timeout=240)
        self.assertEqual(running.returncode, 3, message)
        self.assertRegex(message, r"wattfill: out/\S+: could not be \w+.*: No such file or directory; .*make it again, or choose another")
        self.assertEqual(self.listing(), [])

    def test_a_full_disk_is_3_with_what_to_do(self):
        self.write("small.yaml", scenario())
        disk = self.folder / "disk"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, check=False).returncode != 0:
            self.skipTest("no small file system can be mounted here; ulimit -f stands in for it in exit_codes_test.py")
        try:
            done = self.wattfill("run", "small.yaml", "--out", disk / "out", "--set", "mixes.drawn.replications=5000", code=3)
            self.assertRegex(done.stderr, r"could not be written: No space left on device; make room")
            self.assertEqual(list(disk.iterdir()), [])
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_a_disk_that_fills_at_any_write_is_3_and_the_old_results_stay(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], capture_output=True, check=False).returncode != 0:
            self.skipTest("no small file system can be mounted here; ulimit -f stands in for it in exit_codes_test.py")
        try:
            before = self.results(out="disk/out")
            manifest = (disk / "out/manifest.json").read_bytes()
            used = os.statvfs(disk)
            used_kb = (used.f_blocks - used.f_bfree) * used.f_frsize // 1024
            rooms = [0, 4, 8, 16, 28, 44, 64, 80, 96, 128, 1024]  # kB; the new results take about a hundred
            codes = []
            for room in rooms:
                subprocess.run(["mount", "-o", f"remount,size={used_kb + room}k", disk], check=True)
                done = self.wattfill("run", "small.yaml", "--out", "disk/out", "--keep-every", "never", "--set", "mixes.drawn.replications=60", code=None)
                codes.append(done.returncode)
                if done.returncode == 0:
                    break
                self.assertRegex(done.stderr, r"disk/out/\S+: could not be \w+: No space left on device; .*make room")
                self.assertEqual(self.listing("disk/out"), sorted([*before, "manifest.json"]))
                self.assertEqual({name: (disk / "out" / name).read_bytes() for name in before}, before)
                self.assertEqual((disk / "out/manifest.json").read_bytes(), manifest)
            self.assertEqual(codes[-1], 0)
            self.assertEqual(set(codes[:-1]), {3})
            self.assertGreater(len(codes), 5)
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_a_clock_that_jumps_changes_no_result(self):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            self.skipTest("no C compiler to make a clock that jumps with")
        self.write("jobs.csv", JOBS)
        self.write("limit.csv", LIMIT)
        before = self.results(TIMELINE, "--threads", "2")
        self.write("jumping.c", JUMPING)
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "jumping.c", "-o", "jumping.so"], cwd=self.folder, check=True)
        env = {"LD_PRELOAD": "./jumping.so", "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
        self.wattfill("run", "small.yaml", "--out", "jumped", "--quiet", "--threads", "2", env=env)
        self.assertEqual({name: (self.folder / "jumped" / name).read_bytes() for name in before}, before)
        self.write("drawn.yaml", scenario())
        self.wattfill("run", "drawn.yaml", "--out", "still", "--quiet")
        self.wattfill("run", "drawn.yaml", "--out", "jumped2", "--quiet", "--keep-every", "0", "--resume", env=env)
        self.assertEqual((self.folder / "jumped2/replications.csv").read_bytes(), (self.folder / "still/replications.csv").read_bytes())
        years = {json.loads((self.folder / out / "manifest.json").read_text(encoding="utf-8"))["finished_utc"][:4] for out in ("jumped", "jumped2", "still")}
        self.assertGreater(len(years), 1, "the clock did not jump")

    def test_out_of_memory_is_3_with_what_to_do(self):
        self.write("event.yaml", TIMELINE)
        self.write("limit.csv", LIMIT)
        row = JOBS.splitlines()[1].split(",", 1)[1]
        self.write("jobs.csv", JOBS.splitlines()[0] + "\n" + "".join(f"j{i},{row}\n" for i in range(400000)))
        if self.limited(100, "--version").returncode != 0:
            self.skipTest("this build does not start in 100 MB of address space (a sanitizer's)")
        done = self.limited(100, "run", "event.yaml", "--out", "out")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("out of memory; use fewer threads (--threads), --rows summary, or a smaller sweep", done.stderr)
        self.assertEqual(self.listing(), [])

    def test_inputs_that_cannot_be_read_are_2_and_named(self):
        self.write("small.yaml", scenario())
        self.write("event.yaml", TIMELINE)
        self.write("jobs.csv", JOBS)
        self.write("limit.csv", LIMIT)
        options = self.as_nobody()
        for name, command in (("limit.csv", "event.yaml"), ("small.yaml", "small.yaml")):
            (self.folder / name).chmod(0)
            done = self.wattfill("validate", command, code=2, **options)
            self.assertIn(f"{name}: cannot be opened; check its permissions", done.stderr)
            (self.folder / name).chmod(0o644)
        (self.folder / "limit.csv").unlink()
        self.assertIn("limit.csv: there is no such file; check the path", self.wattfill("validate", "event.yaml", code=2).stderr)
        (self.folder / "limit.csv").mkdir()
        self.assertIn("limit.csv: is a folder; name a file in it", self.wattfill("validate", "event.yaml", code=2).stderr)
        (self.folder / "jobs.csv").unlink()
        os.symlink("/dev/zero", self.folder / "jobs.csv")
        self.assertIn("lies outside", self.wattfill("validate", "event.yaml", code=2).stderr)
        self.assertIn("bytes (it would be held in memory whole)", self.wattfill("validate", "/dev/zero", code=2).stderr)

    def test_an_input_that_vanishes_during_a_run_does_not_end_it(self):
        self.write("small.yaml", scenario())
        running, _ = self.started()
        (self.folder / "small.yaml").unlink()
        running.send_signal(signal.SIGINT)  # a whole run would take minutes under a sanitizer
        _, message = running.communicate(timeout=240)
        self.assertEqual((running.returncode, message), (130, "wattfill: interrupted; no result file was changed; the same command with --resume goes on with what was finished\n"))
        self.write("small.yaml", scenario())
        self.results()

    def test_an_interrupt_while_plans_are_prepared_or_results_are_put_together_changes_nothing(self):
        before = self.results()
        more = "outer: {draws: 200, clusters: true}\n"
        self.write("small.yaml", scenario(replications=400, more=more))
        for moment in (0.0, 0.02, 0.1):
            with subprocess.Popen([PROGRAM, "run", "small.yaml", "--out", "out", "--threads", "1"], cwd=self.folder, env=self.environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
                time.sleep(moment)
                running.send_signal(signal.SIGINT)
                _, message = running.communicate(timeout=240)
            self.assertIn(running.returncode, (130, -signal.SIGINT, 0), message)  # the second: before it listens; the last: it was done
            if running.returncode != 0:
                self.assertEqual({name: (self.folder / "out" / name).read_bytes() for name in self.listing() if name in before}, before)
                self.assertEqual([name for name in self.listing() if name.endswith(".tmp")], [])

    def test_a_closed_standard_output_is_3_unless_nothing_is_said_there(self):
        self.write("small.yaml", scenario())
        for words in ("policies", "--version", "run small.yaml --out out"):
            done = subprocess.run(f"'{PROGRAM}' {words} >&-", shell=True, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("standard output could not be written", done.stderr)
        done = subprocess.run(f"'{PROGRAM}' run small.yaml --out out --quiet >&- 2>&- <&-", shell=True, cwd=self.folder, env=self.environment, check=False)
        self.assertEqual(done.returncode, 0)

    def test_a_terminal_gets_progress_on_stderr_and_nothing_of_it_in_results(self):
        plain = self.results()
        master, slave = pty.openpty()
        try:
            done = subprocess.run([PROGRAM, "run", "small.yaml", "--out", "terminal"], cwd=self.folder, env=self.environment, stdin=slave, stdout=subprocess.PIPE,
                                  stderr=slave, timeout=240, check=False)
        finally:
            os.close(slave)
            os.close(master)
        self.assertEqual(done.returncode, 0)
        self.assertNotIn(b"\033", done.stdout)
        self.assertEqual({name: (self.folder / "terminal" / name).read_bytes() for name in plain}, plain)

    def test_clocks_of_the_calendar_do_not_depend_on_tz_or_locale(self):
        self.write("jobs.csv", JOBS)
        self.write("limit.csv", LIMIT)
        plain = self.results(TIMELINE, env={"TZ": "UTC", "LC_ALL": "C"}, out="plain")
        for zone, language in (("Asia/Kathmandu", "de_DE.UTF-8"), ("ABC-25:59", "tr_TR.UTF-8"), (":nonsense", "POSIX"), ("", "")):
            self.assertEqual(self.results(TIMELINE, env={"TZ": zone, "LC_ALL": language}, out="zone"), plain, zone)

    def test_paths_of_every_kind_name_inputs_and_results(self):
        plain = self.results()
        for name in ("ein Ordner mit Wörtern", "电力 ⚡", "it's \"quoted\" $HOME", "-dash", "a" * 200):
            self.write(f"{name}/{name[:100]}.yaml", scenario())
            self.wattfill("run", f"./{name}/{name[:100]}.yaml", "--out", f"./{name}/out", "--quiet")
            self.assertEqual({n: (self.folder / name / "out" / n).read_bytes() for n in plain}, plain)

    def test_results_never_go_to_a_file_a_device_or_proc(self):
        self.write("small.yaml", scenario())
        for out, code in (("small.yaml", 2), ("/dev/full", 2), ("/dev/null/below", 3), ("/proc/self", 3), ("a" * 300, 3)):
            done = self.wattfill("run", "small.yaml", "--out", out, code=code)
            self.assertIn(out, done.stderr)
            self.assertIn(";", done.stderr)  # what to do

    def test_the_program_is_linked_so_that_nothing_it_calls_can_be_exchanged(self):
        readelf = shutil.which("readelf")
        if readelf is None or self.limited(600, "--version").returncode != 0:
            self.skipTest("no readelf here, or a sanitizer's build")
        dynamic = subprocess.run([readelf, "-d", "-l", "-W", PROGRAM], capture_output=True, text=True, check=True).stdout
        for word in ("GNU_RELRO", "BIND_NOW", "PIE"):
            self.assertIn(word, dynamic)
        self.assertRegex(dynamic, r"GNU_STACK.* RW ")

    def test_files_outside_of_the_scenarios_folder_need_the_users_word(self):
        self.write("mine/event.yaml", TIMELINE.replace("jobs.csv", "../jobs.csv"))
        self.write("mine/limit.csv", LIMIT)
        self.write("jobs.csv", JOBS)
        self.assertIn("add --allow-outside", self.wattfill("run", "mine/event.yaml", "--out", "out", code=2).stderr)
        self.wattfill("validate", "mine/event.yaml", "--allow-outside")
        self.wattfill("run", "mine/event.yaml", "--out", "out", "--quiet", "--set", "jobs.trace=../jobs.csv")

    def test_memory_does_not_grow_with_replications(self):
        self.write("small.yaml", scenario())
        if self.limited(600, "--version").returncode != 0:
            self.skipTest("a sanitizer keeps what was freed")

        def peak(replications):
            return self.usage("small.yaml", "--threads", "1", "--rows", "summary", "--set", f"mixes.drawn.replications={replications}").ru_maxrss

        self.assertLess(peak(200000), 1.1 * peak(8000) + 4000)  # kB

    def test_a_year_without_events_takes_no_longer_than_a_minute(self):
        job = "wattfill: 1\nname: t\nkind: timeline\ncurves: [emerald-a100]\npolicies: [proportional]\nlimit: {steps: [[0, 20000], [30, 15000]]}\n"
        use = {}
        for seconds in (60, 31536000):
            text = job + f"jobs: {{explicit: [{{id: a, curve: emerald-a100/ft_llama_8b_dolly, gpus: 64, work_s: {seconds}}}]}}\n"
            self.write(f"t{seconds}.yaml", text)
            use[seconds] = self.usage(f"t{seconds}.yaml")
        self.assertLess(use[31536000].ru_utime, 2 * use[60].ru_utime + 0.3)
        self.assertLess(use[31536000].ru_maxrss, 1.1 * use[60].ru_maxrss + 4000)
        sizes = [(self.folder / f"out-t{seconds}.yaml" / "power.csv").stat().st_size for seconds in use]
        self.assertLess(sizes[1], sizes[0] + 200)

    def test_time_grows_in_proportion_to_the_jobs(self):
        text = "wattfill: 1\nname: t\nkind: timeline\ncurves: [emerald-a100]\ncluster: {gpus: 4096}\npolicies: [proportional]\n" + \
               "limit: {steps: [[0, 800000]]}\njobs: {trace: jobs.csv}\n"
        curves = ("ft_llama_8b_dolly", "pt_mpt_7b_fast", "infer_llama_8b")
        use = []
        for count in (2000, 16000):  # about as many run at one time in both
            rows = [f"j{i},emerald-a100/{curves[i % 3]},{30 * i},{8 << (i % 3)},{3000 + i * 7919 % 5000}" for i in range(count)]
            self.write("jobs.csv", "id,curve,submit_s,gpus,work_s\n" + "\n".join(rows) + "\n")
            self.write("t.yaml", text)
            use.append(self.usage("t.yaml", "--rows", "summary").ru_utime)
        self.assertLess(use[1], 8 * 3 * use[0])  # of the square it would be 64


if __name__ == "__main__":
    program.main()
