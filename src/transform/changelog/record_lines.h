/* record_lines: the changes of one step while they are recorded, and the text of their lines.
 *
 * Each update of a selected match is an event on the rank that owns its element. Edges that vanish with a deleted or
 * merged vertex are listed by the ranks that own them. Lines are made in rounds of matches and carry a key, by which
 * they are sorted later. record.c fills the state; look-ups and lines are local.
 */

#ifndef GEMP_TRANSFORM_CHANGELOG_RECORD_LINES_H
#define GEMP_TRANSFORM_CHANGELOG_RECORD_LINES_H

#include "core/text.h"
#include "partition/exchange/value_exchange.h"
#include "transform/apply/changes.h"

/* The position of a line: number of the match; stage in the upper 8 bits with the update or relation below; then, for
 * vanishing edges, the ranks of both ends' keys and the number among the edges of the source. */
typedef struct gemp_line_key {
	uint64_t number, stage, ends, parallel;
} gemp_line_key;

/* An update of a selected match, on the rank that owns the element. */
typedef struct gemp_record_event {
	uint64_t number, element; /* of the match; vertex id or edge number */
	uint32_t update;
	gemp_value value; /* of GEMP_SET_ATTRIBUTE; of GEMP_MERGE: the key of the vertex that receives the edges */
} gemp_record_event;

/* A vertex of any rank that the step deletes or merges into another. */
typedef struct gemp_record_deleted {
	uint64_t id, number;
	gemp_value into; /* NULL: deleted */
} gemp_record_deleted;

/* An edge of this rank. */
typedef struct gemp_record_edge {
	uint32_t relation;
	uint32_t source;   /* row */
	uint64_t position; /* in the CSR of this rank */
} gemp_record_edge;

typedef struct gemp_record_state {
	gemp_runtime *context;
	gemp_shard *graph;
	gemp_new_vertices *created;
	const gemp_rule *rule;
	const uint8_t *selected; /* [created->frame->rows] */
	uint64_t applied;        /* matches of all ranks */
	gemp_edge_owners owners;
	void *event_bytes; /* that strings of events point into */
	size_t event_count;
	gemp_record_event *events; /* [event_count] vertices first, by element, then by update */
	void *deleted_bytes;       /* that strings of deleted[] point into */
	size_t deleted_count;
	gemp_record_deleted *deleted; /* [deleted_count] of all ranks, by id */
	size_t edge_count, edge_capacity;
	gemp_record_edge *edges; /* [edge_count] own edges that vanish with a vertex */
	size_t end_count;
	gemp_vertex *ends;      /* [end_count] ends of edges that lines name, ascending */
	gemp_column end_key[2]; /* [end_count] keys, and ranks of keys */
	/* the round: matches [first, end) */
	uint64_t first, end;
	uint64_t line_count;
	size_t chunk_count;
	gemp_text *chunks; /* [chunk_count] lines: key, packed bytes */
	gemp_text lines;   /* the chunk in the hands of one thread */
} gemp_record_state;

/* The own edge of this number. */
gemp_record_edge gemp_record_find_edge(const gemp_record_state *r, uint64_t number);
/* NULL: the vertex stays. */
const gemp_record_deleted *gemp_record_find_deleted(const gemp_record_state *r, uint64_t id);
/* The first event of the element; *end is behind the last. */
const gemp_record_event *gemp_record_find_events(const gemp_record_state *r, bool edge, uint64_t element,
                                                 const gemp_record_event **end);
/* Deletes or merges this update its element? */
static inline bool gemp_update_removes(const gemp_update *u)
{
	return u->kind == GEMP_DELETE || u->kind == GEMP_MERGE;
}

/* Local. Makes the lines of events, vanishing edges, and elements that own matches create, for matches [first, end). */
gemp_code gemp_record_lines(gemp_record_state *r);

#endif
