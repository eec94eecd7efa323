/* Decides which rows are resident. Unless the caller gives a budget, half of a device's memory is for rows. If all
 * rows fit, all rows are resident; ranks of a node that share rows count their halves together. All rows are also
 * resident if all ranks are on one node that has memory for one copy. Otherwise a rank has its own rows and as many
 * hot rows as fit. The decision uses 256 degree classes, summed over all ranks, before any row is gathered. The
 * runtime lists views in the order of use, and unused views are freed for new views. */

#include "partition/views/resident.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/node_memory.h"
#include "core/threads.h"
#include "partition/views/gathered_view.h"
#include "partition/views/list_rows.h"
#include "partition/views/renumbered_view.h"

#include <string.h>

/* The number of vertices and the bytes of their rows in each degree class, over all ranks. */
typedef struct weights {
	uint64_t vertices[GEMP_SLOT_CLASSES], bytes[GEMP_SLOT_CLASSES], total;
} weights;

/* The weights of this rank's vertices, which all threads add up by ranges. */
typedef struct weight_task {
	const uint64_t *degree;
	uint64_t entry, row; /* bytes of an entry, and of a row without its entries */
	weights *parts;      /* [GEMP_MAX_RANGES], zero */
} weight_task;

static void add_weights(void *context, size_t range, size_t begin, size_t end)
{
	const weight_task *t = context;
	weights *part = &t->parts[range];
	for (size_t v = begin; v < end; v++) {
		unsigned class = gemp_degree_class(t->degree[v]);
		part->vertices[class]++;
		part->bytes[class] += t->degree[v] * t->entry + t->row;
	}
}

/* Collective. The ranks sum 256 numbers instead of one number for each vertex, so the cost does not depend on the size
 * of the graph. parts[GEMP_MAX_RANGES] is zero. */
static void class_weights(weights *w, weights *parts, const gemp_resident *resident, const uint64_t *degree)
{
	weight_task t = { degree, sizeof(gemp_vertex), resident->view_count * sizeof(uint64_t), parts };
	*w = (weights){ 0 };
	for (size_t v = 0; v < resident->view_count; v++)
		if (resident->keys[v].edges)
			t.entry = sizeof(gemp_vertex) + sizeof(gemp_edge);
	gemp_for_ranges(resident->graph->rows, add_weights, &t);
	for (size_t r = 0; r < gemp_range_count(resident->graph->rows); r++)
		for (int c = 0; c < GEMP_SLOT_CLASSES; c++) {
			w->vertices[c] += parts[r].vertices[c];
			w->bytes[c] += parts[r].bytes[c];
		}
	gemp_comm_sum(resident->context->comm, w->vertices, GEMP_SLOT_CLASSES);
	gemp_comm_sum(resident->context->comm, w->bytes, GEMP_SLOT_CLASSES);
	for (int c = 0; c < GEMP_SLOT_CLASSES; c++)
		w->total += w->bytes[c];
}

/* Returns the number of hot slots that fit into the budget, beginning with the highest degrees. */
static gemp_vertex hot_slots(const weights *w, uint64_t budget)
{
	uint64_t slots = 0;
	for (int c = GEMP_SLOT_CLASSES - 1; c >= 0; c--) {
		if (w->bytes[c] <= budget) {
			slots += w->vertices[c];
			budget -= w->bytes[c];
			continue;
		}
		slots += (uint64_t)((double)w->vertices[c] * ((double)budget / (double)w->bytes[c]));
		break;
	}
	return (gemp_vertex)slots;
}

/* Collective. Returns whether all ranks are on one node that has shared memory for one copy of all rows, and memory for
 * a second copy while gaps between the rows are closed (view_build.c). Narrow offsets and alignment add to the bytes of
 * the rows. */
static bool node_holds_all(const gemp_resident *resident, const weights *w)
{
	const gemp_comm *comm = resident->context->comm;
	uint64_t narrow = resident->view_count * (resident->graph->vertex_count + 1024) * sizeof(uint32_t);
	uint64_t bytes = w->total + narrow;
	bool room = comm->node_size == comm->size && gemp_memory_available() / 2 >= bytes;
	return gemp_comm_sum1(comm, !room) == 0 && gemp_shared_possible(comm, (size_t)bytes);
}

/* Collective. Half of a device's memory is for rows. If ranks of a node share rows, the sum of their halves must hold
 * the whole graph. */
