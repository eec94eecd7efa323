/* distinct: a sink that removes duplicates across ranks by canonical-order hashing. Each embedding gets a canonical
 * form, and the hash of this form determines the rank that owns the embedding's class. An all-to-all exchange sends the
 * form to the owner, and the owner compares whole tuples exactly.
 *
 * The sink passes on one representative of each class, in canonical form by vertex id and edge number. The writer turns
 * it into the smallest embedding by user keys. If memory is short, the search is repeated in several passes, and each
 * pass keeps the classes of one range of hashes. */

#ifndef GEMP_MATCH_DISTINCT_DISTINCT_H
#define GEMP_MATCH_DISTINCT_DISTINCT_H

#include "graph/batch.h"
#include "graph/graph.h"
#include "match/distinct/packed_form.h"
#include "partition/runtime.h"

typedef struct gemp_distinct_options {
	int vertex_count, edge_count; /* columns of the batches */
	uint64_t vertices; /* number of vertices of the graph, by which keys are packed; 0: keys are not packed */
	/* The expected number of rows over all ranks, by which tables grow in larger steps; 0: unknown. */
	double expected;
	/* The stabiliser chain of the pattern's group along vertices and, if edge_count > 0, edges; borrowed. NULL:
	 * embeddings are compared as with as_vertices, and representatives are passed on as they were found. */
	const gemp_stab_chain *chain;
	/* --distinct vertices: compare the sorted set of vertices. The chain only makes representatives canonical. */
	bool as_vertices;
	/* --distinct subgraph: compare the sorted sets of vertices and of edges. Without edge columns, compare the sets of
	 * vertex pairs that the pattern edges connect; in a simple undirected graph these pairs identify the edges. */
	bool as_subgraph;
	size_t pair_count;
	const int (*pairs)[2]; /* the pattern edges as pairs of pattern vertices, for as_subgraph without edge columns */
	/* For as_vertices and as_subgraph: the smallest embedding by user keys, then by edge numbers, represents a class.
	 * This takes 8 bytes for each vertex of the graph. NULL: the smallest embedding by vertex ids represents a
	 * class. */
	gemp_shard *graph;
	size_t memory;  /* maximum bytes of the tables of this rank; 0: chosen from the budgets */
	uint64_t limit; /* number of classes wanted over all ranks, at which the search ends; 0: all classes */
	/* Receives the representative of each class on the class's owner. NULL: classes are only counted. Borrowed. The
	 * rounds of `next` end through this sink. */
	gemp_sink *next;
	uint64_t hash_mask; /* for tests: the bits of the hash that are used; 0: all bits */
} gemp_distinct_options;

/* Collective. Makes the sink. A pass covers a range of hashes. If a rank's tables would exceed their memory, all ranks
 * shorten the range, and the last round of the pass sets *again as long as hashes are left. At the end of a pass its
 * classes are passed on in batches. `next` ends a round after each batch, which bounds its memory. Each class is passed
 * on once. `next` ends its last round after the last pass, or when enough classes are known. */
gemp_code gemp_distinct_new(gemp_sink *out, gemp_runtime *context, const gemp_distinct_options *options);
/* Maximum bytes of the tables of this rank without options->memory: half of --host-memory, or a quarter of the node's
 * memory divided among its ranks. */
size_t gemp_distinct_memory(const gemp_runtime *context);
/* Sets of devices that count classes. All functions take `self`. */
typedef struct gemp_form_source {
	void *self;
	/* Returns if the devices have counted all classes of their rows, whose number is *classes. */
	bool (*counts)(void *self, uint64_t *classes);
	/* Copies the packed forms of these classes, records[GEMP_DEVICE_SET_READ][words]. *at is 0 at first; *last becomes
	 * true with the last forms. */
	gemp_code (*read)(void *self, size_t *at, uint64_t *records, size_t *count, bool *last);
} gemp_form_source;
/* True if only a number is asked for, and the sink of one rank needs no row of a class that a device has counted. */
bool gemp_distinct_only_counts(const gemp_sink *distinct);
/* Before the end of each pass the sink takes the number of classes from the source if it has no classes itself, or
 * otherwise their forms. NULL: there is no source any more. */
void gemp_distinct_take_from(const gemp_sink *distinct, const gemp_form_source *source);
/* number of classes that this rank owns, over all passes so far */
gemp_count gemp_distinct_count(const gemp_sink *distinct);
uint64_t gemp_distinct_passes(const gemp_sink *distinct);
/* The steps that make the records of this sink, for sets of devices; NULL: there are none. */
const gemp_packed_form *gemp_distinct_form(const gemp_sink *distinct);

#endif
