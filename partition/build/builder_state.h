/* builder_state: the state of the builder that its stages share. The stages, in order:
 *   keys      where a graph has both kinds of keys, strings that are integers become integers
 *   vertices  go to their owners by ranges of the hash; are sorted by (hash, key); duplicates are found; ids are given
 *   labels    get numbers that are the same on all ranks
 *   ends      of edges become ids, which the owners of the keys know
 *   edges     go to the owners of their sources and are sorted; then the rows by target are made
 *   ranks     of the keys among all keys are found by a sample sort
 *   hash      of the content
 * Each stage is collective and ends with the same code on all ranks.
 */

#ifndef GEMP_PARTITION_BUILD_BUILDER_STATE_H
#define GEMP_PARTITION_BUILD_BUILDER_STATE_H

#include "core/status.h"
#include "core/text.h"
#include "core/types.h"
#include "partition/build/builder.h"
#include "partition/build/dictionary.h"

#include <stdbool.h>
#include <stddef.h>

/* An added edge takes 16 bytes, and 8 once the ids of its ends are known. Equal types and consecutive places are stored
 * once for a run of edges. */

/* The place of edge `first` + i, up to the next run, is place + i * step. */
typedef struct gemp_place_run {
	size_t first;
	uint64_t place, step; /* step: 0 (all edges have one place) or 1 */
} gemp_place_run;

typedef struct gemp_edge_list {
	size_t count, capacity;
	bool coded;          /* ends are indices in the part's dictionary; else they are integer keys */
	uint64_t *ends;      /* [2 * count] source, target, source, ...; NULL once ids are known */
	gemp_edge_pair *ids; /* [count] once they are known */
	uint32_t *types;     /* [count]; NULL: all are 0 */
	size_t type_capacity;
	gemp_place_run *runs;
	size_t run_count, run_capacity;
} gemp_edge_list;

void gemp_edge_list_free(gemp_edge_list *list);
gemp_code gemp_edge_list_add(gemp_edge_list *list, uint64_t source, uint64_t target, uint32_t type, uint64_t place);

uint64_t gemp_edge_list_place(const gemp_edge_list *list, size_t edge);

/* The caller has written ids over the ends, from the front on: the list then has ids instead of ends. */
gemp_code gemp_edge_list_use_ids(gemp_edge_list *list);
/* Drops the edges from `count` on and frees their memory. */
gemp_code gemp_edge_list_truncate(gemp_edge_list *list, size_t count);

/* Places are stored as one number that sorts by file, then line. */
#define GEMP_PLACE_IMPLIED UINT64_MAX /* the place of a vertex that only an edge names */

typedef struct gemp_vertex_list {
	gemp_bytes keys; /* encoded */
	struct gemp_vertex_record {
		uint64_t place;
		uint32_t labels; /* index in a dictionary of texts "A;B" */
	} * records;         /* [keys.count] */
	size_t capacity;
	gemp_table values; /* columns may be shorter than the list: the rest is NULL */
} gemp_vertex_list;

/* The vertices and edges that were added through the builder itself, or through one branch. */
typedef struct gemp_builder_part {
	gemp_text scratch; /* the last key, encoded */
	bool has_string_key;
	gemp_vertex_list vertices;
	gemp_dictionary labels; /* texts of `vertices` */
	gemp_edge_list edges;
	gemp_dictionary end_keys; /* keys, where edges.coded: the ends of edges are their indices */
	gemp_dictionary types;
	uint32_t type; /* the last edge's, in `types` */
	gemp_table edge_values;
} gemp_builder_part;

struct gemp_builder {
	const gemp_comm *comm;
	gemp_builder_options options; /* the texts are owned by the root */
	gemp_builder *root;           /* of a branch; else NULL */
	char **files;                 /* [file_count], file f is files[f - 1] */
	size_t file_count, file_capacity;
	gemp_builder_part *parts; /* [part_count] the first is the builder's own */
	size_t part_count, part_capacity;
	gemp_vertex_list vertices; /* that this rank owns, by id */
	gemp_dictionary labels;    /* texts of `vertices` */
};

uint64_t gemp_builder_key_hash(const gemp_builder *builder, gemp_string key);
int gemp_builder_key_owner(const gemp_builder *builder, uint64_t hash);
void gemp_builder_place_print(const gemp_builder *builder, uint64_t place, gemp_text *out); /* "file:line: " */
void gemp_builder_print_key(gemp_string key, gemp_text *out);

/* Collective. If any rank has `count` > 0 faults, all ranks fail with the message of the rank whose place is lowest. */
gemp_code gemp_builder_report(const gemp_builder *builder, uint64_t place, uint64_t count, const char *message);

void gemp_vertex_list_free(gemp_vertex_list *list);
/* Frees the content of all parts; the first part stays, without columns. */
void gemp_builder_clear(gemp_builder *builder);
void gemp_builder_part_free(gemp_builder_part *part);
/* Replaces the integer ends of a part's edges by indices in its dictionary. */
gemp_code gemp_builder_part_code(gemp_builder_part *part);
/* Collective. The largest number of parts of any rank: every rank makes as many exchanges, with empty parts at the
 * end. */
size_t gemp_builder_max_parts(const gemp_builder *builder);
/* The part of this number, or `none`, which is made empty. */
gemp_builder_part *gemp_builder_part_at(gemp_builder *builder, size_t part, gemp_builder_part *none);
bool gemp_builder_is_coded(const gemp_builder *builder); /* known after the stage of keys; the same on all ranks */

/* Two stages. Both are collective. */
gemp_code gemp_builder_vertices(gemp_builder *builder, gemp_shard *graph);
gemp_code gemp_builder_edges(gemp_builder *builder, gemp_shard *graph);

#endif
