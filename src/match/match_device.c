#include "match/match_device.h"

#include "match/early_search.h"
#include "match/exchange/working_set.h"
#include "match/match_plan.h"
#include "match/search/search.h"
#include "match/search/search_build.h"

/* A plan by two-paths has a table for each worker, with 4 bytes for each vertex. All tables together may take a quarter
 * of a CPU device's memory. */
static bool tables_fit_on(const gemp_device *device, uint64_t vertices)
{
	uint64_t bytes = device->units * vertices * sizeof(uint32_t);
	return !device->gpu && bytes <= device->memory / 4 && bytes < device->max_buffer;
}

/* Collective. True if the tables fit on every device of every rank. */
static bool tables_fit(const gemp_match *m)
{
	const gemp_runtime *context = m->context;
	bool fit = tables_fit_on(context->device, m->graph->vertex_count);
	for (size_t i = 0; i < context->other_count; i++)
		fit &= tables_fit_on(context->others[i]->device, m->graph->vertex_count);
	return gemp_comm_sum1(context->comm, !fit) == 0;
}

/* True if the rows of this rank fit on its device. Without --row-cache, rows that are already on the device are not
 * counted, and the other rows may use three quarters of the free memory. */
static bool rows_fit(const gemp_match *m)
{
	const gemp_device *device = m->context->device;
	uint64_t bytes = 0, budget = m->context->budgets.row_cache, capacity = budget;
	if (!budget)
		capacity = device->memory > device->buffer_bytes ? (device->memory - device->buffer_bytes) / 4 * 3 : 0;
	for (size_t v = 0; v < m->rows->view_count; v++) {
		const gemp_view *view = &m->rows->views[v];
		uint64_t own;
		if (view->device && !budget)
			continue;
		if (!gemp_view_device_bytes(view, device, m->rows->wide, &own))
			return false;
		bytes += budget ? gemp_view_bytes(view, m->rows->wide) : own;
	}
	return bytes <= capacity;
}

/* Collective. Without tables of two-paths, samples may find a better order. */
static gemp_code plan_without_tables(gemp_match *m)
{
	double began = gemp_now();
	GEMP_TRY(gemp_match_plan(m, false));
	GEMP_TRY(gemp_match_improve_order(m));
	gemp_timers_add(&m->context->timers, GEMP_PHASE_CONVERT, began);
	return GEMP_OK;
}

/* Collective. Tables of two-paths need all rows and a device with few workers. */
static gemp_code make_rows(gemp_match *m, int64_t replicate)
{
	if (m->plan->two_paths && !tables_fit(m))
		GEMP_TRY(plan_without_tables(m));
	GEMP_TRY(gemp_resident_rows(&m->rows, m->context, m->graph, m->plan, replicate));
	if (!m->plan->two_paths || m->rows->residency.hot >= m->graph->vertex_count)
		return GEMP_OK;
	gemp_resident_release(m->rows);
	m->rows = NULL;
	GEMP_TRY(plan_without_tables(m));
	return gemp_resident_rows(&m->rows, m->context, m->graph, m->plan, replicate);
}

/* Collective. A row that does not fit into a round cannot be pulled. Push needs the rows that are on the devices in
 * place of those that the ranks share on the host. */
static gemp_code turn_to_push(gemp_match *m)
{
	gemp_pull_free(m->pull);
	m->pull = NULL;
	if (!m->rows->rounds)
		return GEMP_OK;
	gemp_resident_release(m->rows);
	m->rows = NULL;
	return make_rows(m, GEMP_REPLICATE_ON_DEVICE);
}

/* Collective. Chooses how a rank obtains rows that it lacks. If every rank has all rows and they fit on its device,
 * nothing is needed. Otherwise the rows come in rounds (pull) or partial matches are sent (push), as --exchange says.
 * With --exchange auto, push is chosen if the longest rows do not fit into a round, and pull if each rank has all
 * rows. It also takes push, without an estimate of rows, if push takes less time than pull takes to prepare. In all
 * other cases auto compares the bytes that pull and push are expected to move; a plan with given vertices uses pull. */
