/* /partition: the bounds of the parts that a partitioner made. */
#include "core/memory.h"
#include "io/graph_file_parts.h"

gemp_code gemp_file_put_parts(const gemp_h5 *h5, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	size_t count = graph->parts.count + 1;
	if (!graph->parts.count)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_group(h5, "/partition", "dict", "0.1.0"));
	GEMP_TRY(gemp_h5_put_text(h5, "/partition", "method", graph->parts.method));
	GEMP_TRY(gemp_h5_write(h5, "/partition/bounds", gemp_h5_type_of(GEMP_H5_U64), count, 0,
	                       h5->comm->rank == 0 ? count : 0, graph->parts.bounds));
done:
	return code;
}

static gemp_code check(const gemp_h5 *h5, const gemp_graph *graph, const uint64_t *bounds, uint64_t count)
{
	bool right = bounds[0] == 0 && bounds[count - 1] == graph->vertices;
	for (uint64_t p = 1; p < count; p++)
		right = right && bounds[p - 1] <= bounds[p];
	return right ? GEMP_OK : gemp_fail(GEMP_EDATA, "%s: '/partition/bounds' do not ascend from 0 to the %" PRIu64
	                                   " vertices; make the file again", h5->path, graph->vertices);
}

gemp_code gemp_file_get_parts(const gemp_h5 *h5, gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	bool there = false;
	uint64_t *bounds = NULL, count = 0;
	char *method = NULL;
	gemp_h5_type type;
	GEMP_TRY(gemp_h5_exists(h5, "/partition", &there));
	if (!there)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_get_text(h5, "/partition", "method", &method));
	GEMP_TRY(gemp_h5_info(h5, "/partition/bounds", &type, &count));
	if (type.kind != GEMP_H5_U64 || count < 2)
		code = gemp_fail(GEMP_EDATA, "%s: '/partition/bounds' are no list of bounds; make the file again", h5->path);
	else
		code = GEMP_NEW(bounds, count);
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	GEMP_TRY(gemp_h5_read(h5, "/partition/bounds", type, 0, count, h5->comm->rank == 0 ? count : 0, bounds));
	code = check(h5, graph, bounds, count);
	if (code == GEMP_OK)
		code = gemp_parts_init(&graph->parts, bounds, count - 1, method);
	code = gemp_comm_agree(h5->comm, code);
done:
	gemp_free(bounds);
	gemp_free(method);
	return code;
}
