/* The stage has three phases. While rows come, each rank makes groups of its own rows, and runs on disk if memory is
 * short. After the last rows, each rank gets the groups that it owns: all at once, or from the runs a range of slices
 * at a time. Then the groups are pushed in blocks, with the keys as first columns. */

#include "query/clause/group.h"

#include "core/limits.h"
#include "core/loop_failure.h"
#include "core/memory.h"
#include "core/quantity.h"
#include "core/threads.h"
#include "query/clause/aggregate_result.h"
#include "query/clause/group_runs.h"

#include <string.h>

enum {
	ROUND_GROUPS = 1 << 20, /* max number of groups that a rank sends at a time */
	CHUNK_GROUPS = 1 << 11, /* groups that a thread finishes at a time */
	SPENT = 2,              /* runs are written when 1 / SPENT of the budget is used, since that needs memory, too */
	READ = 16,              /* packets of the slices that are read together: 1 / READ of the budget */
};

typedef struct group_stage {
	gemp_runtime *context;
	gemp_shard *graph;
	gemp_row_stage *next;
	gemp_group_form form;
	gemp_group_set set;
	gemp_group_runs runs;
	gemp_frame results; /* one block of finished groups, to be pushed */
	bool ended;
} group_stage;

/* ROWS TO GROUPS */

static size_t budget_of(const group_stage *g)
{
	const size_t given = g->context->budgets.host_memory;
	return given ? gemp_max(given, gemp_limits_now()->group_budget_min) : 0;
}

/* The budget is tested after each block of rows. */
static gemp_code add_rows(group_stage *g, const gemp_frame *frame)
{
	GEMP_TRY(gemp_group_set_begin(&g->set, frame));
	for (size_t at = 0; at < frame->rows;) {
		GEMP_TRY(gemp_group_set_add(&g->set, frame, &at));
		if (budget_of(g) && gemp_group_set_memory(&g->set) > budget_of(g) / SPENT) {
			GEMP_TRY(gemp_group_runs_add(&g->runs, &g->set));
			GEMP_TRY(gemp_group_set_begin(&g->set, frame));
		}
	}
	return GEMP_OK;
}

static size_t count_groups(const gemp_group_set *set)
{
	size_t count = 0;
	for (size_t p = 0; p < GEMP_GROUP_PARTS; p++)
		count += set->parts[p].keys.count;
	return count;
}

static gemp_code check_memory(const group_stage *g)
{
	const size_t bytes = gemp_group_set_memory(&g->set);
	if (budget_of(g) == 0 || bytes <= budget_of(g))
		return GEMP_OK;
	return gemp_fail(GEMP_ENOMEM,
	                 "groups that a rank must hold together (%zu) take %s with their tables, more than the %s of "
	                 "--host-memory; raise --host-memory, use more ranks, or add conditions that leave fewer groups",
	                 count_groups(&g->set), gemp_shown_bytes(bytes).text,
	                 gemp_shown_bytes(g->context->budgets.host_memory).text);
}

/* EXCHANGE */

/* The positions in the list of the groups that other ranks own, by owner (counting sort). end[r] becomes the end of the
 * positions for rank r. */
static gemp_code sort_by_owner(const group_stage *g, unsigned bits, const gemp_group_list *list, uint32_t *sorted,
                               size_t *end)
{
	const int ranks = g->context->comm->size, self = g->context->comm->rank;
	if (list->count > UINT32_MAX)
		return gemp_fail(GEMP_ENOMEM, "%zu groups on one rank are too many; use more ranks", list->count);
	for (size_t i = 0; i < list->count; i++) {
		const int owner = gemp_group_owner(list->hash[i], bits, ranks);
		if (owner != self)
			end[owner + 1]++;
	}
	for (int r = 0; r < ranks; r++)
		end[r + 1] += end[r];
	for (size_t i = 0; i < list->count; i++) {
		const int owner = gemp_group_owner(list->hash[i], bits, ranks);
		if (owner != self)
			sorted[end[owner]++] = (uint32_t)i;
	}
	return GEMP_OK;
}