static gemp_vertex choose_by_memory(gemp_resident *resident, const weights *w)
{
	uint64_t half = resident->context->device->memory / 2;
	uint64_t budgets[2] = { half, half * (uint64_t)resident->node_sharers };
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, budgets, 2, MPI_UINT64_T, MPI_MIN, resident->context->comm->world));
	if (budgets[1] >= w->total)
		return (gemp_vertex)resident->graph->vertex_count;
	resident->rounds = resident->replicate == GEMP_REPLICATE_AUTO && node_holds_all(resident, w);
	return resident->rounds ? (gemp_vertex)resident->graph->vertex_count : hot_slots(w, budgets[0]);
}

/* Collective. All ranks compute the same number of hot slots, as they use the same sums. */
static gemp_vertex choose_hot(gemp_resident *resident, const weights *w)
{
	const gemp_shard *graph = resident->graph;
	const gemp_runtime *context = resident->context;
	uint64_t budget = (uint64_t)resident->replicate;
	if (graph->ranks == 1)
		return (gemp_vertex)graph->vertex_count;
	if (resident->replicate >= 0)
		return budget >= w->total ? (gemp_vertex)graph->vertex_count : hot_slots(w, budget);
	if (gemp_shared_possible(context->comm, (size_t)w->total) && !(context->device && context->device->gpu))
		resident->node_sharers = context->comm->node_size;
	return resident->replicate == GEMP_REPLICATE_ALL ? (gemp_vertex)graph->vertex_count : choose_by_memory(resident, w);
}

/* Returns the bytes of the first `rows` rows. If ranks share the rows, returns this rank's part. */
uint64_t gemp_resident_view_bytes(const gemp_view *view, size_t rows)
{
	uint64_t bytes = view->begin[rows] * (sizeof *view->neighbours + (view->edges ? sizeof *view->edges : 0)) +
	                 rows * sizeof *view->begin;
	return view->shared.bytes ? gemp_shared_own_bytes(&view->shared, (size_t)bytes) : bytes;
}

/* What a caller of gemp_resident_get or gemp_resident_on_host asks for. */
typedef struct request {
	const gemp_shard *graph;
	const gemp_view_key *keys; /* [view_count] */
	size_t view_count;
	int64_t replicate;
	bool on_host, by_id;
} request;

/* Are the rows on the host, too? The same on all ranks. */
static bool is_on_host(const gemp_resident *resident)
{
	for (size_t v = 0; v < resident->view_count; v++)
		if (!resident->views[v].neighbours)
			return false;
	return true;
}

/* A single rank has all rows. Several ranks have all rows if they were made for the host or all are replicated. Rows
 * that only the devices have would become a copy for each rank, so the host's rows are made anew, once for a node. */
static bool serves(const gemp_resident *resident, const request *wanted)
{
	if (resident->by_id != wanted->by_id)
		return false;
	if (wanted->on_host)
		return resident->residency.hot == wanted->graph->vertex_count &&
		       (resident->graph->ranks == 1 || is_on_host(resident));
	return resident->on_host ? resident->graph->ranks == 1 : resident->replicate == wanted->replicate;
}

/* All ranks have made the same requests, so all ranks find the same entry or none. */
static bool matches_request(const gemp_resident *resident, const request *wanted)
{
	const gemp_shard *graph = wanted->graph;
	const gemp_view_key *keys = wanted->keys;
	size_t view_count = wanted->view_count;
	if (resident->graph != graph || resident->view_count != view_count || !serves(resident, wanted))
		return false;
	for (size_t v = 0; v < view_count; v++) {
		const gemp_view_key *have = &resident->keys[v], *want = &keys[v];
		if (have->direction != want->direction || have->simple != want->simple || have->edges < want->edges ||
		    memcmp(have->relations, want->relations, graph->relation_count * sizeof *want->relations) != 0)
			return false;
	}
	return true;
}

/* The list has one entry for each set of views, so it is short. */
static void unlist(gemp_resident *resident)
{
	gemp_resident **at = &resident->context->resident;
	while (*at && *at != resident)
		at = &(*at)->next;
	if (*at)
		*at = resident->next;
}

/* The entry that was used last is the first. */
static void list(gemp_resident *resident)
{
	resident->next = resident->context->resident;
	resident->context->resident = resident;
	resident->context->evict_resident = gemp_resident_evict;
}

/* Copies on other devices borrow the host arrays of the views, so the copies are freed first. */
void gemp_resident_free(gemp_resident *resident)
{
	if (!resident)
		return;
	unlist(resident);
	for (size_t c = 0; c < resident->copy_count; c++) {
		for (size_t v = 0; v < resident->view_count; v++)
			gemp_view_unload(&resident->copies[c].views[v]);
		gemp_free(resident->copies[c].views);
	}
	gemp_free(resident->copies);
	for (size_t v = 0; resident->views && v < resident->view_count; v++)
		gemp_view_free(&resident->views[v]);
	gemp_free_all(resident->views, resident->keys, resident->relations);
	gemp_residency_free(&resident->residency);
	gemp_slot_order_free(&resident->order);
	gemp_free(resident);
}

