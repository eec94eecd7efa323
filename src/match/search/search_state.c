#include "match/search/search_state.h"

#include "core/limits.h"
#include "core/threads.h"
#include "device/transfer.h"
#include "kernels/match/match_abi.h"
#include "match/codegen/two_path_lists.h"

#include <string.h>

/* The number of seeds has no bound here, since seeds are uploaded in parts. */
bool gemp_search_is_valid(const gemp_search *search)
{
	bool pivots = search->plan->arguments || search->pivots <= search->pivot_capacity;
	return pivots && search->range.first + search->range.count <= search->pivots && search->layout.stage_count > 0 &&
	       search->pending.buffer >= -1 && search->pending.buffer < 2 && (unsigned)search->next_buffer < 2;
}

/* A single device needs no balancing. Seeds and rounds of rows have tasks that belong to one rank, so they are not
 * balanced. */
bool gemp_search_balances(const gemp_search *search)
{
	bool alone = search->ranks == 1 && !search->context->other_count && !search->options.leader;
	return search->emit.all_resident && !alone && !search->options.round_entries && !search->plan->arguments;
}

/* One rank with one device, on which all tasks are pivots. */
static bool works_alone(const gemp_search *search)
{
	return search->ranks == 1 && search->emit.all_resident && !search->context->other_count &&
	       !search->options.leader && !search->options.round_entries && !search->plan->arguments;
}

/* Each slice of a pivot repeats the work that is done once for each pivot, such as a table of two-paths. Slices pay
 * only if the plan has enough further steps. The last loop of a kernel cannot be sliced. */
bool gemp_search_sliceable(const gemp_search *search)
{
	const gemp_plan *plan = search->plan;
	int second = plan->root + 1, walked = (int)plan->step_count - plan->two_paths - second;
	return (gemp_search_balances(search) || works_alone(search)) && !search->options.first_only &&
	       walked >= (plan->two_paths ? 3 : 2) && plan->steps[second].kind == GEMP_EXTEND;
}

size_t gemp_search_slices(const gemp_search *search)
{
	enum { TASKS_A_WORKER = 4 };
	const size_t workers = search->workers, pivots = search->range.count, fixed = gemp_limits_now()->match_slices;
	if (search->nested || search->balancer || !search->emit.sliced || !works_alone(search) || !pivots)
		return 1;
	if (fixed)
		return fixed;
	return pivots < workers ? gemp_max(workers * (search->plan->two_paths ? 1 : TASKS_A_WORKER) / pivots, 1) : 1;
}

/* Adds the statistics of another device, or of the search of oversized tasks. */
void gemp_search_statistics_add(gemp_search_statistics *to, const gemp_search_statistics *from)
{
	to->launches += from->launches;
	to->stage_launches += from->stage_launches;
	to->fill += from->fill;
	to->listing_launches += from->listing_launches;
	to->taken += from->taken;
	to->found_local += from->found_local;
	to->found_crossed += from->found_crossed;
	to->left_out += from->left_out;
	to->kernel_seconds += from->kernel_seconds;
	to->item_bytes += from->item_bytes;
	to->item_words_bytes += from->item_words_bytes;
	to->items_sent += from->items_sent;
	to->items_received += from->items_received;
	for (size_t s = 0; s < GEMP_MAX_STEPS; s++)
		to->sent[s] += from->sent[s];
}

enum {
	MAX_SEEDS = 1 << 18,  /* maximum number of seeds on the device at a time */
	MAX_LISTS = 1 << 30,  /* maximum bytes of the lists of two-paths of all workers */
	MIN_LIST = 1 << 10,   /* lists of fewer two-paths are not worth their ends */
	LARGE_LIST = 1 << 20, /* pivots: a longer list goes to a GPU through page-locked memory */
};

/* Makes a buffer from an array. An empty array gets a buffer, too, since the kernel has an argument for it. */
static gemp_code upload(gemp_search *search, gemp_buffer *buffer, const void *from, size_t count, size_t size)
{
	return gemp_buffer_new(buffer, search->context->device, (count ? count : 1) * size, count ? from : NULL);
}

gemp_code gemp_search_views(gemp_search *search, gemp_view *views, size_t *bytes)
{
	*bytes = 0;
	for (size_t v = 0; v < search->plan->view_count; v++) {
		GEMP_TRY(gemp_view_upload(&views[v], search->context->device, search->emit.wide));
		search->row_offsets[v] = views[v].device_begin;
		search->column_indices[v] = views[v].device_neighbours;
		search->edge[v] = views[v].device_edges;
		*bytes += search->row_offsets[v].counted + search->column_indices[v].counted + search->edge[v].counted;
	}
	return GEMP_OK;
}