/* Packs the sorted groups [first, last), by owner. */
static gemp_code pack_round(const group_stage *g, const gemp_group_list *list, const uint32_t *sorted,
                            const size_t *end, size_t first, size_t last, gemp_text *out, size_t *sizes)
{
	for (int r = 0; r < g->context->comm->size; r++) {
		const size_t before = out->size;
		const size_t from = gemp_max(first, r ? end[r - 1] : 0), to = gemp_min(last, end[r]);
		if (from < to)
			GEMP_TRY(gemp_group_packets_pack(&g->set, list, sorted + from, 0, to - from, out, NULL));
		sizes[r] = out->size - before;
	}
	return GEMP_OK;
}

/* Collective. Exchanges packets and merges those that come. The ranks agree on the status after merging, so that no
 * rank goes on to the next exchange alone. */
static gemp_code exchange_packets(group_stage *g, gemp_code code, const gemp_text *packed, const size_t *sizes)
{
	gemp_runtime *context = g->context;
	size_t received_size = 0;
	GEMP_OWNED void *received = NULL;
	const double t = gemp_now();
	GEMP_TRY(
		gemp_exchange_bytes(context->comm, code, packed->data, sizes, &received, &received_size, &context->traffic));
	code = gemp_group_packets_merge(&g->set, received, received_size);
	GEMP_THEN(check_memory(g));
	gemp_timers_add(&context->timers, GEMP_PHASE_EXCHANGE, t);
	return gemp_comm_agree(context->comm, code);
}

/* Collective. Sends the groups to their owners in rounds, so that the packets need little memory. Received groups join
 * those of this rank. Groups that were sent stay in the tables, and lists leave them out. */
static gemp_code exchange_groups(group_stage *g, unsigned bits)
{
	const gemp_comm *comm = g->context->comm;
	GEMP_OWNED_BY(gemp_group_list_free) gemp_group_list list = { 0 };
	GEMP_OWNED uint32_t *sorted = NULL;
	GEMP_OWNED size_t *end = NULL, *sizes = NULL;
	gemp_code code = gemp_group_list_make(&list, &g->set, bits, -1, comm->size);
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(sorted, list.count), GEMP_ARRAY(end, (size_t)comm->size + 1),
	                       GEMP_ARRAY(sizes, (size_t)comm->size)));
	GEMP_THEN(sort_by_owner(g, bits, &list, sorted, end));
	GEMP_TRY(gemp_comm_agree(comm, code));
	uint64_t groups = end[comm->size - 1];
	const uint64_t mine = groups;
	gemp_comm_max(comm, &groups, 1);
	for (uint64_t first = 0; first < groups && code == GEMP_OK; first += ROUND_GROUPS) {
		GEMP_OWNED_BY(gemp_text_free) gemp_text packed = { 0 };
		const size_t from = gemp_min(first, mine), to = gemp_min(first + ROUND_GROUPS, mine);
		code = exchange_packets(g, pack_round(g, &list, sorted, end, from, to, &packed, sizes), &packed, sizes);
	}
	return code;
}

/* PUSHING */

/* The groups [first, end) of a list, which are pushed together. */
typedef struct group_block {
	const gemp_group_list *list;
	size_t first, end;
} group_block;

static bool fetches_members(const gemp_aggregate *form)
{
	return form->kind == GEMP_COLLECT && form->like.kind != GEMP_CELL_VALUE;
}

/* Collects the vertices and edges in the lists of these groups in a frame of two columns. The shorter column is filled
 * up with missing elements. Lists of values need no look-ups. */
static gemp_code list_members(const group_stage *g, const group_block *block, gemp_frame *members)
{
	size_t rows[2] = { 0 };
	GEMP_TRY(gemp_frame_init(members, 2));
	members->columns[0].kind = GEMP_CELL_VERTEX;
	members->columns[1].kind = GEMP_CELL_EDGE;
	for (size_t i = 0; i < g->form.aggregate_count; i++) {
		const gemp_aggregate *form = &g->form.aggregates[i];
		size_t kind = form->like.kind == GEMP_CELL_EDGE;
		for (size_t k = block->first; k < block->end && fetches_members(form); k++)
			GEMP_TRY(gemp_aggregate_members(&gemp_group_list_table(block->list, &g->set, k)->aggregates[i],
			                                g->form.codes, block->list->group[k], &members->columns[kind],
			                                &rows[kind]));
	}
	members->rows = gemp_max(rows[0], rows[1]);
	for (size_t kind = 0; kind < 2; kind++)
		for (; rows[kind] < members->rows; rows[kind]++)
			GEMP_TRY(gemp_frame_add_element(&members->columns[kind], rows[kind], GEMP_NO_ELEMENT));
	return GEMP_OK;
}