/* The list begins with the entry that was used last. */
static gemp_resident *oldest_unused(const gemp_runtime *context)
{
	gemp_resident *oldest = NULL;
	for (gemp_resident *r = context->resident; r; r = r->next)
		if (!r->users)
			oldest = r;
	return oldest;
}

/* Entries in use are not freed. */
void gemp_resident_evict(gemp_runtime *context)
{
	for (gemp_resident *oldest; (oldest = oldest_unused(context)) != NULL;)
		gemp_resident_free(oldest);
}

/* Collective. Frees unused entries, the oldest first, until on every device the buffers with `bytes` more bytes take at
 * most half of the memory. */
static void evict_unused(const gemp_runtime *context, uint64_t bytes)
{
	for (gemp_resident *oldest; (oldest = oldest_unused(context)) != NULL;) {
		bool fits = !context->device || context->device->buffer_bytes + bytes <= context->device->memory / 2;
		if (gemp_comm_sum1(context->comm, !fits) == 0)
			return;
		gemp_resident_free(oldest);
	}
}

/* Local. Copies the keys and their relations, since the caller may free the originals before the resident rows are
 * freed. */
static gemp_code copy_keys(gemp_resident *resident, const gemp_view_key *keys)
{
	size_t relations = resident->graph->relation_count;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(resident->keys, resident->view_count),
	                      GEMP_ARRAY(resident->relations, resident->view_count * relations),
	                      GEMP_ARRAY(resident->views, resident->view_count)));
	for (size_t v = 0; v < resident->view_count; v++) {
		bool *own = resident->relations + v * relations;
		memcpy(own, keys[v].relations, relations * sizeof *own);
		resident->keys[v] = keys[v];
		resident->keys[v].relations = own;
	}
	return GEMP_OK;
}

/* Collective. Makes the rows of the views that gemp_renumbered_view_begin or gemp_gathered_view_begin has begun. */
static gemp_code renumber(gemp_resident *resident)
{
	gemp_runtime *context = resident->context;
	gemp_gathered_seconds part = { 0 };
	double began = gemp_now();
	gemp_code code = GEMP_OK;
	gemp_device *device = context->budgets.row_cache || resident->on_host ? NULL : context->device;
	bool on_device = false;
	for (size_t v = 0; v < resident->view_count && code == GEMP_OK; v++) {
		gemp_view *view = &resident->views[v];
		if (!view->neighbours && resident->graph->ranks > 1)
			code = gemp_gathered_view_make(view, context, resident->graph, &resident->order, &resident->residency,
			                               &resident->keys[v], resident->wide, &part);
		else if (!view->neighbours)
			code = gemp_renumbered_view_make(view, device, resident->graph, &resident->order, &resident->keys[v],
			                                 resident->wide, &part.build);
		on_device |= !view->neighbours;
	}
	context->timers.seconds[GEMP_PHASE_BUILD] += part.build;
	context->timers.seconds[GEMP_PHASE_EXCHANGE] += part.exchange;
	if (on_device)
		gemp_timers_add_less(&context->timers, GEMP_PHASE_UPLOAD, began, part.build + part.exchange);
	return gemp_comm_agree(context->comm, code);
}

/* Collective. Begins a view whose rows have other rows' numbers, without merged parallel edges. Devices make the
 * rows of several ranks only if all ranks have all rows there; rounds take rows from the host. *taken: bytes of
 * such views. */
static gemp_code begin_view(gemp_resident *resident, size_t v, bool gathers, uint64_t *taken)
{
	gemp_view *view = &resident->views[v];
	const gemp_shard *graph = resident->graph;
	if (resident->residency.hot < graph->vertex_count)
		return GEMP_OK;
	if (gathers)
		return gemp_gathered_view_begin(view, resident->context, graph, &resident->order, &resident->keys[v], taken);
	return gemp_comm_agree(resident->context->comm,
	                       gemp_renumbered_view_begin(view, graph, &resident->order, &resident->keys[v]));
}

/* Collective. `wide` is the same on all ranks, since the kernels of all ranks are compiled with it. With a budget for
 * rows on the device, rounds take the rows from the host. Without an open device the host makes all rows. */
