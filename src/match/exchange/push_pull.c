#include "match/exchange/push_pull.h"

#include "core/limits.h"
#include "core/log.h"
#include "match/exchange/working_set.h"

/* seconds_per_read is the additional time of a read in the kernels for push, compared with the kernels for resident
 * rows, on one core (PoCL, Wiki-Vote and Email-Enron: 20 to 60 ns). An entry of a step without further checks costs a
 * twentieth: the loop over the row is as in other kernels (PoCL, paths of 1.3 G matches: 6 instead of 4 ns a match).
 * seconds_per_row_byte is the time in which rows for pull are coded, decoded and laid out (paths on 50,000 vertices
 * of degree 128 and 64, four ranks: 15 and 20 ns; all measured in processor seconds, AMD EPYC, 2026-11-29).
 * bytes_per_second is the rate of the network. seconds_per_vertex is the time in which pull is prepared and its rows
 * are estimated, before any row is sent: lengths of rows, bitmaps, own rows without unused entries (30 ns for 4 M
 * vertices on two ranks with an H200 each, 26 ns for 500,000 on four ranks and two cores, 2026-11-30). */
static const double seconds_per_vertex = 25e-9, seconds_per_read = 40e-9, unchecked_reads = 0.05,
					seconds_per_row_byte = 15e-9, bytes_per_second = 1e9;

/* The number of rows that this rank lacks, and the number of their entries. */
typedef struct rows_needed {
	double rows, entries;
} rows_needed;

/* The inputs of the estimate for pull, and the working set of all own pivots. */
typedef struct estimate_context {
	const gemp_push_pull_inputs *inputs;
	const gemp_fetch *fetch;
	gemp_closure closure;
	gemp_working_set *working_set;
	gemp_vertex *pivots;
	gemp_root_tasks tasks;
	double bytes_an_entry;
} estimate_context;

enum { SAMPLED_ROWS = 512, TRIED_ROUNDS = 16, CLASSES = 256 };
/* a request has the difference of the row's slot, and the reply has the row's size */
static const double bytes_per_row = 2.5;

/* Lists the own candidates of the pivot. They are the tasks whose working set is estimated. */
static gemp_code list_pivots(estimate_context *w)
{
	const gemp_residency *residency = w->fetch->residency;
	const uint32_t *bits = w->inputs->plan->pivot_off ? NULL
	                                                  : gemp_pull_candidates(w->inputs->pull)[w->inputs->plan->pivot];
	GEMP_TRY(GEMP_NEW(w->pivots, residency->own_count + 1));
	for (size_t i = 0; i < residency->own_count; i++)
		if (!bits || gemp_bits32_test(bits, residency->own_slots[i]))
			w->pivots[w->tasks.count++] = residency->own_slots[i];
	w->tasks.slots = w->pivots;
	return GEMP_OK;
}

/* Measures the mean size of a coded entry by coding some of this rank's own rows. */
static gemp_code measure_code(estimate_context *w)
{
	const gemp_residency *residency = w->fetch->residency;
	size_t every = residency->own_count / SAMPLED_ROWS + 1, capacity = 0, entries = 0, bytes = 0;
	GEMP_OWNED uint8_t *code = NULL;
	for (size_t i = 0; i < residency->own_count; i += every)
		for (size_t v = 0; v < w->fetch->view_count; v++) {
			gemp_row row = gemp_fetch_get(w->fetch, v, residency->own_slots[i]);
			GEMP_TRY(GEMP_RESERVE(code, capacity, gemp_row_code_max_bytes(row.size, row.edges != NULL)));
			uint8_t *end = gemp_slots_put(code, row.neighbours, row.size);
			end = row.edges ? gemp_edges_put(end, row.edges, row.size) : end;
			bytes += (size_t)(end - code);
			entries += row.size;
		}
	w->bytes_an_entry = entries ? (double)bytes / (double)entries : 1;
	return GEMP_OK;
}

