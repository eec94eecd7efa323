#!/usr/bin/env python3
"""The #include floors: who may include whom, transitively and without circles, read from the #include lines.

Then spoils a copy of a small tree in each way that matters, and sees that the check objects.
"""
import os
import re
import sys
import tempfile

# A room and the rooms that it may include directly; it reaches what they may reach.
FLOORS = {
    "core": [],
    "kernels": ["core"],  # abi.h: plain structs shared with kernels
    "graph": ["core", "kernels"],
    "pattern": ["graph"],
    "device": ["core", "kernels"],
    "comm": ["core", "kernels"],
    "primitive": ["device", "comm"],
    "partition": ["graph", "device", "comm"],
    "topology": ["primitive", "partition"],
    "io": ["partition", "primitive"],
    "match": ["pattern", "partition"],
    "count": ["pattern", "partition"],
    "query": ["match", "count"],
    "shuffle": ["primitive"],
    "gas": ["partition", "shuffle"],
    "euler": ["topology", "partition"],
    "sequence": ["euler", "primitive"],
    "som": ["device", "comm"],
    "choice": ["query"],
    "rematch": ["query"],
    "rewrite": ["query"],
    "changelog": ["rewrite"],
    "transform": ["choice", "rematch", "rewrite", "changelog"],
    "command": ["transform", "changelog", "primitive", "topology", "query", "match", "gas", "sequence", "euler", "som", "io", "pattern"],
    "main": ["command"],
}
FOLDERS = {"partition": "partition", "io": "io", "kernels": "kernels"}  # others are src/ROOM
HOST_ONLY = ("core", "graph", "pattern")
FORBIDDEN = re.compile(r"^(mpi\.h|CL/.*|OpenCL/.*)$")
ALONE = {"nauty": ("pattern", "symmetry.c"), "hdf5.h": ("io", None), "popt.h": ("command", None)}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)


def reachable(room):
    """The room itself and all below it."""
    seen, todo = set(), [room]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += FLOORS[at]
    return seen


def room_of(path):
    """The room of a path relative to the project, None outside of all rooms."""
    parts = path.split(os.sep)
    if path == os.path.join("src", "main.c"):
        return "main"
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return parts[0] if parts[0] in FOLDERS else None


def sources(top):
    for folder in ("src", "partition", "io", "kernels"):
        for place, folders, names in os.walk(os.path.join(top, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".y", ".l")):
                    yield os.path.relpath(os.path.join(place, name), top)


def read(top):
    """{file: [(line, quote, name, file it means or None)]}, paths relative to the project."""
    files = {}
    for path in sources(top):
        with open(os.path.join(top, path), encoding="utf-8") as file:
            text = file.read()
        files[path] = []
        for found in INCLUDE.finditer(text):
            name = found.group(2)
            beside = [os.path.join(os.path.dirname(path), name)] if found.group(1) == '"' else []
            tries = beside + [os.path.join("src", name), name]
            meant = next((os.path.normpath(t) for t in tries if os.path.isfile(os.path.join(top, t))), None)
            files[path].append((text.count("\n", 0, found.start()) + 1, found.group(1), name, meant))
    return files


def circles(files):
    """A message for the first circle of files that include one another."""
    state = {}

    def visit(path, trail):
        state[path] = "open"
        for _, _, _, meant in files.get(path, ()):
            if state.get(meant) == "open":
                return " -> ".join(trail[trail.index(meant):] + [meant]) + ": a circle"
            if meant and meant not in state:
                found = visit(meant, trail + [meant])
                if found:
                    return found
        state[path] = "done"
        return None

    for path in files:
        if path not in state:
            found = visit(path, [path])
            if found:
                return [found]
    return []


