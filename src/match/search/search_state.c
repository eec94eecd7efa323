#include "match/search/search_state.h"

#include "core/status.h"
#include "kernels/match/match_abi.h"

#include <string.h>

/* Pivots are fewer than the search was made for; seeds have no such bound. */
bool gemp_search_is_valid(const gemp_search *search)
{
	bool pivots = search->plan->arguments || search->pivots <= search->pivot_capacity;
	return pivots && search->range.first + search->range.count <= search->pivots && search->layout.stage_count > 0 &&
	       search->pending.buffer >= -1 && search->pending.buffer < 2 && (unsigned)search->next_buffer < 2;
}

/* A rank alone with one device has nobody to share with; given vertices and rounds of rows have tasks of their own.
 * */
bool gemp_search_balances(const gemp_search *search)
{
	bool alone = search->ranks == 1 && !search->context->other_count && !search->options.leader;
	return search->emit.all_resident && !alone && !search->options.round_entries && !search->plan->arguments;
}

/* Slices of a pivot repeat what is made for the pivot as a whole, such as a table of two-paths, so that the plan must
 * have enough steps beyond; and a plan's last loop does not look after slices. */
bool gemp_search_sliceable(const gemp_search *search)
{
	const gemp_plan *plan = search->plan;
	int second = plan->root + 1, walked = (int)plan->step_count - plan->two_paths - second;
	return gemp_search_balances(search) && !search->options.first_only && walked >= (plan->two_paths ? 3 : 2) &&
	       plan->steps[second].kind == GEMP_EXTEND;
}

/* Used for several devices of a rank, and for the split search of oversized tasks. */
void gemp_search_statistics_add(gemp_search_statistics *to, const gemp_search_statistics *from)
{
	to->launches += from->launches;
	to->stage_launches += from->stage_launches;
	to->fill += from->fill;
	to->listing_launches += from->listing_launches;
	to->taken += from->taken;
	to->found_local += from->found_local;
	to->found_crossed += from->found_crossed;
	to->kernel_seconds += from->kernel_seconds;
	to->item_bytes += from->item_bytes;
	to->item_words_bytes += from->item_words_bytes;
	for (size_t s = 0; s < GEMP_MAX_STEPS; s++)
		to->sent[s] += from->sent[s];
}

enum { MAX_SEEDS = 1 << 18 }; /* on the device at a time */

/* An empty array still has a buffer, since kernels take an argument. */
static gemp_code upload(gemp_search *search, gemp_buffer *buffer, const void *from, size_t count, size_t size)
{
	return gemp_buffer_new(buffer, search->context->device, (count ? count : 1) * size, count ? from : NULL);
}

/* Rows for the next launches, uploaded unless they are there; *bytes of them. */
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

/* Bitmaps of all pattern vertices up to the last that has one, by slot. A range takes two words, which is the least
 * size of a bitmap. */