/* Collective. Fetches the keys of the vertices, and the ends of the edges, in the lists of these groups. Every rank has
 * the same aggregates, so either all ranks fetch or no rank does. */
static gemp_code fetch_members(group_stage *g, const group_block *block, gemp_elements *elements)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame members = { 0 };
	bool needed = false;
	for (size_t i = 0; i < g->form.aggregate_count; i++)
		needed |= fetches_members(&g->form.aggregates[i]);
	if (!needed)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(g->context->comm, list_members(g, block, &members)));
	return gemp_elements_fetch(elements, g->context, g->graph, members.columns, 2, members.rows, true);
}

/* A block that threads finish in chunks. */
typedef struct finish_task {
	const group_stage *g;
	const group_block *block;
	const gemp_elements *elements;
	gemp_frame *chunks; /* [chunks] */
	gemp_loop_failure failure;
} finish_task;

static gemp_code finish_range(const finish_task *t, gemp_frame *out, size_t begin, size_t end)
{
	const gemp_group_form *form = &t->g->form;
	GEMP_TRY(gemp_frame_like(out, &t->g->results));
	for (size_t i = begin; i < end; i++, out->rows++) {
		const size_t at = t->block->first + i;
		const gemp_group_states *table = gemp_group_list_table(t->block->list, &t->g->set, at);
		const uint32_t group = t->block->list->group[at];
		const uint64_t *key = gemp_code_table_key(&table->keys, group);
		for (size_t k = 0; k < form->key_count; k++)
			GEMP_TRY(gemp_codes_append(form->codes, &out->columns[k], out->rows, gemp_group_states_code(key, k)));
		for (size_t a = 0; a < form->aggregate_count; a++)
			GEMP_TRY(gemp_aggregate_finish(&table->aggregates[a], form->codes, group, t->elements,
			                               &out->columns[form->key_count + a].values));
	}
	return GEMP_OK;
}

static void finish_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	finish_task *t = context;
	if (!gemp_loop_failed(&t->failure))
		gemp_loop_record(&t->failure, finish_range(t, &t->chunks[chunk], begin, end));
}

static gemp_code finish_groups(group_stage *g, const group_block *block, const gemp_elements *elements)
{
	const size_t count = block->end - block->first;
	const size_t chunks = (count + CHUNK_GROUPS - 1) / CHUNK_GROUPS;
	finish_task t = { .g = g, .block = block, .elements = elements };
	gemp_frame_clear(&g->results);
	GEMP_TRY(GEMP_NEW(t.chunks, chunks));
	gemp_for_chunks(count, CHUNK_GROUPS, finish_chunk, &t);
	gemp_code code = gemp_loop_status(&t.failure);
	for (size_t i = 0; i < chunks; i++) {
		GEMP_THEN(gemp_frame_append(&g->results, &t.chunks[i]));
		gemp_frame_free(&t.chunks[i]);
	}
	gemp_free(t.chunks);
	return code;
}

/* Collective. Finishes and pushes a block as one frame, so that the results of all groups need not fit into memory at
 * once. */
static gemp_code push_block(group_stage *g, const group_block *block, bool last, bool *enough)
{
	GEMP_OWNED_BY(gemp_elements_free) gemp_elements elements = { 0 };
	GEMP_TRY(fetch_members(g, block, &elements));
	const double t = gemp_now();
	gemp_code code = finish_groups(g, block, &elements);
	gemp_timers_add(&g->context->timers, GEMP_PHASE_DISTINCT, t);
	GEMP_TRY(gemp_comm_agree(g->context->comm, code));
	return g->next->push(g->next->self, &g->results, last, enough);
}

