"""Job arrays under a real Slurm: munged, slurmctld and slurmd are started on the loopback address, for this test alone. Skipped where they are not installed."""
import getpass
import os
import random
import shutil
import socket
import subprocess
import time

import program
from program import PROGRAM, ProgramTest, scenario

DAEMONS = ("munged", "slurmctld", "slurmd")
LONG = scenario(replications=600000, jobs=40, cuts="{from: 0, to: 0.4, step: 0.05}", more="sweep: {objective: [gpu_speed, normalized]}\n")


def where(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Slurm(ProgramTest):
    def setUp(self):
        super().setUp()
        absent = [name for name in (*DAEMONS, "sbatch", "scontrol", "squeue") if where(name) is None]
        if absent:
            self.skipTest(f"no Slurm here ({', '.join(absent)} not found; Debian: slurm-wlm munge): job arrays are NOT tested")
        if os.geteuid() != 0:
            self.skipTest("slurmd starts jobs as root only: job arrays are NOT tested")
        self.daemons = []
        self.addCleanup(self.stop)
        # no blank in this path: slurm.conf does not take it
        self.slurm = self.folder.parent / f"wattfill-slurm-{os.getpid()}-{random.randrange(10**9)}"
        self.slurm.mkdir(mode=0o755)
        self.addCleanup(shutil.rmtree, self.slurm, ignore_errors=True)
        for name in ("state", "spool"):
            (self.slurm / name).mkdir(mode=0o755)
        key = self.slurm / "munge.key"
        key.write_bytes(random.Random(1).randbytes(1024))
        key.chmod(0o400)
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.slurm}/munge.socket", f"--pid-file={self.slurm}/munge.pid",
                   f"--log-file={self.slurm}/munge.log", f"--seed-file={self.slurm}/munge.seed")
        self.wait_for(lambda: (self.slurm / "munge.socket").exists(), "munged")
        host, user = socket.gethostname(), getpass.getuser()
        controller, node = free_ports(2)
        (self.slurm / "slurm.conf").write_text(f"""ClusterName=wattfill
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={self.slurm}/munge.socket
SlurmctldPort={controller}
SlurmdPort={node}
StateSaveLocation={self.slurm}/state
SlurmdSpoolDir={self.slurm}/spool
SlurmctldPidFile={self.slurm}/slurmctld.pid
SlurmdPidFile={self.slurm}/slurmd.pid
SlurmctldLogFile={self.slurm}/slurmctld.log
SlurmdLogFile={self.slurm}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=2
SchedulerParameters=sched_interval=2,bf_interval=2
NodeName=here NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=here Default=YES MaxTime=INFINITE State=UP
""")
        self.environment["SLURM_CONF"] = str(self.slurm / "slurm.conf")
        self.environment["WATTFILL"] = PROGRAM
        self.start("slurmctld", "-D", "-c")
        self.start("slurmd", "-D", "-c", "-N", "here")
        self.wait_for(lambda: "idle" in self.command("sinfo", "-h", "-o", "%t", check=False), "the node")

    def start(self, name, *words):
        log = open(self.slurm / f"{name}.out", "wb")
        self.addCleanup(log.close)
        self.daemons.append(subprocess.Popen([where(name), *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.slurm))

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def logs(self):
        return "".join(f"--- {file.name}\n{file.read_text(errors='replace')[-1500:]}\n" for file in sorted(self.slurm.glob("*.[lo][ou][gt]")))

    def wait_for(self, condition, what, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                self.fail(f"waited {seconds} s for {what}\n{self.logs()}")
            time.sleep(0.1)

    def command(self, *words, check=True):
        done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
        if check:
            self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}\n{self.logs()}")
        return done.stdout

    def submit(self, count, *words):
        return self.command(program.SOURCE / "scenarios/hpc/submit", str(count), "small.yaml", "array", *words).split()

    def done(self, *jobs):
        return not self.command("squeue", "-h", "-j", ",".join(jobs), check=False).strip()

    def same_as_in_one_process(self, text):
        whole = self.results(text, out="whole")
        merged = {file.name: file.read_bytes() for file in (self.folder / "array/merged").iterdir() if file.name != "manifest.json"}
        self.assertEqual(merged, whole)

    def test_an_array_of_shards_and_its_merge_give_the_bytes_of_one_process(self):
        text = scenario(replications=5000)
        self.write("small.yaml", text)
        array, merge = self.submit(3, "--quiet")
        self.wait_for(lambda: self.done(array, merge), "the jobs")
        self.assertTrue((self.folder / "array/merged/manifest.json").exists(), self.logs())
        self.same_as_in_one_process(text)
        version = self.command("sinfo", "--version").strip()
        log = (self.slurm / "slurmctld.log").read_text()
        print(version + "\n" + "\n".join(line for line in log.splitlines() if "JobId" in line or "Job " in line))

    def test_a_task_that_is_requeued_goes_on_where_it_was(self):
        self.write("small.yaml", LONG)
        array, merge = self.submit(2, "--keep-every", "0", "--rows", "summary")
        pieces = self.folder / "array/shard-2-of-2/pieces.bin"
        self.wait_for(lambda: pieces.exists() and pieces.stat().st_size > 100000, "the first pieces")
        self.command("scontrol", "requeue", f"{array}_2")
        self.wait_for(lambda: "PD" in self.command("squeue", "-h", "-o", "%t", "-j", f"{array}_2", check=False), "the requeued task")
        self.command("scontrol", "update", f"JobId={array}_2", "StartTime=now")
        merged = self.folder / "array/merged/manifest.json"  # squeue shows nothing for a moment while a task is put back
        self.wait_for(lambda: merged.exists() and self.done(array, merge), "the jobs", 200)
        log = (self.folder / "array/shard-2.log").read_text()
        self.assertRegex(log, r"going on with [1-9]\d* of")
        whole = self.results(LONG, "--rows", "summary", out="whole")
        self.assertEqual((self.folder / "array/merged/summary.csv").read_bytes(), whole["summary.csv"])
        print("\n".join(line for line in log.splitlines() if line.strip()))


if __name__ == "__main__":
    program.main()