static gemp_code choose_exchange(gemp_match *m)
{
	gemp_push_pull_inputs question = { .context = m->context,
		                               .graph = m->graph,
		                               .plan = m->plan,
		                               .statistics = &m->statistics,
		                               .rows = m->rows,
		                               .work = m->sample_work };
	bool here = m->rows->residency.hot >= m->graph->vertex_count;
	const bool fits = gemp_comm_sum1(m->context->comm, !rows_fit(m)) == 0;
	if (m->options.exchange == GEMP_EXCHANGE_PUSH || (fits && here))
		return GEMP_OK;
	if (m->options.exchange == GEMP_EXCHANGE_AUTO && fits && !m->plan->arguments &&
	    gemp_push_pull_needs_no_rows(&question))
		return GEMP_OK;
	GEMP_TRY(
		gemp_pull_new(&m->pull, m->context, m->graph, m->plan, m->rows, &m->candidates, m->context->budgets.row_cache));
	if (m->options.exchange == GEMP_EXCHANGE_PULL || (here && !m->rows->rounds))
		return GEMP_OK;
	if (gemp_pull_fits(m->pull)) {
		if (m->plan->arguments || here)
			return GEMP_OK;
		question.pull = m->pull;
		GEMP_TRY(gemp_push_pull_weigh(&m->exchange, &question));
		if (!gemp_push_pull_favours_push(&m->exchange, m->graph->ranks))
			return GEMP_OK;
	}
	return turn_to_push(m);
}

/* Replicas for the search. Push searches in the rows that are on its device. */
static int64_t replicas_of(const gemp_match_options *options)
{
	bool on_device = options->exchange == GEMP_EXCHANGE_PUSH && options->replicate == GEMP_REPLICATE_AUTO;
	return on_device ? GEMP_REPLICATE_ON_DEVICE : options->replicate;
}

/* Collective. Kernels that must be compiled first are built by the run, if threads of the host can search in the
 * meantime. */
static gemp_code build_kernels(gemp_match *m)
{
	bool known = true;
	if (m->options.explained)
		return GEMP_OK;
	if (gemp_early_search_suits(m))
		GEMP_TRY(gemp_search_is_known(m->search, &known));
	return known ? gemp_search_build(m->search) : GEMP_OK;
}

gemp_code gemp_match_use_device(gemp_match *m)
{
	const gemp_match_options *options = &m->options;
	GEMP_TRY(gemp_runtime_open_devices(m->context));
	GEMP_TRY(make_rows(m, replicas_of(options)));
	double began = gemp_now();
	GEMP_TRY(choose_exchange(m));
	gemp_timers_add(&m->context->timers, GEMP_PHASE_CONVERT, began);
	gemp_search_options search = { .lanes = options->lanes,
		                           .launch_factor = options->launch_factor,
		                           .result_buffer = m->context->budgets.result_buffer,
		                           .outbox = m->context->budgets.outbox,
		                           .listed = gemp_match_needs_listing(m),
		                           .per = m->per,
		                           .first_only = options->first_only && !m->phases.after_count,
		                           .profile = options->profile,
		                           .by_formula = options->count_by_formula,
		                           .key_rank = m->pushdown.key_rank,
		                           .round_entries = m->pull ? gemp_pull_entries(m->pull) : 0 };
	GEMP_TRY(gemp_search_new(&m->search, m->context, m->graph, m->plan, &m->rows->order, &m->rows->residency,
	                         m->rows->views, &m->candidates, &search));
	GEMP_TRY(gemp_multi_new(m->search, m->rows, &m->candidates, &search));
	GEMP_TRY(build_kernels(m));
	if (m->pull)
		gemp_pull_attach(m->pull, m->search, &search);
	gemp_memory_report_measure(&m->memory, m->search, m->rows, &m->candidates, m->pull);
	m->memory.exchange = m->exchange;
	return GEMP_OK;
}