static gemp_code upload_candidates(gemp_search *search, const gemp_candidates *candidates, uint32_t **pivot_bits)
{
	size_t words = candidates->words < 2 ? 2 : candidates->words; /* a range takes two */
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

/* The slots that the pivot can be, hubs first: own ones, or all where each rank can search from any. */
static gemp_code list_pivots(gemp_search *search, const gemp_residency *residency, const uint32_t *bits)
{
	bool any = gemp_search_balances(search);
	size_t slots = any ? search->graph->vertex_count : residency->own_count;
	GEMP_TRY(GEMP_NEW(search->pivot_slots, slots + 1));
	for (size_t i = 0; i < slots; i++) {
		gemp_vertex slot = any ? (gemp_vertex)i : residency->own_slots[i];
		search->pivot_slots[search->pivots] = slot;
		search->pivots += gemp_bits32_test(bits, slot);
	}
	search->range = (gemp_task_range){ 0, search->pivots };
	search->pivot_capacity = search->pivots;
	GEMP_TRY(upload(search, &search->work[0].tasks, search->pivot_slots, search->pivots, sizeof *search->pivot_slots));
	GEMP_TRY(upload(search, &search->pivot_bits, NULL, search->candidate_words, sizeof *bits));
	return gemp_search_tasks(search);
}

/* The pivots of the range in their order, and their bitmap, by which kernels of nested loops test the first vertex. */
gemp_code gemp_search_tasks(gemp_search *search)
{
	gemp_device *device = search->context->device;
	const gemp_vertex *slots = search->pivot_slots + search->range.first;
	size_t count = search->range.count, words = search->candidate_words;
	GEMP_OWNED uint32_t *bits = NULL;
	GEMP_TRY(GEMP_NEW(bits, words + 1));
	for (size_t i = 0; i < count; i++)
		gemp_bits32_set(bits, slots[i]);
	GEMP_TRY(gemp_buffer_write(device, &search->work[0].tasks, 0, count * sizeof *slots, slots));
	return gemp_buffer_write(device, &search->pivot_bits, 0, words * sizeof *bits, bits);
}

/* Key ranks by slot, as kernels compare them. */
static gemp_code upload_key_ranks(gemp_search *search)
{
	GEMP_OWNED uint32_t *ranks = NULL;
	size_t count = search->graph->vertex_count;
	GEMP_TRY(GEMP_NEW(ranks, count));
	for (size_t slot = 0; slot < count; slot++)
		ranks[slot] = search->options.key_rank[search->order->id_of[slot]];
	return upload(search, &search->key_rank, ranks, count, sizeof *ranks);
}

/* What rounds bring is uploaded by gemp_search_rows. */
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

/* Bytes for one of the search's own buffers: an eighth of what the graph leaves free, and no more than helps. */
static uint64_t share_of_memory(const gemp_device *device, uint64_t gpu, uint64_t cpu)
{
	uint64_t most = device->gpu ? gpu : cpu, share = (device->memory - device->buffer_bytes) / 8;
	return share < most ? share : most;
}

/* The outbox has an area for each (stage, destination); destination `ranks` is this rank itself, for tasks that are
 * split off for other workers. Only areas that can be used have capacity: later stages for other ranks, and split
 * steps for itself. */
static bool area_used(const gemp_search *search, size_t stage, uint32_t destination)
{
	const gemp_plan_stage *s = &search->layout.stages[stage];
	if (destination == search->ranks)
		return stage > 0 && !s->verify && search->split >> s->step & 1;
	return stage > 0 && !search->emit.all_resident && destination != (uint32_t)search->context->comm->rank;
}

/* Items of an area: the budget shared by all areas that can be used, within bounds. */
static uint32_t choose_slots(const gemp_search *search)
{
	uint64_t words = 1, budget = share_of_memory(search->context->device, UINT64_C(1) << 30, UINT64_C(64) << 20);
	if (search->options.outbox)
		return (uint32_t)(search->options.outbox < UINT32_MAX / 2 ? search->options.outbox : UINT32_MAX / 2);
	for (size_t k = 0; k < search->layout.stage_count; k++)
		for (uint32_t d = 0; d <= search->ranks; d++)
			words += area_used(search, k, d) ? search->layout.item_words[k] : 0;
	uint64_t slots = budget / (words * sizeof(uint32_t));
	return (uint32_t)(slots < 64 ? 64 : slots > UINT32_C(1) << 22 ? UINT32_C(1) << 22 : slots);
}

/* Collective. A sender starts with its own slots as credits, so that all ranks must have the fewest that any of them
 * has. */
static void agree_on_slots(gemp_search *search)
{
	uint64_t missing = UINT32_MAX - choose_slots(search);
	gemp_comm_max(search->context->comm, &missing, 1);
	search->slots = UINT32_MAX - (uint32_t)missing;
}

/* An area that the plan cannot fill has no credits, and so no memory. */
uint32_t gemp_search_credits(const gemp_search *search, size_t stage, uint32_t destination)
{
	return area_used(search, stage, destination) ? search->slots : 0;
}

/* Areas lie one behind the other; base[] is where each begins, and capacity[] how many items it takes until the next
 * exchange. */
static gemp_code make_outbox(gemp_search *search)
{
	uint64_t words = 0;
	search->areas = search->layout.stage_count * (search->ranks + 1);
	agree_on_slots(search);
	GEMP_TRY(GEMP_NEW(search->capacity, search->areas));
	GEMP_TRY(GEMP_NEW(search->base, search->areas));
	GEMP_TRY(GEMP_NEW(search->control_words, GEMP_CONTROL_WORDS + search->areas));
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

/* There are two result buffers: the device fills one while the host works on the other. */
static gemp_code make_results(gemp_search *search)
{
	gemp_device *device = search->context->device;
	size_t words = search->layout.tuple_words, live = (size_t)__builtin_popcountll(search->plan->live_edges);
	uint64_t bytes = share_of_memory(device, UINT64_C(64) << 20, UINT64_C(8) << 20);
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

/* Marks are a byte for each vertex and worker; a worker's bytes begin at a cache line. */
static size_t mark_bytes(const gemp_search *search)
{
	return search->workers * (((size_t)search->vertices + 63) & ~(size_t)63);
}

/* Kernels of all ranks must be the same, so that marks are used if they fit everywhere. */
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

/* A buffer that is all zero. Drivers dislike empty buffers, so that it has four bytes more. */
static gemp_code make_zeroed(gemp_search *search, gemp_buffer *buffer, size_t bytes)
{
	gemp_device *device = search->context->device;
	GEMP_TRY(gemp_buffer_new(buffer, device, bytes + 4, NULL));
	return gemp_buffer_zero(device, buffer, 0, bytes + 4);
}

/* Seeds are copied to the device in parts, which share one buffer. */
static gemp_code make_seeds(gemp_search *search)
{
	size_t given = (size_t)search->plan->arguments;
	search->seed_capacity = search->options.outbox && search->options.outbox < MAX_SEEDS ? search->options.outbox
	                                                                                     : MAX_SEEDS;
	GEMP_TRY(GEMP_NEW(search->seed_slots, search->seed_capacity * given));
	return upload(search, &search->work[0].tasks, NULL, search->seed_capacity * given, sizeof(uint32_t));
}

/* A buffer that neither the plan nor the options use is not made. Tables of two-paths have a number for each vertex and worker,
 * marks a byte. Counters of a profile are for each step, and those of vertex counts for each slot. */
gemp_code gemp_search_buffers_new(gemp_search *search)
{
	GEMP_TRY(make_outbox(search));
	if (search->options.listed)
		GEMP_TRY(make_results(search));
	if (search->plan->two_paths)
		GEMP_TRY(make_zeroed(search, &search->tables, search->workers * (size_t)search->vertices * sizeof(uint32_t)));
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

/* Seeds go to the device in parts; none of these is there yet. */
void gemp_search_seed(gemp_search *search, const gemp_vertex *ids, size_t count)
{
	search->seeds = (gemp_seeds){ ids, count, count };
	search->pivots = count;
	search->range = (gemp_task_range){ 0, count };
}

/* The new pivots take the place of the old ones in the same memory. */
void gemp_search_pivots(gemp_search *search, const gemp_vertex *slots, size_t count)
{
	GEMP_CHECK(count <= search->pivot_capacity);
	memcpy(search->pivot_slots, slots, count * sizeof *slots);
	search->pivots = count;
	search->range = (gemp_task_range){ 0, count };
}

/* Bitmaps of all pattern vertices lie one behind the other. */
gemp_code gemp_search_narrow(gemp_search *search, int vertex, const uint32_t *bits)
{
	size_t bytes = search->candidate_words * sizeof *bits;
	return gemp_buffer_write(search->context->device, &search->candidates, (size_t)vertex * bytes, bytes, bits);
}

/* Two words take the place of the bitmap, which kernels read as first slot and length. */
gemp_code gemp_search_range(gemp_search *search, int vertex, gemp_vertex low, gemp_vertex high)
{
	const uint32_t range[] = { low, high - low };
	return gemp_buffer_write(search->context->device, &search->candidates,
	                         (size_t)vertex * search->candidate_words * sizeof *range, sizeof range, range);
}
