#include "match/rows_at_hand.h"

#include "core/memory.h"
#include "match/match.h"

enum { CLASSES = 256 };

static gemp_view_key key_of(const gemp_plan_view *view)
{
	static const gemp_view_direction direction[] = { GEMP_VIEW_OUT, GEMP_VIEW_IN, GEMP_VIEW_EITHER };
	return (gemp_view_key){ view->relations, direction[view->direction], view->simple, view->edges };
}

/* What the rows of a degree class weigh, over all ranks. */
typedef struct weights {
	uint64_t vertices[CLASSES], bytes[CLASSES];
} weights;

static void weigh(weights *w, const gemp_comm *comm, const gemp_graph *graph, const gemp_plan *plan, const uint64_t *degree)
{
	uint64_t entry = sizeof(gemp_vertex) + (plan->live_edges ? sizeof(gemp_edge) : 0);
	*w = (weights){ 0 };
	for (size_t v = 0; v < graph->rows; v++) {
		unsigned class = gemp_degree_class(degree[v]);
		w->vertices[class]++;
		w->bytes[class] += degree[v] * entry + plan->view_count * sizeof(uint64_t);
	}
	gemp_comm_sum(comm, w->vertices, CLASSES);
	gemp_comm_sum(comm, w->bytes, CLASSES);
}

/* How many slots, from the hottest on, fit into the budget. */
static gemp_vertex hot_slots(const weights *w, uint64_t budget)
{
	uint64_t slots = 0;
	for (int c = CLASSES - 1; c >= 0; c--) {
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

static gemp_vertex choose_hot(const gemp_context *context, const gemp_graph *graph, const weights *w, int64_t replicate)
{
	uint64_t total = 0, budget = (uint64_t)replicate;
	if (replicate == GEMP_REPLICATE_ALL || graph->ranks == 1)
		return (gemp_vertex)graph->vertices;
	for (int c = 0; c < CLASSES; c++)
		total += w->bytes[c];
	if (replicate == GEMP_REPLICATE_AUTO) {
		uint64_t memory = context->device->memory / 2;
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_UINT64_T, MPI_MIN, context->comm->world));
		budget = memory;
	}
	return budget >= total ? (gemp_vertex)graph->vertices : hot_slots(w, budget);
}

static uint64_t view_bytes(const gemp_view *view, size_t rows)
{
	return view->begin[rows] * (sizeof *view->neighbours + (view->edges ? sizeof *view->edges : 0)) +
	       rows * sizeof *view->begin;
}

gemp_code gemp_rows_at_hand_new(gemp_rows_at_hand *out, gemp_context *context, const gemp_graph *graph,
                                const gemp_plan *plan, int64_t replicate)
{
	gemp_code code = GEMP_OK;
	uint64_t *degree = NULL;
	weights w;
	double began = gemp_now();
	*out = (gemp_rows_at_hand){ 0 };
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(degree, graph->rows)));
	for (size_t v = 0; v < plan->view_count; v++) {
		gemp_view_key key = key_of(&plan->views[v]);
		gemp_view_degrees(graph, &key, degree);
	}
	weigh(&w, context->comm, graph, plan, degree);
	gemp_vertex hot = choose_hot(context, graph, &w, replicate);
	GEMP_TRY(gemp_order_new(&out->order, context->comm, graph, degree));
	GEMP_TRY(gemp_comm_agree(context->comm, gemp_residency_new(&out->residency, graph, &out->order, hot)));
	for (; out->view_count < plan->view_count; out->view_count++) {
		gemp_view *view = &out->views[out->view_count];
		gemp_view_key key = key_of(&plan->views[out->view_count]);
		GEMP_TRY(gemp_view_new(view, context->comm, graph, &out->order, &out->residency, &key));
		out->bytes += view_bytes(view, view->rows);
		out->replica_bytes += view_bytes(view, hot);
	}
	gemp_timers_add(&context->timers, GEMP_CONVERT, began);
done:
	gemp_free(degree);
	if (code != GEMP_OK)
		gemp_rows_at_hand_free(out);
	return code;
}

void gemp_rows_at_hand_free(gemp_rows_at_hand *rows)
{
	for (size_t v = 0; v < rows->view_count; v++)
		gemp_view_free(&rows->views[v]);
	gemp_residency_free(&rows->residency);
	gemp_order_free(&rows->order);
	*rows = (gemp_rows_at_hand){ 0 };
}
