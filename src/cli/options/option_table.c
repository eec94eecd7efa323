/* option_table: the options of all commands.
 *
 * Parsing, --help, --config, completion, the manual page, docs/command-line.md and the field `options` of --json read
 * this table. An option is one entry of the table and one field of gemp_options. An entry has, in this order: name,
 * letter, kind, value in the form that help shows, default, commands that accept the option, heading in help, field,
 * and help text. Options of different commands may have the same name and different meanings (--weight, --seed). No
 * command accepts two options of one name, which tests/unit/cli_options.c checks. Help lists the options in the order
 * of the table.
 *
 * The names of import formats and the parameters of generators come from the library, and are added at the first use of
 * the table. */

#include "cli/options/options.h"

#include "core/status.h"

#include <gemp/graph.h>
#include <stdio.h>
#include <string.h>

/* The field that an option sets. For POSITIVE options a given 0 is an error, so a 0 in the field means that the option
 * is not given. */
#define AT(field) offsetof(gemp_options, field), false
#define POSITIVE(field) offsetof(gemp_options, field), true

/* Groups of commands with common options. ON_REPORT commands have --json, --trace, --config and --quiet.
 * ON_HOST_OR_DEVICE commands can use threads or a device. ON_DEVICE commands have the budgets of a search. */
enum {
	ON_ALL = (1 << 28) - 1, /* all bits of gemp_command_bit */
	ON_GRAPH = GEMP_ON_INFO | GEMP_ON_VERIFY | GEMP_ON_PARTITION | GEMP_ON_MATCH | GEMP_ON_CONVERT | GEMP_ON_TRANSFORM |
	           GEMP_ON_INDEX,
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
	            GEMP_ON_ASSEMBLE | ON_ANALYSIS | GEMP_ON_SOM | GEMP_ON_WARM,
};

/* Headings of help. */
static const char input[] = "Input", query[] = "Query", meaning[] = "What a match is", search[] = "Search",
				  output[] = "Output", budgets[] = "Device and memory", general[] = "General";

/* The capacity of the list of formats. It is checked when names are added. */
static char formats[256] = "auto"; /* list_formats appends the names of all formats */

