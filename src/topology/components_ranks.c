/* The buffers of the sets stay on the device from the upload to the results. */

#include "topology/components_ranks.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/timer.h"
#include "device/transfer.h"
#include "primitive/radix_pass.h"
#include "topology/component_sizes_device.h"
#include "topology/components_bits.h"

#define KERNELS "components_ranks.cl"
#define RESULTS "components_results.cl"

typedef struct ranks_state {
	gemp_components *out;
	const gemp_comm *comm;
	gemp_device *device;
	const uint64_t *bounds;
	bool tree;
	gemp_toolbox *box;
	gemp_device_exchange *exchange;
	gemp_edge_sets sets;
	gemp_device_contraction links;
	gemp_set_bits bits;   /* used without forests, since a link of a forest has its edge */
	gemp_buffer own_sets; /* u32 [rows] forests: the sets that edges of the forest between own vertices make */
	uint64_t *first_edge; /* [ranks + 1] forests: the number of each rank's first edge, over all ranks */
} ranks_state;

/* Collective. */
static void free_state(ranks_state *s)
{
	gemp_free(s->first_edge);
	gemp_device_contraction_free(&s->links);
	gemp_set_bits_free(&s->bits, s->device);
	gemp_device_exchange_free(s->exchange);
	gemp_edge_sets_free(&s->sets);
	gemp_buffer_free(&s->own_sets, s->device);
	gemp_toolbox_free(s->box);
}

/* The root of each own vertex, as a row. */
static const gemp_buffer *own_sets(const ranks_state *s)
{
	return s->tree ? &s->own_sets : &s->sets.above;
}

/* Collective. Each rank may have left out edges between its largest set and those of other ranks. Are these sets in one
 * component? */
static gemp_code agree_on_skipped(ranks_state *s, gemp_code code, bool *right)
{
	const gemp_edge_sets *w = &s->sets;
	cl_uint root = 0, name = 0;
	const bool skipped = code == GEMP_OK && w->skipped != UINT32_MAX;
	if (skipped) {
		code = gemp_buffer_read(s->device, &w->above, w->skipped * sizeof root, sizeof root, &root);
		GEMP_THEN(gemp_buffer_read(s->device, &s->links.names.name, root * sizeof name, sizeof name, &name));
	}
	GEMP_TRY(gemp_comm_agree(s->comm, code));
	uint64_t most[] = { skipped ? name + (uint64_t)1 : 0, skipped ? UINT32_MAX - (uint64_t)name : 0 };
	gemp_comm_max(s->comm, most, 2);
	*right = !most[0] || most[0] - 1 == UINT32_MAX - most[1];
	return GEMP_OK;
}

/* Local. Links each vertex of another rank that is in a set. The most frequent set is sent as bitmaps. */
static gemp_code link_sets(ranks_state *s)
{
	const gemp_edge_sets *w = &s->sets;
	gemp_device_contraction *c = &s->links;
	gemp_buffer *flags = &c->names.flags;
	const cl_uint remote = w->vertices - w->rows;
	GEMP_TRY(gemp_set_bits_choose(&s->bits, w, s->bounds));
	GEMP_TRY(gemp_buffer_reserve(flags, s->device, ((size_t)remote + 1) * sizeof(cl_uint)));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "components_remote_flags", remote, GEMP_ARG(&w->above.mem),
	                        GEMP_ARG(&w->rows), GEMP_ARG(&w->first), GEMP_ARG(&w->vertices), GEMP_ARG(&remote),
	                        GEMP_ARG(&s->bits.root), GEMP_ARG(&flags->mem)));
	GEMP_TRY(gemp_compact_places(s->box, flags, remote, &c->count));
	GEMP_TRY(gemp_device_contraction_reserve(c, c->count));
	return gemp_tool_each(s->box, KERNELS, "components_remote_links", remote, GEMP_ARG(&w->above.mem),
	                      GEMP_ARG(&w->rows), GEMP_ARG(&w->first), GEMP_ARG(&w->vertices), GEMP_ARG(&remote),
	                      GEMP_ARG(&flags->mem), GEMP_ARG(&c->links.keys[0].mem));
}