/* Uploads the bitmaps, by slot, of all pattern vertices up to the last vertex that has a bitmap. *pivot_bits becomes
 * the bitmap of the pivot. A vertex in plan->ranges has two words in place of its bitmap, so every bitmap has at least
 * two words. */
static gemp_code upload_candidates(gemp_search *search, const gemp_candidates *candidates, uint32_t **pivot_bits)
{
	size_t words = candidates->words < 2 ? 2 : candidates->words;
	size_t vertices = (size_t)search->plan->vertex_count, sets = 0;
	GEMP_OWNED uint32_t *all = NULL;
	for (size_t v = 0; v < vertices; v++)
		if (candidates->bits[v])
			sets = v + 1;
	GEMP_TRY(GEMP_NEW(all, sets * words + 1));
	GEMP_TRY(GEMP_NEW(*pivot_bits, words + 1));
	for (size_t v = 0; v < sets; v++)
		if (candidates->bits[v])
			gemp_candidates_by_slot(search->order, candidates->bits[v], all + v * words, candidates->words);
	size_t pivot = search->plan->arguments ? 0 : (size_t)search->plan->pivot;
	bool every = !candidates->bits[pivot] || search->plan->pivot_off;
	for (size_t w = 0; !search->plan->arguments && w < words; w++)
		(*pivot_bits)[w] = every ? ~UINT32_C(0) : all[pivot * words + w];
	search->candidate_words = (uint32_t)words;
	return upload(search, &search->candidates, all, sets * words, sizeof *all);
}

/* The list of pivots, which all threads make by ranges of slots. */
typedef struct pivot_list {
	const uint32_t *bits;
	const gemp_vertex *own; /* own slots; NULL: all slots */
	gemp_vertex *to;
	size_t places[GEMP_MAX_RANGES]; /* numbers of pivots of the ranges, and then their begins in the list */
} pivot_list;

static void count_pivots(void *context, size_t range, size_t begin, size_t end)
{
	pivot_list *list = context;
	size_t count = 0;
	for (size_t i = begin; i < end; i++)
		count += gemp_bits32_test(list->bits, list->own ? list->own[i] : i);
	list->places[range] = count;
}

static void put_pivots(void *context, size_t range, size_t begin, size_t end)
{
	const pivot_list *list = context;
	size_t place = list->places[range];
	for (size_t i = begin; i < end; i++) {
		const gemp_vertex slot = list->own ? list->own[i] : (gemp_vertex)i;
		if (gemp_bits32_test(list->bits, slot))
			list->to[place++] = slot;
	}
}

/* Lists the candidates of the pivot by ascending slot, so hubs come first. The list has own slots, or all slots if each
 * rank can search from any pivot. gemp_search_tasks uploads it. */
static gemp_code list_pivots(gemp_search *search, const gemp_residency *residency, const uint32_t *bits)
{
	bool any = gemp_search_balances(search);
	size_t slots = any ? search->graph->vertex_count : residency->own_count;
	pivot_list list = { .bits = bits, .own = any ? NULL : residency->own_slots };
	gemp_for_ranges(slots, count_pivots, &list);
	for (size_t r = 0; r < gemp_range_count(slots); r++) {
		const size_t count = list.places[r];
		list.places[r] = search->pivots;
		search->pivots += count;
	}
	GEMP_TRY(GEMP_NEW(search->pivot_slots, search->pivots + 1));
	list.to = search->pivot_slots;
	gemp_for_ranges(slots, put_pivots, &list);
	search->range = (gemp_task_range){ 0, search->pivots };
	search->pivot_capacity = search->pivots;
	GEMP_TRY(upload(search, &search->work[0].tasks, NULL, search->pivots, sizeof *search->pivot_slots));
	GEMP_TRY(upload(search, &search->pivot_bits, NULL, search->candidate_words, sizeof *bits));
	return gemp_search_tasks(search);
}

/* Pivots as bits, which all threads set. */
typedef struct pivot_marks {
	const gemp_vertex *slots;
	uint32_t *bits;
} pivot_marks;

static void mark_pivots(void *context, size_t begin, size_t end)
{
	const pivot_marks *m = context;
	for (size_t i = begin; i < end; i++)
		gemp_bits32_set_atomic(m->bits, m->slots[i]);
}