/* Collective. Pushes 2^bits blocks of the groups in the set that this rank owns. A block has whole parts. */
static gemp_code push_groups(group_stage *g, unsigned bits, bool *enough)
{
	const gemp_comm *comm = g->context->comm;
	const size_t blocks = (size_t)1 << bits, parts = GEMP_GROUP_PARTS / blocks;
	const int owner = comm->size > 1 ? comm->rank : -1;
	GEMP_OWNED_BY(gemp_group_list_free) gemp_group_list list = { 0 };
	const double t = gemp_now();
	gemp_code code = gemp_group_list_make(&list, &g->set, bits, owner, comm->size);
	gemp_timers_add(&g->context->timers, GEMP_PHASE_DISTINCT, t);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t b = 0; b < blocks && !*enough; b++) {
		const group_block block = { &list, list.begin[b * parts], list.begin[(b + 1) * parts] };
		GEMP_TRY(push_block(g, &block, b + 1 == blocks, enough));
	}
	return GEMP_OK;
}

/* Collective. Pushes all groups in the set as one block. */
static gemp_code push_set(group_stage *g, bool last, bool *enough)
{
	GEMP_OWNED_BY(gemp_group_list_free) gemp_group_list list = { 0 };
	GEMP_TRY(gemp_comm_agree(g->context->comm, gemp_group_list_make(&list, &g->set, 0, -1, 1)));
	return push_block(g, &(group_block){ &list, 0, list.count }, last, enough);
}

/* Collective. Reads, exchanges and pushes the runs of all ranks, as many slices at a time as memory allows. */
static gemp_code push_runs(group_stage *g, bool *enough)
{
	const gemp_comm *comm = g->context->comm;
	const size_t limit = budget_of(g) / READ;
	GEMP_OWNED uint64_t *bytes = NULL;
	GEMP_OWNED size_t *sizes = NULL;
	GEMP_TRY(gemp_comm_agree(
		comm, gemp_new_all(GEMP_ARRAY(bytes, GEMP_GROUP_SLICES), GEMP_ARRAY(sizes, (size_t)comm->size))));
	memcpy(bytes, g->runs.slice_bytes, GEMP_GROUP_SLICES * sizeof *bytes);
	gemp_comm_max(comm, bytes, GEMP_GROUP_SLICES);
	for (size_t first = 0, end; first < GEMP_GROUP_SLICES && !*enough; first = end) {
		GEMP_OWNED_BY(gemp_text_free) gemp_text packets = { 0 };
		uint64_t sum = bytes[first];
		for (end = first + 1; end < GEMP_GROUP_SLICES && sum + bytes[end] <= limit; end++)
			sum += bytes[end];
		gemp_group_set_clear(&g->set);
		gemp_code code = gemp_group_runs_read(&g->runs, first, end, (size_t)comm->size, &packets, sizes);
		GEMP_TRY(exchange_packets(g, code, &packets, sizes));
		GEMP_TRY(push_set(g, end == GEMP_GROUP_SLICES, enough));
	}
	return GEMP_OK;
}

/* Without key columns there is exactly one group, even without rows: count(*) of no rows is 0. */
static gemp_code add_empty_group(group_stage *g)
{
	uint32_t group;
	const uint64_t none = 0;
	if (g->form.key_count)
		return GEMP_OK;
	return gemp_code_table_add(&g->set.parts[gemp_group_part(gemp_group_hash(&g->form, &none))].keys, &none, NULL, 1,
	                           &group);
}

/* Afterwards all groups of this rank lie in the partitions or in runs, */
static gemp_code end_rows(group_stage *g)
{
	GEMP_TRY(gemp_group_set_flush(&g->set));
	return add_empty_group(g);
}

/* Collective. With this many bits, a block has about as many groups as the limit says. */
static unsigned block_bits(const group_stage *g)
{
	const uint64_t groups = gemp_comm_sum1(g->context->comm, count_groups(&g->set));
	unsigned bits = 0;
	while (bits < GEMP_GROUP_PART_BITS && groups >> bits > gemp_limits_now()->group_block)
		bits++;
	return bits;
}

/* Collective. All ranks use runs if some rank has runs, or if its groups and those that it receives may not fit. */
static gemp_code push_all(group_stage *g, bool *enough)
{
	const gemp_comm *comm = g->context->comm;
	uint64_t has_runs = g->runs.count > 0 || (comm->size > 1 && budget_of(g) &&
	                                          gemp_group_set_memory(&g->set) > budget_of(g) / SPENT / SPENT);
	gemp_comm_max(comm, &has_runs, 1);
	if (has_runs) {
		GEMP_TRY(gemp_comm_agree(comm, gemp_group_runs_add(&g->runs, &g->set)));
		return push_runs(g, enough);
	}
	const unsigned bits = block_bits(g);
	if (comm->size > 1)
		GEMP_TRY(exchange_groups(g, bits));
	return push_groups(g, bits, enough);
}

