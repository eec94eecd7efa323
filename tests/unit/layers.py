#!/usr/bin/env python3
"""Checks the layers: which layer includes which other layers, directly and transitively, and without circles. The facts
come from the #include lines.

The list of layers is in CMakeLists.txt (gemp_layer). The program includes only the library's public headers, its own
headers, and helpers of src/core that have no state. A module is a .c/.h pair; two modules may not need each other,
directly or through other modules. Then the script breaks each rule in a copy of a small tree and checks that the
break is reported."""
import os
import re
import sys
import tempfile

LAYER = re.compile(r"^gemp_layer\((\w+)\s+(\S+)([^)]*)\)", re.M)
HOST_ONLY = ("core", "graph", "pattern")
FORBIDDEN = re.compile(r"^(mpi\.h|CL/.*|OpenCL/.*)$")
ALONE = {"nauty": ("pattern", "automorphism.c"), "hdf5.h": ("io", None), "popt.h": ("cli", None)}
PROGRAM = ("cli", "main")  # layers that use the library as any other program does
HELPERS = {f"src/core/{name}.h" for name in ("memory", "quantity", "search", "settings", "status", "text", "types")}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)


def read_layers(top):
    """Returns {layer: (folder, [layers that it may include directly])}, from the PUBLIC lists. kernels/ counts as a
    layer, since its plain structs are shared with the host."""
    with open(os.path.join(top, "CMakeLists.txt"), encoding="utf-8") as file:
        found = LAYER.findall(file.read())
    layers = {name: (folder, [d[5:] for d in re.findall(r"gemp_\w+", rest.split("PRIVATE")[0])]) for name, folder, rest in found}
    layers["kernels"] = ("kernels", [])
    layers["face"] = ("include", [])  # the public headers, which include no layer
    layers["main"] = ("src/main.c", ["cli"])
    return layers


def reachable(layers, layer):
    """Returns the set of a layer, all layers below it, the kernels and the public headers."""
    seen, todo = {"kernels", "face"}, [layer]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += layers[at][1]
    return seen


def layer_of(layers, path):
    """Returns the layer of a path relative to the project, or None outside of all layers."""
    return next((name for name, (folder, _) in layers.items() if path == folder or path.startswith(folder + "/")), None)


def sources(top):
    for folder in ("src", "partition", "io", "kernels", "include"):
        for place, folders, names in os.walk(os.path.join(top, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".y", ".l")):
                    yield os.path.relpath(os.path.join(place, name), top)


def read(top):
    """Returns {file: [(line, quote, name, included file or None)]} with paths relative to the project."""
    files = {}
    for path in sources(top):
        with open(os.path.join(top, path), encoding="utf-8") as file:
            text = file.read()
        files[path] = []
        for found in INCLUDE.finditer(text):
            name = found.group(2)
            beside = [os.path.join(os.path.dirname(path), name)] if found.group(1) == '"' else []
            tries = beside + [os.path.join("src", name), name, os.path.join("include", name)]
            meant = next((os.path.normpath(t) for t in tries if os.path.isfile(os.path.join(top, t))), None)
            files[path].append((text.count("\n", 0, found.start()) + 1, found.group(1), name, meant))
    return files


def module_of(path):
    return os.path.splitext(path)[0]


def circles(files):
    """Returns a message about the first circle of modules that include one another, if there is one."""
    modules = {}
    for path, lines in files.items():
        needs = modules.setdefault(module_of(path), [])
        needs += [module_of(meant) for _, _, _, meant in lines
                  if meant and (module_of(meant) != module_of(path) or meant == path)]
    state = {}

    def visit(path, trail):
        state[path] = "open"
        for meant in modules.get(path, ()):
            if state.get(meant) == "open":
                return " -> ".join(trail[trail.index(meant):] + [meant]) + ": a circle"
            if meant not in state:
                found = visit(meant, trail + [meant])
                if found:
                    return found
        state[path] = "done"
        return None

    for path in modules:
        if path not in state:
            found = visit(path, [path])
            if found:
                return [found]
    return []