static gemp_code make_views(gemp_resident *resident)
{
	uint64_t most = 0, taken = 0;
	gemp_runtime *context = resident->context;
	const bool gathers = resident->graph->ranks > 1 && !resident->on_host && !resident->rounds &&
	                     !context->budgets.row_cache && gemp_gathered_view_suits(context);
	for (size_t v = 0; v < resident->view_count; v++) {
		gemp_view *view = &resident->views[v];
		if (!view->begin)
			GEMP_TRY(begin_view(resident, v, gathers, &taken));
		if (!view->begin)
			GEMP_TRY(gemp_view_new(view, context->comm, resident->graph, &resident->order, &resident->residency,
			                       &resident->keys[v]));
		if (!view->begin)
			return GEMP_OK;
		resident->bytes += gemp_resident_view_bytes(view, view->rows);
		resident->replica_bytes += gemp_resident_view_bytes(view, resident->residency.hot);
		if (view->begin[view->rows] > most)
			most = view->begin[view->rows];
	}
	gemp_comm_max(resident->context->comm, &most, 1);
	resident->wide = most > UINT32_MAX - 64;
	return renumber(resident);
}

/* Do some views have no rows, because a node has no window for them? The same on all ranks. */
static bool lacks_window(const gemp_resident *resident)
{
	for (size_t v = 0; v < resident->view_count; v++)
		if (!resident->views[v].begin)
			return true;
	return false;
}

/* Collective. Another process may have filled the shared memory since the rows were chosen. A private copy of all rows
 * for each rank would be more than the ranks have agreed on, so they choose the rows that each of them can hold. */
static gemp_code make_without_window(gemp_resident *resident, const weights *w)
{
	const gemp_shard *graph = resident->graph;
	uint64_t budget = resident->context->device->memory / 2;
	for (size_t v = 0; v < resident->view_count; v++)
		gemp_view_free(&resident->views[v]);
	gemp_residency_free(&resident->residency);
	resident->bytes = resident->replica_bytes = 0;
	resident->node_sharers = 1;
	resident->rounds = false;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &budget, 1, MPI_UINT64_T, MPI_MIN, resident->context->comm->world));
	const gemp_vertex hot = budget >= w->total ? (gemp_vertex)graph->vertex_count : hot_slots(w, budget);
	gemp_log(GEMP_VERBOSE, "each rank holds %zu of %zu rows\n", (size_t)hot, (size_t)graph->vertex_count);
	GEMP_TRY(gemp_comm_agree(resident->context->comm,
	                         gemp_residency_new(&resident->residency, graph, &resident->order, hot)));
	return make_views(resident);
}

/* Adds the time since `since` to the trace, and returns the current time. */
static double trace_step(const char *name, double since)
{
	gemp_trace_add(name, GEMP_LANE_HOST, since);
	return gemp_now();
}

/* Collective. The order of slots is made from the degrees in all views together, and then the rows are made in this
 * order. If all degrees are 0, all vertices are in one class, which is ordered by ids. */
static gemp_code make(gemp_resident *resident, const gemp_view_key *keys)
{
	const gemp_comm *comm = resident->context->comm;
	const gemp_shard *graph = resident->graph;
	GEMP_OWNED uint64_t *degree = NULL;
	GEMP_OWNED weights *parts = NULL;
	gemp_vertex hot = (gemp_vertex)graph->vertex_count;
	weights w;
	double since = gemp_now();
	GEMP_TRY(gemp_comm_agree(comm, copy_keys(resident, keys)));
	resident->node_sharers = 1;
	if (resident->by_id) /* such rows are of one view */
		GEMP_TRY(gemp_list_rows_new(&resident->views[0], comm, graph, &resident->keys[0]));
	if (resident->by_id && resident->views[0].begin) { /* nobody asks for the slots of rows by id */
		resident->order.vertices = resident->residency.vertices = resident->residency.hot = hot;
		return make_views(resident);
	}
	gemp_code code = gemp_new_all(GEMP_ARRAY(degree, graph->rows), GEMP_ARRAY(parts, GEMP_MAX_RANGES));
	for (size_t v = 0; v < resident->view_count && !resident->by_id; v++)
		GEMP_THEN(gemp_view_degrees(graph, &keys[v], degree));
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (!resident->on_host) {
		class_weights(&w, parts, resident, degree);
		hot = choose_hot(resident, &w);
	}
	since = trace_step("degrees", since);
	GEMP_TRY(gemp_slot_order_new(&resident->order, comm, graph, degree));
	gemp_free(degree);
	degree = NULL;
	GEMP_TRY(gemp_comm_agree(comm, gemp_residency_new(&resident->residency, graph, &resident->order, hot)));
	trace_step("number slots", since);
	if (!resident->on_host)
		evict_unused(resident->context,
		             hot == graph->vertex_count ? w.total / (uint64_t)resident->node_sharers : w.total);
	resident->residency.node = resident->replicate == GEMP_REPLICATE_AUTO && hot == graph->vertex_count &&
	                           gemp_comm_sum1(comm, resident->node_sharers > 1 || resident->rounds) > 0;
	code = make_views(resident);
	return code == GEMP_OK && lacks_window(resident) ? make_without_window(resident, &w) : code;
}