/* Nested loops test the first vertex by the bitmap. Other kernels read the list of pivots. */
gemp_code gemp_search_tasks(gemp_search *search)
{
	gemp_device *device = search->context->device;
	const gemp_vertex *slots = search->pivot_slots + search->range.first;
	size_t count = search->range.count, words = search->candidate_words;
	GEMP_OWNED uint32_t *bits = NULL;
	GEMP_TRY(GEMP_NEW(bits, words + 1));
	gemp_for_elements(count, mark_pivots, &(pivot_marks){ slots, bits });
	if (device->gpu && count >= LARGE_LIST)
		GEMP_TRY(gemp_transfer_upload(device, &search->work[0].tasks,
		                              (gemp_transfer_numbers){ .narrow = search->pivot_slots + search->range.first },
		                              count));
	else
		GEMP_TRY(gemp_buffer_write(device, &search->work[0].tasks, 0, count * sizeof *slots, slots));
	return gemp_buffer_write(device, &search->pivot_bits, 0, words * sizeof *bits, bits);
}

/* Uploads the key ranks by slot. */
static gemp_code upload_key_ranks(gemp_search *search)
{
	GEMP_OWNED uint32_t *ranks = NULL;
	size_t count = search->graph->vertex_count;
	GEMP_TRY(GEMP_NEW(ranks, count));
	for (size_t slot = 0; slot < count; slot++)
		ranks[slot] = search->options.key_rank[search->order->id_of[slot]];
	return upload(search, &search->key_rank, ranks, count, sizeof *ranks);
}

gemp_code gemp_search_upload(gemp_search *search, const gemp_residency *residency, gemp_view *views,
                             const gemp_candidates *candidates)
{
	GEMP_OWNED uint32_t *pivot_bits = NULL;
	size_t rows = 0;
	if (!search->options.round_entries)
		GEMP_TRY(gemp_search_views(search, views, &rows));
	size_t before = search->context->device->buffer_bytes;
	GEMP_TRY(upload_candidates(search, candidates, &pivot_bits));
	if (!search->plan->arguments)
		GEMP_TRY(list_pivots(search, residency, pivot_bits));
	if (search->plan->keys)
		GEMP_TRY(upload_key_ranks(search));
	if (!search->emit.all_resident || search->emit.listed)
		GEMP_TRY(gemp_slot_order_upload(search->order, search->context->device, &search->id_of));
	if (!search->emit.all_resident) {
		size_t words = 2 * gemp_bits32_words(search->graph->vertex_count);
		GEMP_TRY(upload(search, &search->own, residency->words, words, sizeof *residency->words));
		GEMP_TRY(
			upload(search, &search->bounds, search->graph->bounds, (size_t)search->graph->ranks + 1, sizeof(uint64_t)));
	}
	search->graph_bytes = rows + search->context->device->buffer_bytes - before;
	return GEMP_OK;
}

/* Bytes for the outbox or the results: an eighth of the free memory, but at most `gpu` or `cpu` bytes, since larger
 * buffers do not help. */
static uint64_t buffer_budget(const gemp_device *device, uint64_t gpu, uint64_t cpu)
{
	return gemp_min((device->memory - device->buffer_bytes) / 8, device->gpu ? gpu : cpu);
}

/* The outbox has an area for each stage and destination. Destination `ranks` is this rank itself and takes tasks that
 * are split off for other workers. Only two kinds of areas have capacity: areas of later stages for other ranks, and
 * areas of split steps for this rank. */
static bool area_used(const gemp_search *search, size_t stage, uint32_t destination)
{
	const gemp_plan_stage *s = &search->layout.stages[stage];
	if (destination == search->ranks)
		return stage > 0 && !s->verify && search->split >> s->step & 1;
	return stage > 0 && !search->emit.all_resident && destination != (uint32_t)search->context->comm->rank;
}

/* The capacity of an area: options.outbox or, if it is 0, the budget divided by the words of one item in every used
 * area, from 64 to 2^22 items. */
static uint32_t choose_slots(const gemp_search *search)
{
	uint64_t words = 1, budget = buffer_budget(search->context->device, UINT64_C(1) << 30, UINT64_C(64) << 20);
	if (search->options.outbox)
		return (uint32_t)gemp_min(search->options.outbox, UINT32_MAX / 2);
	for (size_t k = 0; k < search->layout.stage_count; k++)
		for (uint32_t d = 0; d <= search->ranks; d++)
			words += area_used(search, k, d) ? search->layout.item_words[k] : 0;
	return (uint32_t)gemp_min(gemp_max(budget / (words * sizeof(uint32_t)), 64), UINT32_C(1) << 22);
}