def check(top):
    """Messages about everything that stands on the wrong floor."""
    files, faults = read(top), []

    def follow(path, start, allowed, trail, seen):
        for line, quote, name, meant in files.get(path, ()):
            if FORBIDDEN.match(name) and start in HOST_ONLY:
                faults.append(f"{' -> '.join(trail)}:{line}: {start} is host code, but reaches <{name}>")
            if not meant or meant in seen:
                continue
            seen.add(meant)
            target = room_of(meant)
            if target not in allowed:
                faults.append(f"{' -> '.join(trail)}:{line}: {start} may not reach {target} ({name})")
            follow(meant, start, allowed, trail + [meant], seen)

    for path, lines in files.items():
        room = room_of(path)
        if room not in FLOORS:
            faults.append(f"{path}: no floor is given for the room '{room}'")
            continue
        follow(path, room, reachable(room), [path], {path})
        for line, quote, name, meant in lines:
            if quote == '"' and not meant and "/" in name and room_of(os.path.join("src", name)) != room:
                faults.append(f"{path}:{line}: {name} is not there")
            for package, (owner, only) in ALONE.items():
                if name.split("/")[0] == package and (room != owner or only and os.path.basename(path) != only):
                    faults.append(f"{path}:{line}: <{name}> belongs into {owner}{'/' + only if only else ''} alone")
    return faults + circles(files)


SOUND = {
    "src/main.c": '#include "command/command.h"\n',
    "src/command/command.h": '#include "match/match.h"\n#include "io/file.h"\n',
    "src/match/match.h": '#include "pattern/pattern.h"\n#include "partition/context.h"\n',
    "src/pattern/pattern.h": '#include "graph/graph.h"\n',
    "src/pattern/symmetry.c": '#include <nauty/nauty.h>\n',
    "src/graph/graph.h": '#include "core/status.h"\n',
    "src/core/status.h": "#include <stddef.h>\n",
    "src/comm/comm.h": '#include "core/status.h"\n#include <mpi.h>\n',
    "src/device/device.h": '#include "core/status.h"\n#include <CL/cl.h>\n',
    "partition/context.h": '#include "graph/graph.h"\n#include "comm/comm.h"\n#include "device/device.h"\n',
    "io/file.h": '#include "partition/context.h"\n#include <hdf5.h>\n',
}
SPOILT = {  # a line added to a file, and what the check must say
    "core upon graph": ("src/core/status.h", '#include "graph/graph.h"', "core may not reach graph"),
    "graph to MPI": ("src/graph/graph.h", "#include <mpi.h>", "host code, but reaches <mpi.h>"),
    "pattern to OpenCL": ("src/pattern/pattern.h", "  #  include <CL/cl.h>", "host code, but reaches <CL/cl.h>"),
    "pattern to MPI by a detour": ("src/pattern/pattern.h", '#include "comm/comm.h"', "pattern may not reach comm"),
    "match upon io": ("src/match/match.h", '#include "io/file.h"', "match may not reach io"),
    "io upon match": ("io/file.h", '#include "match/match.h"', "io may not reach match"),
    "device beside comm": ("src/device/device.h", '#include "comm/comm.h"', "device may not reach comm"),
    "main's header from below": ("src/core/status.h", '#include "command/command.h"', "core may not reach command"),
    "a circle in one room": ("src/core/status.h", '#include "core/status.h"', "a circle"),
    "HDF5 outside io": ("partition/context.h", "#include <hdf5.h>", "belongs into io alone"),
    "nauty beside its file": ("src/pattern/pattern.h", "#include <nauty/nauty.h>", "belongs into pattern/symmetry.c"),
    "an unknown room": ("src/attic/attic.h", "", "no floor is given"),
    "a missing header": ("src/graph/graph.h", '#include "core/gone.h"', "is not there"),
}


def write(top, files):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
        with open(os.path.join(top, path), "a", encoding="utf-8") as file:
            file.write(text)


def check_itself():
    faults = []
    with tempfile.TemporaryDirectory() as top:
        write(top, SOUND)
        faults += [f"self-test: a sound tree was faulted: {fault}" for fault in check(top)]
    for what, (path, line, expected) in SPOILT.items():
        with tempfile.TemporaryDirectory() as top:
            write(top, SOUND)
            write(top, {path: line + "\n"})
            if not any(expected in fault for fault in check(top)):
                faults.append(f"self-test: '{what}' was not seen")
    return faults


def main():
    top = os.environ.get("GEMP_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    faults = check_itself() + check(top)
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(SPOILT)} planted violations, {len(read(top))} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