/* Counts the rows of the working set that this rank lacks. */
static rows_needed missing_rows(const estimate_context *w)
{
	rows_needed missing = { 0, 0 };
	for (size_t v = 0; v < w->fetch->view_count; v++)
		for (size_t i = 0; i < w->working_set->words; i++)
			for (uint32_t left = w->working_set->need[v][i]; left; left &= left - 1) {
				gemp_vertex slot = (gemp_vertex)(i * 32 + (size_t)__builtin_ctz(left));
				if (gemp_fetch_is_resident(w->fetch, slot))
					continue;
				missing.rows++;
				missing.entries += (double)gemp_fetch_size(w->fetch, v, slot);
			}
	return missing;
}

/* The rows of a view by size class. `size` is the length of the longest row. `all` counts the rows of all vertices.
 * `open` counts the rows that are neither on this rank nor known to be read. `entries` is the number of entries of the
 * view. */
typedef struct size_classes {
	double size[CLASSES], all[CLASSES], open[CLASSES], entries;
} size_classes;

/* Counts the rows of each class, so that the expectation is computed for each class instead of for each vertex. */
static void count_sizes(const estimate_context *w, size_t view, size_classes *s)
{
	*s = (size_classes){ 0 };
	for (gemp_vertex slot = 0; slot < w->inputs->graph->vertex_count; slot++) {
		uint64_t size = gemp_fetch_size(w->fetch, view, slot);
		unsigned class = gemp_degree_class(size);
		bool open = !gemp_fetch_is_resident(w->fetch, slot) && !gemp_bits32_test(w->working_set->need[view], slot);
		s->all[class]++;
		s->open[class] += open;
		s->size[class] = fmax(s->size[class], (double)size);
		s->entries += (double)size;
	}
}

/* The number of entries in rows of the parent's images. Each entry names a vertex that can be an image of the place. */
static double named_from_images(const estimate_context *w, const gemp_closure_node *place)
{
	double named = 0;
	for (size_t i = 0; i < w->working_set->words; i++)
		for (uint32_t left = w->working_set->seen[place->parent][i]; left; left &= left - 1)
			named += (double)gemp_fetch_size(w->fetch, (size_t)place->view,
			                                 (gemp_vertex)(i * 32 + (size_t)__builtin_ctz(left)));
	return named;
}

/* The fraction of all vertices that are candidates of the pattern vertex. */
static double candidate_fraction(const gemp_statistics *s, int vertex)
{
	return s->filtered[vertex] && s->vertices > 0 ? s->candidates[vertex] / s->vertices : 1;
}

/* The expected number of missing rows two or more steps away from a pivot. The chance that some entry names a vertex
 * grows with the degree of the vertex. */
static rows_needed expect_beyond(const estimate_context *w)
{
	const gemp_closure *c = &w->closure;
	double named[GEMP_MAX_CLOSURE_NODES] = { 0 };
	rows_needed more = { 0, 0 };
	for (size_t v = 0; v < w->fetch->view_count; v++) {
		size_classes s;
		double missed[CLASSES];
		count_sizes(w, v, &s);
		for (int class = 0; class < CLASSES; class ++)
			missed[class] = 1;
		for (size_t i = c->root_count; i < c->count; i++) {
			const gemp_closure_node *place = &c->nodes[i];
			double share = candidate_fraction(w->inputs->statistics, place->vertex) *
			               (place->above || place->below ? 0.5 : 1);
			if (place->level < 2)
				continue;
			if (place->level == 2)
				named[i] = named_from_images(w, place);
			for (int class = 0; class < CLASSES; class ++) {
				double chance = s.entries > 0 ? share * (1 - exp(-named[i] * s.size[class] / s.entries)) : 0;
				if (place->reads >> v & 1)
					missed[class] *= 1 - chance;
				for (size_t child = i + 1; child < c->count; child++)
					if (c->nodes[child].parent == (int)i && c->nodes[child].view == (int)v)
						named[child] += chance * s.all[class] * s.size[class];
			}
		}
		for (int class = 0; class < CLASSES; class ++) {
			more.rows += s.open[class] * (1 - missed[class]);
			more.entries += s.open[class] * (1 - missed[class]) * s.size[class];
		}
	}
	return more;
}