/* Local. Makes the sets of own vertices from the edges of the forest between own vertices. */
static gemp_code unite_own(ranks_state *s)
{
	const gemp_edge_sets *w = &s->sets;
	GEMP_TRY(gemp_buffer_reserve(&s->own_sets, s->device, w->rows * sizeof(cl_uint)));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "components_own_begin", w->rows, GEMP_ARG(&s->own_sets.mem),
	                        GEMP_ARG(&w->rows)));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "components_own_unite", w->rows, GEMP_ARG(&w->tree.mem),
	                        GEMP_ARG(&w->ends.mem), GEMP_ARG(&w->rows), GEMP_ARG(&s->own_sets.mem)));
	return gemp_tool_each(s->box, KERNELS, "components_own_flatten", w->rows, GEMP_ARG(&s->own_sets.mem),
	                      GEMP_ARG(&w->rows));
}

/* Local. For a forest links must be edges, and those that united two sets suffice. Of these, the edges between own
 * vertices make smaller sets, and the edges to other ranks are links between the smaller sets. */
static gemp_code link_edges(ranks_state *s)
{
	const gemp_edge_sets *w = &s->sets;
	gemp_device_contraction *c = &s->links;
	gemp_buffer *flags = &c->names.flags;
	const cl_ulong first_edge = s->first_edge[s->comm->rank];
	GEMP_TRY(unite_own(s));
	GEMP_TRY(gemp_buffer_reserve(flags, s->device, ((size_t)w->vertices + 1) * sizeof(cl_uint)));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "components_link_flags", w->vertices, GEMP_ARG(&w->tree.mem),
	                        GEMP_ARG(&w->ends.mem), GEMP_ARG(&w->rows), GEMP_ARG(&w->vertices), GEMP_ARG(&flags->mem)));
	GEMP_TRY(gemp_compact_places(s->box, flags, w->vertices, &c->count));
	GEMP_TRY(gemp_device_contraction_reserve(c, c->count));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "components_edge_links", w->vertices, GEMP_ARG(&w->tree.mem),
	                        GEMP_ARG(&w->ends.mem), GEMP_ARG(&w->first), GEMP_ARG(&w->vertices),
	                        GEMP_ARG(&s->own_sets.mem), GEMP_ARG(&flags->mem), GEMP_ARG(&first_edge),
	                        GEMP_ARG(&c->links.keys[0].mem), GEMP_ARG(&c->links.values[0].mem)));
	return gemp_device_contraction_sort(c);
}

/* Collective. Sends the links to the owners of their vertices, which replace these by the roots of their sets. */
static gemp_code resolve_links(ranks_state *s, gemp_code code)
{
	gemp_device_contraction *c = &s->links;
	code = gemp_device_contraction_send(c, code);
	const cl_uint count = (cl_uint)c->count;
	GEMP_THEN(gemp_tool_each(s->box, KERNELS, "components_resolve", count, GEMP_ARG(&c->links.keys[0].mem),
	                         GEMP_ARG(&count), GEMP_ARG(&s->sets.first), GEMP_ARG(&own_sets(s)->mem)));
	return s->tree ? code : gemp_set_bits_link(&s->bits, code, &s->sets, c);
}

/* Local. Writes the links once for each rank. */
static gemp_code copy_links(ranks_state *s, gemp_buffer *copies)
{
	const gemp_device_contraction *c = &s->links;
	const size_t size = c->count * sizeof(cl_ulong), ranks = (size_t)s->comm->size;
	GEMP_TRY(gemp_buffer_reserve(copies, s->device, gemp_max(size * ranks, sizeof(cl_ulong))));
	for (size_t r = 0; r < ranks; r++) {
		c->names.send[r] = c->count;
		if (size)
			GEMP_TRY(GEMP_CL(clEnqueueCopyBuffer(s->device->queue, c->links.keys[0].mem, copies->mem, 0, r * size, size,
			                                     0, NULL, NULL)));
	}
	return GEMP_OK;
}

