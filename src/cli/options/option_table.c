#include "cli/options/options.h"

#include "core/status.h"

#include <gemp/graph.h>
#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(gemp_options, field), false
#define POSITIVE(field) offsetof(gemp_options, field), true

enum {
	ON_ALL = (1 << 26) - 1,
	ON_GRAPH = GEMP_ON_INFO | GEMP_ON_VERIFY | GEMP_ON_PARTITION | GEMP_ON_MATCH | GEMP_ON_CONVERT | GEMP_ON_TRANSFORM,
	ON_MAKE = GEMP_ON_IMPORT | GEMP_ON_GENERATE,
	ON_RUN = GEMP_ON_DEMO | GEMP_ON_MATCH,
	ON_DEVICE = ON_RUN | GEMP_ON_TRANSFORM,
	ON_SEARCH = GEMP_ON_MATCH | GEMP_ON_BENCH,
	ON_ARRAYS = GEMP_ON_SORT | GEMP_ON_DISTINCT,
	ON_TOPOLOGY = GEMP_ON_DEGREES | GEMP_ON_EDGES | GEMP_ON_REVERSE | GEMP_ON_COMPONENTS,
	ON_HOST_OR_DEVICE = ON_ARRAYS | ON_TOPOLOGY | GEMP_ON_EULER,
	ON_SEARCH_FROM = GEMP_ON_BFS | GEMP_ON_SSSP,
	ON_SUMS = GEMP_ON_PAGERANK | GEMP_ON_SPMV,
	ON_ANALYSIS = ON_SEARCH_FROM | ON_SUMS,
	ON_REPORT = ON_GRAPH | ON_MAKE | GEMP_ON_DEMO | GEMP_ON_DEVICES | GEMP_ON_BENCH | ON_HOST_OR_DEVICE |
	            GEMP_ON_ASSEMBLE | ON_ANALYSIS | GEMP_ON_SOM,
};

static const char input[] = "Input", query[] = "Query", meaning[] = "What a match is", search[] = "Search",
				  output[] = "Output", budgets[] = "Device and memory", general[] = "General";

static char formats[256] = "auto"; /* and the names of all formats, once the table is asked for */

