/* On one rank the sets of its edges are the components. With several ranks each rank unites the ends of its own edges,
 * and vertices of other ranks are further elements. Links between sets of different ranks are then contracted, on
 * devices (components_ranks.h) or on hosts (disjoint_sets.h). For a forest only edges that have united two sets are
 * links. Sizes are added up at the ranks that own the components' names. */

#include "topology/components.h"

#include "core/memory.h"
#include "core/pages.h"
#include "core/search.h"
#include "core/timer.h"
#include "primitive/sort.h"
#include "topology/components_device.h"
#include "topology/components_ranks.h"
#include "topology/disjoint_sets.h"

/* The state of a search: its input, its result, and the links that join the sets of several ranks. */
typedef struct component_search {
	gemp_components *out;
	const gemp_comm *comm;
	const uint64_t *bounds;
	const gemp_csr *csr;
	size_t count;
	bool tree;
	gemp_vertex first;
	gemp_vertex *set_of;    /* [rows] the root of each own vertex, as a row */
	gemp_contraction links; /* used with several ranks */
	uint64_t *first_edge;   /* [ranks + 1] the number of each rank's first edge, over all ranks */
} component_search;

void gemp_components_free(gemp_components *components)
{
	gemp_free_all(components->component, components->size, components->tree);
	components->component = components->size = NULL;
	components->tree = NULL;
}

static void free_search(component_search *f)
{
	gemp_free_all(f->set_of, f->links.name, f->first_edge);
	gemp_contraction_free(&f->links);
}

/* Adds one edge to the forest. */
static gemp_code add_tree(gemp_components *out, size_t *capacity, uint64_t edge)
{
	GEMP_TRY(GEMP_RESERVE(out->tree, *capacity, out->tree_count + 1));
	out->tree[out->tree_count++] = edge;
	return GEMP_OK;
}

/* Adds a link from an own root, a row, to a vertex of any rank, an id. */
static gemp_code add_link(component_search *f, size_t *capacity, gemp_vertex root, gemp_vertex id)
{
	gemp_contraction *c = &f->links;
	GEMP_TRY(GEMP_RESERVE(c->ends, *capacity, c->links + 1));
	c->ends[c->links++] = (gemp_edge_pair){ f->first + root, id };
	return GEMP_OK;
}

/* Links the set of each vertex of another rank to this vertex. */
static gemp_code link_sets(component_search *f, const gemp_disjoint_sets *sets)
{
	size_t capacity = 0;
	for (size_t slot = 0; slot < sets->remote_slots; slot++) {
		gemp_vertex id = gemp_set_parent_get(sets->remote_ids, (gemp_vertex)slot);
		if (id != GEMP_NO_VERTEX)
			GEMP_TRY(add_link(f, &capacity, gemp_set_parent_get(sets->parent, (gemp_vertex)(sets->rows + slot)), id));
	}
	return GEMP_OK;
}

/* For a forest links must be edges. The edges that united two sets suffice, and they are few. Of these, the edges
 * between own vertices make smaller sets, and the edges to other ranks are links between the smaller sets. */
static gemp_code link_edges(component_search *f, const gemp_disjoint_sets *sets)
{
	GEMP_OWNED gemp_set_parent *links = NULL;
	size_t capacity = 0, edge_capacity = 0, tree_capacity = 0;
	gemp_vertex hooked;
	GEMP_TRY(GEMP_NEW(links, sets->rows));
	for (size_t row = 0; row < sets->rows; row++)
		atomic_init(&links[row], (gemp_vertex)row);
	for (int away = 0; away < 2; away++)
		for (size_t i = 0; i < sets->rows + sets->remote_slots; i++) {
			uint64_t edge = sets->edge[i];
			if (edge == GEMP_NO_EDGE)
				continue;
			const gemp_csr *csr = &f->csr[gemp_csr_find(f->csr, f->count, &edge)];
			gemp_vertex row = (gemp_vertex)gemp_csr_row(csr, edge), to = csr->target[edge] - f->first;
			if (!away && to < sets->rows) {
				GEMP_CHECK(gemp_disjoint_union(links, row, to, &hooked));
				GEMP_TRY(add_tree(f->out, &tree_capacity, sets->edge[i]));
			} else if (away && to >= sets->rows) {
				GEMP_TRY(GEMP_RESERVE(f->links.edges, edge_capacity, f->links.links + 1));
				f->links.edges[f->links.links] = f->first_edge[f->comm->rank] + sets->edge[i];
				GEMP_TRY(add_link(f, &capacity, gemp_disjoint_find(links, row), csr->target[edge]));
			}
		}
	if (!f->links.edges)
		GEMP_TRY(GEMP_NEW(f->links.edges, 1)); /* an array of 0 links, since NULL would mean that no edges are wanted */
	for (size_t row = 0; row < sets->rows; row++)
		f->set_of[row] = gemp_disjoint_find(links, (gemp_vertex)row);
	return GEMP_OK;
}