/* Local. Unites the roots of the links of all ranks, and names own roots by the smallest root of their component. */
static gemp_code unite_all_links(ranks_state *s, const gemp_buffer *links, uint64_t count)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer sets = { 0 };
	const gemp_edge_sets *w = &s->sets;
	const cl_uint all = (cl_uint)count;
	GEMP_TRY(gemp_buffer_new(&sets, s->device, w->vertices * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "components_own_begin", w->vertices, GEMP_ARG(&sets.mem),
	                        GEMP_ARG(&w->vertices)));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "components_links_unite", all, GEMP_ARG(&links->mem), GEMP_ARG(&all),
	                        GEMP_ARG(&sets.mem)));
	GEMP_TRY(gemp_tool_each(s->box, KERNELS, "components_own_flatten", w->vertices, GEMP_ARG(&sets.mem),
	                        GEMP_ARG(&w->vertices)));
	if (w->rows)
		GEMP_TRY(GEMP_CL(clEnqueueCopyBuffer(s->device->queue, sets.mem, s->links.names.name.mem,
		                                     w->first * sizeof(cl_uint), 0, w->rows * sizeof(cl_uint), 0, NULL, NULL)));
	return GEMP_CL(clFinish(s->device->queue));
}

/* Collective. If there are few links, every device gets all of them and unites them alone, by one exchange instead of
 * several for each round of contraction, whose kernels are short. Not for forests, for which all devices would have to
 * choose the same links. */
static gemp_code unite_few_links(ranks_state *s, gemp_code code, bool *united)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer copies = { 0 }, received = { 0 };
	gemp_device_contraction *c = &s->links;
	uint64_t all = code == GEMP_OK ? c->count : 0;
	GEMP_TRY(gemp_agree_sum(s->comm, code, &all));
	*united = !s->tree && all <= gemp_limits_now()->components_links;
	if (!*united)
		return GEMP_OK;
	code = copy_links(s, &copies);
	GEMP_TRY(gemp_device_exchange_run(s->exchange, code, &copies, c->names.send, sizeof(cl_ulong), &received,
	                                  c->names.receive));
	c->rounds++;
	return unite_all_links(s, &received, all);
}

/* Collective. The codes are agreed. */
static gemp_code join_sets(ranks_state *s, gemp_code code)
{
	bool united = false;
	code = resolve_links(s, code);
	GEMP_TRY(gemp_comm_agree(s->comm, unite_few_links(s, code, &united)));
	return united ? GEMP_OK : gemp_device_contraction_run(&s->links, gemp_device_contraction_sort(&s->links));
}

/* Collective. Sets first_edge[]. Edges of the forest are numbered over all ranks while they are sent. */
static gemp_code count_edges_before(ranks_state *s, gemp_code code, uint64_t mine)
{
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED void *all = NULL;
	GEMP_THEN(GEMP_NEW(s->first_edge, (size_t)s->comm->size + 1));
	GEMP_TRY(gemp_comm_allgather(s->comm, code, &mine, sizeof mine, &all, &begin));
	for (int r = 0; r < s->comm->size; r++)
		s->first_edge[r + 1] = s->first_edge[r] + ((uint64_t *)all)[r];
	return GEMP_OK;
}

/* Local. Lists the edges by which own roots were hooked, in ascending order, in keys[0] of the links. */
static gemp_code list_hooking_edges(ranks_state *s, size_t *count)
{
	static const gemp_sort ascending = { .key = GEMP_KEY_U64 };
	gemp_device_contraction *c = &s->links;
	gemp_buffer *flags = &c->names.flags;
	const cl_uint rows = s->sets.rows;
	gemp_sort_buffers edges = { 0 };
	GEMP_TRY(gemp_buffer_reserve(flags, s->device, ((size_t)rows + 1) * sizeof(cl_uint)));
	GEMP_TRY(gemp_tool_each(s->box, RESULTS, "hooking_edges_flags", rows, GEMP_ARG(&c->hooked_by.mem), GEMP_ARG(&rows),
	                        GEMP_ARG(&flags->mem)));
	GEMP_TRY(gemp_compact_places(s->box, flags, rows, count));
	for (int i = 0; i < 2; i++)
		GEMP_TRY(gemp_buffer_reserve(&c->links.keys[i], s->device, *count * sizeof(cl_ulong)));
	GEMP_TRY(gemp_tool_each(s->box, RESULTS, "hooking_edges_keep", rows, GEMP_ARG(&c->hooked_by.mem), GEMP_ARG(&rows),
	                        GEMP_ARG(&flags->mem), GEMP_ARG(&c->links.keys[0].mem)));
	edges.keys[0] = c->links.keys[0];
	edges.keys[1] = c->links.keys[1];
	const gemp_code code = gemp_sort_device(s->box, &ascending, &edges, *count, 0);
	c->links.keys[0] = edges.keys[0];
	c->links.keys[1] = edges.keys[1];
	return code;
}