uint32_t gemp_search_credits(const gemp_search *search, size_t stage, uint32_t destination)
{
	return area_used(search, stage, destination) ? search->slots : 0;
}

/* Collective. Makes the outbox, whose areas lie one after another. A sender starts with its own number of slots as
 * credits, so all ranks use the least number of slots of any rank. */
static gemp_code make_outbox(gemp_search *search)
{
	uint64_t words = 0, missing = UINT32_MAX - choose_slots(search);
	search->areas = search->layout.stage_count * (search->ranks + 1);
	gemp_comm_max(search->context->comm, &missing, 1);
	search->slots = UINT32_MAX - (uint32_t)missing;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(search->capacity, search->areas), GEMP_ARRAY(search->base, search->areas),
	                      GEMP_ARRAY(search->control_words, GEMP_CONTROL_WORDS + search->areas)));
	for (size_t k = 0; k < search->layout.stage_count; k++)
		for (uint32_t d = 0; d <= search->ranks; d++) {
			size_t area = k * (search->ranks + 1) + d;
			search->base[area] = words;
			search->capacity[area] = gemp_search_credits(search, k, d);
			words += (uint64_t)search->capacity[area] * search->layout.item_words[k];
		}
	GEMP_TRY(upload(search, &search->out, NULL, words, sizeof(uint32_t)));
	GEMP_TRY(upload(search, &search->out_base, search->base, search->areas, sizeof *search->base));
	GEMP_TRY(upload(search, &search->out_capacity, search->capacity, search->areas, sizeof *search->capacity));
	return upload(search, &search->control, search->control_words, GEMP_CONTROL_WORDS + search->areas,
	              sizeof(uint32_t));
}

/* There are two result buffers, so that the device fills one while the host reads the other. */
static gemp_code make_results(gemp_search *search)
{
	gemp_device *device = search->context->device;
	size_t words = search->layout.tuple_words, live = (size_t)__builtin_popcountll(search->plan->live_edges);
	uint64_t bytes = buffer_budget(device, UINT64_C(64) << 20, UINT64_C(8) << 20);
	search->result_capacity = search->options.result_buffer ? search->options.result_buffer : bytes / (words * 4) + 1;
	if (search->result_capacity > INT32_MAX)
		search->result_capacity = INT32_MAX;
	size_t rows = search->result_capacity, vertex_words = rows * (size_t)search->plan->vertex_count;
	search->result_edges = (vertex_words + 1) / 2 * sizeof(gemp_edge);
	size_t size = search->result_edges + rows * live * sizeof(gemp_edge);
	for (int b = 0; b < 2; b++)
		GEMP_TRY(gemp_readback_new(&search->result[b], device, size));
	search->result_bytes = 2 * size;
	return GEMP_OK;
}

/* A worker has one byte of marks for each vertex. The bytes of each worker begin at a cache line. */
static size_t mark_bytes(const gemp_search *search)
{
	return search->workers * (((size_t)search->vertices + 63) & ~(size_t)63);
}

/* All ranks must have the same kernel, so marks are used only if they fit on every rank. */
void gemp_search_choose_marks(gemp_search *search)
{
	const gemp_device *device = search->context->device;
	gemp_adjacency_marks marks;
	gemp_adjacency_marks_plan(&marks, search->plan);
	size_t bytes = mark_bytes(search);
	bool wanted = search->emit.loops && marks.count;
	bool fit = bytes <= (device->memory - device->buffer_bytes) / 4 && bytes < device->max_buffer;
	search->emit.marks = gemp_comm_sum1(search->context->comm, wanted && !fit) == 0 && wanted;
}

/* Bytes of the lists of all workers that hold this number of two-paths for each worker. */
static uint64_t list_bytes(const gemp_search *search, uint64_t two_paths)
{
	return search->workers * (2 * (uint64_t)search->vertices + two_paths + 1) * sizeof(uint32_t);
}

/* A pivot has at most as many two-paths as a view has entries. In rounds of rows the rows of a two-path may be
 * missing. */
