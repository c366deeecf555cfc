"""What the benchmark scripts share: running a command and measuring it, and facts of the machine."""
import os
import platform
import shlex
import subprocess
import sys
import time

# ru_maxrss is in kibibytes on Linux and in bytes on macOS.
RESIDENT_UNIT = 1 if platform.system() == "Darwin" else 1024


class Failure(Exception):
    """A command that failed or gave a wrong answer."""


def measure(command, log, **options):
    """Runs a command; seconds by the wall clock and of both processor modes, and the peak of resident memory."""
    with open(log, "wb") as output:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, **options)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        with open(log, errors="replace") as output:
            sys.stderr.write("".join(output.readlines()[-20:]))
        raise Failure(f"{shlex.join(command)} ended with {process.returncode}")
    return {
        "seconds": round(seconds, 3),
        "userSeconds": round(usage.ru_utime, 3),
        "systemSeconds": round(usage.ru_stime, 3),
        "peakBytes": usage.ru_maxrss * RESIDENT_UNIT,
    }


def first_line(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split("\n")[0]


def machine():
    processor = platform.processor() or platform.machine()
    memory = None
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        processor = names[0] if names else processor
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor,
        "processors": os.cpu_count(),
        "memoryBytes": memory,
        "swift": first_line("swift", "--version"),
        "sqlite3": first_line("sqlite3", "--version").split(" ")[0],
    }
