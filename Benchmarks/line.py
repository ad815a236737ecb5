"""A line between two network namespaces, with a rate, a delay, a queue and loss, emulated in user space by wan/wan.c."""

import os
import pathlib
import subprocess
import sys

from measure import HERE, WORK, compile_c

CLIENT, SERVER = "hermes-bench-c", "hermes-bench-s"
SERVER_ADDRESS = "10.99.0.2"
IN_CLIENT = ["ip", "netns", "exec", CLIENT]
IN_SERVER = ["ip", "netns", "exec", SERVER]


def why_impossible():
    """One line, or None when a line can be made here."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not pathlib.Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    if "cubic" not in pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split():
        return "this kernel has no cubic"
    return None


class Line:
    """Used as `with Line(loss_percent=0.2):`; programs run at its ends by IN_CLIENT and IN_SERVER."""

    def __init__(self, loss_percent, delay_ms=20, rate_mbit=200, queue_kb=1024, seed=1):
        self.figures = [delay_ms, rate_mbit, loss_percent, queue_kb, seed]

    def __enter__(self):
        compile_c(HERE / "wan/wan.c", WORK / "wan")
        for name in (CLIENT, SERVER):
            run("ip", "netns", "add", name)
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        words = [WORK / "wan", CLIENT, "c0", SERVER, "s0", *self.figures]
        self.emulator = subprocess.Popen(
            list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if self.emulator.stdout.readline() != "up\n":
            sys.exit("bench: the emulator of the line did not start")
        ends = [(CLIENT, "c0", "10.99.0.1", "1000"), (SERVER, "s0", SERVER_ADDRESS, "5000")]
        for name, device, address, queue in ends:
            run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "-n", name, "addr", "add", f"{address}/30", "dev", device)
            run("ip", "-n", name, "link", "set", device, "up", "mtu", "1500", "txqueuelen", queue)
            # Or the second run starts with what the first has learnt about the path (tcp(7)).
            run("ip", "netns", "exec", name, "sysctl", "-qw", "net.ipv4.tcp_no_metrics_save=1")
        # By the route (ip-route(8), congctl): the sysctl would need a change of the host's own settings.
        run("ip", "-n", SERVER, "route", "replace", "10.99.0.0/30", "dev", "s0", "src", SERVER_ADDRESS, "congctl", "cubic")

    def __exit__(self, *_):
        if hasattr(self, "emulator"):
            self.emulator.terminate()
            self.emulator.wait()
        for name in (CLIENT, SERVER):
            run("ip", "netns", "del", name)


def run(*words):
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    subprocess.run(words, check=True, env=os.environ | {"PATH": path})
