#!/usr/bin/env python3
"""Tests jobs/reproduce-all.sh: if experiments fail, it runs the others, names the failed ones and writes no table of
experiments that did not run. The tests reproduce_NAME.py run the experiments themselves."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import program

NAMES = ["gemp", "wiktionary", "euler", "shuffle", "som"]
SCRIPT = os.path.join(program.SOURCE, "jobs", "reproduce-all.sh")


def run(*arguments):
    """Runs the script with a program that always fails."""
    return subprocess.run(["bash", SCRIPT, *arguments], env=dict(os.environ, GEMP_MPI="/bin/false", GEMP_PYTHON=sys.executable),
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)


with tempfile.TemporaryDirectory() as folder:
    done = run("--small", "-o", folder)
    assert done.returncode == 1, done
    assert "failed: %s" % ", ".join(NAMES) in done.stderr, done.stderr
    assert done.stderr.count("ended with code 1") == len(NAMES), done.stderr
    assert not [name for name in os.listdir(folder) if name.endswith(".md")], os.listdir(folder)
    done = run("--table", "-o", folder)
    assert done.returncode == 1 and "run the scripts first" in done.stderr, done
    with open(os.path.join(folder, "som.json"), "w") as file:
        json.dump({"title": "Maps", "comparisons": [{"experiment": "one epoch", "unit": "s", "published": 40, "here": 2}],
                   "machine": {"cpu": "a processor", "cores": 2, "devices": [], "commit": "abc", "date": "today"}}, file)
    done = run("--table", "-o", folder)
    assert done.returncode == 0, done
    with open(os.path.join(folder, "README.md")) as file:
        table = file.read()
    assert "| [Maps](som.md) | one epoch | 40 s | 2 s | 20 × |" in table, table
done = run("--frobnicate")
assert done.returncode == 2 and "--frobnicate" in done.stderr, done
done = run("--help")
assert done.returncode == 0 and "--small" in done.stdout, done