/* Estimates how often a row is sent on average if rounds cannot keep all rows. It tries rounds that begin at several
 * pivots. */
static gemp_code count_rounds(estimate_context *w, const rows_needed *once, double growth, double *times)
{
	double budget = (double)gemp_pull_budget(w->inputs->pull), most = (double)w->working_set->bytes * growth, tried = 0,
		   entries = 0;
	GEMP_OWNED size_t *alone = NULL;
	size_t count = w->tasks.count;
	*times = 1;
	if (most <= budget || once->entries <= 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(alone, count));
	for (size_t i = 0; i < TRIED_ROUNDS && i < count; i++) {
		size_t begin = count * i / TRIED_ROUNDS, end = count, alone_count = 0;
		GEMP_TRY(gemp_working_set_extend(w->working_set, &w->tasks, &begin, &end, w->closure.depth > 0,
		                                 (uint64_t)(budget / growth), (uint64_t)(budget / 3), alone, &alone_count));
		entries += missing_rows(w).entries;
		tried += (double)(end - begin + alone_count);
		/* an oversized task is searched in cells, which fetch rows repeatedly */
		for (size_t k = 0; k < alone_count; k++) {
			gemp_working_set_extend_all(w->working_set, &w->tasks, alone[k], alone[k] + 1, w->closure.depth > 0);
			entries += missing_rows(w).entries * fmax(3 * (double)w->working_set->bytes * growth / budget, 1);
		}
	}
	if (tried > 0)
		*times = fmax(entries / tried * (double)count * growth * (1 - budget / most) / once->entries, 1);
	return GEMP_OK;
}

/* Estimates the bytes that pull moves to this rank. The first hop is exact, and all rows beyond it are an
 * expectation. */
static gemp_code estimate_rows(estimate_context *w, uint64_t *bytes)
{
	gemp_code code = GEMP_OK;
	double times;
	GEMP_TRY_DONE(list_pivots(w));
	GEMP_TRY_DONE(measure_code(w));
	gemp_closure_of(&w->closure, w->inputs->plan, !w->inputs->context->device->gpu);
	GEMP_TRY_DONE(
		gemp_working_set_new(&w->working_set, &w->closure, w->fetch, gemp_pull_candidates(w->inputs->pull), true));
	gemp_working_set_extend_all(w->working_set, &w->tasks, 0, w->tasks.count, w->closure.depth > 0);
	rows_needed missing = missing_rows(w), beyond = { 0, 0 };
	if (w->closure.depth > 1)
		beyond = expect_beyond(w);
	rows_needed once = { missing.rows + beyond.rows, missing.entries + beyond.entries };
	GEMP_TRY_DONE(count_rounds(w, &once, missing.entries > 0 ? once.entries / missing.entries : 1, &times));
	*bytes = (uint64_t)(times * (once.rows * bytes_per_row + once.entries * w->bytes_an_entry));
done:
	gemp_working_set_free(w->working_set);
	gemp_free(w->pivots);
	return code;
}

/* The state of a walk along the plan's steps that estimates the bytes of push. */
typedef struct plan_walk {
	const gemp_push_pull_inputs *q;
	double away;     /* chance that a row is not on the rank of the partial match that needs it */
	int at;          /* the pattern vertex whose row is on the rank of the partial match */
	double before;   /* number of partial matches that enter the step */
	double siblings; /* mean number of partial matches that differ only in the vertex bound last */
	double bytes, reads;
} plan_walk;

/* Adds the bytes of items that are sent in groups of the mean size `group`. A vertex is sent as the difference to the
 * vertex before, which takes one more byte for each further 7 bits. The differences are assumed to be distributed
 * exponentially. Two factors correct the mean: most items are in groups larger than the mean, and the most frequent
 * vertices, the hubs, have the smallest numbers. */
