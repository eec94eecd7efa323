/* kernel_text: the common part of the generators of match kernels: the options of a kernel, the layouts of its items,
 * matches and states, a writer of kernel source, and the text of tests, marks and tables.
 *
 * Generated variables are named by a letter and a number: v_3 is the slot of pattern vertex 3, e_1 is pattern edge 1,
 * and cur_2 and end_2 are the range of step 2. No text of the user enters a kernel. Local.
 */

#ifndef GEMP_MATCH_CODEGEN_KERNEL_TEXT_H
#define GEMP_MATCH_CODEGEN_KERNEL_TEXT_H

#include "core/text.h"
#include "match/codegen/adjacency_marks.h"

enum { GEMP_MAX_STAGES = 4096 };

typedef struct gemp_emit_options {
	int lanes;
	bool all_resident;
	bool listed;     /* matches go to the result buffer; else they are only counted */
	bool wide;       /* rows of some view hold 2^32 entries or more */
	bool profile;    /* the kernel counts the partial matches that pass each step, and the step's reads */
	uint64_t per;    /* pattern vertices at whose images matches are counted, as bits */
	bool first_only; /* a worker leaves its task with the first result (listed only) */
	bool by_formula; /* only the number of matches is needed, so twins need not be enumerated */
	bool marks;      /* the nest of loops has memory for marks (match/codegen/adjacency_marks.h) */
	bool sliced;     /* tasks of a launch may be slices of a pivot: parts of the second step's candidates */
	bool loops;      /* a nest of loops (match/codegen/emit_loops.h): all_resident, 1 lane, and no task is split off */
} gemp_emit_options;

/* The layouts, in words of 32 bits, of items (partial matches as tasks), matches, and stopped workers, which host and
 * kernel share. */
typedef struct gemp_item_layout {
	size_t stage_count;
	gemp_plan_stage stages[GEMP_MAX_STAGES];
	/* Words of a task of each stage; of stage 0: 1 for a pivot, or the number of given vertices for a seed. */
	uint32_t item_words[GEMP_MAX_STAGES];
	uint32_t tuple_words; /* words of a match: vertices in the pattern's order, then edges (2 words each) */
	uint32_t state_words; /* words of a worker that stopped in a task */
} gemp_item_layout;

/* A profile has three counters a step: partial matches that pass, entries walked, and lookups. */
enum { GEMP_MAX_COUNTERS = 3 * GEMP_MAX_STEPS };
static inline size_t gemp_profile_counters(const gemp_plan *plan)
{
	return 3 * plan->step_count;
}

/* A writer indents each line by the braces that are open. */
typedef struct gemp_kernel_writer {
	gemp_text *text;
	int depth; /* of braces */
} gemp_kernel_writer;

/* Appends text, which may be a part of a line or several lines. Each `$` of the format becomes `number`, the step,
 * level or mark that the text is about, so that a statement reads in the generator as it does in the kernel. */
void gemp_put(gemp_kernel_writer *w, int number, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A piece of kernel source that stands in a statement: gemp_put(w, 0, "if (%s == c)", gemp_variable("v", 3).text). */
typedef struct gemp_expression {
	char text[512];
} gemp_expression;

/* The name of a variable: `kind`, an underscore and the number. */
gemp_expression gemp_variable(const char *kind, int number);
/* The greatest, or the least, of a nonempty set of bound vertices. */
gemp_expression gemp_extreme(uint64_t vertices, bool greatest);

/* The arguments of the two generators of match kernels, the state machine and the nest of loops. */
typedef struct gemp_match_emitter {
	gemp_kernel_writer *w;
	const gemp_plan *plan;
	const gemp_item_layout *layout;
	const gemp_emit_options *options;
	gemp_adjacency_marks marks; /* of the nest of loops; the state machine has none */
	int last;                   /* the last step that is enumerated */
} gemp_match_emitter;

/* Write the variables of a worker at the beginning, and the sum of its profile at the end. */
void gemp_put_worker(const gemp_match_emitter *m);
void gemp_put_profile_sum(const gemp_match_emitter *m);

/* The statement for a vertex or an edge that fails a test: each test is a line `if (<condition>) <reject>`. The
 * condition of a test that reads memory begins with `guard` ("" or "x && "). */
typedef struct gemp_rejection {
	const char *guard, *reject;
} gemp_rejection;

/* Writes the tests of a vertex that need no row. self: the vertex that is tested; the bound ones are v_0, v_1, ... */
void gemp_put_vertex_filters(const gemp_match_emitter *m, const gemp_step *step, const char *self,
                             const gemp_rejection *rejection);
/* Writes the tests of an edge. edge: the edge that is tested; the bound ones are e_0, e_1, ... */
void gemp_put_edge_filters(const gemp_match_emitter *m, const gemp_step *step, const char *edge,
                           const gemp_rejection *rejection);

/* MARKS: the text that sets and clears marks (match/codegen/adjacency_marks.h) in a nest of loops.
 *
 * A row of the pivot is marked at the first lookup. Another mark is set when the rows that were walked without it are
 * as long as setting it takes. Variables of mark k: fill_k (it is set), seen_k, cost_k, known_k.
 */

/* True if the mark is set at every lookup; otherwise it is set only if fill_k is. */
bool gemp_mark_certain(const gemp_plan *plan, const gemp_adjacency_mark *mark);

/* Write the declarations at the beginning, and the clearing at the end, of the body of step s. */
void gemp_put_mark_variables(const gemp_match_emitter *m, int s);
void gemp_put_mark_clearing(const gemp_match_emitter *m, int s);
/* Writes the setting of the marks that pay, before step s walks along positions [b_s, z_s). */
void gemp_put_mark_setting(const gemp_match_emitter *m, int s);

/* TABLES of two-paths, by which the last vertex is counted.
 *
 * The last vertex t is adjacent to the pivot r and to one other vertex y. For each pivot a worker fills table[x] with
 * the number of common neighbours of r and x that can be the last vertex. A partial match then counts table[y], less
 * those of its own vertices that are among them, and t is never enumerated. Both views have both directions, so an edge
 * is an entry of the rows of both ends.
 */

/* Writes the code that fills the table of the present pivot or, with fill false, clears that of the pivot before. */
void gemp_put_table(const gemp_match_emitter *m, bool fill);

/* Writes the declaration of w: the number of matches of the partial match that the last-but-one step has completed with
 * a vertex of the name `latest`. */
void gemp_put_leaf(const gemp_match_emitter *m, const char *latest);

#endif