static const gemp_option table[] = {
	{ "vertices", 0, GEMP_OPTION_LIST, "FILE", NULL, GEMP_ON_IMPORT, input,
	  "Vertices: a header with id, type and attributes; may be repeated. Without it vertices come from the edges.",
	  AT(vertex_files) },
	{ "edges", 0, GEMP_OPTION_LIST, "FILE", NULL, GEMP_ON_IMPORT, input,
	  "Edges, or files of another format; may be repeated. The same as FILE without --edges.", AT(edge_files) },
	{ "format", 0, GEMP_OPTION_CHOICE, formats, "auto", GEMP_ON_IMPORT, input,
	  "Format of the files; auto goes by their ending, in front of .gz or .zst.", AT(format) },
	{ "metamodel", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_IMPORT, input,
	  "Metamodel (.ecore) of the model to read, which --format xmi needs.", AT(metamodel) },
	{ "undirected", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_IMPORT, input,
	  "Edges have no direction: each is stored once and matched by -[]-.", AT(undirected) },
	{ "parallel", 0, GEMP_OPTION_CHOICE, "keep|merge", "keep", GEMP_ON_IMPORT, input,
	  "Edges of one type that join the same two vertices: keep all, or merge them into one.", AT(parallel) },
	{ "label", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_IMPORT, input, "Label of vertices that come without one.",
	  AT(default_label) },
	{ "type", 0, GEMP_OPTION_TEXT, "NAME", "E", GEMP_ON_IMPORT, input, "Type of edges that come without one.",
	  AT(default_type) },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_IMPORT, input,
	  "Attribute of the edges, a number, that other programs read as the values of the matrices (else ones).",
	  AT(weight) },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_IMPORT, input,
	  "Seed of the random partition: vertices are numbered by a hash of their key.", AT(relabel_seed) },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_GENERATE | GEMP_ON_DEMO, input, "Seed of what is drawn.",
	  AT(seed) },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_MATCH, search, "Seed of --estimate.", AT(seed) },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_TRANSFORM, search,
	  "Seed of which matches go first among those that conflict.", AT(seed) },
	{ "relabel-seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_GENERATE, input,
	  "Seed of the random partition: vertices are numbered by a hash of their key.", AT(relabel_seed) },
	{ "relation", 0, GEMP_OPTION_LIST, "TYPE", NULL, GEMP_ON_EULER | ON_TOPOLOGY | ON_ANALYSIS, input,
	  "Only edges of this type; may be repeated. Without it all edges.", AT(only_relations) },
	{ "source", 0, GEMP_OPTION_TEXT, "KEY", NULL, ON_SEARCH_FROM, input, "The vertex to start from: one.", AT(source) },
	{ "source", 0, GEMP_OPTION_LIST, "KEY", NULL, GEMP_ON_PAGERANK, input,
	  "Jumps lead to this vertex, in place of all alike; may be repeated.", AT(sources) },
	{ "personalization", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_PAGERANK, input,
	  "Jumps lead to the vertices of FILE, with the chances that it gives: lines of a key, a tab and a number (without it 1); "
	  "a head line and lines that begin with # are passed over.",
	  AT(personalization) },
	{ "direction", 0, GEMP_OPTION_CHOICE, "along|against|either", "along", ON_SEARCH_FROM | GEMP_ON_PAGERANK, input,
	  "Which way edges with a direction lead. Those without lead both ways.", AT(direction) },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_SSSP, input,
	  "Attribute of the edges that is their length: numbers that are not negative.", AT(weight) },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, ON_SUMS, input,
	  "Attribute of the edges, a number; pagerank: a vertex gives its rank in this proportion; spmv: the entries of the "
	  "matrix. Without it 1 each.",
	  AT(weight) },
	{ "x", 0, GEMP_OPTION_TEXT, "ATTRIBUTE", NULL, GEMP_ON_SPMV, input,
	  "Attribute of the vertices, a number, that is the vector. Without it ones.", AT(vector) },
	{ "path", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, input,
	  "A path will do where there is no circuit: from the one vertex with an out-edge more to the one with an in-edge more.",
	  AT(path) },

	{ "sequence", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, input,
	  "Spell the text whose words, one for each edge, follow one another in a circuit or path. Vertices are words that begin "
	  "with all but the first letter of those before them, as those of `generate debruijn`.",
	  AT(sequence) },
	{ "alphabet", 0, GEMP_OPTION_TEXT, "LETTERS", NULL, GEMP_ON_EULER, input,
	  "With --sequence: the letters, 0123456789 for digits; for a graph whose keys are numbers, too.", AT(alphabet) },
	{ "length", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_EULER, input,
	  "With --sequence and no graph file: all words of so many letters.", POSITIVE(word_length) },
	{ "circular", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, input,
	  "With --sequence: the text closes, so that its end does not repeat its beginning.", AT(circular) },

	{ "query-file", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, query,
	  "Read queries from a file. Of several, each ended by ;, each has its own rows and report.", AT(query_file) },
	{ "query-graph", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, query,
	  "Read the query from a graph file of lines t, v and e.", AT(query_graph) },
	{ "query-graph", 0, GEMP_OPTION_LIST, "FILE", NULL, GEMP_ON_BENCH, query,
	  "Read a query from a graph file of lines t, v and e; may be repeated.", AT(query_graphs) },
	{ "query-labels", 0, GEMP_OPTION_TEXT, "FORMAT", "L%d", ON_SEARCH, query,
	  "Name of the label that a number in --query-graph stands for.", AT(query_labels) },
	{ "param", 0, GEMP_OPTION_LIST, "NAME=VALUE", NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, query,
	  "Value of $NAME in the query, a number, truth or text; NAME:TYPE=VALUE states its type (string, int, float or "
	  "bool). May be repeated.",
	  AT(parameters) },
	{ "lenient", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, query,
	  "Labels, types and attributes that the graph does not have match nothing, with a warning, instead of being "
	  "errors.",
	  AT(lenient) },
	{ "pattern", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_MATCH, query,
	  "A shape on the simple undirected graph: triangle, cycle:N, clique:N, path:N, star:N, diamond, house or "
	  "edges:0-1,1-2,...; or motifs:3, motifs:4, motifs:5: the counts of all connected shapes of so many vertices.",
	  AT(pattern) },
	{ "pattern", 0, GEMP_OPTION_LIST, "NAME", NULL, GEMP_ON_BENCH, query,
	  "A shape on the simple undirected graph, as match has them; may be repeated.", AT(patterns) },

	{ "semantics", 0, GEMP_OPTION_CHOICE, "iso|edge-iso|hom|induced", "iso", ON_SEARCH | GEMP_ON_TRANSFORM, meaning,
	  "iso: distinct vertices and edges; edge-iso: distinct edges; hom: neither; induced: iso, and where the pattern has no "
	  "edge of one of its types from one of its vertices to another, or to itself, the graph has none either.",
	  AT(semantics) },
	{ "distinct", 0, GEMP_OPTION_CHOICE, "orbit|subgraph|vertices|none", "orbit", ON_SEARCH, meaning,
	  "Which embeddings are one match: those that differ by an automorphism of the query, those with the same "
	  "subgraph, those with the same vertices, or none.",
	  AT(distinct) },
	{ "symmetry", 0, GEMP_OPTION_CHOICE, "break|hash", "break", ON_SEARCH, meaning,
	  "break: find each match once; hash: find all embeddings and deduplicate them by a hash of their canonical "
	  "form. The answer is the same.",
	  AT(symmetry) },

	{ "count-by", 0, GEMP_OPTION_CHOICE, "auto|enumerate", "auto", ON_SEARCH, search,
	  "How matches are counted where only a count is asked: auto: by sums over the graph that the planner derives from the "
	  "pattern, if there are any; enumerate: one by one. The answer is the same.",
	  AT(count_by) },
	{ "pivot", 0, GEMP_OPTION_CHOICE, "on|off", "on", ON_SEARCH, search,
	  "on: start from the pattern vertex with the fewest candidates; off: from the first one of the text, at every "
	  "vertex of the graph.",
	  AT(pivot) },
	{ "order", 0, GEMP_OPTION_TEXT, "A,B,...", NULL, GEMP_ON_MATCH, search,
	  "Bind the pattern's vertices in this order, all of them by name or number (from 0), each after a neighbour; else the "
	  "order that promises least work.",
	  AT(order) },
	{ "attributes", 0, GEMP_OPTION_CHOICE, "auto|before|after", "auto", ON_RUN | GEMP_ON_BENCH, search,
	  "Test conditions on one vertex before matching (on all vertices) or after it (on those in results).",
	  AT(attributes) },
	{ "replicate", 0, GEMP_OPTION_SIZE_OR_WORD, "none|auto|all|SIZE", "auto", ON_DEVICE | GEMP_ON_BENCH, search,
	  "Rows of other ranks that a rank holds beside its own, highest degree first.", AT(replicate) },
	{ "exchange", 0, GEMP_OPTION_CHOICE, "auto|push|pull", "auto", ON_DEVICE | GEMP_ON_BENCH, search,
	  "How rows that a rank does not hold are met: push: partial matches travel to their owners; pull: owners send them, in "
	  "rounds; auto: whichever is expected to send fewer bytes, and pull where push would be slow for it.",
	  AT(exchange) },
	{ "launch-factor", 0, GEMP_OPTION_REAL, "C", NULL, ON_SEARCH, search,
	  "C in the formula for the number of pivots in the next kernel launch; if not given, as measured for the "
	  "device.",
	  POSITIVE(launch_factor) },
	{ "lanes", 0, GEMP_OPTION_COUNT, "N", "0", ON_SEARCH, search,
	  "Lanes of a work-group that share a row; 0: chosen by device.", AT(lanes) },
	{ "combinations", 0, GEMP_OPTION_COUNT, "N", "1000000000", ON_SEARCH | GEMP_ON_TRANSFORM, search,
	  "Most combinations of a pattern's parts that no edge joins; about so many or fewer are tried.",
	  POSITIVE(combinations) },
	{ "explain", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_RUN | GEMP_ON_BENCH, search,
	  "Print the plan with its estimates before matching (with --dry-run: instead of matching).", AT(explain) },
	{ "explain", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_TRANSFORM, search,
	  "Tell of each step its matches, and how many were applied, conflicted and were blocked.", AT(explain) },
	{ "choose", 0, GEMP_OPTION_CHOICE, "auto|host|device", "auto", GEMP_ON_TRANSFORM, search,
	  "Where it is decided which of the matches in conflict are applied, if there is one rank: auto: on a GPU where there are "
	  "many of them, and else on the host. The answer is the same.",
	  AT(choose) },
	{ "rematch", 0, GEMP_OPTION_CHOICE, "incremental|full", "incremental", GEMP_ON_TRANSFORM, search,
	  "Where a rule runs again, its matches are looked for near what has changed since, and those elsewhere are kept; full: "
	  "all are looked for in every step. The graph that comes out is the same.",
	  AT(rematch) },
	{ "on", 0, GEMP_OPTION_CHOICE, "auto|host|device", "auto", ON_HOST_OR_DEVICE, search,
	  "Where it is computed: on the threads of the host, on the device, or wherever it is expected to be faster for so much "
	  "data. The answer is the same.",
	  AT(on) },
	{ "delta", 0, GEMP_OPTION_REAL, "D", NULL, GEMP_ON_SSSP, search,
	  "Vertices are settled in steps of so much distance; without it chosen from the weights. The answer is the same.",
	  POSITIVE(delta) },
	{ "damping", 0, GEMP_OPTION_REAL, "D", "0.85", GEMP_ON_PAGERANK, search,
	  "Chance of going along an edge; else a jump.", AT(damping) },
	{ "tolerance", 0, GEMP_OPTION_REAL, "T", "1e-6", GEMP_ON_PAGERANK, search,
	  "Done when all ranks together change by less in an iteration.", AT(tolerance) },
	{ "max-iterations", 0, GEMP_OPTION_COUNT, "N", "100", GEMP_ON_PAGERANK, search,
	  "Iterations at most; with a warning if the ranks still change by more.", POSITIVE(max_iterations) },
	{ "pass", 0, GEMP_OPTION_CHOICE, "auto|push|shuffle", "auto", ON_SEARCH_FROM, search,
	  "How edges of a frontier are gone along: push: straight to their targets; shuffle: as tuples, put in the order of ranges of "
	  "targets. The answer is the same.",
	  AT(pass) },
	{ "gather", 0, GEMP_OPTION_CHOICE, "auto|pull|binned", "auto", ON_SUMS, search,
	  "How values come together: pull: vertices fetch them; binned: they are put into bins of targets, by an order of the edges "
	  "that is made once. The answer is the same but for rounding.",
	  AT(gather) },
	{ "partition", 0, GEMP_OPTION_CHOICE, "random|2d", "random", ON_SUMS, search,
	  "How ranks share the edges: random: each has those that lead to its vertices; 2d: ranks form a grid, and an edge is in the row "
	  "of its target's rank and the column of its source's, so that fewer values travel with 4 ranks or more. The answer is the same "
	  "but for rounding.",
	  AT(cut) },
	{ "transpose", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SPMV, search,
	  "Multiply the transposed matrix: sums along the edges.", AT(transpose) },
	{ "repeat", 0, GEMP_OPTION_COUNT, "K", "1", GEMP_ON_SPMV, search,
	  "Multiply K times, each time what came out of the time before.", POSITIVE(repeat) },
	{ "normalize", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SPMV, search,
	  "Divide by the greatest magnitude, each time: power iteration.", AT(normalize) },
	{ "precision", 0, GEMP_OPTION_CHOICE, "auto|single|double", "auto", ON_SUMS, search,
	  "Of numbers: single has 7 digits and moves half the bytes; auto: double, but for "
	  "pagerank with a tolerance of 1e-6 or more.",
	  AT(precision) },
	{ "verify", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_ANALYSIS, search,
	  "Check the answer by another way, in double precision, on the host's threads; every rank then has values of all "
	  "vertices, 12 to 56 bytes each.",
	  AT(verify_order) },
	{ "verify", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, search,
	  "Check the order, on all ranks: each edge once, and each begins where the one before ends.", AT(verify_order) },
	{ "max-steps", 0, GEMP_OPTION_COUNT, "N", "1000000", GEMP_ON_TRANSFORM, search,
	  "Most steps; rules that are not done after them end with an error, and no graph is written.",
	  POSITIVE(max_steps) },
	{ "profile", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_RUN | GEMP_ON_BENCH, search,
	  "Count rows, and report more: the plan with the rows of each step and the bytes that it sent, pivots, "
	  "attribute values copied and referred to, matches within one of 1 to 64 parts.",
	  AT(profile) },

	{ "count", 'c', GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH, output, "Only count, without rows.", AT(count) },
	{ "count-per", 0, GEMP_OPTION_TEXT, "V", NULL, GEMP_ON_MATCH, output,
	  "For each vertex of the graph, in how many matches it is at vertex V of the pattern (by name or number), or at one that "
	  "is exchangeable with it: rows of key and count.",
	  AT(count_per) },
	{ "estimate", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH, output,
	  "Only estimate the number of matches, from samples, with an interval that holds it in 95 of 100 cases.",
	  AT(estimate) },
	{ "estimate-seconds", 0, GEMP_OPTION_REAL, "S", "1", GEMP_ON_MATCH, output,
	  "Sample until the estimate is good to 5 %, or for about so long. Reading the graph and choosing an order, for "
	  "which there is a quarter of S, come before.",
	  POSITIVE(estimate_seconds) },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, output,
	  "Write the rows to FILE, by its ending .tsv, .csv, .jsonl or .h5 (.dot, .graphml: as --subgraph); -: TSV on stdout. "
	  "Without it some rows are shown.",
	  AT(output) },
	{ "subgraph", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, output,
	  "Write what the matches cover, their vertices and edges, as a graph: .h5, .tsv, .csv, .jsonl, .graphml, .dot (for "
	  "Graphviz) or .mtx. Of paths of variable length only the ends are known.",
	  AT(subgraph) },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_EULER, output,
	  "Where the order goes, one row an edge: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout.", AT(output) },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_EDGES, output,
	  "Where the edges go, one row each: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout.", AT(output) },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_DEGREES, output,
	  "Where vertices and their degrees go, one row each: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout.",
	  AT(output) },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_COMPONENTS, output,
	  "Where vertices and their components go, one row each: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout.",
	  AT(output) },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, ON_ANALYSIS, output,
	  "Where vertices and what was found for them go, one row each: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout.",
	  AT(output) },
	{ "into", 0, GEMP_OPTION_TEXT, "H.h5", NULL, ON_ANALYSIS, output,
	  "Write the graph with what was found as attributes of its vertices; may be G.h5 itself.", AT(into) },
	{ "column", 0, GEMP_OPTION_TEXT, "NAME", NULL, ON_ANALYSIS, output,
	  "With --into: their name, or its beginning where there are two; else that of the command.", AT(column) },
	{ "tree", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_COMPONENTS, output,
	  "Where the edges of a spanning forest go, one row each: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout.",
	  AT(tree) },
	{ "output", 'o', GEMP_OPTION_TEXT, "F", NULL, GEMP_ON_CONVERT, output, "The file to write.", AT(output) },
	{ "format", 0, GEMP_OPTION_CHOICE, GEMP_EXPORT_CHOICES, "auto", GEMP_ON_CONVERT, output,
	  "Format to write; auto goes by the ending.", AT(export_format) },
	{ "type", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_CONVERT, output, "Only edges of this type.", AT(only_type) },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_CONVERT, output,
	  "Attribute of the edges that gives the entries of a matrix.", AT(weight) },
	{ "output", 'o', GEMP_OPTION_TEXT, "G.h5", NULL, ON_MAKE | GEMP_ON_TRANSFORM | GEMP_ON_REVERSE, output,
	  "The graph file to write.", AT(output) },
	{ "changes", 0, GEMP_OPTION_TEXT, "F.jsonl", NULL, GEMP_ON_TRANSFORM, output,
	  "Write what becomes of the graph to F.jsonl, a line a change: what is created, deleted, set, by step and match. "
	  "transform applies such a file again, in place of rules.",
	  AT(changes) },
	{ "dot", 0, GEMP_OPTION_TEXT, "F.dot", NULL, GEMP_ON_EULER, output,
	  "Draw a small graph for Graphviz: circuits before joining, the circuit graph, the order.", AT(dot) },
	{ "dot", 0, GEMP_OPTION_TEXT, "F.dot", NULL, GEMP_ON_TRANSFORM, output,
	  "Draw a small graph for Graphviz, before and after: what is created green, deleted red, changed amber.",
	  AT(dot) },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_BENCH, output,
	  "bench tune: the file to write, in place of the one that later runs read.", AT(output) },
	{ "repeat", 0, GEMP_OPTION_COUNT, "N", "10", GEMP_ON_BENCH, output,
	  "bench match: runs that are timed, after one that is not.", AT(repeat) },
	{ "seconds", 0, GEMP_OPTION_REAL, "S", "10", GEMP_ON_BENCH, output,
	  "bench match: no further run begins after so many seconds; a first run that takes longer is the one that is timed.",
	  POSITIVE(seconds) },
	{ "tuple-size", 0, GEMP_OPTION_TEXT, "BYTES,...", "4,8,16,32,64", GEMP_ON_BENCH, output,
	  "bench shuffle: sizes of tuples, powers of 2 from 4 to 64.", AT(tuple_sizes) },
	{ "ranges", 0, GEMP_OPTION_TEXT, "N,...", "256,2048", GEMP_ON_BENCH, output,
	  "bench shuffle: numbers of ranges of destinations, powers of 2 up to 2048.", AT(ranges) },
	{ "method", 0, GEMP_OPTION_CHOICE, "all|decode|polling|converge|atomic|tables", "all", GEMP_ON_BENCH, output,
	  "bench shuffle: how tuples get to their ranges.", AT(shuffle_method) },
	{ "destinations", 0, GEMP_OPTION_CHOICE, "both|uniform|skewed", "both", GEMP_ON_BENCH, output,
	  "bench shuffle: all destinations alike, or an eighth of the tuples each for all of them, for the first half, for the first "
	  "quarter, and so on.",
	  AT(destinations) },
	{ "tuples", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_BENCH, output,
	  "bench shuffle: tuples of each rank; by default 2 GiB of all ranks on a GPU and at most 2^28, 128 MiB on a CPU, and less "
	  "where every range looks at every tuple.",
	  POSITIVE(tuples) },
	{ "checkpoint", 0, GEMP_OPTION_TEXT, "FOLDER", NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, output,
	  "Keep there what is finished. SIGTERM, SIGINT, SIGUSR1, SIGUSR2 and --max-time then end the work with exit code 75. When "
	  "it is done nothing is left there.",
	  AT(checkpoint) },
	{ "resume", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, output,
	  "Go on from what is in --checkpoint, with any number of ranks; from the start if nothing is.", AT(resume) },
	{ "max-time", 0, GEMP_OPTION_REAL, "S", NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, output,
	  "Stop with a checkpoint when so many seconds are over.", POSITIVE(max_time) },
	{ "limit", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_MATCH, output, "Stop after N rows.", AT(limit) },
	{ "schema", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_INFO, output,
	  "Only what the file's head says: labels, types, attributes and sizes, without degrees.", AT(schema) },
	{ "parts", 'k', GEMP_OPTION_COUNT, "K", NULL, GEMP_ON_PARTITION, output,
	  "Number of parts; by default those that the file keeps, or else the number of ranks.", POSITIVE(parts) },
	{ "method", 0, GEMP_OPTION_CHOICE, GEMP_PARTITION_CHOICES, "random", GEMP_ON_PARTITION, output,
	  "random: equal numbers of vertices; block: contiguous in the order of keys, rows of equal size together; ptscotch: few "
	  "edges between parts (PT-Scotch; what it finds depends on the number of ranks).",
	  AT(method) },
	{ "output", 'o', GEMP_OPTION_TEXT, "H.h5", NULL, GEMP_ON_PARTITION, output,
	  "Write the graph in the order of the parts.", AT(output) },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_PARTITION, output,
	  "With --output: attribute of edges (an integer or float that none lacks) to be the values of the file's matrices.",
	  AT(weight) },
	{ "type", 0, GEMP_OPTION_CHOICE, "auto|u32|u64|i32|i64|f32|f64", "auto", ON_ARRAYS, input,
	  "What the numbers are; auto: as the file has them, and of text the first of u32, i32, u64, i64 and f64 that holds all.",
	  AT(value_type) },
	{ "descending", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SORT, output, "The greatest first.", AT(descending) },
	{ "count", 'c', GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_DISTINCT, output, "Only count.", AT(count) },
	{ "output", 'o', GEMP_OPTION_TEXT, "OUT", NULL, ON_ARRAYS, output,
	  "Write the numbers to OUT: .npy, .h5 or .h5:/DATASET, else text, one a line; -: to stdout.", AT(output) },
	{ "as", 0, GEMP_OPTION_CHOICE, "text|markdown|man", "text", GEMP_ON_HELP, output,
	  "Form of the help; markdown and man hold all commands.", AT(as) },
	{ "kmer", 'k', GEMP_OPTION_COUNT, "K", "31", GEMP_ON_ASSEMBLE, input,
	  "Letters of the words that reads are cut into, 2 to 31.", POSITIVE(kmer) },
	{ "min-count", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_ASSEMBLE, input,
	  "Leave out k-mers that occur less often in all reads: most of those with errors.", POSITIVE(min_count) },
	{ "strands", 0, GEMP_OPTION_CHOICE, "both|one", "both", GEMP_ON_ASSEMBLE, input,
	  "both: reads come from either strand, and a k-mer is the same as its reverse complement; one: they all run in the same "
	  "direction.",
	  AT(strands) },
	{ "copies", 0, GEMP_OPTION_CHOICE, "coverage|count|one", "coverage", GEMP_ON_ASSEMBLE, input,
	  "How often the genome has a unitig: coverage: as its k-mers occur compared with most; count: as often as they occur "
	  "(reads are the genome itself, once); one: once.",
	  AT(copies) },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_ASSEMBLE, output,
	  "The FASTA file to write: the Eulerian path, or, if there is none, the unitigs; -: stdout.", AT(output) },
	{ "unitigs", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_ASSEMBLE, output, "Write the unitigs to FILE, as FASTA.",
	  AT(unitigs) },
	{ "gfa", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_ASSEMBLE, output,
	  "Write the unitigs and which of them follow one another to FILE, as GFA 1.", AT(gfa) },
	{ "features", 0, GEMP_OPTION_TEXT, "LIST", NULL, GEMP_ON_SOM, input,
	  "train: DATA is a graph, and these numbers of its vertices are the columns, joined by commas: degree, in-degree, out-degree, "
	  "neighbours, triangles, clustering, pagerank (its mean is 1), component-size, attr:NAME (an attribute), and each as "
	  "log:FEATURE, log(1 + it). apply takes them from the map.",
	  AT(features) },
	{ "relation", 0, GEMP_OPTION_LIST, "TYPE", NULL, GEMP_ON_SOM, input,
	  "Features of a graph with edges of this type alone; may be repeated. Without it all edges.", AT(only_relations) },
	{ "key", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_SOM, input,
	  "Column of a table that names its rows; else the first, if what is in it are no numbers.", AT(key_column) },
	{ "scale", 0, GEMP_OPTION_CHOICE, GEMP_SOM_SCALINGS, "none", GEMP_ON_SOM, input,
	  "train: what is made of each column before: none; unit: its least value becomes 0 and its greatest 1; standard: its mean "
	  "becomes 0 and its deviation 1, as is done with --features if --scale is not given. The map keeps it, for apply and draw.",
	  AT(scaling) },
	{ "size", 0, GEMP_OPTION_TEXT, "ROWSxCOLUMNS", NULL, GEMP_ON_SOM, search,
	  "train: units of the map; without it a square of about 5 times the square root of the number of vectors.",
	  AT(map_size) },
	{ "grid", 0, GEMP_OPTION_CHOICE, GEMP_SOM_GRIDS, "rectangular", GEMP_ON_SOM, search,
	  "train: how units lie: in rows and columns, or each among six neighbours.", AT(grid) },
	{ "topology", 0, GEMP_OPTION_CHOICE, GEMP_SOM_TOPOLOGIES, "planar", GEMP_ON_SOM, search,
	  "train: planar: the map has borders; toroid: what leaves it on one side comes in on the other.", AT(topology) },
	{ "metric", 0, GEMP_OPTION_CHOICE, GEMP_SOM_METRICS, "euclidean", GEMP_ON_SOM, search,
	  "train: distance of a vector and a unit. Missing values are left out of it.", AT(metric) },
	{ "training", 0, GEMP_OPTION_CHOICE, GEMP_SOM_TRAININGS, "batch", GEMP_ON_SOM, search,
	  "train: batch: each epoch makes units means of the vectors around them; online: each vector moves all units in turn.",
	  AT(training) },
	{ "neighbourhood", 0, GEMP_OPTION_CHOICE, GEMP_SOM_NEIGHBOURHOODS, "gaussian", GEMP_ON_SOM, search,
	  "train: what a vector is to units at a distance from its own: gaussian: exp(-d^2 / 2 r^2); gaussian-cut: nothing beyond the "
	  "radius r; bubble: all alike up to r; square: all alike up to r rows and columns away.",
	  AT(neighbourhood) },
	{ "radius", 0, GEMP_OPTION_REAL, "R", NULL, GEMP_ON_SOM, search,
	  "train: radius of the first epoch; without it half of the longer side.", POSITIVE(radius) },
	{ "radius-end", 0, GEMP_OPTION_REAL, "R", "1", GEMP_ON_SOM, search, "train: radius of the last epoch.",
	  POSITIVE(radius_end) },
	{ "rate", 0, GEMP_OPTION_REAL, "A", "0.1", GEMP_ON_SOM, search,
	  "train: rate of the first epoch of online training.", POSITIVE(rate) },
	{ "rate-end", 0, GEMP_OPTION_REAL, "A", "0.01", GEMP_ON_SOM, search, "train: rate of the last epoch.",
	  POSITIVE(rate_end) },
	{ "cooling", 0, GEMP_OPTION_CHOICE, GEMP_SOM_COOLINGS, "linear", GEMP_ON_SOM, search,
	  "train: how radius and rate go from the first epoch to the last.", AT(cooling) },
	{ "epochs", 0, GEMP_OPTION_COUNT, "N", "20", GEMP_ON_SOM, search, "train: how often all vectors are gone through.",
	  POSITIVE(epochs) },
	{ "start", 0, GEMP_OPTION_CHOICE, GEMP_SOM_STARTS, "pca", GEMP_ON_SOM, search,
	  "train: units to begin with: random within the range of each column; samples: vectors; pca: spread along the first two "
	  "principal components.",
	  AT(start) },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_SOM, search, "train: seed of --start random and samples.",
	  AT(seed) },
	{ "no-quality", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SOM, search,
	  "train: measure the errors only at the end, which makes small epochs faster.", AT(no_quality) },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_SOM, output,
	  "train: the map, .h5. apply: a row for each vector: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout. draw: the picture, "
	  ".svg or .png.",
	  AT(output) },
	{ "into", 0, GEMP_OPTION_TEXT, "H.h5", NULL, GEMP_ON_SOM, output,
	  "train, apply: of a graph, write it with the units of its vertices as attributes, at the end; may be G.h5 itself.",
	  AT(into) },
	{ "column", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_SOM, output,
	  "With --into: how their names begin, in place of som: NAME_unit and so on.", AT(column) },
	{ "save-every", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_SOM, output,
	  "train: write the map after every N epochs, too.", POSITIVE(save_every) },
	{ "resume", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SOM, output,
	  "train: go on with the map of -o, by its own settings; from the start if it is not there.", AT(resume) },
	{ "max-time", 0, GEMP_OPTION_REAL, "S", NULL, GEMP_ON_SOM, output,
	  "train: stop after the epoch in which so many seconds are over; the map is written, for --resume.",
	  POSITIVE(max_time) },
	{ "show", 0, GEMP_OPTION_LIST, "NAME", NULL, GEMP_ON_SOM, output,
	  "draw: umatrix, hits, planes (all columns), a column's name, or rgb:RED,GREEN,BLUE, three columns as units' colours; may be "
	  "repeated. Without it umatrix and planes.",
	  AT(shown) },
	{ "labels", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_SOM, output,
	  "draw: names to write on the units of the first part: what apply wrote, as .tsv, .csv, .jsonl (.gz, .zst) or .h5.",
	  AT(labels_file) },
	{ "json", 0, GEMP_OPTION_TEXT, "FILE", NULL, ON_REPORT, output,
	  "Write the report as JSON; -: to stdout, alone, and text for people goes to stderr.", AT(json) },
	{ "trace", 0, GEMP_OPTION_TEXT, "FILE", NULL, ON_REPORT, output,
	  "Write what each rank and its device did when, as Chrome trace events, which Perfetto and chrome://tracing show.",
	  AT(trace) },

	{ "devices", 'd', GEMP_OPTION_TEXT, "SPEC", "auto",
	  ON_DEVICE | GEMP_ON_DEVICES | GEMP_ON_BENCH | ON_HOST_OR_DEVICE | ON_ANALYSIS | GEMP_ON_SOM, budgets,
	  "auto (GPUs if there are any, else CPUs), gpu, cpu, numbers (0,1), places on the PCI bus (65:00.0), UUIDs or parts of "
	  "names, joined by commas. Ranks of a node take them in turn. If a list of several, or the word all (as auto), gives more "
	  "devices than ranks, they are shared out: a rank then searches on each of its own; what does not search takes one.",
	  AT(devices) },
	{ "host-memory", 0, GEMP_OPTION_SIZE, "SIZE", NULL, ON_DEVICE, budgets,
	  "Host memory on a rank for deduplication, which goes in passes beyond it, and for groups and rows to sort, which must "
	  "fit.",
	  POSITIVE(host_memory) },
	{ "device-memory", 0, GEMP_OPTION_SIZE, "SIZE", NULL,
	  ON_DEVICE | GEMP_ON_BENCH | ON_HOST_OR_DEVICE | ON_ANALYSIS | GEMP_ON_SOM, budgets,
	  "Device memory that a rank may use, on each of its devices.", POSITIVE(device_memory) },
	{ "result-buffer", 0, GEMP_OPTION_COUNT, "N", NULL, ON_DEVICE | GEMP_ON_BENCH, budgets,
	  "Matches that a kernel launch may leave on the device.", POSITIVE(result_buffer) },
	{ "outbox", 0, GEMP_OPTION_COUNT, "N", NULL, ON_DEVICE | GEMP_ON_BENCH, budgets,
	  "Partial matches that may wait for each step and destination.", POSITIVE(outbox) },
	{ "row-cache", 0, GEMP_OPTION_SIZE, "SIZE", NULL, ON_DEVICE | GEMP_ON_BENCH, budgets,
	  "Rows on the device at a time, where they come in rounds (--exchange pull, or a graph larger than the device); else half "
	  "of what is free there.",
	  AT(row_cache) },

	{ "config", 0, GEMP_OPTION_TEXT, "FILE", NULL, ON_REPORT, general,
	  "Read options from FILE, `long-option = value` a line; options on the command line win.", AT(config) },
	{ "dry-run", 'n', GEMP_OPTION_FLAG, NULL, NULL, ON_RUN, general,
	  "Print the plan and sizes and stop before matching, whose kernels are not built. Where sums count, sizes are those of rows.",
	  AT(dry_run) },
	{ "quiet", 'q', GEMP_OPTION_FLAG, NULL, NULL, ON_REPORT, general, "Say nothing but errors and results.",
	  AT(quiet) },
	{ "verbose", 'v', GEMP_OPTION_FLAG, NULL, NULL, ON_REPORT, general, "Say what is decided: plan, sizes, launches.",
	  AT(verbose) },
	{ "debug", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_REPORT, general, "Say what each round does.", AT(debug) },
	{ "help", 'h', GEMP_OPTION_FLAG, NULL, NULL, ON_ALL, general, "Show this help.", AT(help) },
	{ "version", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_ALL, general, "Show the version.", AT(version) },
};

