/* kernel_text: the common part of the generators of match kernels: the options of a kernel, the layouts of its items,
 * matches and states, a writer of kernel source, and the text of tests, marks and tables.
 *
 * A letter and a number name a generated variable: v_3 is the slot of pattern vertex 3, e_1 is pattern edge 1, and
 * cur_2 and end_2 are the range of step 2. No text of the user enters a kernel. Local. */

#ifndef GEMP_MATCH_CODEGEN_KERNEL_TEXT_H
#define GEMP_MATCH_CODEGEN_KERNEL_TEXT_H

#include "core/text.h"
#include "match/codegen/adjacency_marks.h"

enum { GEMP_MAX_STAGES = 4096 };

typedef struct gemp_emit_options {
	int lanes;
	bool all_resident;
	bool listed;     /* matches go to the result buffer; otherwise they are only counted */
	bool wide;       /* some view has 2^32 entries or more */
	bool prefetched; /* loops fetch rows before they walk them, since the rows exceed a cache */
	bool profile;    /* the kernel counts the partial matches that pass each step, the entries read and the lookups */
	uint64_t per;    /* the pattern vertices at whose images matches are counted, as bits */
	bool first_only; /* a worker leaves its task with the first result (listed only) */
	bool by_formula; /* only the number of matches is needed, so twins (nested_shape.h) need not be enumerated */
	bool lists;      /* the nest of loops lists the candidates of the last vertex (match/codegen/two_path_lists.h) */
	bool marks;      /* the nest of loops uses marks (match/codegen/adjacency_marks.h) */
	/* the tasks of a launch may be slices of one pivot: each slice has a part of the second step's candidates */
	bool sliced;
	/* use a nest of loops (match/codegen/emit_loops.h); requires all_resident and 1 lane, and splits no tasks */
	bool loops;
} gemp_emit_options;

/* The layouts that host and kernel share, in words of 32 bits: items (partial matches that are tasks), matches, and the
 * states of stopped workers. */
typedef struct gemp_item_layout {
	size_t stage_count;
	gemp_plan_stage stages[GEMP_MAX_STAGES];
	/* item_words[k] is the length of a task of stage k. A task of stage 0 is a pivot (1 word) or a seed (one word for
	 * each given vertex). */
	uint32_t item_words[GEMP_MAX_STAGES];
	uint32_t tuple_words; /* length of a match: vertices in the pattern's order, then edges (2 words each) */
	uint32_t state_words; /* length of the state of a worker that stopped in a task */
} gemp_item_layout;

/* A profile has three counters for each step: partial matches that pass, entries walked, and lookups. */
enum { GEMP_MAX_COUNTERS = 3 * GEMP_MAX_STEPS };
static inline size_t gemp_profile_counters(const gemp_plan *plan)
{
	return 3 * plan->step_count;
}

/* A writer of kernel source, which indents each line by the number of open braces. */
typedef struct gemp_kernel_writer {
	gemp_text *text;
	int depth; /* number of open braces */
} gemp_kernel_writer;

/* Appends text, which may be a part of a line or several lines. Each `$` of the format becomes `number`: the step,
 * level or mark that the text belongs to. A statement therefore looks in the generator as it looks in the kernel. */
void gemp_put(gemp_kernel_writer *w, int number, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A short expression of kernel source that becomes part of a statement: gemp_put(w, 0, "if (%s == c)",
 * gemp_variable("v", 3).text). */
typedef struct gemp_expression {
	char text[512];
} gemp_expression;

/* The name of a variable: `kind`, an underscore and the number. */
gemp_expression gemp_variable(const char *kind, int number);
/* The greatest or the least slot of a nonempty set of bound vertices, as an expression. */
gemp_expression gemp_extreme(uint64_t vertices, bool greatest);

/* The arguments of the two generators of match kernels, the state machine and the nest of loops. */
typedef struct gemp_match_emitter {
	gemp_kernel_writer *w;
	const gemp_plan *plan;
	const gemp_item_layout *layout;
	const gemp_emit_options *options;
	gemp_adjacency_marks marks; /* the marks of the nest of loops; the state machine has no marks */
	int last;                   /* the last step whose vertex or edge is enumerated */
} gemp_match_emitter;

/* Write the declarations of a worker's variables, and the end of a profile: the worker adds its counts to the
 * launch's. */
void gemp_put_worker(const gemp_match_emitter *m);
void gemp_put_profile_sum(const gemp_match_emitter *m);

/* The text by which the kernel rejects a vertex or an edge. Each test is a line `if (<condition>) <reject>`. If a test
 * reads memory, its condition begins with `guard` ("" or "x && "). */
typedef struct gemp_rejection {
	const char *guard, *reject;
} gemp_rejection;

/* Writes the tests of a vertex that read no row. `self` names the tested vertex; the bound vertices are v_0, v_1,
 * ... */
void gemp_put_vertex_filters(const gemp_match_emitter *m, const gemp_step *step, const char *self,
                             const gemp_rejection *rejection);
/* Writes the tests of an edge. `edge` names the tested edge; the bound edges are e_0, e_1, ... */
void gemp_put_edge_filters(const gemp_match_emitter *m, const gemp_step *step, const char *edge,
                           const gemp_rejection *rejection);

/* MARKS: the text that sets and clears marks (match/codegen/adjacency_marks.h) in a nest of loops.
 *
 * The mark of the pivot's row is set at the first lookup. Any other row mark is set when the rows walked without it
 * have more than a quarter of the entries of the marked row, because a search costs as much as four lookups. A reach
 * mark is set when the rows walked without it are longer than the rows that setting it walks. Variables of mark k:
 * fill_k is 1 if the mark is set, seen_k adds up the entries of the rows walked, cost_k is the number of entries that
 * setting the mark walks, and known_k is 1 if cost_k is the full cost of a reach mark; before, cost_k is the length of
 * the pivot's row. */

/* True if the mark is set at every lookup. Any other mark is set only if fill_k is 1. */
bool gemp_mark_certain(const gemp_plan *plan, const gemp_adjacency_mark *mark);

/* Write the declarations of marks at the beginning of the body of step s, and the clearing of marks at its end. */
void gemp_put_mark_variables(const gemp_match_emitter *m, int s);
void gemp_put_mark_clearing(const gemp_match_emitter *m, int s);
/* Writes the setting of marks, before step s walks the positions [b_s, z_s). A mark is set if this pays. */
void gemp_put_mark_setting(const gemp_match_emitter *m, int s);

/* TABLES of two-paths, which count the last vertex.
 *
 * The last vertex t is adjacent to the pivot r and to one other vertex y. For each pivot a worker fills table[x] with
 * the number of common neighbours of r and x that can be the last vertex. A partial match then counts table[y], less
 * the number of its own vertices that table[y] includes, so t is never enumerated. Both views have both directions, so
 * each edge is an entry of the rows of both of its ends. */

/* The condition that x can be the last vertex as far as the bitmap of the last vertex and its restrictions against the
 * pivot tell. */
gemp_expression gemp_leaf_fits(const gemp_plan *plan, const char *x);

/* Writes the code that fills the table of the present pivot or, if `fill` is false, clears the table of the pivot
 * before. */
void gemp_put_table(const gemp_match_emitter *m, bool fill);

/* Writes the declaration of w, the number of matches of a partial match that has all vertices but the last. `latest`
 * names the variable of the vertex that was bound last. */
void gemp_put_leaf(const gemp_match_emitter *m, const char *latest);

#endif
