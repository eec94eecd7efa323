/* options_output: the files and texts that commands write. */

#include "cli/options/option_list.h"

static const gemp_option options[] = {
	/* Output files and their content. An option names an output file if its value in help is FILE, H.h5, F, OUT, ...
	 * (report_run.c has the list). report_run.c checks that no two outputs are the same file. */
	{ "count", 'c', GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH, OF_OUTPUT, AT(count),
	  "Print only the count, no rows." },
	{ "count-per", 0, GEMP_OPTION_TEXT, "V", NULL, GEMP_ON_MATCH, OF_OUTPUT, AT(count_per),
	  "Rows of key and count: for each vertex of the graph the number of matches in which it is vertex V of the "
	  "pattern (by name or number), or a vertex that is equivalent to V by symmetry." },
	{ "estimate", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH, OF_OUTPUT, AT(estimate),
	  "Estimate the number of matches from samples, with a 95 % confidence interval." },
	{ "estimate-seconds", 0, GEMP_OPTION_REAL, "S", "1", GEMP_ON_MATCH, OF_OUTPUT, POSITIVE(estimate_seconds),
	  "Sample until the estimate is within 5 %, or for about S seconds. This does not include reading the graph, nor "
	  "choosing an order, which takes up to a quarter of S." },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, OF_OUTPUT, AT(output),
	  "Write the rows to FILE: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout; .dot and .graphml: as --subgraph." },
	{ "subgraph", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, OF_OUTPUT, AT(subgraph),
	  "Write the vertices and edges of all matches as a graph: .h5, .tsv, .csv, .jsonl, .graphml, .dot (for Graphviz) "
	  "or .mtx. Of paths of variable length it has only the ends." },
	{ "draw", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_MATCH, OF_OUTPUT, AT(draw),
	  "Draw the pattern to FILE: .svg, .png or .dot (for Graphviz), with its conditions, the pivot and the order in which "
	  "the search binds the vertices. With --dry-run nothing else is done." },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL,
	  GEMP_ON_EULER | GEMP_ON_EDGES | GEMP_ON_DEGREES | GEMP_ON_COMPONENTS | ON_ANALYSIS, OF_OUTPUT, AT(output),
	  "Write the rows to FILE: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout." },
	{ "into", 0, GEMP_OPTION_TEXT, "H.h5", NULL, ON_ANALYSIS | GEMP_ON_SOM, OF_OUTPUT, AT(into),
	  "Write the graph with the results as attributes of its vertices; may be G.h5 itself." },
	{ "column", 0, GEMP_OPTION_TEXT, "NAME", NULL, ON_ANALYSIS, OF_OUTPUT, AT(column),
	  "With --into: name of the attribute, or prefix of the names if there are two. Default: the name of the command." },
	{ "show", 0, GEMP_OPTION_TEXT, "ATTRIBUTE", NULL, GEMP_ON_PAGERANK, OF_OUTPUT, AT(shown_attribute),
	  "Attribute of the vertices that the list of the largest ranks shows beside the key, such as a name." },
	{ "tree", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_COMPONENTS, OF_OUTPUT, AT(tree),
	  "Write a row for each edge of a spanning forest to FILE: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout." },
	{ "output", 'o', GEMP_OPTION_TEXT, "F", NULL, GEMP_ON_CONVERT, OF_OUTPUT, AT(output), "The file to write." },
	{ "format", 0, GEMP_OPTION_CHOICE, GEMP_EXPORT_CHOICES, "auto", GEMP_ON_CONVERT, OF_OUTPUT, AT(export_format),
	  "Format to write; auto: by the ending." },
	{ "type", 0, GEMP_OPTION_TEXT, "NAME", NULL, GEMP_ON_CONVERT, OF_OUTPUT, AT(only_type),
	  "Write only edges of this type." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_CONVERT, OF_OUTPUT, AT(weight),
	  "Attribute of the edges with the entries of the matrix (.mtx)." },
	{ "output", 'o', GEMP_OPTION_TEXT, "G.h5", NULL, ON_MAKE | GEMP_ON_TRANSFORM | GEMP_ON_REVERSE, OF_OUTPUT,
	  AT(output), "The graph file to write." },
	{ "rows", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_TRANSFORM, OF_OUTPUT, AT(rows),
	  "With a query: write the rows of RETURN to FILE: .tsv, .csv, .jsonl or .h5, or - for TSV on stdout." },
	{ "changes", 0, GEMP_OPTION_TEXT, "F.jsonl", NULL, GEMP_ON_TRANSFORM, OF_OUTPUT, AT(changes),
	  "Write a log of all changes to F.jsonl: a line for each element that is created, deleted or set, with step and "
	  "match. transform can replay the log in place of rules." },
	{ "svg", 0, GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_DEMO, OF_OUTPUT, AT(svg),
	  "Draw the part of each rank in the search as an SVG picture." },
	{ "dot", 0, GEMP_OPTION_TEXT, "F.dot", NULL, GEMP_ON_EULER, OF_OUTPUT, AT(dot),
	  "Draw a small graph for Graphviz: the circuits before they are joined, the circuit graph, and the result." },
	{ "dot", 0, GEMP_OPTION_TEXT, "F.dot", NULL, GEMP_ON_COMPONENTS, OF_OUTPUT, AT(dot),
	  "Draw a small graph for Graphviz: vertices in the colours of their in- and out-degree, and a spanning forest in red." },
	{ "dot", 0, GEMP_OPTION_TEXT, "F.dot", NULL, GEMP_ON_TRANSFORM, OF_OUTPUT, AT(dot),
	  "Draw a small graph for Graphviz before and after: created elements are green, deleted red, changed amber." },
	{ "output", 'o', GEMP_OPTION_TEXT, "FILE", NULL, GEMP_ON_BENCH, OF_OUTPUT, AT(output),
	  "bench tune: write the result to FILE and not to the file that later runs read." },
	/* Headings belong to whole commands. The options of bench are therefore under Output, and each text begins with its
	 * subcommand. */
	{ "repeat", 0, GEMP_OPTION_COUNT, "N", "10", GEMP_ON_BENCH, OF_OUTPUT, AT(repeat),
	  "bench match: number of timed runs, after one warm-up run. bench analytics: number of runs of each method, of "
	  "which the fastest counts; by default 3." },
	{ "seconds", 0, GEMP_OPTION_REAL, "S", "10", GEMP_ON_BENCH, OF_OUTPUT, POSITIVE(seconds),
	  "bench match: start no further run after S seconds. A warm-up run that takes longer is itself the timed run. bench "
	  "analytics: the same for each method; the first run of a slow method ends after the iteration in which S seconds "
	  "have passed." },
	{ "tuple-size", 0, GEMP_OPTION_TEXT, "BYTES,...", "4,8,16,32,64", GEMP_ON_BENCH, OF_OUTPUT, AT(tuple_sizes),
	  "bench shuffle: sizes of tuples, powers of 2 from 4 to 64." },
	{ "ranges", 0, GEMP_OPTION_TEXT, "N,...", "256,2048", GEMP_ON_BENCH, OF_OUTPUT, AT(ranges),
	  "bench shuffle: numbers of ranges of destinations, powers of 2 up to 2048. bench analytics: the maximum number, "
	  "by default 2048; edges to more destinations than fit are streamed in parts." },
	{ "method", 0, GEMP_OPTION_CHOICE, "all|decode|polling|converge|atomic|tables", "all", GEMP_ON_BENCH, OF_OUTPUT,
	  AT(shuffle_method),
	  "bench shuffle, bench analytics: algorithm that groups tuples by ranges. analytics: all is all "
	  "except tables." },
	{ "application", 0, GEMP_OPTION_CHOICE, "all|pagerank|bfs|sssp|spmv", "all", GEMP_ON_BENCH, OF_OUTPUT,
	  AT(application), "bench analytics: the analysis to run." },
	{ "iterations", 0, GEMP_OPTION_COUNT, "N", "10", GEMP_ON_BENCH, OF_OUTPUT, POSITIVE(iterations),
	  "bench analytics: iterations of pagerank, and number of products of spmv." },
	{ "source", 0, GEMP_OPTION_TEXT, "KEY", NULL, GEMP_ON_BENCH, OF_OUTPUT, AT(source),
	  "bench analytics: the vertex from which bfs and sssp start. Default: a vertex with the most edges." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_BENCH, OF_OUTPUT, AT(weight),
	  "bench analytics: attribute of the edges with the lengths of sssp and the entries of spmv's matrix. Without it "
	  "each edge has 1." },
	{ "destinations", 0, GEMP_OPTION_CHOICE, "both|uniform|skewed", "both", GEMP_ON_BENCH, OF_OUTPUT, AT(destinations),
	  "bench shuffle: uniform: all destinations are equally likely; skewed: an eighth of the tuples goes to all "
	  "destinations, an eighth to their first half, an eighth to the first quarter, and so on." },
	{ "tuples", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_BENCH, OF_OUTPUT, POSITIVE(tuples),
	  "bench shuffle: tuples of each rank. Default: 2 GiB over all ranks and at most 2^28 tuples on a GPU, 128 MiB on "
	  "a CPU; fewer for methods in which every range reads every tuple." },
	/* som has entries of its own for --resume and --max-time, since its checkpoint is the map in --output. */
	{ "checkpoint", 0, GEMP_OPTION_TEXT, "FOLDER", NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, OF_OUTPUT, AT(checkpoint),
	  "Save finished work in FOLDER. SIGTERM, SIGINT, SIGUSR1, SIGUSR2 and --max-time then stop the run with exit "
	  "code 75, and --resume continues it. A run that completes empties the folder." },
	{ "resume", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, OF_OUTPUT, AT(resume),
	  "Continue from the checkpoint, with any number of ranks; start from the beginning if there is none." },
	{ "max-time", 0, GEMP_OPTION_REAL, "S", NULL, GEMP_ON_MATCH | GEMP_ON_TRANSFORM, OF_OUTPUT, POSITIVE(max_time),
	  "Stop with a checkpoint after S seconds." },
	{ "limit", 0, GEMP_OPTION_COUNT, "N", NULL, GEMP_ON_MATCH, OF_OUTPUT, AT(limit), "Stop after N rows." },
	{ "schema", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_INFO, OF_OUTPUT, AT(schema),
	  "Show only labels, types, attributes and sizes, which need no reading of edges; no degrees." },
	{ "parts", 'k', GEMP_OPTION_COUNT, "K", NULL, GEMP_ON_PARTITION, OF_OUTPUT, POSITIVE(parts),
	  "Number of parts. Default: the parts that the file stores, or else the number of ranks." },
	{ "method", 0, GEMP_OPTION_CHOICE, GEMP_PARTITION_CHOICES, "random", GEMP_ON_PARTITION, OF_OUTPUT, AT(method),
	  "random: parts of equal numbers of vertices; block: contiguous in the order of keys, with about equal bytes of "
	  "rows; ptscotch: few edges between parts (PT-Scotch, whose result depends on the number of ranks)." },
	{ "output", 'o', GEMP_OPTION_TEXT, "H.h5", NULL, GEMP_ON_PARTITION, OF_OUTPUT, AT(output),
	  "Write the graph in the order of the parts." },
	{ "weight", 0, GEMP_OPTION_TEXT, "COLUMN", NULL, GEMP_ON_PARTITION, OF_OUTPUT, AT(weight),
	  "With --output: numeric attribute of the edges that the file stores as the values of its matrices." },
	{ "type", 0, GEMP_OPTION_CHOICE, "auto|u32|u64|i32|i64|f32|f64", "auto", ON_ARRAYS, OF_INPUT, AT(value_type),
	  "Type of the numbers. auto: that of the file; for text the first of u32, i32, u64, i64, f64 that fits." },
	{ "descending", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SORT, OF_OUTPUT, AT(descending),
	  "Sort in descending order." },
	{ "count", 'c', GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_DISTINCT, OF_OUTPUT, AT(count), "Print only the count." },
	{ "output", 'o', GEMP_OPTION_TEXT, "OUT", NULL, ON_ARRAYS, OF_OUTPUT, AT(output),
	  "Write the numbers to OUT: .npy, .h5 or .h5:/DATASET, else text with one number a line; -: text on stdout." },
	{ "as", 0, GEMP_OPTION_CHOICE, "text|markdown|man", "text", GEMP_ON_HELP, OF_OUTPUT, AT(as),
	  "Form of the help; markdown and man have all commands." },
};

const gemp_option_part gemp_options_output = { options, sizeof options / sizeof *options };