static void send_items(plan_walk *w, double items, double group, bool edge)
{
	const double bytes_a_group = 5, larger = 3, nearer = 4;
	double size = fmax(larger * group, 1), mean = (double)w->q->graph->vertex_count / nearer / size;
	double each = 1 + (edge ? 3 : 0) + bytes_a_group / size;
	for (double limit = 64; limit < 1e10; limit *= 128)
		each += exp(-limit / fmax(mean, 1e-9));
	w->bytes += items * each;
	w->reads += 3 * items;
}

/* The number of entries that a step walks. */
static double entries_of(const plan_walk *w, size_t s)
{
	const gemp_step *step = &w->q->plan->steps[s];
	const gemp_statistics *known = w->q->statistics;
	int from = step->checks[0].from, edge = step->checks[0].edge;
	if (w->q->work[w->q->plan->root].passed > 0)
		return w->q->work[s].entries;
	double degree = edge >= 0 && known->candidates[from] > 0 ? known->edges[edge] / known->candidates[from] : 1;
	return w->before * degree * (step->less || step->greater ? 0.5 : 1);
}

/* The number of partial matches after a step, by samples or by the planner's estimate. */
static double rows_after(const gemp_push_pull_inputs *q, size_t s)
{
	return q->work[q->plan->root].passed > 0 ? q->work[s].passed : q->plan->steps[s].rows;
}

/* Adds the items that are sent to enter a step: the partial matches whose rank has none of the rows that the step can
 * walk. */
static void add_entering(plan_walk *w, const gemp_step *step, bool edge)
{
	size_t sources = step->kind == GEMP_BIND_EDGE ? 1 : step->sources;
	double chance = 1;
	for (size_t k = 0; k < sources; k++)
		chance *= step->checks[k].from == w->at ? 0 : w->away;
	double others = fmax(w->q->graph->ranks - 1, 1);
	send_items(w, w->before * chance, w->siblings * chance / others, edge);
	if (chance > 0)
		w->at = step->checks[sources - 1].from;
}

/* Adds the items that are sent for the step's other checks. A check is made on a rank that has the row of either
 * end. */
static void add_verifying(plan_walk *w, const gemp_step *step, double candidates, double passed)
{
	double left = (double)step->check_count - 1, away = w->away;
	if (left < 1 || candidates <= 0)
		return;
	if (gemp_opposite_view(w->q->plan, step->checks[step->check_count - 1].view) >= 0)
		away *= w->away;
	double good = pow(fmin(passed / candidates, 1), 1 / left), open = 0;
	double first = candidates * (pow(away + (1 - away) * good, left) - pow((1 - away) * good, left));
	for (double hop = 1, share = 1; hop <= left; hop++, share *= away * good)
		open += share;
	send_items(w, first * open, w->before > 0 ? first / w->before : 1, step->edge >= 0);
	if (away > 0.5)
		w->at = step->checks[step->check_count - 1].from;
}

/* Walks along the plan and adds up the bytes of items and the reads. Rows are assumed to be distributed at random. */
static void estimate_matches(const gemp_push_pull_inputs *q, double away, uint64_t *bytes, uint64_t *reads)
{
	const gemp_plan *plan = q->plan;
	plan_walk w = {
		.q = q, .away = away, .at = plan->pivot, .before = rows_after(q, (size_t)plan->root), .siblings = 1
	};
	w.reads = w.before;
	for (size_t s = (size_t)plan->root + 1; s < plan->step_count; s++) {
		const gemp_step *step = &plan->steps[s];
		double passed = rows_after(q, s);
		add_entering(&w, step, plan->steps[s - 1].edge >= 0);
		if (step->kind == GEMP_EXTEND) {
			double entries = fmax(entries_of(&w, s), passed);
			double share = step->candidates ? candidate_fraction(q->statistics, step->vertex) : 1;
			w.reads += (step->check_count > 1 ? 2 : unchecked_reads) * entries;
			add_verifying(&w, step, fmax(entries * share, passed), passed);
		}
		w.siblings = w.before > 0 ? passed / w.before : 1;
		w.before = passed;
	}
	*bytes = (uint64_t)fmin(w.bytes, 1e18);
	*reads = (uint64_t)fmin(w.reads, 1e18);
}