def check(top):
    """Returns messages about all includes that break a rule."""
    layers, files, faults = read_layers(top), read(top), []

    def follow(path, start, allowed, trail, seen):
        for line, quote, name, meant in files.get(path, ()):
            if FORBIDDEN.match(name) and start in HOST_ONLY:
                faults.append(f"{' -> '.join(trail)}:{line}: {start} is host code, but reaches <{name}>")
            if not meant or meant in seen:
                continue
            seen.add(meant)
            target = layer_of(layers, meant)
            if target not in allowed:
                faults.append(f"{' -> '.join(trail)}:{line}: {start} may not reach {target} ({name})")
            follow(meant, start, allowed, trail + [meant], seen)

    for path, lines in files.items():
        layer = layer_of(layers, path)
        if layer is None:
            faults.append(f"{path}: no layer of CMakeLists.txt has it")
            continue
        follow(path, layer, reachable(layers, layer), [path], {path})
        for line, quote, name, meant in lines:
            if (layer in PROGRAM and meant and meant not in HELPERS
                    and layer_of(layers, meant) not in PROGRAM + ("face",)):
                faults.append(f"{path}:{line}: the program may include gemp/*, cli/* and helpers of core alone, not {name}")
        for line, quote, name, meant in lines:
            if quote == '"' and not meant and "/" in name and layer_of(layers, os.path.join("src", name)) != layer:
                faults.append(f"{path}:{line}: {name} is not there")
            for package, (owner, only) in ALONE.items():
                if name.split("/")[0] == package and (layer != owner or only and os.path.basename(path) != only):
                    faults.append(f"{path}:{line}: <{name}> belongs into {owner}{'/' + only if only else ''} alone")
    return faults + circles(files)


SOUND = {
    "CMakeLists.txt": "gemp_layer(core src/core PUBLIC m)\ngemp_layer(graph src/graph PUBLIC gemp_core)\n"
    "gemp_layer(pattern src/pattern PUBLIC gemp_graph PRIVATE gemp::nauty)\ngemp_layer(device src/device PUBLIC gemp_core)\n"
    "gemp_layer(comm src/comm PUBLIC gemp_core)\ngemp_layer(partition partition PUBLIC gemp_graph gemp_device gemp_comm)\n"
    "gemp_layer(io io PUBLIC gemp_partition)\ngemp_layer(match src/match PUBLIC gemp_pattern gemp_partition)\n"
    "gemp_layer(api src/api PUBLIC gemp_match gemp_io)\ngemp_layer(cli src/cli PUBLIC gemp_core PRIVATE gemp_api)\n",
    "src/main.c": '#include "cli/cli.h"\n',
    "src/cli/cli.h": '#include "gemp/graph.h"\n#include "core/status.h"\n',
    "src/api/graph_state.h": '#include "gemp/graph.h"\n#include "match/match.h"\n#include "io/file.h"\n',
    "include/gemp/graph.h": "#include <mpi.h>\n",
    "src/match/match.h": '#include "pattern/pattern.h"\n#include "partition/runtime.h"\n',
    "src/pattern/pattern.h": '#include "graph/graph.h"\n',
    "src/pattern/automorphism.c": '#include <nauty/nauty.h>\n',
    "src/graph/other.h": '#include "graph/graph.h"\n',
    "src/graph/graph.h": '#include "core/status.h"\n',
    "src/core/status.h": "#include <stddef.h>\n",
    "src/comm/comm.h": '#include "core/status.h"\n#include <mpi.h>\n',
    "src/device/device.h": '#include "core/status.h"\n#include <CL/cl.h>\n',
    "partition/runtime.h": '#include "graph/graph.h"\n#include "comm/comm.h"\n#include "device/device.h"\n',
    "io/file.h": '#include "partition/runtime.h"\n#include <hdf5.h>\n',
}
SPOILT = {  # a file, a line to add to it, and the message that check() must return
    "core upon graph": ("src/core/status.h", '#include "graph/graph.h"', "core may not reach graph"),
    "graph to MPI": ("src/graph/graph.h", "#include <mpi.h>", "host code, but reaches <mpi.h>"),
    "pattern to OpenCL": ("src/pattern/pattern.h", "  #  include <CL/cl.h>", "host code, but reaches <CL/cl.h>"),
    "pattern to MPI by a detour": ("src/pattern/pattern.h", '#include "comm/comm.h"', "pattern may not reach comm"),
    "match upon io": ("src/match/match.h", '#include "io/file.h"', "match may not reach io"),
    "io upon match": ("io/file.h", '#include "match/match.h"', "io may not reach match"),
    "device beside comm": ("src/device/device.h", '#include "comm/comm.h"', "device may not reach comm"),
    "main's header from below": ("src/core/status.h", '#include "cli/cli.h"', "core may not reach cli"),
    "the program to an engine": ("src/cli/cli.h", '#include "match/match.h"', "the program may include"),
    "the program to the library's inside": ("src/main.c", '#include "api/graph_state.h"', "the program may include"),
    "a circle in one layer": ("src/core/status.h", '#include "core/status.h"', "a circle"),
    "two modules that need each other": ("src/graph/graph.c", '#include "graph/other.h"', "a circle"),
    "HDF5 outside io": ("partition/runtime.h", "#include <hdf5.h>", "belongs into io alone"),
    "nauty beside its file": ("src/pattern/pattern.h", "#include <nauty/nauty.h>", "belongs into pattern/automorphism.c"),
    "an unknown layer": ("src/attic/attic.h", "", "no layer of CMakeLists.txt"),
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
