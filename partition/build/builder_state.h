/* builder_state: the state of the builder that its stages share. The stages, in order:
 *   keys      if some key is a string, ends become indices in dictionaries, and strings that are integers become
 *             integers (not with string_keys)
 *   vertices  are sent to their owners by ranges of the hash, and sorted by (hash, key); duplicates are found; vertices
 *             get ids
 *   labels    get numbers that are the same on all ranks
 *   ends      of edges become ids, which the owners of the keys look up
 *   edges     are sent to the owners of their sources and sorted; then the rows by target are made
 *   ranks     a sample sort finds the rank of each key among all keys
 *   hash      the content of the graph is hashed
 * Each stage is collective and ends with the same code on all ranks. */

#ifndef GEMP_PARTITION_BUILD_BUILDER_STATE_H
#define GEMP_PARTITION_BUILD_BUILDER_STATE_H

#include "core/status.h"
#include "core/text.h"
#include "core/types.h"
#include "partition/build/builder.h"
#include "partition/build/dictionary.h"
#include "partition/build/edge_list.h"

#include <stdbool.h>
#include <stddef.h>

/* A place is stored as one number that sorts by file, then by line. */
#define GEMP_PLACE_IMPLIED UINT64_MAX /* the place of a vertex that only an edge names */

typedef struct gemp_vertex_list {
	gemp_bytes keys; /* encoded */
	struct gemp_vertex_record {
		uint64_t place;
		uint32_t labels; /* index in a dictionary of texts "A;B" */
	} * records;         /* [keys.count] */
	size_t capacity;
	gemp_table values; /* a column may be shorter than the list; the rows behind its end are NULL */
} gemp_vertex_list;

/* The vertices and edges that were added through the builder itself, or through one branch. */
typedef struct gemp_builder_part {
	gemp_text scratch; /* the last added key, encoded */
	bool has_string_key;
	gemp_vertex_list vertices;
	gemp_dictionary labels; /* the texts that the records of `vertices` index */
	gemp_edge_list edges;
	gemp_dictionary end_keys; /* if edges.coded: the keys that the ends of edges index */
	gemp_dictionary types;
	uint32_t type; /* index in `types` of the last edge's type */
	gemp_table edge_values;
} gemp_builder_part;

struct gemp_builder {
	const gemp_comm *comm;
	gemp_builder_options options; /* the root owns the texts */
	gemp_builder *root;           /* the builder that this branch was made from; NULL if this is no branch */
	char **files;                 /* [file_count] file number f is files[f - 1] */
	size_t file_count, file_capacity;
	gemp_builder_part *parts; /* [part_count] the first part is the builder's own */
	size_t part_count, part_capacity;
	gemp_vertex_list vertices; /* the vertices that this rank owns, by id */
	gemp_dictionary labels;    /* the texts that the records of `vertices` index */
};

uint64_t gemp_builder_key_hash(const gemp_builder *builder, gemp_string key);
int gemp_builder_key_owner(const gemp_builder *builder, uint64_t hash);
/* Appends "file:line" or "record N". */
void gemp_builder_place_print(const gemp_builder *builder, uint64_t place, gemp_text *out);
void gemp_builder_print_key(gemp_string key, gemp_text *out);

/* Collective. `count` is the number of faults on this rank, and `place` the lowest place of a fault. If any rank has
 * faults, all ranks fail with the message of the rank with the lowest place. */
gemp_code gemp_builder_report(const gemp_builder *builder, uint64_t place, uint64_t count, const char *message);

/* The vertices whose key an earlier vertex has: their number, and a message about the vertex with the lowest place. */
typedef struct gemp_duplicate_faults {
	uint64_t place, count;
	gemp_text *message;
} gemp_duplicate_faults;
/* Counts a duplicate, and describes it if its place `again` is the lowest. first: the place of the vertex that stays */
void gemp_duplicate_note(const gemp_builder *builder, gemp_string key, uint64_t first, uint64_t again,
                         gemp_duplicate_faults *faults);
/* Collective. Gives consecutive ids to the `rows` vertices of each rank, in the order of the ranks. */
gemp_code gemp_builder_assign_ids(const gemp_builder *builder, size_t rows, gemp_shard *graph);
/* Local. Encodes the integer keys of the graph as the keys of the builder's vertices, unless they are there. */
gemp_code gemp_builder_encode_keys(gemp_builder *builder, const gemp_shard *graph);

void gemp_vertex_list_free(gemp_vertex_list *list);
/* Frees the content of all parts. The first part stays, without columns. */
void gemp_builder_clear(gemp_builder *builder);
void gemp_builder_part_free(gemp_builder_part *part);
/* Replaces the integer ends of a part's edges by indices in the part's dictionary. */
gemp_code gemp_builder_part_code(gemp_builder_part *part);
/* Collective. Returns the largest number of parts of any rank. Every rank makes as many exchanges; a rank with fewer
 * parts continues with empty parts. */
size_t gemp_builder_max_parts(const gemp_builder *builder);
/* Returns part number `part`. If the builder has fewer parts, `none` becomes an empty part and is returned. */
gemp_builder_part *gemp_builder_part_at(gemp_builder *builder, size_t part, gemp_builder_part *none);
bool gemp_builder_is_coded(const gemp_builder *builder); /* known after the stage of keys; the same on all ranks */

/* The stages of vertices, labels and edges. Collective. */
gemp_code gemp_builder_vertices(gemp_builder *builder, gemp_shard *graph);
gemp_code gemp_builder_labels(gemp_builder *builder, gemp_shard *graph);
gemp_code gemp_builder_edges(gemp_builder *builder, gemp_shard *graph);

/* Collective. Gives a graph without labels the labels and the label sets that the texts "A;B" of all ranks name. Names
 * are in bytewise order, sets in lexicographic order. set_of[i] becomes the set of text i of `mine`. The caller sets
 * the number of vertices of each set. */
gemp_code gemp_builder_label_sets(const gemp_comm *comm, const gemp_bytes *mine, gemp_shard *graph, uint32_t *set_of);

#endif
