/* record_events: the updates of selected matches, at the owners of the elements, and the elements that vanish with
 * deleted vertices. Lines are made from these (record_lines.h). */

#ifndef GEMP_TRANSFORM_CHANGELOG_RECORD_EVENTS_H
#define GEMP_TRANSFORM_CHANGELOG_RECORD_EVENTS_H

#include "core/text.h"
#include "partition/exchange/value_exchange.h"
#include "transform/apply/new_vertices.h"

/* Stages of a match, in the order of its lines. */
enum { GEMP_RECORD_UPDATES, GEMP_RECORD_EDGES, GEMP_RECORD_VERTICES };

/* Where a line stands: number of the match, stage and update (or relation), then what tells edges apart. */
typedef struct gemp_line_key {
	uint64_t number, stage, ends, parallel;
} gemp_line_key;

/* What an update of a selected match says of an element that this rank owns. */
typedef struct gemp_record_event {
	uint64_t number, element;
	uint32_t update;
	gemp_value value; /* of GEMP_SET_ATTRIBUTE; of GEMP_MERGE the key that takes its place */
} gemp_record_event;

/* A vertex of any rank that the step deletes or merges into another. */
typedef struct gemp_record_deleted {
	uint64_t id, number;
	gemp_value into; /* NULL: deleted */
} gemp_record_deleted;

/* An own edge. */
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
	const uint8_t *selected;
	uint64_t applied;
	gemp_edge_owners owners;
	void *received; /* what strings of events point into */
	size_t event_count;
	gemp_record_event *events; /* [event_count] by element, then by update */
	size_t deleted_count;
	gemp_record_deleted *deleted; /* [gone_count] by id */
	void *deleted_bytes;          /* what their strings point into */
	size_t edge_count, edge_capacity;
	gemp_record_edge *edges; /* [edge_count] own ones with an end that goes */
	size_t end_count;
	gemp_vertex *ends;      /* [found_count] ends of edges, ascending */
	gemp_column end_key[2]; /* their keys and ranks of keys */
	uint64_t first, end;    /* numbers of matches whose lines are made now */
	gemp_text lines;        /* of the piece that is made now; packed: key, then the line's bytes */
	uint64_t line_count;    /* of the round */
	size_t piece_count;
	gemp_text *pieces; /* [piece_count] lines of the round */
} gemp_record_state;

/* Collective. Events to the owners of what they are about. */
gemp_code gemp_record_events(gemp_record_state *r);
/* Collective. Vertices that go, known everywhere, and own edges that go with them. */
gemp_code gemp_record_implied(gemp_record_state *r);

gemp_record_edge gemp_record_find_edge(const gemp_record_state *r, uint64_t number);
const gemp_record_deleted *gemp_record_find_deleted(const gemp_record_state *r, uint64_t id); /* NULL: it stays */
/* The first event of the element, and at *end one behind the last. */
const gemp_record_event *gemp_record_find_events(const gemp_record_state *r, bool edge, uint64_t element,
                                                 const gemp_record_event **end);

#endif