enum { FIXED = sizeof table / sizeof *table };

static void list_formats(void)
{
	const char *name, *endings, *summary;
	size_t at = strlen(formats);
	for (size_t i = 0; gemp_import_format_at(i, &name, &endings, &summary); i++)
		at += (size_t)snprintf(formats + at, sizeof formats - at, "|%s", name);
	GEMP_CHECK(at < sizeof formats);
}

static bool has_parameter(const gemp_option *all, size_t count, const char *name)
{
	for (size_t i = FIXED; i < count; i++)
		if (strcmp(all[i].name, name) == 0)
			return true;
	return false;
}

const gemp_option *gemp_option_table(size_t *count)
{
	static gemp_option all[GEMP_MAX_OPTIONS];
	static size_t all_count;
	size_t generators;
	const gemp_generator *generator = gemp_generators(&generators);
	if (!all_count) {
		memcpy(all, table, sizeof table);
		all_count = FIXED;
		list_formats();
		for (size_t g = 0; g < generators; g++)
			for (size_t p = 0; p < generator[g].parameter_count; p++) {
				const gemp_parameter *parameter = &generator[g].parameters[p];
				if (has_parameter(all, all_count, parameter->name))
					continue;
				GEMP_CHECK(all_count < GEMP_MAX_OPTIONS);
				all[all_count++] = (gemp_option){ parameter->name,
					                              0,
					                              GEMP_OPTION_PARAMETER,
					                              "X",
					                              NULL,
					                              GEMP_ON_GENERATE,
					                              "Parameters of generators",
					                              parameter->meaning,
					                              0,
					                              false };
			}
	}
	*count = all_count;
	return all;
}