static const gemp_option table[] = {
	/* Input of import and generate. A generated graph has two seeds, --seed and --relabel-seed, since the same random
	 * graph can be distributed in several ways. */
	{ "vertices", 0, GEMP_OPTION_LIST, "FILE", NULL, GEMP_ON_IMPORT, input, AT(vertex_files),
	  "A table of vertices with the columns id, type and attributes; may be repeated. Default: the ends of the edges." },
	{ "edges", 0, GEMP_OPTION_LIST, "FILE", NULL, GEMP_ON_IMPORT, input, AT(edge_files),
	  "A table of edges, or a file of another format; may be repeated. FILE without --edges means the same." },
	{ "format", 0, GEMP_OPTION_CHOICE, formats, "auto", GEMP_ON_IMPORT, input, AT(format),
	  "Format of the files; auto: by their ending, in front of .gz or .zst." },
	{ "metamodel", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_IMPORT, input, AT(metamodel),
	  "Metamodel (.ecore) of the model to read; --format xmi needs it." },
	{ "undirected", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_IMPORT, input, AT(undirected),
	  "Edges have no direction: each is stored once and matched by -[]-." },
	{ "parallel", 0, GEMP_OPTION_CHOICE, "keep|merge", "keep", GEMP_ON_IMPORT, input, AT(parallel),
	  "Edges of one type that join the same two vertices: keep all, or merge them into one." },
	{ "label", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_IMPORT, input, AT(default_label),
	  "Label of vertices for which the files have none." },
	{ "type", 0, GEMP_OPTION_TEXT, "NAME", "E", GEMP_ON_IMPORT, input, AT(default_type),
	  "Type of edges for which the files have none." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_IMPORT, input, AT(weight),
	  "Numeric attribute of the edges that the graph file stores as the values of its matrices. Default: ones." },
	{ "compress", 0, GEMP_OPTION_FLAG, NULL, NULL,
	  GEMP_ON_IMPORT | GEMP_ON_GENERATE | GEMP_ON_PARTITION | GEMP_ON_TRANSFORM | GEMP_ON_INDEX, output, AT(compress),
	  "Compress the graph file (bit planes, Zstandard)." },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_IMPORT, input, AT(relabel_seed),
	  "Seed of the random partition: vertices are numbered by a hash of their key." },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_GENERATE | GEMP_ON_DEMO, input, AT(seed),
	  "Seed of the random numbers." },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_MATCH, search, AT(seed), "Seed of --estimate." },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_TRANSFORM, search, AT(seed),
	  "Seed of the order in which conflicting matches take precedence." },
	{ "relabel-seed", 0, GEMP_OPTION_COUNT, "N", "0", GEMP_ON_GENERATE, input, AT(relabel_seed),
	  "Seed of the random partition: vertices are numbered by a hash of their key. 0: by their key in the graphs of rmat "
	  "and uniform, whose keys are in random order, and by the seed 1 in others." },
	/* --weight has five entries. It selects values of the file for import and partition, lengths for sssp, and matrix
	 * entries for pagerank, spmv and convert. */
	/* The selected part of a graph, and the start of a search. */
	{ "relation", 0, GEMP_OPTION_LIST, "TYPE", NULL, GEMP_ON_EULER | ON_TOPOLOGY | ON_ANALYSIS | GEMP_ON_SOM, input,
	  AT(only_relations), "Use only edges of this type; may be repeated. Default: all edges." },
	{ "source", 0, GEMP_OPTION_TEXT, "KEY", NULL, ON_SEARCH_FROM, input, AT(source),
	  "Key of the vertex to start from." },
	{ "source", 0, GEMP_OPTION_LIST, "KEY", NULL, GEMP_ON_PAGERANK, input, AT(sources),
	  "Random jumps go to this vertex; may be repeated. Without it they go to all vertices with equal probability." },
	{ "personalization", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_PAGERANK, input, AT(personalization),
	  "Random jumps go to the vertices in FILE, in proportion to their numbers. A line has a key and, after a tab, a "
	  "number (default 1); a header line and lines that begin with # are ignored." },
	{ "direction", 0, GEMP_OPTION_CHOICE, "along|against|either", "along", ON_SEARCH_FROM | GEMP_ON_PAGERANK, input,
	  AT(direction), "In which direction directed edges are followed. Undirected edges are followed both ways." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_SSSP, input, AT(weight),
	  "Attribute of the edges with their lengths, which must not be negative." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, ON_SUMS, input, AT(weight),
	  "Numeric attribute of the edges. pagerank: a vertex distributes its rank in this proportion; spmv: the entries "
	  "of the matrix. Without it each edge has 1." },
	{ "x", 0, GEMP_OPTION_TEXT, "ATTRIBUTE", NULL, GEMP_ON_SPMV, input, AT(vector),
	  "Numeric attribute of the vertices with the vector. Without it the vector is all ones." },
	{ "path", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, input, AT(path),
	  "Accept an Euler path if there is no circuit: from the vertex that has one more out-edge than in-edges to the "
	  "vertex that has one more in-edge." },

	{ "sequence", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, input, AT(sequence),
	  "Print the text that the circuit or path spells, one letter for each edge. The keys must be words, and each "
	  "edge must lead from a word to one that continues it by a letter, as in `generate debruijn`." },
	{ "alphabet", 0, GEMP_OPTION_TEXT, "LETTERS", NULL, GEMP_ON_EULER, input, AT(alphabet),
	  "With --sequence: the alphabet, as 0123456789. It also spells graphs whose keys are numbers." },
	{ "length", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_EULER, input, POSITIVE(word_length),
	  "With --sequence and no graph file: spell all words of N letters." },
	{ "circular", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, input, AT(circular),
	  "With --sequence: the text is circular; its end does not repeat its beginning." },

	/* Exactly one of the argument QUERY, these files and --pattern gives the query. */
	{ "rows", 0, GEMP_OPTION_LIST, "TYPES", NULL, GEMP_ON_INDEX, input, AT(index_rows),
	  "Edge types joined by |, or *, and a direction: A|B:out, A|B:in, A|B:either; A|B: out and in. May be repeated." },
	{ "values", 0, GEMP_OPTION_LIST, "NAME", NULL, GEMP_ON_INDEX, input, AT(index_values),
	  "Attribute of vertices, of strings or integers. May be repeated." },
	{ "drop", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_INDEX, input, AT(drop),
	  "First remove all indexes of the file." },
	{ "query-file", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH | GEMP_ON_INDEX, query, AT(query_file),
	  "Read queries from FILE. A semicolon ends each of several queries, and match gives each its own rows and report." },
	{ "query-graph", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, query, AT(query_graph),
	  "Read the query from a text file of a graph (lines t, v and e)." },
	{ "query-graph", 0, GEMP_OPTION_LIST, "FILE", NULL, GEMP_ON_BENCH, query, AT(query_graphs),
	  "Read a query from a text file of a graph (lines t, v and e); may be repeated." },
	{ "query-labels", 0, GEMP_OPTION_TEXT, "FORMAT", "L%d", ON_SEARCH, query, AT(query_labels),
	  "Label that a number in --query-graph stands for." },
	{ "param", 0, GEMP_OPTION_LIST, "NAME=VALUE", NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM | GEMP_ON_INDEX, query,
	  AT(parameters),
	  "Value of $NAME in the query: a number, true, false or a text. NAME:TYPE=VALUE sets its type: string, int, float, bool." },
	{ "lenient", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, query, AT(lenient),
	  "Labels, types and attributes that the graph does not have match nothing, with a warning, instead of an error." },
	{ "pattern", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_MATCH, query, AT(pattern),
	  "Match a shape on the simple undirected graph: triangle, cycle:N, clique:N, path:N, star:N, diamond, house or "
	  "edges:0-1,1-2,... motifs:3, motifs:4 and motifs:5 count all connected shapes of as many vertices." },
	{ "pattern", 0, GEMP_OPTION_LIST, "NAME", NULL, GEMP_ON_BENCH, query, AT(patterns),
	  "A shape on the simple undirected graph, as in match; may be repeated." },

	/* These options change the set of matches. The options under the next heading change only how matches are found. */
	{ "semantics", 0, GEMP_OPTION_CHOICE, "iso|edge-iso|hom|induced", "iso", ON_SEARCH | GEMP_ON_TRANSFORM, meaning,
	  AT(semantics),
	  "iso: a match has distinct vertices and edges; edge-iso: distinct edges; hom: neither; induced: as iso, and the "
	  "graph has no edge of the pattern's types between the vertices of a match where the pattern has none." },
	{ "distinct", 0, GEMP_OPTION_CHOICE, "orbit|subgraph|vertices|none", "orbit", ON_SEARCH, meaning, AT(distinct),
	  "Which embeddings count as one match: those that differ by an automorphism of the query, those with the same "
	  "subgraph, those with the same vertices, or none." },
	{ "symmetry", 0, GEMP_OPTION_CHOICE, "break|hash", "break", ON_SEARCH, meaning, AT(symmetry),
	  "break: find each match once; hash: find all embeddings and remove duplicates by hash. The answer is the same." },

	/* How matches are found. These options are for measurements, and for graphs on which the automatic choice is
	 * poor. */
	{ "count-by", 0, GEMP_OPTION_CHOICE, "auto|enumerate", "auto", ON_SEARCH, search, AT(count_by),
	  "How matches are counted if only a count is asked for. auto: by sums over the graph, if the planner finds any "
	  "for the pattern; enumerate: one by one. The answer is the same." },
	/* --symmetry, --count-by, --pivot and --attributes turn an optimisation off, for measurements and for tests that
	 * compare the two ways. */
	{ "pivot", 0, GEMP_OPTION_CHOICE, "on|off", "on", ON_SEARCH, search, AT(pivot),
	  "on: start at the pattern vertex whose order of the others has the least estimated work (of equal ones, at the vertex "
	  "with the fewest candidates), from its candidates; off: at the first one, from all graph vertices." },
	{ "order", 0, GEMP_OPTION_TEXT, "A,B,...", NULL, GEMP_ON_MATCH, search, AT(order),
	  "Order in which the pattern's vertices are bound: all of them, by name or number (from 0), each after a "
	  "neighbour. Default: the order with the least estimated work." },
	{ "attributes", 0, GEMP_OPTION_CHOICE, "auto|before|after", "auto", ON_RUN | GEMP_ON_BENCH, search, AT(attributes),
	  "When conditions on a single vertex are tested: before the search, on all vertices, or after it, on results." },
	{ "replicate", 0, GEMP_OPTION_SIZE_OR_WORD, "none|auto|all|SIZE", "auto", ON_DEVICE | GEMP_ON_BENCH, search,
	  AT(replicate), "How many adjacency rows of other ranks a rank keeps a copy of, highest degree first." },
	{ "exchange", 0, GEMP_OPTION_CHOICE, "auto|push|pull", "auto", ON_DEVICE | GEMP_ON_BENCH, search, AT(exchange),
	  "How a rank obtains adjacency rows that it does not hold. push: it sends partial matches to the owners of the "
	  "rows; pull: the owners send the rows, in rounds; auto: the way with fewer expected bytes, unless that is "
	  "slower." },
	{ "launch-factor", 0, GEMP_OPTION_REAL, "C", NULL, ON_SEARCH, search, POSITIVE(launch_factor),
	  "C in the formula for the number of pivots in the next kernel launch. Default: 0.8; loop kernels on CPUs use the formula only if C is given." },
	{ "lanes", 0, GEMP_OPTION_COUNT, "N", "0", ON_SEARCH, search, AT(lanes),
	  "Work-items that share an adjacency row; 0: as measured for the device." },
	{ "combinations", 0, GEMP_OPTION_COUNT, "N", "1000000000", ON_SEARCH | GEMP_ON_TRANSFORM, search,
	  POSITIVE(combinations),
	  "Limit on the combinations of unconnected parts of a pattern; a query that needs more is an error." },
	{ "explain", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_RUN | GEMP_ON_BENCH, search, AT(explain),
	  "Print the plan with its estimates before the search (with --dry-run: instead of it)." },
	{ "explain", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_TRANSFORM, search, AT(explain),
	  "Print for each step how many matches there were, and how many were applied, in conflict and inapplicable." },
	{ "choose", 0, GEMP_OPTION_CHOICE, "auto|host|device", "auto", GEMP_ON_TRANSFORM, search, AT(choose),
	  "Where a single rank selects among conflicting matches; auto: many on a GPU, few on the host. Same answer." },
	{ "rematch", 0, GEMP_OPTION_CHOICE, "incremental|full", "incremental", GEMP_ON_TRANSFORM, search, AT(rematch),
	  "How a rule that runs again finds its matches. incremental: it searches only near what has changed and keeps "
	  "the other matches; full: it searches the whole graph in every step. The resulting graph is the same." },
	{ "on", 0, GEMP_OPTION_CHOICE, "auto|host|device", "auto", ON_HOST_OR_DEVICE | GEMP_ON_MATCH | GEMP_ON_BENCH,
	  search, AT(on),
	  "Where to compute: on threads of the host, on the device, or (auto) where it should be faster. Same answer." },
	/* Parameters of the analyses. */
	{ "delta", 0, GEMP_OPTION_REAL, "D", NULL, GEMP_ON_SSSP, search, POSITIVE(delta),
	  "Width of the buckets of distance in delta-stepping. Default: chosen from the weights. The answer is the same." },
	{ "damping", 0, GEMP_OPTION_REAL, "D", "0.85", GEMP_ON_PAGERANK, search, AT(damping),
	  "Probability of following an edge; otherwise a random jump follows." },
	{ "tolerance", 0, GEMP_OPTION_REAL, "T", "1e-6", GEMP_ON_PAGERANK, search, AT(tolerance),
	  "Stop when the ranks of all vertices together change by less than T in an iteration." },
	{ "max-iterations", 0, GEMP_OPTION_COUNT, "N", "100", GEMP_ON_PAGERANK, search, POSITIVE(max_iterations),
	  "Stop after N iterations, with a warning if the tolerance is not reached." },
	{ "pass", 0, GEMP_OPTION_CHOICE, "auto|push|shuffle", "auto", ON_SEARCH_FROM, search, AT(pass),
	  "How the edges of a frontier are processed. push: each updates its target at once; shuffle: as tuples that are "
	  "first grouped by ranges of targets. The answer is the same." },
	{ "gather", 0, GEMP_OPTION_CHOICE, "auto|pull|binned", "auto", ON_SUMS, search, AT(gather),
	  "How the values of neighbours are gathered. pull: each vertex reads them; binned: they are written to bins of "
	  "targets, in an order of the edges that is computed once. The answer is the same up to rounding." },
	{ "partition", 0, GEMP_OPTION_CHOICE, "random|2d", "random", ON_SUMS, search, AT(cut),
	  "How edges are distributed over ranks. random: a rank has the edges that lead to its vertices; 2d: the ranks "
	  "form a grid, and an edge is in the row of its target's rank and the column of its source's rank, which sends "
	  "fewer values with 4 ranks or more. The answer is the same up to rounding." },
	{ "transpose", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SPMV, search, AT(transpose),
	  "Multiply with the transposed matrix." },
	{ "repeat", 0, GEMP_OPTION_COUNT, "K", "1", GEMP_ON_SPMV, search, POSITIVE(repeat),
	  "Multiply K times, each time the result of the multiplication before." },
	{ "normalize", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SPMV, search, AT(normalize),
	  "Divide each result by its greatest magnitude (power iteration)." },
	{ "precision", 0, GEMP_OPTION_CHOICE, "auto|single|double", "auto", ON_SUMS, search, AT(precision),
	  "Precision of numbers: single has 7 digits and half the bytes. auto: single for pagerank --tolerance 1e-6 or more." },
	{ "verify", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_ANALYSIS, search, AT(verify_order),
	  "Check the answer by an independent method in double precision on the threads of the host. Every rank then "
	  "holds 12 to 56 bytes for each vertex of the graph." },
	{ "verify", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, search, AT(verify_order),
	  "Check the result on all ranks: each edge occurs once and begins where the edge before it ends." },
	{ "max-steps", 0, GEMP_OPTION_COUNT, "N", "1000000", GEMP_ON_TRANSFORM, search, POSITIVE(max_steps),
	  "Limit on the number of steps. Rules that need more end with an error, and no graph is written." },
	{ "profile", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_RUN | GEMP_ON_BENCH, search, AT(profile),
	  "Count and report the rows of each step of the plan and the bytes that it sent, pivots, attribute values that "
	  "were copied and used, and matches that lie within one of 1 to 64 parts." },

	/* Output files and their content. An option names an output file if its value in help is FILE, H.h5, F, OUT, ...
	 * (report_run.c has the list). report_run.c checks that no two outputs are the same file. */
	{ "count", 'c', GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH, output, AT(count), "Print only the count, no rows." },
	{ "count-per", 0, GEMP_OPTION_TEXT, "V", NULL, GEMP_ON_MATCH, output, AT(count_per),
	  "Rows of key and count: for each vertex of the graph the number of matches in which it is vertex V of the "
	  "pattern (by name or number), or a vertex that is equivalent to V by symmetry." },
	{ "estimate", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH, output, AT(estimate),
	  "Estimate the number of matches from samples, with a 95 % confidence interval." },
	{ "estimate-seconds", 0, GEMP_OPTION_REAL, "S", "1", GEMP_ON_MATCH, output, POSITIVE(estimate_seconds),
	  "Sample until the estimate is within 5 %, or for about S seconds. This does not include reading the graph, nor "
	  "choosing an order, which takes up to a quarter of S." },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, output, AT(output),
	  "Write the rows to FILE: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout; .dot and .graphml: as --subgraph." },
	{ "subgraph", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, output, AT(subgraph),
	  "Write the vertices and edges of all matches as a graph: .h5, .tsv, .csv, .jsonl, .graphml, .dot (for Graphviz) "
	  "or .mtx. Of paths of variable length it has only the ends." },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL,
	  GEMP_ON_EULER | GEMP_ON_EDGES | GEMP_ON_DEGREES | GEMP_ON_COMPONENTS | ON_ANALYSIS, output, AT(output),
	  "Write the rows to FILE: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout." },
	{ "into", 0, GEMP_OPTION_TEXT, "H.h5", NULL, ON_ANALYSIS | GEMP_ON_SOM, output, AT(into),
	  "Write the graph with the results as attributes of its vertices; may be G.h5 itself." },
	{ "column", 0, GEMP_OPTION_TEXT, "NAME", NULL, ON_ANALYSIS, output, AT(column),
	  "With --into: name of the attribute, or prefix of the names if there are two. Default: the name of the command." },
	{ "tree", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_COMPONENTS, output, AT(tree),
	  "Write a row for each edge of a spanning forest to FILE: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout." },
	{ "output", 'o', GEMP_OPTION_TEXT, "F", NULL, GEMP_ON_CONVERT, output, AT(output), "The file to write." },
	{ "format", 0, GEMP_OPTION_CHOICE, GEMP_EXPORT_CHOICES, "auto", GEMP_ON_CONVERT, output, AT(export_format),
	  "Format to write; auto: by the ending." },
	{ "type", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_CONVERT, output, AT(only_type),
	  "Write only edges of this type." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_CONVERT, output, AT(weight),
	  "Attribute of the edges with the entries of the matrix (.mtx)." },
	{ "output", 'o', GEMP_OPTION_TEXT, "G.h5", NULL, ON_MAKE | GEMP_ON_TRANSFORM | GEMP_ON_REVERSE, output, AT(output),
	  "The graph file to write." },
	{ "changes", 0, GEMP_OPTION_TEXT, "F.jsonl", NULL, GEMP_ON_TRANSFORM, output, AT(changes),
	  "Write a log of all changes to F.jsonl: a line for each element that is created, deleted or set, with step and "
	  "match. transform can replay the log in place of rules." },
	{ "dot", 0, GEMP_OPTION_TEXT, "F.dot", NULL, GEMP_ON_EULER, output, AT(dot),
	  "Draw a small graph for Graphviz: the circuits before they are joined, the circuit graph, and the result." },
	{ "dot", 0, GEMP_OPTION_TEXT, "F.dot", NULL, GEMP_ON_TRANSFORM, output, AT(dot),
	  "Draw a small graph for Graphviz before and after: created elements are green, deleted red, changed amber." },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_BENCH, output, AT(output),
	  "bench tune: write the result to FILE and not to the file that later runs read." },
	/* Headings belong to whole commands. The options of bench are therefore under Output, and each text begins with its
	 * subcommand. */
	{ "repeat", 0, GEMP_OPTION_COUNT, "N", "10", GEMP_ON_BENCH, output, AT(repeat),
	  "bench match: number of timed runs, after one warm-up run." },
	{ "seconds", 0, GEMP_OPTION_REAL, "S", "10", GEMP_ON_BENCH, output, POSITIVE(seconds),
	  "bench match: start no further run after S seconds. A warm-up run that takes longer is itself the timed run." },
	{ "tuple-size", 0, GEMP_OPTION_TEXT, "BYTES,...", "4,8,16,32,64", GEMP_ON_BENCH, output, AT(tuple_sizes),
	  "bench shuffle: sizes of tuples, powers of 2 from 4 to 64." },
	{ "ranges", 0, GEMP_OPTION_TEXT, "N,...", "256,2048", GEMP_ON_BENCH, output, AT(ranges),
	  "bench shuffle: numbers of ranges of destinations, powers of 2 up to 2048." },
	{ "method", 0, GEMP_OPTION_CHOICE, "all|decode|polling|converge|atomic|tables", "all", GEMP_ON_BENCH, output,
	  AT(shuffle_method), "bench shuffle: algorithm that groups tuples by ranges." },
	{ "destinations", 0, GEMP_OPTION_CHOICE, "both|uniform|skewed", "both", GEMP_ON_BENCH, output, AT(destinations),
	  "bench shuffle: uniform: all destinations are equally likely; skewed: an eighth of the tuples goes to all "
	  "destinations, an eighth to their first half, an eighth to the first quarter, and so on." },
	{ "tuples", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_BENCH, output, POSITIVE(tuples),
	  "bench shuffle: tuples of each rank. Default: 2 GiB over all ranks and at most 2^28 tuples on a GPU, 128 MiB on "
	  "a CPU; fewer for methods in which every range reads every tuple." },
	/* som has entries of its own for --resume and --max-time, since its checkpoint is the map in --output. */
	{ "checkpoint", 0, GEMP_OPTION_TEXT, "FOLDER", NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, output, AT(checkpoint),
	  "Save finished work in FOLDER. SIGTERM, SIGINT, SIGUSR1, SIGUSR2 and --max-time then stop the run with exit "
	  "code 75, and --resume continues it. A run that completes empties the folder." },
	{ "resume", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, output, AT(resume),
	  "Continue from the checkpoint, with any number of ranks; start from the beginning if there is none." },
	{ "max-time", 0, GEMP_OPTION_REAL, "S", NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, output, POSITIVE(max_time),
	  "Stop with a checkpoint after S seconds." },
	{ "limit", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_MATCH, output, AT(limit), "Stop after N rows." },
	{ "schema", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_INFO, output, AT(schema),
	  "Show only labels, types, attributes and sizes, which need no reading of edges; no degrees." },
	{ "parts", 'k', GEMP_OPTION_COUNT, "K", NULL, GEMP_ON_PARTITION, output, POSITIVE(parts),
	  "Number of parts. Default: the parts that the file stores, or else the number of ranks." },
	{ "method", 0, GEMP_OPTION_CHOICE, GEMP_PARTITION_CHOICES, "random", GEMP_ON_PARTITION, output, AT(method),
	  "random: parts of equal numbers of vertices; block: contiguous in the order of keys, with about equal bytes of "
	  "rows; ptscotch: few edges between parts (PT-Scotch, whose result depends on the number of ranks)." },
	{ "output", 'o', GEMP_OPTION_TEXT, "H.h5", NULL, GEMP_ON_PARTITION, output, AT(output),
	  "Write the graph in the order of the parts." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_PARTITION, output, AT(weight),
	  "With --output: numeric attribute of the edges that the file stores as the values of its matrices." },
	{ "type", 0, GEMP_OPTION_CHOICE, "auto|u32|u64|i32|i64|f32|f64", "auto", ON_ARRAYS, input, AT(value_type),
	  "Type of the numbers. auto: that of the file; for text the first of u32, i32, u64, i64, f64 that fits." },
	{ "descending", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SORT, output, AT(descending),
	  "Sort in descending order." },
	{ "count", 'c', GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_DISTINCT, output, AT(count), "Print only the count." },
	{ "output", 'o', GEMP_OPTION_TEXT, "OUT", NULL, ON_ARRAYS, output, AT(output),
	  "Write the numbers to OUT: .npy, .h5 or .h5:/DATASET, else text with one number a line; -: text on stdout." },
	{ "as", 0, GEMP_OPTION_CHOICE, "text|markdown|man", "text", GEMP_ON_HELP, output, AT(as),
	  "Form of the help; markdown and man have all commands." },
	/* Assembly and self-organising maps. The choices of som come from include/gemp/types.h, where the enumerations of
	 * the library have the same order. */
	{ "kmer", 'k', GEMP_OPTION_COUNT, "K", "31", GEMP_ON_ASSEMBLE, input, POSITIVE(kmer),
	  "Length of k-mers, 2 to 31." },
	{ "min-count", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_ASSEMBLE, input, POSITIVE(min_count),
	  "Leave out k-mers that occur less than N times in all reads; most of these contain errors." },
	{ "strands", 0, GEMP_OPTION_CHOICE, "both|one", "both", GEMP_ON_ASSEMBLE, input, AT(strands),
	  "both: reads come from either strand, and a k-mer equals its reverse complement; one: all from one strand." },
	{ "copies", 0, GEMP_OPTION_CHOICE, "coverage|count|one", "coverage", GEMP_ON_ASSEMBLE, input, AT(copies),
	  "How often the genome contains a unitig. coverage: by the coverage of its k-mers relative to the median; count: "
	  "as often as its k-mers occur (the reads are the genome itself, once); one: once." },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_ASSEMBLE, output, AT(output),
	  "Write the Eulerian path, or the unitigs if there is none, to FILE as FASTA; -: stdout." },
	{ "unitigs", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_ASSEMBLE, output, AT(unitigs),
	  "Write the unitigs to FILE, as FASTA." },
	{ "gfa", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_ASSEMBLE, output, AT(gfa),
	  "Write the unitigs and the links between them to FILE, as GFA 1." },
	{ "features", 0, GEMP_OPTION_TEXT, "LIST", NULL, GEMP_ON_SOM, input, AT(features),
	  "train: DATA is a graph, and these features of its vertices, joined by commas, are the columns: degree, "
	  "in-degree, out-degree, neighbours, triangles, clustering, pagerank (with mean 1), component-size, attr:NAME "
	  "(an attribute), and log:FEATURE, which is log(1 + FEATURE). apply takes the list from the map." },
	{ "key", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_SOM, input, AT(key_column),
	  "Column of the table with the names of its rows. Default: the first column, if it is not numeric." },
	{ "scale", 0, GEMP_OPTION_CHOICE, GEMP_SOM_SCALINGS, "none", GEMP_ON_SOM, input, AT(scaling),
	  "train: scaling of each column. unit: minimum 0 and maximum 1; standard: mean 0 and standard deviation 1, the "
	  "default with --features. The map stores the scaling for apply and draw." },
	{ "size", 0, GEMP_OPTION_TEXT, "ROWSxCOLUMNS", NULL, GEMP_ON_SOM, search, AT(map_size),
	  "train: units of the map. Default: a square of about 5 times the square root of the number of vectors." },
	{ "grid", 0, GEMP_OPTION_CHOICE, GEMP_SOM_GRIDS, "rectangular", GEMP_ON_SOM, search, AT(grid),
	  "train: arrangement of the units: in rows and columns, or with six neighbours each." },
	{ "topology", 0, GEMP_OPTION_CHOICE, GEMP_SOM_TOPOLOGIES, "planar", GEMP_ON_SOM, search, AT(topology),
	  "train: planar: the map has borders; toroid: opposite borders are joined." },
	{ "metric", 0, GEMP_OPTION_CHOICE, GEMP_SOM_METRICS, "euclidean", GEMP_ON_SOM, search, AT(metric),
	  "train: distance of a vector and a unit, over the values that are present." },
	{ "training", 0, GEMP_OPTION_CHOICE, GEMP_SOM_TRAININGS, "batch", GEMP_ON_SOM, search, AT(training),
	  "train: batch: an epoch replaces units by weighted means of vectors; online: vectors move units one by one." },
	{ "neighbourhood", 0, GEMP_OPTION_CHOICE, GEMP_SOM_NEIGHBOURHOODS, "gaussian", GEMP_ON_SOM, search,
	  AT(neighbourhood),
	  "train: weight of a vector for a unit at distance d from its best-matching unit. gaussian: exp(-d^2 / 2 r^2) "
	  "with the radius r; gaussian-cut: the same, but 0 beyond r; bubble: 1 up to r; square: 1 up to r rows and "
	  "columns away." },
	{ "radius", 0, GEMP_OPTION_REAL, "R", NULL, GEMP_ON_SOM, search, POSITIVE(radius),
	  "train: radius of the first epoch. Default: half of the longer side." },
	{ "radius-end", 0, GEMP_OPTION_REAL, "R", "1", GEMP_ON_SOM, search, POSITIVE(radius_end),
	  "train: radius of the last epoch." },
	{ "rate", 0, GEMP_OPTION_REAL, "A", "0.1", GEMP_ON_SOM, search, POSITIVE(rate),
	  "train: rate of the first epoch of online training." },
	{ "rate-end", 0, GEMP_OPTION_REAL, "A", "0.01", GEMP_ON_SOM, search, POSITIVE(rate_end),
	  "train: rate of the last epoch." },
	{ "cooling", 0, GEMP_OPTION_CHOICE, GEMP_SOM_COOLINGS, "linear", GEMP_ON_SOM, search, AT(cooling),
	  "train: how radius and rate decrease from the first epoch to the last." },
	{ "epochs", 0, GEMP_OPTION_COUNT, "N", "20", GEMP_ON_SOM, search, POSITIVE(epochs),
	  "train: number of passes over the vectors." },
	{ "start", 0, GEMP_OPTION_CHOICE, GEMP_SOM_STARTS, "pca", GEMP_ON_SOM, search, AT(start),
	  "train: initial units. random: within the range of each column; samples: vectors; pca: along two principal components." },
	{ "seed", 0, GEMP_OPTION_COUNT, "N", "1", GEMP_ON_SOM, search, AT(seed),
	  "train: seed of --start random and samples." },
	{ "no-quality", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SOM, search, AT(no_quality),
	  "train: compute the errors only at the end, which makes small epochs faster." },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_SOM, output, AT(output),
	  "train: write the map, .h5. apply: write a row for each vector: .tsv, .csv, .jsonl or .h5, or - for TSV on "
	  "stdout. draw: write the picture, .svg or .png." },
	{ "column", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_SOM, output, AT(column),
	  "With --into: prefix of the attributes' names, NAME_unit and so on. Default: som." },
	{ "save-every", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_SOM, output, POSITIVE(save_every),
	  "train: also write the map after every N epochs." },
	{ "resume", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SOM, output, AT(resume),
	  "train: continue the training of the map in --output with its settings; if there is none, start anew." },
	{ "max-time", 0, GEMP_OPTION_REAL, "S", NULL, GEMP_ON_SOM, output, POSITIVE(max_time),
	  "train: stop after the epoch in which S seconds have passed; the map is written, for --resume." },
	{ "show", 0, GEMP_OPTION_LIST, "NAME", NULL, GEMP_ON_SOM, output, AT(shown),
	  "draw: umatrix, hits, planes (all columns), the name of a column, or rgb:RED,GREEN,BLUE (three columns as "
	  "colours); may be repeated. Default: umatrix and planes." },
	{ "labels", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_SOM, output, AT(labels_file),
	  "draw: label the units of the first picture with names from FILE, the rows of apply in any of its formats." },
	/* Options of all commands that have a report. */
	{ "json", 0, GEMP_OPTION_TEXT, "FILE", NULL, ON_REPORT, output, AT(json),
	  "Write the report as JSON. -: to stdout, and text for people goes to stderr." },
	{ "trace", 0, GEMP_OPTION_TEXT, "FILE", NULL, ON_REPORT, output, AT(trace),
	  "Write a timeline of all ranks and devices as Chrome trace events, which Perfetto and chrome://tracing show." },

	/* Budgets. Tests use small values to force several rounds. */
	{ "devices", 'd', GEMP_OPTION_TEXT, "SPEC", "auto",
	  ON_DEVICE | GEMP_ON_DEVICES | GEMP_ON_BENCH | GEMP_ON_WARM | ON_HOST_OR_DEVICE | ON_ANALYSIS | GEMP_ON_SOM,
	  budgets, AT(devices),
	  "auto (GPUs if there are any, else CPUs), gpu, cpu, or a list of numbers (0,1), PCI addresses (65:00.0), UUIDs "
	  "or parts of names, joined by commas. The ranks of a node take the devices in turn. If a list, or the word all "
	  "(the same devices as auto), has more devices than there are ranks, each rank gets several: a search then uses "
	  "all of them, other work the first." },
	{ "host-memory", 0, GEMP_OPTION_SIZE, "SIZE", NULL, ON_DEVICE, budgets, POSITIVE(host_memory),
	  "Host memory of a rank for removing duplicates, which takes several passes if it is too small, and for groups "
	  "and rows to sort, which must fit." },
	{ "device-memory", 0, GEMP_OPTION_SIZE, "SIZE", NULL,
	  ON_DEVICE | GEMP_ON_BENCH | ON_HOST_OR_DEVICE | ON_ANALYSIS | GEMP_ON_SOM, budgets, POSITIVE(device_memory),
	  "Memory that a rank may use on each of its devices." },
	{ "result-buffer", 0, GEMP_OPTION_COUNT, "N", NULL, ON_DEVICE | GEMP_ON_BENCH, budgets, POSITIVE(result_buffer),
	  "Matches that one kernel launch can store on the device." },
	{ "outbox", 0, GEMP_OPTION_COUNT, "N", NULL, ON_DEVICE | GEMP_ON_BENCH, budgets, POSITIVE(outbox),
	  "Partial matches that can wait for each step and destination rank." },
	{ "row-cache", 0, GEMP_OPTION_SIZE, "SIZE", NULL, ON_DEVICE | GEMP_ON_BENCH, budgets, AT(row_cache),
	  "Device memory for adjacency rows that come in rounds (--exchange pull, or a graph larger than the device). "
	  "Default: half of the free memory." },

	/* All commands accept --help and --version, so they work even if other options are missing. */
	{ "config", 0, GEMP_OPTION_TEXT, "FILE", NULL, ON_REPORT, general, AT(config),
	  "Read options from FILE, one `long-option = value` a line. Options on the command line take precedence." },
	{ "dry-run", 'n', GEMP_OPTION_FLAG, NULL, NULL, ON_RUN, general, AT(dry_run),
	  "Print the plan and sizes, and stop before kernels are built." },
	{ "quiet", 'q', GEMP_OPTION_FLAG, NULL, NULL, ON_REPORT, general, AT(quiet), "Print only errors and results." },
	{ "verbose", 'v', GEMP_OPTION_FLAG, NULL, NULL, ON_REPORT, general, AT(verbose),
	  "Print decisions: plan, sizes, launches." },
	{ "debug", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_REPORT, general, AT(debug), "Print what each round does." },
	{ "help", 'h', GEMP_OPTION_FLAG, NULL, NULL, ON_ALL, general, AT(help), "Show this help." },
	{ "version", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_ALL, general, AT(version), "Show the version." },
};

enum { FIXED = sizeof table / sizeof *table };

/* Appends the formats of the library to the choices of --format, so a new format needs no change here. */
static void list_formats(void)
{
	const char *name, *endings, *summary;
	size_t at = strlen(formats);
	for (size_t i = 0; gemp_import_format_at(i, &name, &endings, &summary); i++)
		at += (size_t)snprintf(formats + at, sizeof formats - at, "|%s", name);
	GEMP_CHECK(at < sizeof formats);
}

/* Returns true if the table has a parameter of this name. Generators share parameters such as --vertices. */
static bool has_parameter(const gemp_option *all, size_t count, const char *name)
{
	for (size_t i = FIXED; i < count; i++)
		if (strcmp(all[i].name, name) == 0)
			return true;
	return false;
}

/* The first call builds the table, which does not change later. */
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
				all[all_count++] = (gemp_option){ .name = parameter->name,
					                              .kind = GEMP_OPTION_PARAMETER,
					                              .value = "X",
					                              .commands = GEMP_ON_GENERATE,
					                              .group = "Parameters of generators",
					                              .help = parameter->meaning };
			}
	}
	*count = all_count;
	return all;
}
