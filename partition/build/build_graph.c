/* Keys of both kinds in one graph. */

#include "partition/build/build_graph.h"

#include "core/log.h"
#include "core/memory.h"
#include "partition/build/build_edges.h"
#include "partition/build/build_vertices.h"
#include "partition/build/content_hash.h"
#include "partition/build/edge_ends.h"
#include "partition/build/key_ranks.h"
#include "partition/build/label_sets.h"

#include <string.h>

/* Encodes strings that are integers as integers. */
static gemp_code normalise(gemp_bytes *keys, gemp_text *scratch)
{
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes out = { 0 };
	for (size_t i = 0; i < keys->count; i++) {
		size_t size;
		const char *bytes = gemp_bytes_at(keys, i, &size);
		gemp_value key = gemp_key_decode(bytes, size), integer = { .type = GEMP_INTEGER };
		if (key.type == GEMP_STRING && gemp_canonical_integer(key.string.bytes, key.string.size, &integer.integer))
			key = integer;
		GEMP_PROPAGATE(gemp_key_encode(&key, scratch));
		GEMP_PROPAGATE(gemp_bytes_add(&out, scratch->data, scratch->size));
	}
	gemp_bytes_free(keys);
	*keys = out;
	out = (gemp_bytes){ 0 };
	return GEMP_OK;
}

/* Ends of edges become indices in a dictionary; keys of vertices and ends are normalised unless the caller wants
 * strings. */
static gemp_code encode_part(gemp_builder_part *part, bool strings)
{
	GEMP_PROPAGATE(gemp_builder_part_code(part));
	if (strings)
		return GEMP_OK;
	GEMP_PROPAGATE(normalise(&part->vertices.keys, &part->scratch));
	return normalise(&part->end_keys.list, &part->scratch);
}

/* Collective. Only a graph that has some string key, on any rank, needs dictionaries; integer keys stay numbers. */
static gemp_code normalise_keys(gemp_builder *builder)
{
	gemp_code code = GEMP_OK;
	uint64_t string = 0;
	for (size_t p = 0; p < builder->part_count; p++)
		string |= builder->parts[p].has_string_key;
	gemp_comm_max(builder->comm, &string, 1);
	for (size_t p = 0; p < builder->part_count && string && code == GEMP_OK; p++)
		code = encode_part(&builder->parts[p], builder->options.string_keys);
	return gemp_comm_agree(builder->comm, code);
}

/* Collective. The stages in the order of builder_state.h. */
static gemp_code build(gemp_builder *builder, gemp_shard *graph)
{
	gemp_step_times *steps = builder->options.steps;
	gemp_step_times_next(steps, "vertices");
	GEMP_PROPAGATE(normalise_keys(builder));
	GEMP_PROPAGATE(gemp_builder_vertices(builder, graph));
	GEMP_PROPAGATE(gemp_builder_labels(builder, graph));
	gemp_step_times_next(steps, "ids");
	GEMP_PROPAGATE(gemp_builder_ends(builder, graph));
	GEMP_PROPAGATE(gemp_builder_edges(builder, graph));
	gemp_step_times_next(steps, "keys");
	GEMP_PROPAGATE(gemp_builder_ranks(builder, graph));
	gemp_step_times_next(steps, "hash");
	GEMP_PROPAGATE(gemp_shard_content_hash(builder->comm, graph, &graph->hash));
	gemp_step_times_next(steps, NULL);
	return GEMP_OK;
}

gemp_code gemp_builder_finish(gemp_builder *builder, gemp_shard **out)
{
	gemp_code code = GEMP_OK;
	gemp_shard *graph = NULL;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(builder->comm, GEMP_NEW(graph, 1)));
	graph->rank = builder->comm->rank;
	graph->ranks = builder->comm->size;
	graph->seed = builder->options.seed;
	GEMP_TRY(build(builder, graph));
	*out = graph;
	graph = NULL;
done:
	gemp_builder_clear(builder);
	gemp_shard_free(graph);
	return code;
}
