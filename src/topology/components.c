#include "topology/components.h"

#include "core/memory.h"
#include "core/timer.h"
#include "primitive/sort.h"
#include "topology/component_sizes.h"
#include "topology/components_device.h"
#include "topology/contract.h"
#include "topology/sets.h"

typedef struct finding {
	gemp_components *out;
	const gemp_comm *comm;
	const uint64_t *bounds;
	const gemp_csr *csr;
	size_t count;
	bool tree;
	gemp_vertex first;
	gemp_vertex *set_of;    /* [rows] the root of each own vertex, as a row */
	gemp_contraction links; /* several ranks */
	uint64_t *first_edge;   /* [ranks + 1] of each rank's edges among all of them */
} finding;

void gemp_components_free(gemp_components *components)
{
	gemp_free(components->component);
	gemp_free(components->tree);
	components->component = NULL;
	components->tree = NULL;
}

static gemp_code add_tree(gemp_components *out, size_t *capacity, uint64_t edge)
{
	gemp_code code = GEMP_RESERVE(out->tree, *capacity, out->tree_count + 1);
	if (code == GEMP_OK)
		out->tree[out->tree_count++] = edge;
	return code;
}

static void take_roots(finding *f, const gemp_sets *sets)
{
	for (size_t row = 0; row < sets->rows; row++)
		f->set_of[row] = gemp_link_get(sets->links, (gemp_vertex)row);
}

static gemp_code add_link(finding *f, size_t *capacity, gemp_vertex root, gemp_vertex id)
{
	gemp_contraction *c = &f->links;
	gemp_code code = GEMP_RESERVE(c->ends, *capacity, c->links + 1);
	if (code == GEMP_OK)
		c->ends[c->links++] = (gemp_link_record){ f->first + root, id };
	return code;
}

/* Sets that vertices of other ranks are in, too: a link for each. */
static gemp_code link_sets(finding *f, const gemp_sets *sets)
{
	gemp_code code = GEMP_OK;
	size_t capacity = 0;
	for (size_t slot = 0; slot < sets->slots; slot++) {
		gemp_vertex id = gemp_link_get(sets->away, (gemp_vertex)slot);
		if (id != GEMP_NO_VERTEX)
			GEMP_TRY(add_link(f, &capacity, gemp_link_get(sets->links, (gemp_vertex)(sets->rows + slot)),
			                  id));
	}
done:
	return code;
}

/* For a forest links must be edges. Those that made the sets are enough of them, and few: of these the ones between own
 * vertices make smaller sets, and the others are links. */
static gemp_code link_edges(finding *f, const gemp_sets *sets)
{
	gemp_code code = GEMP_OK;
	gemp_link *links = NULL;
	size_t capacity = 0, edge_capacity = 0, tree_capacity = 0;
	gemp_vertex hooked;
	GEMP_TRY(GEMP_NEW(links, sets->rows));
	for (size_t row = 0; row < sets->rows; row++)
		atomic_init(&links[row], (gemp_vertex)row);
	for (int away = 0; away < 2; away++)
		for (size_t i = 0; i < sets->rows + sets->slots; i++) {
			uint64_t edge = sets->edge[i];
			if (edge == GEMP_NO_EDGE)
				continue;
			const gemp_csr *csr = &f->csr[gemp_csr_find(f->csr, f->count, &edge)];
			gemp_vertex row = (gemp_vertex)gemp_csr_row(csr, edge), to = csr->target[edge] - f->first;
			if (!away && to < sets->rows) {
				GEMP_CHECK(gemp_unite(links, row, to, &hooked));
				GEMP_TRY(add_tree(f->out, &tree_capacity, sets->edge[i]));
			} else if (away && to >= sets->rows) {
				GEMP_TRY(GEMP_RESERVE(f->links.edges, edge_capacity, f->links.links + 1));
				f->links.edges[f->links.links] = f->first_edge[f->comm->rank] + sets->edge[i];
				GEMP_TRY(add_link(f, &capacity, gemp_find(links, row), csr->target[edge]));
			}
		}
	if (!f->links.edges)
		GEMP_TRY(GEMP_NEW(f->links.edges, 1)); /* there are none, but they are asked for */
	for (size_t row = 0; row < sets->rows; row++)
		f->set_of[row] = gemp_find(links, (gemp_vertex)row);
done:
	gemp_free(links);
	return code;
}

/* Collective. Edges of the forest that other ranks found go home. */
static gemp_code return_tree(finding *f)
{
	gemp_code code = GEMP_OK;
	int *owner = NULL;
	void *came = NULL;
	size_t *from = NULL, ranks = (size_t)f->comm->size, count = f->links.tree_count;
	code = GEMP_NEW(owner, count);
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		owner[i] = (int)gemp_range_of(f->first_edge, ranks, f->links.tree[i]);
	GEMP_TRY(gemp_comm_agree(f->comm, code));
	GEMP_TRY(gemp_exchange_records(f->comm, f->links.tree, count, sizeof *f->links.tree, owner, &came, &from,
	                               &f->links.traffic));
	size_t capacity = f->out->tree_count;
	code = GEMP_RESERVE(f->out->tree, capacity, f->out->tree_count + from[ranks] + 1);
	GEMP_TRY(gemp_comm_agree(f->comm, code));
	for (size_t i = 0; i < from[ranks]; i++)
		f->out->tree[f->out->tree_count++] = ((gemp_edge *)came)[i] - f->first_edge[f->comm->rank];
done:
	gemp_free(owner);
	gemp_free(came);
	gemp_free(from);
	return code;
}

