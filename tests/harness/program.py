"""Runs the program under test on any number of ranks."""
import os
import shlex
import subprocess

MPIRUN = shlex.split(os.environ.get("GEMP_MPIRUN") or "mpirun -q --oversubscribe --bind-to none")
SECONDS = os.environ.get("GEMP_TEST_LIMIT", "100")
SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def attempt(ranks, *arguments):
    launcher = [*MPIRUN, "-n", str(ranks)] if ranks > 1 else []
    return subprocess.run(["timeout", "-k", "10", SECONDS, *launcher, os.environ["GEMP_MPI"], *arguments],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)


def run(ranks, *arguments, code=0, says=""):
    """Runs the program, which must end with this code. A failing run must print exactly one message, which contains
    `says`."""
    done = attempt(ranks, *arguments)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    assert says in done.stderr, (arguments, says, done.stderr)
    assert code == 0 or done.stderr.count("error:") == 1, (arguments, done.stderr)
    return done