/* Local. Appends the `count` edges in keys[1] of the links, which other ranks or this rank have found. */
static gemp_code append_tree(ranks_state *s, size_t count)
{
	gemp_components *out = s->out;
	size_t capacity = out->tree_count;
	GEMP_TRY(GEMP_RESERVE(out->tree, capacity, out->tree_count + count));
	uint64_t *received = out->tree + out->tree_count;
	GEMP_TRY(gemp_transfer_download(s->device, &s->links.links.keys[1], 0,
	                                (gemp_transfer_numbers){ .narrow = (uint32_t *)received }, 2 * count));
	for (size_t i = 0; i < count; i++)
		received[i] -= s->first_edge[s->comm->rank];
	out->tree_count += count;
	return GEMP_OK;
}

/* Collective. Sends the edges by which roots were hooked to the ranks that have these edges. */
static gemp_code return_tree(ranks_state *s, gemp_code code)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer bounds = { 0 };
	const size_t size = ((size_t)s->comm->size + 1) * sizeof(uint64_t);
	gemp_device_contraction *c = &s->links;
	gemp_root_names *n = &c->names;
	uint64_t received = 0;
	size_t count = 0;
	GEMP_THEN(gemp_edge_sets_read_tree(&s->sets, s->out));
	GEMP_THEN(list_hooking_edges(s, &count));
	GEMP_THEN(gemp_buffer_new(&bounds, s->device, size, NULL));
	GEMP_THEN(gemp_buffer_write(s->device, &bounds, 0, size, s->first_edge));
	GEMP_THEN(gemp_root_names_count_sends(n, true, &c->links.keys[0], count, &bounds));
	GEMP_TRY(gemp_device_exchange_run(s->exchange, code, &c->links.keys[0], n->send, sizeof(cl_ulong),
	                                  &c->links.keys[1], n->receive));
	for (int r = 0; r < s->comm->size; r++)
		received += n->receive[r];
	return append_tree(s, (size_t)received);
}

/* Local. Reads the name of each own vertex, unless only counts are wanted. */
static gemp_code read_names(ranks_state *s)
{
	const gemp_edge_sets *w = &s->sets;
	gemp_buffer *names = &s->links.names.flags;
	if (!s->out->component)
		return GEMP_OK;
	GEMP_TRY(gemp_buffer_reserve(names, s->device, w->rows * sizeof(cl_uint)));
	GEMP_TRY(gemp_tool_each(s->box, RESULTS, "components_finish", w->rows, GEMP_ARG(&own_sets(s)->mem),
	                        GEMP_ARG(&s->links.names.name.mem), GEMP_ARG(&w->rows), GEMP_ARG(&names->mem)));
	GEMP_TRY(GEMP_CL(clFinish(s->device->queue)));
	const double since = gemp_now();
	GEMP_TRY(
		gemp_transfer_download(s->device, names, 0, (gemp_transfer_numbers){ .narrow = s->out->component }, w->rows));
	s->sets.transfers += gemp_now() - since;
	return GEMP_OK;
}

