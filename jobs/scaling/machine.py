"""Describes the machine, the program and MPI, so that the figures of a study can be understood later."""
import json
import os
import platform
import re
import shlex
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def said(command, limit=30):
    """Returns the standard output of a command, or an empty text if the command fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=limit)
    except (OSError, subprocess.TimeoutExpired):
        return ''
    return done.stdout.strip() if done.returncode == 0 else ''


def version(command):
    """Returns the first line of the output of --version."""
    return (said([command, '--version']).splitlines() or [''])[0]


def field(path, name):
    """Returns the value of the first line `name : value` in a file of /proc."""
    try:
        with open(path) as file:
            for line in file:
                key, _, value = line.partition(':')
                if key.strip() == name:
                    return value.strip()
    except OSError:
        pass
    return ''


def cores():
    return len(os.sched_getaffinity(0))


def threads_of_core():
    try:
        with open('/sys/devices/system/cpu/cpu0/topology/thread_siblings_list') as file:
            return len(re.split('[,-]', file.read().strip()))
    except OSError:
        return None


def devices(program, spec):
    """Returns the devices [{name, platform, kind}] that the program finds, or an empty list if it fails."""
    command = [program, 'devices', '--json', '-', '--quiet'] + (['--devices', spec] if spec else [])
    try:
        return json.loads(said(command, 120))['devices']
    except (ValueError, KeyError):
        return []


def facts(program, launcher, spec):
    memory = field('/proc/meminfo', 'MemTotal').split()
    seen = devices(program, spec)
    return {
        'host': platform.node(),
        'date': time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime()),
        'cpu': field('/proc/cpuinfo', 'model name') or platform.processor(),
        'cores': cores(),
        'threads_of_core': threads_of_core(),
        'memory_bytes': int(memory[0]) * 1024 if memory else None,
        'load_before': os.getloadavg()[0],
        'system': platform.platform(),
        'devices': [{key: d.get(key) for key in ('name', 'platform', 'kind', 'units', 'driver', 'memory')
                     if d.get(key) is not None} for d in seen],
        'mpi': version('mpirun') or version(shlex.split(launcher)[0]) or '?',
        'launcher': launcher,
        'launcher_version': version(shlex.split(launcher)[0]),
        'slurm_job': os.environ.get('SLURM_JOB_ID'),
        'program': version(program) or '?',
        'commit': said(['git', '-C', HERE, 'describe', '--always', '--dirty', '--abbrev=12']) or None,
    }
