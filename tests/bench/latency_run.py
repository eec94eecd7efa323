"""Whole processes for latency.py: their times, memory and reports; folders of built kernels; rates of the machine."""
import ctypes
import json
import mmap
import os
import shutil
import signal
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get('GEMP_MPI', 'gemp-mpi')
DROP = '/proc/sys/vm/drop_caches'
# The program chooses these components of Open MPI itself for a single process, and leaves OpenCL out of hwloc.
PLAIN_MPI = {'OMPI_MCA_pml': 'ob1', 'OMPI_MCA_btl': 'self', 'HWLOC_COMPONENTS': '-opencl'}
EMPTY = {'process': ['-DNO_MPI', '-DNO_OPENCL'], 'MPI': ['-DNO_OPENCL'], 'OpenCL': ['-DNO_MPI'], 'MPI and OpenCL': []}


class Sample:
    """One run of a process: wall and processor seconds, peak resident bytes, exit code, stdout, and its JSON report or
    None. error is empty if the process ended in time with the expected code."""

    def __init__(self, command, folder, limit, environment=None, expected=0):
        out, err = (os.path.join(folder, name) for name in ('stdout', 'stderr'))
        with open(out, 'wb') as stdout, open(err, 'wb') as stderr:
            began = time.monotonic()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                                       env={**os.environ, **(environment or {})}, start_new_session=True)
            late = threading.Event()
            killer = threading.Timer(limit, end, (process.pid, late))
            killer.start()
            _, status, used = os.wait4(process.pid, 0)  # wait4 alone tells the memory of this process
            self.wall = time.monotonic() - began
            killer.cancel()
        self.code = process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu, self.peak, self.report = used.ru_utime + used.ru_stime, used.ru_maxrss << 10, None
        with open(out, encoding='utf-8', errors='replace') as file:
            self.stdout = file.read(1 << 20)
        self.error, self.late = '', late.is_set()
        if self.late:
            self.error = 'over %g s' % limit
        elif self.code != expected:
            with open(err, encoding='utf-8', errors='replace') as file:
                self.error = (file.read().strip().splitlines() or ['code %d' % self.code])[-1][:200]

    def phases(self):
        """Returns {phase: seconds}, with `elapsed`."""
        return {name: value['max'] for name, value in ((self.report or {}).get('seconds') or {}).items()}

    def result(self):
        return {'wall': self.wall, 'cpu': self.cpu, 'peak': self.peak, 'code': self.code, 'error': self.error,
                'report': self.report}


def end(process, late):
    late.set()
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_program(arguments, folder, limit, environment=None, expected=0, report=True):
    """Runs gemp-mpi. report: it is asked for a JSON report."""
    path = os.path.join(folder, 'report.json')
    if os.path.exists(path):
        os.remove(path)
    more = ['--json', path, '--quiet'] if report else []
    sample = Sample([PROGRAM] + arguments + more, folder, limit, environment, expected)
    if report and not sample.error:
        with open(path, encoding='utf-8') as file:
            sample.report = json.load(file)
    return sample


class Caches:
    """Folders of built kernels. Each folder has those of the program, of PoCL and of NVIDIA's driver."""

    def __init__(self, folder, template=None):
        self.folder, self.template, self.count = os.path.join(folder, 'caches'), template, 0

    def fresh(self, filled=False):
        """Returns the environment of a process with a new folder: empty, or a copy of what `warm` built."""
        shutil.rmtree(os.path.join(self.folder, str(self.count)), True)
        self.count += 1
        path = os.path.join(self.folder, str(self.count))
        if filled:
            shutil.copytree(self.template, path)
        os.makedirs(path, exist_ok=True)
        return caches_of(path)


def caches_of(path):
    names = {'GEMP_CACHE_DIR': 'gemp', 'XDG_CACHE_HOME': 'xdg', 'POCL_CACHE_DIR': 'pocl', 'CUDA_CACHE_PATH': 'cuda'}
    folders = {variable: os.path.join(path, name) for variable, name in names.items()}
    for folder in folders.values():
        os.makedirs(folder, exist_ok=True)
    return folders


def resident(path):
    """Returns the part of a file that is in the page cache."""
    size = os.path.getsize(path)
    if not size:
        return 0
    with open(path, 'rb') as file, mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY) as memory:
        pages = (ctypes.c_ubyte * ((size + mmap.PAGESIZE - 1) // mmap.PAGESIZE))()
        begin = ctypes.c_char.from_buffer(memory)
        address = ctypes.c_void_p(ctypes.addressof(begin))
        failed = ctypes.CDLL(None).mincore(address, ctypes.c_size_t(size), pages)
        del begin  # an exported buffer keeps the map from being closed
    return 1 if failed else bytes(pages).count(1) / len(pages)


def drop(paths):
    """Drops files from the page cache. Returns the largest part of a file that is still there."""
    for path in paths:
        file = os.open(path, os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)
    left = max(map(resident, paths), default=0)
    if left > .1 and os.access(DROP, os.W_OK):
        with open(DROP, 'w') as file:
            file.write('1')
        left = max(map(resident, paths))
    return left


def compile_c(folder, name, source, flags=(), compiler='cc'):
    """Compiles a program of this folder. Returns its path, or None without the compiler or a library."""
    path = os.path.join(folder, name)
    command = [compiler, '-std=gnu17', '-D_GNU_SOURCE', '-O2', '-o', path, os.path.join(HERE, source), *flags]
    try:
        return path if subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0 else None
    except FileNotFoundError:
        return None


class Limits:
    """rates: bytes per second (limits.c). start[state][name]: seconds of an empty process that starts nothing, MPI,
    OpenCL, or both; `first` has empty folders of kernels."""

    def __init__(self, folder, caches, device, megabytes, repeat):
        tool = compile_c(folder, 'limits', 'limits.c', ['-pthread', '-lOpenCL'])
        sample = tool and Sample([tool, folder, str(megabytes), device], folder, 120)
        self.rates = json.loads(sample.stdout) if sample and not sample.error else {}
        self.start = {'warm': {}, 'first': {}}
        for name, flags in EMPTY.items():
            compiler = 'cc' if '-DNO_MPI' in flags else os.environ.get('MPICC', 'mpicc')
            libraries = [] if '-DNO_OPENCL' in flags else ['-lOpenCL']
            tool = compile_c(folder, 'empty-' + name.replace(' ', '-'), 'empty.c', flags + libraries, compiler)
            if tool:
                self.measure(name, [tool, device], folder, caches, repeat)

    def measure(self, name, command, folder, caches, repeat):
        environment = {**caches.fresh(), **PLAIN_MPI}
        samples = [Sample(command, folder, 60, environment) for _ in range(1 + max(repeat, 2))]
        if any(sample.error for sample in samples):
            return
        self.start['first'][name] = samples[0].wall
        self.start['warm'][name] = min(sample.wall for sample in samples[1:])

    def rate(self, name):
        return self.rates.get(name) or None

    def seconds(self, state, start, moved, kernel):
        """Returns the limit of a cell: starting, then the slowest of the transfers, which overlap, then the kernels. A
        transfer without a measured rate is left out. Returns None if the start was not measured."""
        base = self.start['first' if state == 'first' else 'warm'].get(start)
        rate = {'read': 'page_cache' if state != 'first' else 'disk', 'link': 'link', 'write': 'write'}
        times = [size / self.rate(rate[way]) for way, size in moved.items() if self.rate(rate[way])]
        return None if base is None else base + max(times, default=0) + kernel