void gemp_search_choose_lists(gemp_search *search)
{
	const gemp_device *device = search->context->device;
	gemp_adjacency_marks marks;
	gemp_adjacency_marks_plan(&marks, search->plan);
	uint64_t bytes = gemp_min((device->memory - device->buffer_bytes) / 4, gemp_min(device->max_buffer, MAX_LISTS));
	bool wanted = search->emit.marks && search->emit.listed && !search->options.round_entries &&
	              gemp_limits_now()->two_path_lists && gemp_lists_possible(search->plan, &marks);
	bool fit = wanted && list_bytes(search, MIN_LIST) <= bytes;
	search->emit.lists = gemp_comm_sum1(search->context->comm, wanted && !fit) == 0 && wanted;
	if (!search->emit.lists)
		return;
	const gemp_view *view = &search->views[gemp_lists_view(search->plan)];
	uint64_t capacity = (bytes - list_bytes(search, 0)) / search->workers / sizeof(uint32_t);
	capacity = gemp_min(gemp_min(capacity, view->begin[view->rows]), gemp_limits_now()->two_path_lists);
	search->list_capacity = (uint32_t)gemp_min(capacity, UINT32_MAX - 1);
}

/* Makes a buffer of zeros. It has four additional bytes, since drivers reject empty buffers. */
static gemp_code make_zeroed(gemp_search *search, gemp_buffer *buffer, size_t bytes)
{
	gemp_device *device = search->context->device;
	GEMP_TRY(gemp_buffer_new(buffer, device, bytes + 4, NULL));
	return gemp_buffer_zero(device, buffer, 0, bytes + 4);
}

/* Makes the buffer for seeds, which are uploaded in parts. */
static gemp_code make_seeds(gemp_search *search)
{
	size_t given = (size_t)search->plan->arguments;
	search->seed_capacity = search->options.outbox ? gemp_min(search->options.outbox, MAX_SEEDS) : MAX_SEEDS;
	GEMP_TRY(GEMP_NEW(search->seed_slots, search->seed_capacity * given));
	return upload(search, &search->work[0].tasks, NULL, search->seed_capacity * given, sizeof(uint32_t));
}

/* Tables of two-paths have a number for each worker and vertex, and marks have a byte. A profile has three counters for
 * each step, and vertex counts have a counter for each slot. */
gemp_code gemp_search_buffers_new(gemp_search *search)
{
	GEMP_TRY(make_outbox(search));
	if (search->options.listed)
		GEMP_TRY(make_results(search));
	if (search->plan->two_paths)
		GEMP_TRY(make_zeroed(search, &search->tables, search->workers * (size_t)search->vertices * sizeof(uint32_t)));
	if (search->emit.lists)
		GEMP_TRY(make_zeroed(search, &search->lists, list_bytes(search, search->list_capacity)));
	if (search->emit.marks)
		GEMP_TRY(make_zeroed(search, &search->marks, mark_bytes(search)));
	if (search->plan->arguments)
		GEMP_TRY(make_seeds(search));
	if (search->options.profile)
		GEMP_TRY(make_zeroed(search, &search->passed, gemp_profile_counters(search->plan) * sizeof(uint64_t)));
	if (search->options.per)
		GEMP_TRY(make_zeroed(search, &search->vertex_counts, (size_t)search->vertices * sizeof(uint64_t)));
	return GEMP_OK;
}

/* No seed is left to upload before gemp_search_restart sets seeds.next to the first seed of the range. */
void gemp_search_seed(gemp_search *search, const gemp_vertex *ids, size_t count)
{
	search->seeds = (gemp_seeds){ ids, count, count };
	search->pivots = count;
	search->range = (gemp_task_range){ 0, count };
}

/* The new pivots replace the old pivots in the same memory. */
void gemp_search_pivots(gemp_search *search, const gemp_vertex *slots, size_t count)
{
	GEMP_CHECK(count <= search->pivot_capacity);
	memcpy(search->pivot_slots, slots, count * sizeof *slots);
	search->pivots = count;
	search->range = (gemp_task_range){ 0, count };
}

/* The bitmaps of the pattern vertices lie one after another. */
gemp_code gemp_search_narrow(gemp_search *search, int vertex, const uint32_t *bits)
{
	size_t bytes = search->candidate_words * sizeof *bits;
	return gemp_buffer_write(search->context->device, &search->candidates, (size_t)vertex * bytes, bytes, bits);
}

/* The first two words of the bitmap become the first slot and the length of the range, which kernels read. */
gemp_code gemp_search_range(gemp_search *search, int vertex, gemp_vertex low, gemp_vertex high)
{
	const uint32_t range[] = { low, high - low };
	return gemp_buffer_write(search->context->device, &search->candidates,
	                         (size_t)vertex * search->candidate_words * sizeof *range, sizeof range, range);
}
