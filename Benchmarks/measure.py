"""What the comparisons share: measured runs of ours and the peers in turn, medians of paired ratios, kept tables."""

import filecmp
import os
import pathlib
import platform
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
WORK = HERE / ".work"
RESULTS = HERE / "results.md"
OURS = os.environ.get("HERMES_TRANSFER", str(HERE.parent / ".build/release/hermes-transfer"))
GIB, MIB, KIB = 1 << 30, 1 << 20, 1 << 10


@dataclass(frozen=True)
class Sample:
    """What one run cost."""

    wall: float
    cpu: float
    peak_mib: float


@dataclass
class Contender:
    """A program and how it does the work; `ours` of a comparison comes first."""

    name: str
    command: list
    samples: list = field(default_factory=list)

    def median(self, measure):
        return statistics.median(getattr(sample, measure) for sample in self.samples)


@dataclass(frozen=True)
class Goal:
    """`measure` of the first contender over that of `peer`, or on its own when there is none, is at most `limit`."""

    measure: str
    limit: float
    peer: str = ""


def environment():
    """The user's own settings must not take part: no configuration, no proxy, no flags by environment."""
    kept = {"PATH", "LANG", "LD_LIBRARY_PATH", "TERM"}
    own = {name: value for name, value in os.environ.items() if name in kept}
    return own | {"HOME": str(WORK / "home"), "XDG_STATE_HOME": str(WORK / "state"), "no_proxy": "*"}


def prepare():
    """Checks that there is something to measure, and builds what measures it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers and lines are taken down
    if shutil.which(OURS) is None:
        sys.exit(f"bench: no executable {OURS}; run 'make build' first")
    for folder in (WORK / "home", WORK / "state"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    compile_c(HERE / "once.c", WORK / "once")


def compile_c(source, program, *flags):
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["cc", "-O2", "-o", program, source, *flags], check=True)


def fill(path, byte_count):
    """Writes bytes that no program can squeeze or skip."""
    block = random.Random(byte_count).randbytes(min(byte_count, 8 * MIB))
    with open(path, "wb") as file:
        left = byte_count
        while left > 0:
            left -= file.write(block[:left])


def run_once(command, inside=()):
    """Runs one command, perhaps inside something like `ip netns exec NAME`."""
    record = WORK / "once.txt"
    words = [*inside, WORK / "once", record, *command]
    done = subprocess.run(
        list(map(str, words)), env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, command))} exited {done.returncode}: {done.stderr.strip()}")
    wall, user, system, peak_kib = map(float, record.read_text().split())
    return Sample(wall, user + system, peak_kib / 1024)


def warm_memory(byte_count=3 * GIB):
    """Takes memory and lets it go. On a virtual machine what is free goes back to the host, and whoever touches it first
    waits for it: 0.7 or 4 s for the same download (measured)."""
    path = pathlib.Path(f"/dev/shm/hermes-bench-{os.getpid()}")
    with open(path, "wb") as file:
        for _ in range(byte_count // MIB):
            file.write(bytes(MIB))
    path.unlink()


def check_same(result, source):
    if result.stat().st_size != source.stat().st_size or not filecmp.cmp(result, source, shallow=False):
        sys.exit(f"bench: {result.name} is not the file that was served")


def run_rounds(contenders, rounds, before, after=lambda: None, inside=()):
    """Runs everybody once a round, each round from another starter, so that drift of the machine hits all alike."""
    rounds = int(os.environ.get("ROUNDS", rounds))
    for number in range(rounds + 1):
        turn = number % len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            before()
            sample = run_once(contender.command, inside)
            after()
            if number > 0:  # the first round warms the caches
                contender.samples.append(sample)
                print(f"  {contender.name}: {sample.wall:.3f} s, cpu {sample.cpu:.3f} s, {sample.peak_mib:.0f} MiB",
                      file=sys.stderr)


def ratio(measure, one, other):
    """The median over the rounds of one's figure over the other's."""
    pairs = zip(one.samples, other.samples)
    return statistics.median(getattr(a, measure) / max(getattr(b, measure), 1e-6) for a, b in pairs)


def ratio_row(ours, peer, goals):
    """A row of ours over the peer's, with the goals and whether they are met."""
    cells = []
    for measure in ("wall", "cpu", "peak_mib"):
        text = f"{ratio(measure, ours, peer):.2f}"
        for goal in goals:
            if goal.measure == measure and goal.peer == peer.name:
                text += verdict(ratio(measure, ours, peer), goal)
        cells.append(text)
    return f"| ours / {peer.name} | {' | '.join(cells)} |"


def verdict(figure, goal):
    return f" (goal ≤ {goal.limit:g}: {'met' if figure <= goal.limit else 'missed'})"


def table(work, contenders, goals):
    """The table of one work, as lines of Markdown."""
    ours = contenders[0]
    lines = [f"### {work}", "", "| | wall s | CPU s | RSS MiB |", "|---|---|---|---|"]
    for one in contenders:
        peak = f"{one.median('peak_mib'):.1f}"
        for goal in goals:
            if one is ours and not goal.peer:
                peak += verdict(one.median(goal.measure), goal)
        lines.append(f"| {one.name} | {one.median('wall'):.4g} | {one.median('cpu'):.3g} | {peak} |")
    lines += [ratio_row(ours, peer, goals) for peer in contenders[1:]]
    return lines + ["", f"Medians of {len(ours.samples)} paired runs.", ""]


def version(program):
    """The start of `--version`, up to the number."""
    text = subprocess.run([program, "--version"], capture_output=True, text=True, env=environment()).stdout
    return re.match(r"[^\n]*?\b\d[\d.]*", text)[0].removeprefix("GNU ")


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} cores ({model[1] if model else platform.machine()}), Linux {platform.release()}"


def keep(title, lines, peers):
    """Prints a section and puts it in the place of the older one in results.md."""
    versions = ", ".join(map(version, (OURS, *peers)))
    section = "\n".join([f"## {title}", "", f"{machine()}; {versions}.", "", *lines]).rstrip() + "\n"
    print(section)
    head = "# Measured: ours and the peers on the same work in one run\n\nWritten by `make bench`; read ratios, not seconds.\n"
    text = RESULTS.read_text() if RESULTS.exists() else head
    sections = [part for part in text.split("\n## ")[1:] if part.split("\n")[0] != title]
    kept = sorted([*(f"## {part.rstrip()}\n" for part in sections), section])
    RESULTS.write_text("\n".join([head, *kept]))