/* Collective. Groups the rows locally. After the last rows, groups are exchanged and pushed. */
static gemp_code group_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	group_stage *g = self;
	bool satisfied = false;
	double t = gemp_now();
	if (g->ended)
		return GEMP_OK;
	gemp_code code = add_rows(g, frame);
	if (last)
		GEMP_THEN(end_rows(g));
	gemp_timers_add(&g->context->timers, GEMP_PHASE_DISTINCT, t);
	GEMP_TRY(gemp_comm_agree(g->context->comm, code));
	if (!last)
		return GEMP_OK;
	GEMP_TRY(push_all(g, &satisfied));
	g->ended = *enough = true;
	return GEMP_OK;
}

/* SETUP */

/* The stage may be only partly set up. */
static void group_free(void *self)
{
	group_stage *g = self;
	if (!g)
		return;
	gemp_group_set_free(&g->set);
	gemp_group_runs_free(&g->runs);
	gemp_codes_free(g->form.codes);
	gemp_free_all(g->form.keys, g->form.aggregates, g->form.arguments);
	gemp_frame_free(&g->results);
	gemp_free(g);
}

GEMP_RELEASE(group_free, group_stage *)

/* The key columns keep the name and the kind of the input columns. The columns of aggregates are values. */
gemp_code gemp_group_columns(gemp_frame *out, const gemp_group_options *options)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame made = { 0 };
	GEMP_TRY(gemp_frame_init(&made, options->key_count + options->aggregate_count));
	GEMP_TRY(gemp_frame_set_like(&made, options->input, options->key_count));
	for (size_t i = 0; i < options->aggregate_count; i++) {
		int argument = options->arguments[i];
		gemp_type type = argument < 0 ? GEMP_INTEGER : options->input->columns[argument].values.type;
		GEMP_TRY(gemp_frame_set(&made, options->key_count + i, GEMP_CELL_VALUE, "",
		                        gemp_aggregate_type(options->aggregates[i], type)));
	}
	*out = made;
	made = (gemp_frame){ 0 };
	return GEMP_OK;
}

/* The caller may free the input frame after the stage is made, so what is used later is copied here. */
static gemp_code set_up(group_stage *g, const gemp_group_options *options)
{
	gemp_group_form *form = &g->form;
	form->key_count = options->key_count;
	form->words = gemp_max((options->key_count + 1) / 2, (size_t)1);
	form->aggregate_count = options->aggregate_count;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(form->keys, form->key_count), GEMP_ARRAY(form->aggregates, form->aggregate_count),
	                      GEMP_ARRAY(form->arguments, form->aggregate_count)));
	for (size_t k = 0; k < form->key_count; k++) {
		form->keys[k].kind = options->input->columns[k].kind;
		form->keys[k].values.type = options->input->columns[k].values.type;
	}
	for (size_t i = 0; i < form->aggregate_count; i++) {
		int argument = form->arguments[i] = options->arguments[i];
		gemp_aggregate_init(&form->aggregates[i], options->aggregates[i],
		                    argument < 0 ? NULL : &options->input->columns[argument]);
	}
	GEMP_TRY(gemp_codes_new(&form->codes));
	GEMP_TRY(gemp_group_set_init(&g->set, form, options->input->count, budget_of(g)));
	return gemp_group_columns(&g->results, options);
}

/* The ranks agree on the status here. If only some ranks had the stage, their first push would wait for the other
 * ranks. */
gemp_code gemp_group_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                         const gemp_group_options *options)
{
	GEMP_OWNED_BY(group_free_at) group_stage *g = NULL;
	gemp_code code = GEMP_NEW(g, 1);
	if (code == GEMP_OK) {
		g->context = context;
		g->graph = graph;
		g->next = options->next;
		code = set_up(g, options);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = (gemp_row_stage){ .self = g, .push = group_push, .free = group_free };
	g = NULL;
	return GEMP_OK;
}