/* Local. Adds the seconds of the kernels, of the copies and of the exchange. */
static gemp_code read_costs(ranks_state *s)
{
	gemp_components *out = s->out;
	double sets, seconds;
	GEMP_TRY(gemp_timings_seconds(&s->sets.timings, &sets));
	GEMP_TRY(gemp_toolbox_seconds(s->box, &seconds));
	out->seconds += sets + seconds;
	out->transfers += s->sets.transfers;
	out->entries += s->sets.entries;
	out->build += s->sets.build + gemp_toolbox_build_seconds(s->box);
	gemp_device_exchange_charge(s->exchange, &out->traffic, &out->exchange);
	out->rounds += s->links.rounds;
	return GEMP_OK;
}

/* Collective. The memory of exchanges is made once, for the bitmaps of sets, which are the longest messages of most
 * graphs. */
static gemp_code prepare(ranks_state *s, gemp_form form)
{
	GEMP_TRY(gemp_comm_agree(s->comm, gemp_toolbox_new(&s->box, s->device, form)));
	GEMP_TRY(gemp_device_exchange_new(&s->exchange, s->comm, s->device));
	return gemp_device_exchange_reserve(s->exchange, (size_t)(s->bounds[s->comm->size] / 8));
}

/* Collective. *right becomes false if a rank has left out edges that may be needed. */
static gemp_code find(ranks_state *s, const gemp_csr *csr, size_t count, bool may_sample, bool *right)
{
	const bool tree = s->tree;
	double since = gemp_now();
	gemp_code code = gemp_edge_sets_new(&s->sets, s->device, csr, count,
	                                    tree ? GEMP_SET_EDGES_AND_ENDS : GEMP_NO_SET_EDGES, may_sample);
	GEMP_THEN(gemp_device_contraction_new(&s->links, s->comm, s->box, s->exchange, s->bounds, tree));
	/* without its links a rank cannot take part in the exchanges that follow */
	GEMP_TRY(tree ? count_edges_before(s, code, gemp_csr_all_edges(csr, count)) : gemp_comm_agree(s->comm, code));
	gemp_trace_add("own sets", GEMP_LANE_HOST, since);
	since = gemp_now();
	GEMP_THEN(tree ? link_edges(s) : link_sets(s));
	gemp_trace_add("links", GEMP_LANE_HOST, since);
	since = gemp_now();
	code = join_sets(s, code);
	gemp_trace_add("join sets", GEMP_LANE_HOST, since);
	return agree_on_skipped(s, code, right);
}

/* Collective. */
static gemp_code try_devices(ranks_state *s, gemp_form form, const gemp_csr *csr, size_t count, bool may_sample,
                             bool *right)
{
	double since = gemp_now();
	GEMP_TRY(prepare(s, form));
	gemp_trace_add("exchange memory", GEMP_LANE_HOST, since);
	GEMP_TRY(find(s, csr, count, may_sample, right));
	if (!*right)
		return gemp_comm_agree(s->comm, read_costs(s));
	since = gemp_now();
	gemp_code code = gemp_component_sizes_on_devices(s->out, s->comm, GEMP_OK, s->bounds, s->box, &s->sets, own_sets(s),
	                                                 &s->links.names.name);
	gemp_trace_add("sizes", GEMP_LANE_HOST, since);
	since = gemp_now();
	GEMP_THEN(read_names(s));
	gemp_trace_add("read names", GEMP_LANE_HOST, since);
	if (s->tree)
		code = return_tree(s, code);
	GEMP_THEN(read_costs(s));
	return gemp_comm_agree(s->comm, code);
}

gemp_code gemp_components_on_devices(gemp_components *out, const gemp_comm *comm, gemp_device *device, gemp_form form,
                                     const uint64_t *bounds, const gemp_csr *csr, size_t count, bool tree)
{
	bool right = false;
	gemp_code code = GEMP_OK;
	out->on_device = true;
	for (int attempt = 0; attempt < 2 && !right && code == GEMP_OK; attempt++) {
		GEMP_OWNED_BY(free_state)
		ranks_state s = { .out = out, .comm = comm, .device = device, .bounds = bounds, .tree = tree };
		code = try_devices(&s, form, csr, count, attempt == 0, &right);
	}
	return code;
}