/* Collective. */
static gemp_code count_edges_before(finding *f)
{
	size_t *begin = NULL;
	void *all = NULL;
	uint64_t mine = gemp_csr_all_edges(f->csr, f->count);
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_comm_agree(f->comm, GEMP_NEW(f->first_edge, (size_t)f->comm->size + 1)));
	GEMP_TRY(gemp_comm_gather_all(f->comm, &mine, sizeof mine, &all, &begin));
	for (int r = 0; r < f->comm->size; r++)
		f->first_edge[r + 1] = f->first_edge[r] + ((uint64_t *)all)[r];
done:
	gemp_free(all);
	gemp_free(begin);
	return code;
}

/* Collective. */
static gemp_code join_ranks(finding *f, const gemp_sets *sets)
{
	gemp_code code = GEMP_OK;
	gemp_contraction *c = &f->links;
	*c = (gemp_contraction){ .comm = f->comm, .bounds = f->bounds, .first = f->first, .rows = f->out->rows };
	if (f->tree)
		GEMP_TRY(count_edges_before(f));
	code = GEMP_NEW(c->name, f->out->rows);
	for (size_t row = 0; row < f->out->rows && code == GEMP_OK; row++)
		c->name[row] = f->first + (gemp_vertex)row;
	if (code == GEMP_OK)
		code = f->tree ? link_edges(f, sets) : link_sets(f, sets);
	GEMP_TRY(gemp_comm_agree(f->comm, code));
	GEMP_TRY(gemp_contract(c, f->set_of));
	for (size_t row = 0; row < f->out->rows; row++)
		f->out->component[row] = c->name[f->set_of[row]];
	if (f->tree)
		GEMP_TRY(return_tree(f));
	f->out->rounds = c->rounds;
	f->out->traffic = c->traffic;
done:
	gemp_free(c->name);
	gemp_contraction_free(c);
	gemp_free(f->first_edge);
	return code;
}

/* Local. One rank has it all. */
static gemp_code take_sets(finding *f, const gemp_sets *sets)
{
	gemp_code code = GEMP_OK;
	size_t capacity = 0;
	for (size_t row = 0; row < sets->rows; row++)
		f->out->component[row] = f->first + f->set_of[row];
	for (size_t row = 0; f->tree && row < sets->rows; row++)
		if (sets->edge[row] != GEMP_NO_EDGE)
			GEMP_TRY(add_tree(f->out, &capacity, sets->edge[row]));
done:
	return code;
}

/* Collective. */
static gemp_code find_on_host(finding *f)
{
	gemp_code code = GEMP_OK;
	gemp_sets sets = { 0 };
	double since = gemp_now();
	GEMP_TRY(gemp_comm_agree(f->comm, gemp_sets_new(&sets, f->out->rows, f->csr, f->count, f->tree)));
	take_roots(f, &sets);
	if (f->comm->size > 1)
		GEMP_TRY(join_ranks(f, &sets));
	else
		GEMP_TRY(take_sets(f, &sets));
	f->out->seconds = gemp_now() - since;
done:
	gemp_sets_free(&sets);
	return code;
}

static gemp_code find_on_device(finding *f, gemp_device *device)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_components_on_device(f->out, device, f->csr, f->count, f->tree));
	for (size_t row = 0; row < f->out->rows; row++)
		f->set_of[row] = f->out->component[row] - f->first;
done:
	return code;
}

gemp_code gemp_components_find(gemp_components *out, const gemp_comm *comm, gemp_device *device, const uint64_t *bounds,
                               const gemp_csr *csr, size_t count, const gemp_components_options *options)
{
	static const gemp_sort by_number = { .key = GEMP_KEY_U64 };
	gemp_code code = GEMP_OK;
	finding f = { .out = out, .comm = comm, .bounds = bounds, .csr = csr, .count = count, .tree = options->tree,
	              .first = (gemp_vertex)bounds[comm->rank] };
	*out = (gemp_components){ .rows = (size_t)(bounds[comm->rank + 1] - bounds[comm->rank]) };
	code = GEMP_NEW(out->component, out->rows);
	if (code == GEMP_OK)
		code = GEMP_NEW(f.set_of, out->rows);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (comm->size == 1 && gemp_components_choose_device(device, csr, count, options->place))
		GEMP_TRY(find_on_device(&f, device));
	else
		GEMP_TRY(find_on_host(&f));
	GEMP_TRY(gemp_comm_agree(comm, gemp_sort_host(&by_number, out->tree, NULL, out->tree_count)));
	GEMP_TRY(gemp_component_sizes(out, comm, bounds, csr, count, f.set_of));
done:
	gemp_free(f.set_of);
	if (code != GEMP_OK)
		gemp_components_free(out);
	return code;
}