/* Collective. Sends the edges of the forest that this rank has found by contraction to the ranks that have these
 * edges. */
static gemp_code return_tree(component_search *f)
{
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *from = NULL;
	size_t ranks = (size_t)f->comm->size, count = f->links.tree_count;
	gemp_code code = GEMP_NEW(owner, count);
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		owner[i] = (int)gemp_range_find(f->first_edge, ranks, f->links.tree[i]);
	GEMP_TRY(gemp_exchange_records(f->comm, code, f->links.tree, count, sizeof *f->links.tree, owner, &received, &from,
	                               &f->links.traffic));
	size_t capacity = f->out->tree_count;
	code = GEMP_RESERVE(f->out->tree, capacity, f->out->tree_count + from[ranks] + 1);
	GEMP_TRY(gemp_comm_agree(f->comm, code));
	for (size_t i = 0; i < from[ranks]; i++)
		f->out->tree[f->out->tree_count++] = ((gemp_edge *)received)[i] - f->first_edge[f->comm->rank];
	return GEMP_OK;
}

/* Collective. Sets first_edge[]. Edges of the forest are numbered over all ranks while they are sent. */
static gemp_code count_edges_before(component_search *f)
{
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED void *all = NULL;
	uint64_t mine = gemp_csr_all_edges(f->csr, f->count);
	gemp_code code = GEMP_NEW(f->first_edge, (size_t)f->comm->size + 1);
	GEMP_TRY(gemp_comm_allgather(f->comm, code, &mine, sizeof mine, &all, &begin));
	for (int r = 0; r < f->comm->size; r++)
		f->first_edge[r + 1] = f->first_edge[r] + ((uint64_t *)all)[r];
	return GEMP_OK;
}

/* Collective. Sets of different ranks are contracted along links. Then every vertex takes the name of its set's
 * root. */
static gemp_code join_ranks(component_search *f, const gemp_disjoint_sets *sets)
{
	gemp_contraction *c = &f->links;
	*c = (gemp_contraction){ .comm = f->comm, .bounds = f->bounds, .first = f->first, .rows = f->out->rows };
	if (f->tree)
		GEMP_TRY(count_edges_before(f));
	gemp_code code = GEMP_NEW(c->name, f->out->rows);
	for (size_t row = 0; row < f->out->rows && code == GEMP_OK; row++)
		c->name[row] = f->first + (gemp_vertex)row;
	GEMP_THEN(f->tree ? link_edges(f, sets) : link_sets(f, sets));
	GEMP_TRY(gemp_comm_agree(f->comm, code));
	GEMP_TRY(gemp_contraction_run(c, f->set_of));
	for (size_t row = 0; row < f->out->rows; row++)
		f->out->component[row] = c->name[f->set_of[row]];
	if (f->tree)
		GEMP_TRY(return_tree(f));
	f->out->rounds = c->rounds;
	f->out->traffic = c->traffic;
	return GEMP_OK;
}

