/* nested_loop: the loops of a nested kernel, written from the outermost inwards. */
#ifndef GEMP_MATCH_NESTED_LOOP_H
#define GEMP_MATCH_NESTED_LOOP_H

#include "match/nested_emit.h"

typedef struct gemp_emitter {
	gemp_text *text;
	const gemp_plan *plan;
	const gemp_nested *nested;
	const gemp_nested_options *options;
	int depth;             /* of braces */
} gemp_emitter;

/* One line. */
void gemp_put(gemp_emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *gemp_vertex_name(char name[16], int vertex);

/* `pass` stays true if candidate c passes the filters. which: variable that tells from which of the rows it comes, or
 * NULL. */
void gemp_emit_tests(gemp_emitter *e, const gemp_filters *filters, const char *c, const char *which);

/* Marks that only the task's first vertex decides about stay as they are while it is the same; at the end they are
 * wiped. */
void gemp_emit_marks_of_first(gemp_emitter *e, bool end);
/* Everything below a vertex just bound. */
void gemp_emit_level(gemp_emitter *e, int level);
/* The last level: adds to n what a lane finds. */
void gemp_emit_leaf_loop(gemp_emitter *e);
/* n of all lanes of a row goes to `found`. */
void gemp_emit_sum(gemp_emitter *e);

#endif