/* All ranks find the same entry or none, as they have made the same requests before. */
static gemp_code get(gemp_resident **out, gemp_runtime *context, const request *wanted)
{
	gemp_code code = GEMP_OK;
	gemp_resident *resident = context->resident;
	double began = gemp_now(), *seconds = context->timers.seconds,
		   others = seconds[GEMP_PHASE_BUILD] + seconds[GEMP_PHASE_UPLOAD] + seconds[GEMP_PHASE_EXCHANGE];
	while (resident && !matches_request(resident, wanted))
		resident = resident->next;
	if (resident) {
		unlist(resident);
	} else {
		code = GEMP_NEW(resident, 1);
		if (code == GEMP_OK)
			*resident = (gemp_resident){ .context = context,
				                         .graph = wanted->graph,
				                         .view_count = wanted->view_count,
				                         .replicate = wanted->replicate,
				                         .on_host = wanted->on_host,
				                         .by_id = wanted->by_id };
		GEMP_TRY_DONE(gemp_comm_agree(context->comm, code));
		GEMP_TRY_DONE(make(resident, wanted->keys));
	}
	list(resident);
	resident->users++;
	*out = resident;
	resident = NULL;
	gemp_timers_add_less(&context->timers, GEMP_PHASE_CONVERT, began,
	                     seconds[GEMP_PHASE_BUILD] + seconds[GEMP_PHASE_UPLOAD] + seconds[GEMP_PHASE_EXCHANGE] -
	                         others);
done:
	gemp_resident_free(resident);
	return code;
}

gemp_code gemp_resident_to_host(gemp_resident *resident)
{
	gemp_code code = GEMP_OK;
	for (size_t v = 0; v < resident->view_count && code == GEMP_OK; v++)
		code = gemp_renumbered_view_to_host(&resident->views[v]);
	return code;
}

/* The caller's devices decide how many rows are resident. */
gemp_code gemp_resident_get(gemp_resident **out, gemp_runtime *context, const gemp_shard *graph,
                            const gemp_view_key *keys, size_t view_count, int64_t replicate)
{
	return get(out, context, &(request){ graph, keys, view_count, replicate, false, false });
}

gemp_code gemp_resident_on_host(gemp_resident **out, gemp_runtime *context, const gemp_shard *graph,
                                const gemp_view_key *keys, size_t view_count, bool by_id)
{
	gemp_resident *resident;
	GEMP_TRY(get(&resident, context, &(request){ graph, keys, view_count, GEMP_REPLICATE_ALL, true, by_id }));
	gemp_code code = gemp_comm_agree(context->comm, gemp_resident_to_host(resident));
	if (code == GEMP_OK)
		*out = resident;
	else
		gemp_resident_release(resident);
	return code;
}

/* Unused rows stay only if the runtime keeps them for the next query. */
void gemp_resident_release(gemp_resident *resident)
{
	if (!resident)
		return;
	resident->users--;
	if (!resident->users && !resident->context->keep_resident)
		gemp_resident_free(resident);
}

/* A copy shares the host arrays of the first views and has its own buffers. */
gemp_code gemp_resident_views(gemp_view **out, gemp_resident *resident, const gemp_device *device)
{
	gemp_view *views = NULL;
	*out = resident->views;
	if (device == resident->context->device)
		return GEMP_OK;
	for (size_t c = 0; c < resident->copy_count; c++)
		if (resident->copies[c].device == device) {
			*out = resident->copies[c].views;
			return GEMP_OK;
		}
	GEMP_TRY(gemp_resident_to_host(resident));
	GEMP_TRY(GEMP_RESERVE(resident->copies, resident->copy_capacity, resident->copy_count + 1));
	GEMP_TRY(GEMP_NEW(views, resident->view_count));
	for (size_t v = 0; v < resident->view_count; v++) {
		views[v] = resident->views[v];
		views[v].device = NULL;
		views[v].device_begin = views[v].device_neighbours = views[v].device_edges = (gemp_buffer){ 0 };
	}
	resident->copies[resident->copy_count++] = (gemp_resident_copy){ device, views };
	*out = views;
	return GEMP_OK;
}