/* Local. A single rank has the whole graph, so its sets are the components. */
static gemp_code take_sets(component_search *f, const gemp_disjoint_sets *sets)
{
	size_t capacity = 0;
	for (size_t row = 0; row < sets->rows; row++)
		f->out->component[row] = f->first + f->set_of[row];
	for (size_t row = 0; f->tree && row < sets->rows; row++)
		if (sets->edge[row] != GEMP_NO_EDGE)
			GEMP_TRY(add_tree(f->out, &capacity, sets->edge[row]));
	return GEMP_OK;
}

/* Local. Makes the arrays of the result, if they are not there. */
static gemp_code new_results(component_search *f)
{
	gemp_components *out = f->out;
	const size_t bytes = out->rows * sizeof *out->component;
	if (out->component)
		return GEMP_OK;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->component, out->rows), GEMP_ARRAY(out->size, out->rows)));
	gemp_touch_pages(out->component, bytes);
	gemp_touch_pages(out->size, bytes);
	return GEMP_OK;
}

/* Collective. Each rank finds the sets of its own edges on all its threads. */
static gemp_code find_on_host(component_search *f)
{
	GEMP_OWNED_BY(gemp_disjoint_sets_free) gemp_disjoint_sets sets = { 0 };
	double since = gemp_now();
	gemp_code code = new_results(f);
	GEMP_THEN(GEMP_NEW(f->set_of, f->out->rows));
	GEMP_THEN(gemp_disjoint_sets_new(&sets, f->out->rows, f->csr, f->count, f->tree));
	GEMP_TRY(gemp_comm_agree(f->comm, code));
	for (size_t row = 0; row < sets.rows; row++)
		f->set_of[row] = gemp_set_parent_get(sets.parent, (gemp_vertex)row);
	GEMP_TRY(f->comm->size > 1 ? join_ranks(f, &sets) : take_sets(f, &sets));
	f->out->seconds = gemp_now() - since;
	f->out->entries = gemp_csr_all_edges(f->csr, f->count);
	return gemp_component_sizes(f->out, f->comm, f->bounds, f->csr, f->count,
	                            f->comm->size > 1 ? f->set_of : f->out->component);
}

/* Collective. If a device has too little memory, all ranks work on their hosts, unless devices are demanded. */
static gemp_code find(component_search *f, gemp_device *device, const gemp_components_options *options)
{
	if (!gemp_components_choose_devices(f->comm, device, f->csr, f->count, options->place))
		return find_on_host(f);
	gemp_code code = options->counts_only ? GEMP_OK : gemp_comm_agree(f->comm, new_results(f));
	if (code == GEMP_OK)
		code = f->comm->size == 1 ? gemp_components_on_device(f->out, f->comm, device, f->csr, f->count, f->tree)
		                          : gemp_components_on_devices(f->out, f->comm, device, options->form, f->bounds,
		                                                       f->csr, f->count, f->tree);
	if (code != GEMP_ENOMEM || options->place != GEMP_PLACE_AUTO)
		return code;
	gemp_components_free(f->out);
	*f->out = (gemp_components){ .rows = f->out->rows };
	return find_on_host(f);
}

/* Sets of a single rank are the components, and its first id is 0. The forest is sorted, because threads and work-items
 * find its edges in any order. */
gemp_code gemp_components_find(gemp_components *out, const gemp_comm *comm, gemp_device *device, const uint64_t *bounds,
                               const gemp_csr *csr, size_t count, const gemp_components_options *options)
{
	static const gemp_sort by_number = { .key = GEMP_KEY_U64 };
	GEMP_OWNED_BY(free_search)
	component_search f = { .out = out,
		                   .comm = comm,
		                   .bounds = bounds,
		                   .csr = csr,
		                   .count = count,
		                   .tree = options->tree,
		                   .first = (gemp_vertex)bounds[comm->rank] };
	*out = (gemp_components){ .rows = (size_t)(bounds[comm->rank + 1] - bounds[comm->rank]) };
	gemp_code code = find(&f, device, options);
	GEMP_THEN(gemp_comm_agree(comm, gemp_sort_host(&by_number, out->tree, NULL, out->tree_count)));
	if (code != GEMP_OK)
		gemp_components_free(out);
	return code;
}