/* Collective. The chance that a row is on another rank. A row is needed once for each entry that names its vertex, so
 * rows count by their lengths. The longest rows are replicated on all ranks. */
static double chance_away(const gemp_push_pull_inputs *q)
{
	const gemp_residency *residency = &q->rows->residency;
	uint64_t own = 0, hot = 0;
	for (size_t v = 0; v < q->rows->view_count; v++) {
		const gemp_view *view = &q->rows->views[v];
		hot += view->begin[residency->hot];
		own += view->begin[view->rows] - view->begin[residency->hot];
	}
	own = gemp_comm_sum1(q->context->comm, own);
	return own + hot ? (double)own / (double)(own + hot) * (1 - 1.0 / q->graph->ranks) : 0;
}

static double seconds_of_kernels(uint64_t reads, int ranks)
{
	return (double)reads * seconds_per_read / ranks;
}

bool gemp_push_pull_needs_no_rows(const gemp_push_pull_inputs *q)
{
	const double min_gain = gemp_limits_now()->push_pull_min_gain;
	uint64_t push[2];
	estimate_matches(q, chance_away(q), &push[0], &push[1]);
	gemp_comm_max(q->context->comm, push, 2);
	const double seconds = (double)push[0] / bytes_per_second / q->graph->ranks +
	                       seconds_of_kernels(push[1], q->graph->ranks);
	return min_gain > 0 && seconds + min_gain <= (double)q->graph->vertex_count * seconds_per_vertex;
}

/* The bytes of rows are summed over the ranks. The estimate for partial matches is already for all ranks. It differs
 * between ranks only by rounding, so the maximum is taken. */
gemp_code gemp_push_pull_weigh(gemp_push_pull_estimate *out, const gemp_push_pull_inputs *q)
{
	estimate_context w = { .inputs = q, .fetch = gemp_pull_fetch(q->pull) };
	uint64_t pull = 0, push[2];
	double began = gemp_now();
	*out = (gemp_push_pull_estimate){ 0 };
	GEMP_TRY(gemp_comm_agree(q->context->comm, estimate_rows(&w, &pull)));
	estimate_matches(q, chance_away(q), &push[0], &push[1]);
	pull = gemp_comm_sum1(q->context->comm, pull);
	gemp_comm_max(q->context->comm, push, 2);
	*out = (gemp_push_pull_estimate){ true, pull, push[0], push[1] };
	gemp_log(GEMP_VERBOSE, "exchange weighed: rows of %llu bytes, partial matches of %llu and %llu reads, %.4f s",
	         (unsigned long long)pull, (unsigned long long)push[0], (unsigned long long)push[1], gemp_now() - began);
	return GEMP_OK;
}

/* Push must move fewer bytes. The time that this saves on the network and in coding rows must exceed the time that the
 * slower kernels cost by at least push_pull_min_gain seconds. If push_pull_min_gain is not positive, the cost of the
 * kernels is ignored. */
bool gemp_push_pull_favours_push(const gemp_push_pull_estimate *e, int ranks)
{
	double sooner = ((double)e->pull_bytes - (double)e->push_bytes) / bytes_per_second / ranks +
	                (double)e->pull_bytes * seconds_per_row_byte / ranks;
	double later = seconds_of_kernels(e->push_reads, ranks);
	const double min_gain = gemp_limits_now()->push_pull_min_gain;
	return e->made && e->push_bytes < e->pull_bytes && sooner >= later * (min_gain > 0) + min_gain;
}
