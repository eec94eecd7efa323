/* record_lines: the state in which the changes of one step are recorded, and the text of their lines.
 *
 * Each update of a selected match is an event on the rank that owns its element. The ranks list their own edges that
 * vanish with a deleted or merged vertex. Lines are made in rounds of matches. Each line has a key by which it is
 * sorted later. record.c fills the state. The functions here are local. */

#ifndef GEMP_TRANSFORM_CHANGELOG_RECORD_LINES_H
#define GEMP_TRANSFORM_CHANGELOG_RECORD_LINES_H

#include "core/text.h"
#include "partition/exchange/value_exchange.h"
#include "transform/apply/changes.h"

/* The position of a line. It consists of the number of the match, the stage in the upper 8 bits with the update or
 * relation in the lower bits, and, for vanishing edges, the ranks of the keys of source and target and the number among
 * the edges of the source. */
typedef struct gemp_line_key {
	uint64_t number, stage, ends, parallel;
} gemp_line_key;

/* An update of a selected match, on the rank that owns the element. */
typedef struct gemp_record_event {
	uint64_t number, element; /* number of the match; vertex id or edge number */
	uint32_t update;
	/* for GEMP_SET_ATTRIBUTE the new value; for GEMP_MERGE the key of the vertex that receives the edges */
	gemp_value value;
} gemp_record_event;

/* A vertex of any rank that the step deletes or merges into another vertex. */
typedef struct gemp_record_deleted {
	uint64_t id, number;
	gemp_value into; /* key of the other vertex; NULL: the vertex is deleted */
} gemp_record_deleted;

/* An edge of this rank. */
typedef struct gemp_record_edge {
	uint32_t relation;
	uint32_t source;   /* row of the source */
	uint64_t position; /* position in the CSR of this rank */
} gemp_record_edge;

typedef struct gemp_record_state {
	gemp_runtime *context;
	gemp_shard *graph;
	gemp_new_vertices *created;
	const gemp_rule *rule;
	const uint8_t *selected; /* [created->frame->rows] */
	uint64_t applied;        /* number of applied matches on all ranks */
	gemp_edge_owners owners;
	void *event_bytes; /* the strings of events point into these bytes */
	size_t event_count;
	gemp_record_event *events; /* [event_count]; vertices before edges, ordered by element, then by update */
	void *deleted_bytes;       /* the strings of deleted[] point into these bytes */
	size_t deleted_count;
	gemp_record_deleted *deleted; /* [deleted_count] vertices of all ranks, ordered by id */
	size_t edge_count, edge_capacity;
	gemp_record_edge *edges; /* [edge_count] own edges that vanish with a vertex */
	size_t end_count;
	gemp_vertex *ends;      /* [end_count] sources and targets that lines name, ascending */
	gemp_column end_key[2]; /* [end_count] their keys, and the ranks of their keys */
	/* the matches of the round are [first, end) */
	uint64_t first, end;
	uint64_t line_count;
	size_t chunk_count;
	gemp_text *chunks; /* [chunk_count] packed lines: key, then bytes */
	gemp_text lines;   /* the chunk of one thread */
} gemp_record_state;

/* Returns the own edge with this number. */
gemp_record_edge gemp_record_find_edge(const gemp_record_state *r, uint64_t number);
/* Returns NULL if the vertex is neither deleted nor merged. */
const gemp_record_deleted *gemp_record_find_deleted(const gemp_record_state *r, uint64_t id);
/* Returns the first event of the element. *end becomes the position after its last event. */
const gemp_record_event *gemp_record_find_events(const gemp_record_state *r, bool edge, uint64_t element,
                                                 const gemp_record_event **end);
/* Returns whether this update deletes or merges its element. */
static inline bool gemp_update_removes(const gemp_update *u)
{
	return u->kind == GEMP_DELETE || u->kind == GEMP_MERGE;
}

/* Local. Makes the lines of the matches [first, end): lines of events, of vanishing edges, and of elements that own
 * matches create. */
gemp_code gemp_record_lines(gemp_record_state *r);

#endif
