/* edge_list: the edges of one part of the builder.
 *
 * An edge takes 16 bytes when it is added, and 8 bytes when the ids of its ends are known. Its type takes 4 more bytes,
 * unless all edges of the list have type 0. Edges with one place or with consecutive places form a run, which stores
 * the place once. */

#ifndef GEMP_PARTITION_BUILD_EDGE_LIST_H
#define GEMP_PARTITION_BUILD_EDGE_LIST_H

#include "core/status.h"
#include "core/text.h"
#include "core/types.h"

#include <stdbool.h>
#include <stddef.h>

/* A run goes up to the first edge of the next run. Edge first + i of the run has the place `place` + i * step. */
typedef struct gemp_place_run {
	size_t first;
	uint64_t place, step; /* step: 0 if all edges have one place, otherwise 1 */
} gemp_place_run;

typedef struct gemp_edge_list {
	size_t count, capacity;
	bool coded;          /* true: ends are indices in the part's dictionary; false: ends are integer keys */
	uint64_t *ends;      /* [2 * count] source, target, source, ...; NULL if the ids are known */
	gemp_edge_pair *ids; /* [count] NULL until the ids are known */
	uint32_t *types;     /* [count]; NULL if all types are 0 */
	size_t type_capacity;
	gemp_place_run *runs;
	size_t run_count, run_capacity;
} gemp_edge_list;

void gemp_edge_list_free(gemp_edge_list *list);
gemp_code gemp_edge_list_add(gemp_edge_list *list, uint64_t source, uint64_t target, uint32_t type, uint64_t place);

/* Adds `count` edges of one type, with the places place + i * step. ends[2 * count]; step: 0 or 1 */
gemp_code gemp_edge_list_add_all(gemp_edge_list *list, const int64_t *ends, size_t count, uint32_t type, uint64_t place,
                                 uint64_t step);
/* Reserves memory for `count` edges in all. */
gemp_code gemp_edge_list_reserve(gemp_edge_list *list, size_t count);

uint64_t gemp_edge_list_place(const gemp_edge_list *list, size_t edge);

/* Turns a list with ends into a list with ids. The caller has written the ids over the ends, from the start of the
 * array. */
gemp_code gemp_edge_list_use_ids(gemp_edge_list *list);
/* Drops the edges from index `count` on and frees their memory. */
gemp_code gemp_edge_list_truncate(gemp_edge_list *list, size_t count);

/* UNKNOWN ENDS: edges whose source or target is no vertex, which is found out while ids replace the keys of ends. Only
 * the edge with the lowest place is reported, and the others are counted. Its key is kept encoded, since the ids
 * overwrite the keys. */

/* The edges of this rank with an end that is no vertex: the number of these edges, and the edge with the lowest
 * place. */
typedef struct gemp_unknown_end {
	uint64_t place, count;
	bool source;   /* true: the source is unknown; false: the target */
	gemp_text key; /* the unknown key, encoded; the text records a failed addition */
} gemp_unknown_end;

/* Local. Checks the ids of an edge's ends. Returns true if an end is unknown and the edge has the lowest place so far.
 * The caller then sets the key. */
bool gemp_unknown_end_note(gemp_unknown_end *unknown, const gemp_vertex ends[2], const gemp_edge_list *edges,
                           size_t edge);
/* Local. Notes the unknown ends of ends[first .. first + count), whose ids are ids[count]. `first` and `count` are
 * even. */
gemp_code gemp_unknown_ends_note(const gemp_edge_list *edges, size_t first, const gemp_vertex *ids, size_t count,
                                 gemp_unknown_end *unknown);
void gemp_unknown_end_free(gemp_unknown_end *unknown);

#endif
