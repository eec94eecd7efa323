/* nested_parts: what a nested kernel's worker with much to do gives to workers that wait.
 *
 * Of what is left to it, the first of these that it has: entries of its task; candidates of the third vertex; candidates of
 * the fourth one, for the third at which it is. Those deeper are soon done with.
 */

#ifndef GEMP_MATCH_CODEGEN_NESTED_TEXT_H
#define GEMP_MATCH_CODEGEN_NESTED_TEXT_H

#include "core/text.h"
#include "match/codegen/nested_shape.h"

/* Are parts cut at this level? */
bool gemp_nested_shares_level(int level);

typedef struct gemp_nested_options {
	int lanes, row_lanes; /* of a worker; that go through the last row together */
	size_t shared;        /* words of a worker's bitmap in local memory; 0: bitmaps are in global memory */
	bool folded;          /* they are not enough for all slots: what seems marked is tested */
	size_t in_group;      /* workers of a group */
} gemp_nested_options;

typedef struct gemp_nested_emitter {
	gemp_text *text;
	const gemp_plan *plan;
	const gemp_nested *nested;
	const gemp_nested_options *options;
	int depth; /* of braces */
} gemp_nested_emitter;

/* After `part` was taken. */
void gemp_nested_emit_part(gemp_nested_emitter *e);
/* start and stop: the candidates of a level that this worker is to look at. */
void gemp_nested_emit_bounds(gemp_nested_emitter *e, int level);
/* next: the first candidate of this level that is left. */
void gemp_nested_emit_donation(gemp_nested_emitter *e, int level, const char *next);

/* One line. */
void gemp_emit_line(gemp_nested_emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *gemp_nested_vertex_name(char name[16], int vertex);

#endif
