#include "io/graph_file/graph_file_verify.h"

#include "io/graph_file/graph_file_index.h"
#include "io/graph_file/graph_file_read.h"
#include "io/hdf5/hdf5_dataset.h"
#include "partition/build/content_hash.h"

#include <inttypes.h>

/* Collective. Checksums detect damaged bytes. The content hash detects parts that do not belong together. */
static gemp_code verify_content(const gemp_comm *comm, gemp_shard *graph, const gemp_h5 *h5)
{
	uint64_t hash = 0;
	GEMP_TRY(gemp_h5_verify(h5));
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_shard_load_labels(graph));
	for (size_t c = 0; c < graph->attributes.count; c++)
		GEMP_TRY(gemp_shard_load_attribute(graph, c));
	GEMP_TRY(gemp_graph_file_verify_rows(h5, graph));
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY(gemp_shard_load_relation(
			graph, r, graph->relations[r].merged ? GEMP_LOAD_PROPS | GEMP_LOAD_EITHER : GEMP_LOAD_ALL));
	GEMP_TRY(gemp_shard_content_hash(comm, graph, &hash));
	if (hash == graph->hash)
		return gemp_file_verify_indexes(h5, graph);
	return gemp_fail(GEMP_EDATA,
	                 "%s: the content has the hash %016" PRIx64 ", but the file says %016" PRIx64
	                 "; make the file again",
	                 h5->path, hash, graph->hash);
}

/* The graph is opened first, since its parts can be loaded only if its description is valid. */
gemp_code gemp_graph_file_verify(const gemp_comm *comm, const char *path, bool trust)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	gemp_h5 h5 = { 0 };
	GEMP_TRY(gemp_graph_file_open(&graph, comm, path, trust));
	gemp_code code = gemp_h5_open(&h5, comm, path, trust);
	GEMP_THEN(verify_content(comm, graph, &h5));
	GEMP_ALSO(gemp_h5_close(&h5));
	return code;
}
