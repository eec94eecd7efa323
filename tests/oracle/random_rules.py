"""Property test: random rules under random controls on random graphs, compared with an interpreter in plain Python.

    random_rules.py [--seed N] [--runs N | --seconds S] [--semantics S,...] [--ranks N,...] [--ways W,...] [--keep]
                    [OPTION OF transform...]

For each step of a run the interpreter counts the matches and the inapplicable matches. Each match that the program
applies creates a vertex that records it, so the test knows the selected matches. The interpreter applies these
matches one after another in two random orders. Each match must still exist when its turn comes, and the graph must
be the same in both orders. The next step starts from this graph, and the graph after the last step must be the
program's. If a rule reads only its own vertices and edges, every match that was left out must conflict with a
selected match. The steps must be those of the control. Each run is repeated in one of these ways (--ways), which
must give the same graph: another number of ranks, a search of all matches in every step, a replay of the change log,
a run that is stopped and resumed, and selection on the devices of several ranks."""
import argparse
import collections
import copy
import json
import os
import random
import shutil
import sys
import tempfile
import time

for room in ("reference", "harness"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", room))
from expression import Failure, Text, sub_patterns
from host import TooMany, key_value
from rule_maker import RuleGraph, control_text, controlled, random_control, random_rule, rule_graph
from program import attempt
from reference import need_program, test_seed, work_folder
from rewriting import World, plain

MOST_ROWS = 1500
MOST_READINGS = 400


class Wrong(Exception):
    """The program differs from the interpreter."""


class TooLong(Exception):
    """The interpreter would need too much time."""


def require(good, *what):
    if not good:
        raise Wrong(" ".join(map(str, what)))


# reading the program's graph

def typed(text, kind):
    return {"int": int, "float": float, "bool": lambda t: t == "true"}.get(kind, str)(text) if text else None


def table(path):
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as file:
        names = [name.partition(":") for name in next(file).rstrip("\n").split("\t")]
        for line in file:
            cells = line.rstrip("\n").split("\t")
            yield {n: cell if n in ("id", "src", "dst", "type") else typed(cell, kind) for (n, _, kind), cell in zip(names, cells)}


def read_world(path, undirected):
    run = attempt(1, "convert", path, "-o", path + ".tsv", "-q")
    require(run.returncode == 0, "convert:", run.stderr)
    world = World(RuleGraph({}, [], undirected))
    base = path + ".vertices.tsv"
    for row in table(base):
        world.add_vertex(row.pop("id"), filter(None, row.pop("type", "").split(";")), row)
    for row in table(path + ".edges.tsv"):
        world.add_edge(("vertex", row.pop("src")), ("vertex", row.pop("dst")), row.pop("type", ""), row)
    for name in (base, path + ".edges.tsv"):
        if os.path.exists(name):
            os.remove(name)
    return world


# checking one step

class Fresh:
    """The keys of the elements that a step creates, by number."""

    def __init__(self, world):
        keys = [key_value(v[1]) for v in world.vertices]
        self.strings = any(isinstance(k, str) for k in keys)
        if self.strings:
            keys = [key_value(k[1:]) for k in keys if isinstance(k, str) and k.startswith("#")]
            keys = [k for k in keys if isinstance(k, int)]
        self.first = max([0] + keys) + 1

    def key(self, i):
        return ("#%d" if self.strings else "%d") % (self.first + i)


def record_of(rule, world, row):
    edges = {e[0] for p in rule.patterns() for e in p.edges}

    def told(name):
        value = row[name]
        if value is None and name in edges:
            return None, None, None, None
        if isinstance(value, tuple) and value[0] == "vertex":
            return plain(key_value(value[1]))
        if isinstance(value, tuple):
            return tuple(plain(world.attribute(value, of)) for of in "nwt") + (world.type(value),)
        return plain(value)
    return tuple(map(told, rule.recorded))


def recorded(rule, world, vertex):
    def read(name):
        return plain(world.attribute(vertex, "r%s_%s" % (rule.name[4:], name)))
    edges = {e[0] for p in rule.patterns() for e in p.edges}
    return tuple(tuple(read(n + "_" + of) for of in "nwtk") if n in edges else read(n) for n in rule.recorded)


def records(rule, final, applied, fresh):
    """Yields the record of each match that was applied."""
    for i in range(applied):
        vertex = ("vertex", fresh.key(i * rule.created()))
        require(vertex in final.vertices and "Rec" in final.label_sets[vertex], rule.name, "has no record", vertex)
        number = int(rule.name[4:])
        require(final.attribute(vertex, "rule") == number, "the record", vertex, "is not of", rule.name)
        yield recorded(rule, final, vertex)


class Reading:
    """An assignment of rows to records. There are several assignments if edges without a number look alike. The first
    guess prefers rows that are applicable and whose edges differ from those of other rows."""

    def __init__(self, rule, world, rows, told):
        self.rule, self.world, self.told, self.alike = rule, world, told, collections.defaultdict(list)
        for row in rows:
            self.alike[record_of(rule, world, row)].append(row)
        wanted = collections.Counter(told)
        for record, count in wanted.items():
            require(len(self.alike[record]) >= count, rule.name, "has", len(self.alike[record]), "matches", record,
                    "and not", count, "among", sorted(map(repr, self.alike))[:20])
        self.open = [record for record, count in wanted.items() if len(self.alike[record]) > count]
        self.taken = None

    def anew(self, rng):
        waiting, used, taken = {k: rng.sample(v, len(v)) for k, v in self.alike.items()}, set(), collections.defaultdict(list)
        for record in self.told:
            row = min(waiting[record], key=lambda r: (self.rule.blocked(self.world, r), len(used & set(unnumbered(self.world, r)))))
            waiting[record].remove(row)
            used.update(unnumbered(self.world, row))
            taken[record].append(row)
        new = copy.copy(self)
        new.taken = taken
        return new

    def chosen(self):
        left = {record: list(rows) for record, rows in self.taken.items()}
        return [left[record].pop(0) for record in self.told]

    def other(self, rng):
        """Returns an assignment that differs slightly from this one."""
        new = copy.copy(self)
        record = rng.choice(self.open)
        new.taken = dict(self.taken)
        new.taken[record] = rng.sample(self.alike[record], len(self.taken[record]))
        return new


def unnumbered(world, row):
    """Returns the edges of a row that have no number, so they cannot be recognised."""
    edges = [v for v in row.values() if isinstance(v, tuple) and v[0] == "edge"]
    return [edge for edge in edges if world.attribute(edge, "n") is None]


def keys_of(rule, i, fresh):
    return [fresh.key(i * rule.created() + p) for p in range(rule.created())]


def one_by_one(rule, world, chosen, order, semantics, fresh):
    floats, world = rule.floats(world), world.copied()
    for i in order:
        require(rule.still_there(world, chosen[i], semantics), rule.name, "has no match any more when its turn comes:", shown(chosen[i]),
                "of", [shown(chosen[k]) for k in order])
        require(not rule.blocked(world, chosen[i]), rule.name, "is inapplicable when its turn comes:", shown(chosen[i]))
        rule.apply(world, chosen[i], semantics, keys_of(rule, i, fresh))
    world.widen(floats if order else set())
    return world


def shown(row):
    return {k: v[1] if isinstance(v, tuple) else v for k, v in row.items()}


# conflicts: which matches may be left out

def variables_read(e, labels):
    """Returns {(variable, attribute or '(label)')}."""
    if isinstance(e, tuple):
        if e[0] == "param":
            return set()
        if e[0] == "label":
            return {(e[1], "(%s)" % label) for label in e[2:]}
        if e[0] == "inlabels":
            return {(e[2], "(%s)" % e[1])}
        if e[0] == "labels":
            return {(e[1], label) for label in labels}
        return set().union(*(variables_read(c, labels) for c in e[1:]))
    if isinstance(e, str) and not isinstance(e, Text) and "." in e:
        return {tuple(e.split("."))}
    return set()


def is_local(rule, semantics):
    """True if the rule reads only its own vertices and edges."""
    return not (rule.optionals or rule.grouped() or semantics == "induced" or
                any(sub_patterns(e) for p in rule.patterns() for e in p.where))


def touches(rule, row, world):
    """Returns (reads, writes) of a local rule."""
    labels = ["(%s)" % label for label in "ABCD"]
    reads = {v for v in row.values() if isinstance(v, tuple)}
    values = [e for u in rule.updates for e in ({"vertex": u[3:4], "edge": u[5:6]}.get(u[0], ()))]
    expressions = list(rule.match.where) + [e for v in values for e in v.values()] + [u[3] for u in rule.updates if u[0] == "set"]
    expressions += [i.expr for i in rule.with_clause.items] if rule.with_clause else []
    asked = set().union(*(variables_read(e, labels) for e in expressions), set())
    asked |= {(v, "(%s)" % label) for v, of in rule.match.vertices for label in of}
    reads |= {(row[v], name) for v, name in asked if v in row}
    writes = set()
    for u in rule.updates:
        if u[0] in ("set", "remove"):
            writes.add((row[u[1]], u[2]))
        elif u[0] in ("label", "unlabel"):
            writes |= {(row[u[1]], "(%s)" % label) for label in u[2]}
        elif u[0] in ("type", "delete", "detach", "merge"):
            writes.add(row[u[1]])
    return reads, writes


def in_conflict(one, other):
    return bool(one[1] & (other[0] | other[1]) or other[1] & one[0])


def check_choice(rule, world, able, chosen, semantics):
    """Selected matches do not conflict, and each match that was left out conflicts with a selected match."""
    if not is_local(rule, semantics):
        return
    read_write_sets = [touches(rule, row, world) for row in chosen]
    for i, one in enumerate(read_write_sets):
        for other in read_write_sets[:i]:
            require(not in_conflict(one, other), rule.name, "applies two matches that conflict")
    names = collections.Counter(map(rule.name_of, chosen))
    for row in able:
        if names[rule.name_of(row)]:
            names[rule.name_of(row)] -= 1
            continue
        one = touches(rule, row, world)
        require(any(in_conflict(one, other) for other in read_write_sets), rule.name, "leaves out a match without conflict:", shown(row))


class Evaluator:
    """Follows the steps of a run with the interpreter. world_after(steps) returns the program's graph after these steps
    (rule, one)."""

    def __init__(self, rng, rules, world, final, steps, semantics, world_after):
        self.rng, self.rules, self.world, self.final = rng, rules, world, final
        self.steps, self.semantics, self.world_after = steps, semantics, world_after
        self.done, self.found, self.applied, self.alike = [], 0, 0, 0

    def step(self, number, one):
        require(self.at() < len(self.steps), "the run ends before", self.rules[number].name)
        told, rule = self.steps[self.at()], self.rules[number]
        self.done.append((number, one))
        require(told["rule"] == rule.name, "step", self.at(), "is of", told["rule"], "and not of", rule.name)
        rows = rule.rows(self.world, self.semantics)
        if len(rows) > MOST_ROWS:
            raise TooLong()
        able = [row for row in rows if not rule.blocked(self.world, row)]
        want = len(rows), len(rows) - len(able)
        require((told["matches"], told["blocked"]) == want, "step", self.at(), told, "but (matches, inapplicable) are", want)
        applied = told["applied"]
        require(applied + told["conflicts"] == len(able), "step", self.at(), told, "does not add up")
        require((applied > 0) == bool(able) and (applied == 1 or not one or not able), "step", self.at(), told, "applies", one, len(able))
        self.found, self.applied = self.found + len(rows), self.applied + applied
        self.advance(rule, rows, able, applied, one)
        return applied > 0

    def at(self):
        return len(self.done)

    def advance(self, rule, rows, able, applied, one):
        """Applies the step. Some assignment of rows to records must give the program's graph."""
        fresh = Fresh(self.world)
        best = Reading(rule, self.world, rows, list(records(rule, self.final, applied, fresh))).anew(self.rng)
        if not best.open:
            self.world = self.applied_in_any_order(rule, able, best.chosen(), one, fresh)
            return
        self.alike += 1
        wanted, reading, least, fault = self.world_after(self.done), best, None, None
        for _ in range(MOST_READINGS):
            try:
                world = self.applied_in_any_order(rule, able, reading.chosen(), one, fresh)
                far = distance(world.canonical(), wanted.canonical())
                if far == 0:
                    self.world = world
                    return
                if least is None or far <= least:
                    best, least, fault = reading, far, Wrong("%s makes another graph: %s %s" % (
                        (rule.name,) + differences(world.canonical(), wanted.canonical())))
            except Wrong as wrong:
                fault = fault or wrong
            reading = best.anew(self.rng) if least is None else best.other(self.rng)
        raise fault

    def applied_in_any_order(self, rule, able, chosen, one, fresh):
        require(not any(rule.blocked(self.world, row) for row in chosen), rule.name, "applies an inapplicable match")
        if not one:
            check_choice(rule, self.world, able, chosen, self.semantics)
        worlds = []
        for _ in range(2 if len(chosen) > 1 else 1):
            order = self.rng.sample(range(len(chosen)), len(chosen))
            worlds.append(one_by_one(rule, self.world, chosen, order, self.semantics, fresh))
        require(all(w.canonical() == worlds[0].canonical() for w in worlds), rule.name, "gives another graph in another order")
        return worlds[0]


# checking one run

def files(graph, rules, control, folder, rng):
    paths = graph.write(folder)
    graph_file, text = os.path.join(folder, "g.h5"), os.path.join(folder, "r.rules")
    spoken = "\n".join(rule.text(rng) for rule in rules)
    write_rules(text, spoken, control_text(control, rules))
    arguments = ["import", "--vertices", paths[0], "--edges", paths[1], "-o", graph_file, "-q"]
    run = attempt(1, *arguments, *["--undirected"] * graph.undirected)
    require(run.returncode == 0, "import:", run.stderr)
    return graph_file, text, spoken


def write_rules(path, rules, control):
    with open(path, "w", encoding="utf-8") as file:
        file.write(rules + "\nRUN " + control + "\n")


def after(graph_file, spoken, rules, options, undirected, steps):
    """Returns the program's graph after these steps."""
    base = graph_file + ".after"
    write_rules(base + ".rules", spoken, "; ".join("TRY (%s)" % control_text(("rule",) + step, rules) for step in steps))
    run = transform(graph_file, base + ".rules", base + ".h5", 1, options)
    require(run.returncode == 0, "code", run.returncode, "for the first", len(steps), "steps:", run.stderr)
    return read_world(base + ".h5", undirected)


def transform(graph_file, text, output, ranks, options):
    run = attempt(ranks, "transform", graph_file, text, "-o", output, "--explain", "--json", "-", *options)
    require(run.returncode not in (124, 137), "the program hangs on", ranks, "ranks", options)
    return run


# other ways, which must give the same graph

def on_ranks(graph_file, text, output, ranks, options):
    return transform(graph_file, text, output, ranks, options)


def searched_anew(graph_file, text, output, ranks, options):
    """Searches all matches in each step, not only those near changes."""
    return transform(graph_file, text, output, ranks, options + ["--rematch", "full"])


def on_device(graph_file, text, output, ranks, options):
    return transform(graph_file, text, output, ranks, options + ["--choose", "device"])


def replayed(graph_file, text, output, ranks, options):
    """Replays the change log that ranks write."""
    log = output + ".jsonl"
    run = transform(graph_file, text, output, ranks, options + ["--changes", log])
    require(run.returncode == 0, "code", run.returncode, "with --changes", run.stderr)
    os.remove(output)
    return attempt(ranks % 3 + 1, "transform", graph_file, log, "-o", output, "--json", "-")


def resumed(graph_file, text, output, ranks, options):
    """Stops and resumes the run again and again, with varying numbers of ranks."""
    folder = output + ".checkpoint"
    for i in range(4):
        run = transform(graph_file, text, output, (ranks, 1, 2)[i % 3],
                        options + ["--checkpoint", folder, "--resume", "--max-time", str(0.01 + 0.02 * i)])
        if run.returncode != 75:
            return run
    return transform(graph_file, text, output, ranks, options + ["--checkpoint", folder, "--resume"])


WAYS = {"ranks": on_ranks, "full": searched_anew, "device": on_device, "replay": replayed, "resume": resumed}


def graph_of(run):
    """Returns the size of the graph and a hash of its content."""
    return json.loads(run.stdout)["graph"]


def steps_of(run):
    return [{k: v for k, v in step.items() if k in ("rule", "matches", "applied", "conflicts", "blocked")}
            for step in json.loads(run.stdout)["explain"]]


def evaluate(seed, folder, arguments, options, counts):
    rng = random.Random(seed)
    graph = rule_graph(rng)
    rules = [random_rule(rng, graph, i) for i in range(rng.choice([1, 3, 8, 12]))]
    control, semantics = random_control(rng, rules), rng.choice(arguments.semantics.split(","))
    graph_file, text, spoken = files(graph, rules, control, folder, rng)
    output = os.path.join(folder, "h.h5")
    options = options + ["--semantics", semantics, "--seed", str(rng.randint(0, 5)), "--max-steps", "100", "--lenient"]
    run = transform(graph_file, text, output, 1, options)
    ranks, way = int(rng.choice(arguments.ranks.split(","))), rng.choice(arguments.ways.split(","))
    if run.returncode:
        require(run.returncode == 2, "code", run.returncode, run.stderr)
        counts["refused: " + run.stderr.split("error: ")[-1].split("\n")[0].split(": ")[-1][:90]] += 1
        return
    first = open(output, "rb").read()
    other = WAYS[way](graph_file, text, output, ranks, options)
    require(other.returncode == 0, "code", other.returncode, "by", way, "on", ranks, "ranks:", other.stderr)
    require(graph_of(other) == graph_of(run), way, "on", ranks, "ranks gives", graph_of(other), "and not", graph_of(run))
    require(way != "ranks" or open(output, "rb").read() == first, ranks, "ranks give another file")
    if way in ("ranks", "full", "device"):
        require(steps_of(other) == steps_of(run), way, "on", ranks, "ranks has other steps")
    evaluator = Evaluator(rng, rules, World(graph), read_world(output, graph.undirected), steps_of(run), semantics,
                  lambda steps: after(graph_file, spoken, rules, options, graph.undirected, steps))
    controlled(control, evaluator.step)
    require(evaluator.at() == len(evaluator.steps), "the run continues after step", evaluator.at())
    mine, its = evaluator.world.canonical(), evaluator.final.canonical()
    require(mine == its, "another graph: missing %s, not expected %s" % differences(mine, its))
    counts["steps"] += evaluator.at()
    counts["steps with matches that look the same"] += evaluator.alike
    counts["matches"] += evaluator.found
    counts["applied"] += evaluator.applied
    counts["steps with conflicts"] += sum(step["conflicts"] > 0 for step in evaluator.steps)


def distance(mine, its):
    counts = [(collections.Counter(map(repr, a)), collections.Counter(map(repr, b))) for a, b in zip(mine, its)]
    return sum(sum((a - b).values()) + sum((b - a).values()) for a, b in counts)


def differences(mine, its):
    def left(a, b):
        have = list(map(repr, b))
        return [one for one in map(repr, a) if one not in have][:4]
    return [left(a, b) for a, b in zip(mine, its)], [left(b, a) for a, b in zip(mine, its)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=test_seed())
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--semantics", default="iso,iso,edge-iso,hom,induced")
    parser.add_argument("--ranks", default="2,3,4,8")
    parser.add_argument("--ways", default="ranks,ranks,full,replay,resume,device")
    parser.add_argument("--stop", type=int, default=5, help="number of failures after which the test stops")
    parser.add_argument("--keep", action="store_true", help="keep the files of failures")
    arguments, options = parser.parse_known_args()
    need_program()
    counts, failures, seed, end = collections.Counter(), 0, arguments.seed, time.time() + arguments.seconds
    print("seed", seed, flush=True)
    while failures < arguments.stop and (seed < arguments.seed + arguments.runs if arguments.runs else time.time() < end):
        folder = tempfile.mkdtemp(dir=work_folder()) if not arguments.keep else tempfile.mkdtemp(prefix="rules-")
        counts["runs"] += 1
        wrong = None
        try:
            evaluate(seed, folder, arguments, options, counts)
        except (TooMany, TooLong):
            counts["too large"] += 1
        except Failure as failure:
            wrong = "the interpreter fails, not the program: %s" % failure
        except Wrong as fault:
            wrong = str(fault)
        if wrong:
            failures += 1
            print("FAILED: --seed %d --runs 1: %s" % (seed, wrong[:3000]), flush=True)
            if arguments.keep:
                print("   ", folder, flush=True)
        if not wrong or not arguments.keep:
            shutil.rmtree(folder)
        seed += 1
        if counts["runs"] % 20 == 0:
            print(dict(counts), flush=True)
    print(", ".join("%d %s" % (n, what) for what, n in counts.most_common()), "; %d failed" % failures)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
