#include "topology/components_device.h"

#include "core/memory.h"
#include "core/timer.h"
#include "device/transfer.h"
#include "primitive/toolbox.h"
#include "topology/component_sizes_device.h"
#include "topology/components_sampled.h"

GEMP_RELEASE(gemp_toolbox_free, gemp_toolbox *)

enum { HOST_BELOW = 1 << 22 };

/* The work grows with the sum of edges and vertices, which is compared with the tuned threshold. */
bool gemp_components_choose_devices(const gemp_comm *comm, const gemp_device *device, const gemp_csr *csr, size_t count,
                                    gemp_placement place)
{
	if (!count || !csr->vertices)
		return false;
	return gemp_use_all_devices(comm, device, place, gemp_csr_all_edges(csr, count) + csr->rows,
	                            "components.host_below", HOST_BELOW);
}

gemp_code gemp_edge_sets_new(gemp_edge_sets *out, gemp_device *device, const gemp_csr *csr, size_t count,
                             gemp_set_edges edges, bool may_sample)
{
	bool sampled = false;
	GEMP_TRY(gemp_edge_sets_begin(out, device, csr, edges));
	if (may_sample && count == 1 && !edges && csr->symmetric)
		GEMP_TRY(gemp_edge_sets_sample(out, csr, &sampled));
	return sampled ? GEMP_OK : gemp_edge_sets_unite(out, csr, count);
}

/* One edge of the forest may be stored for each own vertex that is no root. */
gemp_code gemp_edge_sets_read_tree(gemp_edge_sets *sets, gemp_components *out)
{
	GEMP_OWNED uint64_t *tree = NULL;
	size_t capacity = out->tree_count;
	double since = gemp_now();
	GEMP_TRY(GEMP_NEW(tree, sets->rows));
	GEMP_TRY(gemp_transfer_download(sets->device, &sets->tree, 0, (gemp_transfer_numbers){ .narrow = (uint32_t *)tree },
	                                2 * (size_t)sets->rows));
	sets->transfers += gemp_now() - since;
	for (size_t v = 0; v < sets->rows; v++) {
		if (tree[v] == GEMP_NO_EDGE)
			continue;
		GEMP_TRY(GEMP_RESERVE(out->tree, capacity, out->tree_count + 1));
		out->tree[out->tree_count++] = tree[v];
	}
	return GEMP_OK;
}

/* The roots are the components' names. */
gemp_code gemp_components_on_device(gemp_components *out, const gemp_comm *comm, gemp_device *device,
                                    const gemp_csr *csr, size_t count, bool tree)
{
	GEMP_OWNED_BY(gemp_edge_sets_free) gemp_edge_sets sets = { 0 };
	GEMP_OWNED_BY(gemp_toolbox_free_at) gemp_toolbox *box = NULL;
	double seconds;
	out->on_device = true;
	GEMP_TRY(gemp_toolbox_new(&box, device, GEMP_FORM_AUTO));
	GEMP_TRY(gemp_edge_sets_new(&sets, device, csr, count, tree ? GEMP_SET_EDGES : GEMP_NO_SET_EDGES, true));
	double since = gemp_now();
	GEMP_TRY(gemp_component_sizes_on_devices(out, comm, GEMP_OK, NULL, box, &sets, &sets.above, NULL));
	gemp_trace_add("sizes", GEMP_LANE_HOST, since);
	since = gemp_now();
	if (out->component)
		GEMP_TRY(gemp_transfer_download(device, &sets.above, 0, (gemp_transfer_numbers){ .narrow = out->component },
		                                sets.rows));
	sets.transfers += gemp_now() - since;
	if (tree)
		GEMP_TRY(gemp_edge_sets_read_tree(&sets, out));
	out->transfers = sets.transfers;
	out->entries = sets.entries;
	out->build = sets.build + gemp_toolbox_build_seconds(box);
	GEMP_TRY(gemp_timings_seconds(&sets.timings, &out->seconds));
	GEMP_TRY(gemp_toolbox_seconds(box, &seconds));
	out->seconds += seconds;
	return GEMP_OK;
}
