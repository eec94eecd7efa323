/* options_search: how an answer is found. */

#include "cli/options/option_list.h"

static const gemp_option options[] = {
	/* How matches are found. These options are for measurements, and for graphs on which the automatic choice is
	 * poor. */
	{ "count-by", 0, GEMP_OPTION_CHOICE, "auto|enumerate", "auto", ON_SEARCH, OF_SEARCH, AT(count_by),
	  "How matches are counted if only a count is asked for. auto: by sums over the graph, if the planner finds any "
	  "for the pattern; enumerate: one by one. The answer is the same." },
	/* --symmetry, --count-by, --pivot and --attributes turn an optimisation off, for measurements and for tests that
	 * compare the two ways. */
	{ "pivot", 0, GEMP_OPTION_CHOICE, "on|off", "on", ON_SEARCH, OF_SEARCH, AT(pivot),
	  "on: start at the pattern vertex whose order of the others has the least estimated work (of equal ones, at the vertex "
	  "with the fewest candidates), from its candidates; off: at the first one, from all graph vertices." },
	{ "order", 0, GEMP_OPTION_TEXT, "A,B,...", NULL, GEMP_ON_MATCH, OF_SEARCH, AT(order),
	  "Order in which the pattern's vertices are bound: all of them, by name or number (from 0), each after a "
	  "neighbour. Default: the order with the least estimated work." },
	{ "attributes", 0, GEMP_OPTION_CHOICE, "auto|before|after", "auto", ON_RUN | GEMP_ON_BENCH, OF_SEARCH,
	  AT(attributes),
	  "When conditions on a single vertex are tested: before the search, on all vertices, or after it, on results." },
	{ "attribute-copies", 0, GEMP_OPTION_CHOICE, "once|each", "once", ON_SEARCH, OF_SEARCH, AT(attribute_copies),
	  "How often values of vertices are copied for conditions that are tested after the search: once a round for each "
	  "vertex, or for each match, to compare the two ways." },
	{ "replicate", 0, GEMP_OPTION_SIZE_OR_WORD, "none|auto|all|SIZE", "auto", ON_DEVICE | GEMP_ON_BENCH, OF_SEARCH,
	  AT(replicate), "How many adjacency rows of other ranks a rank keeps a copy of, highest degree first." },
	{ "exchange", 0, GEMP_OPTION_CHOICE, "auto|push|pull", "auto", ON_DEVICE | GEMP_ON_BENCH, OF_SEARCH, AT(exchange),
	  "How a rank obtains adjacency rows that it does not hold. push: it sends partial matches to the owners of the "
	  "rows; pull: the owners send the rows, in rounds; auto: the way with fewer expected bytes, unless that is "
	  "slower." },
	{ "launch-factor", 0, GEMP_OPTION_REAL, "C", NULL, ON_SEARCH, OF_SEARCH, POSITIVE(launch_factor),
	  "C in the formula for the number of pivots in the next kernel launch. Default: 0.8; loop kernels on CPUs use the formula only if C is given." },
	{ "lanes", 0, GEMP_OPTION_COUNT, "N", "0", ON_SEARCH, OF_SEARCH, AT(lanes),
	  "Work-items that share an adjacency row; 0: as measured for the device." },
	{ "combinations", 0, GEMP_OPTION_COUNT, "N", "1000000000", ON_SEARCH | GEMP_ON_TRANSFORM, OF_SEARCH,
	  POSITIVE(combinations),
	  "Limit on the combinations of unconnected parts of a pattern; a query that needs more is an error." },
	{ "explain", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_RUN | GEMP_ON_BENCH, OF_SEARCH, AT(explain),
	  "Print the plan with its estimates before the search (with --dry-run: instead of it)." },
	{ "explain", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_TRANSFORM, OF_SEARCH, AT(explain),
	  "Print for each step of rules how many matches there were, and how many were applied, in conflict and inapplicable; "
	  "of a query its clauses." },
	{ "choose", 0, GEMP_OPTION_CHOICE, "auto|host|device", "auto", GEMP_ON_TRANSFORM, OF_SEARCH, AT(choose),
	  "Where the ranks select among conflicting matches; auto: many on GPUs, few on the hosts. Same answer." },
	{ "rematch", 0, GEMP_OPTION_CHOICE, "incremental|full", "incremental", GEMP_ON_TRANSFORM, OF_SEARCH, AT(rematch),
	  "How a rule that runs again finds its matches. incremental: it searches only near what has changed and keeps "
	  "the other matches; full: it searches the whole graph in every step. The resulting graph is the same." },
	{ "on", 0, GEMP_OPTION_CHOICE, "auto|host|device", "auto", ON_HOST_OR_DEVICE | GEMP_ON_MATCH | GEMP_ON_BENCH,
	  OF_SEARCH, AT(on),
	  "Where to compute: on threads of the host, on the device, or (auto) where it should be faster. Same answer." },
	/* Parameters of the analyses. */
	{ "delta", 0, GEMP_OPTION_REAL, "D", NULL, GEMP_ON_SSSP, OF_SEARCH, POSITIVE(delta),
	  "Width of the buckets of distance in delta-stepping. Default: chosen from the weights. The answer is the same." },
	{ "damping", 0, GEMP_OPTION_REAL, "D", "0.85", GEMP_ON_PAGERANK, OF_SEARCH, AT(damping),
	  "Probability of following an edge; otherwise a random jump follows." },
	{ "tolerance", 0, GEMP_OPTION_REAL, "T", "1e-6", GEMP_ON_PAGERANK, OF_SEARCH, AT(tolerance),
	  "Stop when the ranks of all vertices together change by less than T in an iteration." },
	{ "max-iterations", 0, GEMP_OPTION_COUNT, "N", "100", GEMP_ON_PAGERANK, OF_SEARCH, POSITIVE(max_iterations),
	  "Stop after N iterations, with a warning if the tolerance is not reached." },
	{ "pass", 0, GEMP_OPTION_CHOICE, "auto|push|shuffle", "auto", ON_SEARCH_FROM, OF_SEARCH, AT(pass),
	  "How the edges of a frontier are processed. push: each updates its target at once; shuffle: as tuples that are "
	  "first grouped by ranges of targets. The answer is the same." },
	{ "gather", 0, GEMP_OPTION_CHOICE, "auto|pull|binned", "auto", ON_SUMS, OF_SEARCH, AT(gather),
	  "How the values of neighbours are gathered. pull: each vertex reads them; binned: they are written to bins of "
	  "targets, in an order of the edges that is computed once. The answer is the same up to rounding." },
	{ "partition", 0, GEMP_OPTION_CHOICE, "random|2d", "random", ON_SUMS, OF_SEARCH, AT(cut),
	  "How edges are distributed over ranks. random: a rank has the edges that lead to its vertices; 2d: the ranks "
	  "form a grid, and an edge is in the row of its target's rank and the column of its source's rank, which sends "
	  "fewer values with 4 ranks or more. The answer is the same up to rounding." },
	{ "transpose", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SPMV, OF_SEARCH, AT(transpose),
	  "Multiply with the transposed matrix." },
	{ "repeat", 0, GEMP_OPTION_COUNT, "K", "1", GEMP_ON_SPMV, OF_SEARCH, POSITIVE(repeat),
	  "Multiply K times, each time the result of the multiplication before." },
	{ "normalize", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_SPMV, OF_SEARCH, AT(normalize),
	  "Divide each result by its greatest magnitude (power iteration)." },
	{ "precision", 0, GEMP_OPTION_CHOICE, "auto|single|double", "auto", ON_SUMS, OF_SEARCH, AT(precision),
	  "Precision of numbers: single has 7 digits and half the bytes. auto: single for pagerank --tolerance 1e-6 or more." },
	{ "verify", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_ANALYSIS, OF_SEARCH, AT(verify_order),
	  "Check the answer by an independent method in double precision on the threads of the host. Every rank then "
	  "holds 12 to 56 bytes for each vertex of the graph." },
	{ "verify", 0, GEMP_OPTION_FLAG, NULL, NULL, GEMP_ON_EULER, OF_SEARCH, AT(verify_order),
	  "Check the result on all ranks: each edge occurs once and begins where the edge before it ends." },
	{ "max-steps", 0, GEMP_OPTION_COUNT, "N", "1000000", GEMP_ON_TRANSFORM, OF_SEARCH, POSITIVE(max_steps),
	  "Limit on the number of steps. Rules that need more end with an error, and no graph is written." },
	{ "profile", 0, GEMP_OPTION_FLAG, NULL, NULL, ON_RUN | GEMP_ON_BENCH, OF_SEARCH, AT(profile),
	  "Count and report the rows of each step of the plan and the bytes that it sent, pivots, attribute values that "
	  "were copied and used, and matches that lie within one of 1 to 64 parts." },
};

const gemp_option_part gemp_options_search = { options, sizeof options / sizeof *options };
