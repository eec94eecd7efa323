/* Grouping has three steps. First, each rank makes groups of its own rows: a key table numbers the groups, and the
 * number indexes the states of all aggregates. At the end each group goes to its owner, a rank, which merges the
 * states. Then each owner pushes its groups in blocks, with the keys as first columns. */

#include "query/clause/group.h"

#include "core/memory.h"
#include "core/text.h"
#include "query/clause/aggregate.h"

#include <string.h>

enum { BLOCK_GROUPS = 1 << 16 }; /* max number of groups that are exchanged, or pushed to the next stage, at a time */

/* The groups that this rank has made or received. The number of a group indexes the states of all aggregates. */
typedef struct group_stage {
	gemp_runtime *context;
	gemp_shard *graph;
	gemp_row_stage *next;
	size_t key_count;
	gemp_frame results; /* one block of finished groups, to be pushed */
	size_t aggregate_count;
	gemp_aggregate *aggregates; /* [aggregate_count] */
	int *arguments;             /* [aggregate_count] columns of the input */
	gemp_key_table groups;
	bool ended;
} group_stage;

/* ROWS TO GROUPS */

/* Returns the number of the group with this key. A new key makes a new group. */
static gemp_code find_group(group_stage *g, const gemp_text *key, uint64_t hash, size_t *group)
{
	bool added;
	return gemp_key_table_add(&g->groups, key->data ? key->data : "", key->size, hash, group, &added);
}

/* The budget is tested after each batch, so a rank exceeds it by at most one batch. Capacities are added instead of
 * sizes, because the budget limits allocated memory. */
static gemp_code check_memory(const group_stage *g)
{
	size_t budget = g->context->budgets.host_memory, bytes = gemp_key_table_memory(&g->groups);
	for (size_t i = 0; i < g->aggregate_count; i++)
		bytes += gemp_aggregate_memory(&g->aggregates[i]);
	if (budget == 0 || bytes <= budget)
		return GEMP_OK;
	return gemp_fail(GEMP_ENOMEM,
	                 "%zu groups take %zu bytes on one rank, more than host-memory %zu; use more ranks, a larger "
	                 "host-memory, or conditions that leave fewer groups",
	                 g->groups.count, bytes, budget);
}

/* A row that stands for several rows is added with its multiplicity. */
static gemp_code add_row(group_stage *g, const gemp_frame *frame, size_t row, const gemp_text *key, uint64_t hash)
{
	size_t group;
	uint64_t times = frame->multiplicity ? frame->multiplicity[row] : 1;
	GEMP_TRY(find_group(g, key, hash, &group));
	for (size_t i = 0; i < g->aggregate_count; i++) {
		const gemp_frame_column *argument = g->arguments[i] < 0 ? NULL : &frame->columns[g->arguments[i]];
		GEMP_TRY(gemp_aggregate_add(&g->aggregates[i], group, argument, row, times));
	}
	return GEMP_OK;
}

/* Rows are taken in batches of 16. All keys of a batch are hashed first, so that the cache misses of the table
 * overlap. */
static gemp_code add_rows(group_stage *g, const gemp_frame *frame)
{
	enum { AHEAD = 16 };
	gemp_code code = GEMP_OK;
	gemp_text key[AHEAD] = { 0 };
	uint64_t hash[AHEAD];
	for (size_t first = 0; first < frame->rows; first += AHEAD) {
		size_t rows = frame->rows - first < AHEAD ? frame->rows - first : AHEAD;
		for (size_t i = 0; i < rows; i++) {
			gemp_text_clear(&key[i]);
			for (size_t c = 0; c < g->key_count; c++)
				gemp_cell_pack(&frame->columns[c], first + i, &key[i]);
			GEMP_TRY_DONE(gemp_text_status(&key[i]));
			hash[i] = gemp_key_hash(key[i].data ? key[i].data : "", key[i].size);
			gemp_key_table_prefetch(&g->groups, hash[i]);
		}
		for (size_t i = 0; i < rows; i++)
			GEMP_TRY_DONE(add_row(g, frame, first + i, &key[i], hash[i]));
	}
	code = check_memory(g);
done:
	for (size_t i = 0; i < AHEAD; i++)
		gemp_text_free(&key[i]);
	return code;
}

/* The lower half of the hash determines the owner, because the table uses the upper half. A multiplication maps it to a
 * rank, which is faster than a modulo. */
static int owner_of(const group_stage *g, size_t group)
{
	return (int)((g->groups.hash[group] & UINT32_MAX) * (uint64_t)g->context->comm->size >> 32);
}

/* Packs the size and the bytes of the key, then the state of each aggregate. merge_groups reads in the same order. */
static gemp_code pack_group(const group_stage *g, size_t group, gemp_text *out)
{
	size_t size;
	const char *key = gemp_key_bytes(&g->groups, group, &size);
	gemp_text_add(out, &size, sizeof size);
	gemp_text_add(out, key, size);
	for (size_t i = 0; i < g->aggregate_count; i++)
		GEMP_TRY(gemp_aggregate_pack(&g->aggregates[i], group, out));
	return gemp_text_status(out);
}

/* Sorts the groups by owner (counting sort) and packs them. Groups that this rank owns are not packed. */
static gemp_code pack_groups(const group_stage *g, size_t first, size_t end, gemp_text *out, size_t *sizes)
{
	const gemp_comm *comm = g->context->comm;
	size_t ranks = (size_t)comm->size;
	GEMP_OWNED size_t *begin = NULL, *sorted = NULL;
	GEMP_TRY(GEMP_NEW(begin, ranks + 1));
	GEMP_TRY(GEMP_NEW(sorted, end - first));
	for (size_t group = first; group < end; group++)
		begin[owner_of(g, group) + 1]++;
	for (size_t r = 0; r < ranks; r++)
		begin[r + 1] += begin[r];
	for (size_t group = first; group < end; group++)
		sorted[begin[owner_of(g, group)]++] = group;
	for (size_t r = 0, i = 0; r < ranks; r++) {
		size_t before = out->size;
		for (; i < begin[r]; i++)
			if ((int)r != comm->rank)
				GEMP_TRY(pack_group(g, sorted[i], out));
		sizes[r] = out->size - before;
	}
	return GEMP_OK;
}

/* Merges received groups into the groups with equal keys. A group with a new key is added. */
static gemp_code merge_groups(group_stage *g, const char *at, const char *end)
{
	while (at < end) {
		gemp_text key = { 0 };
		size_t group;
		memcpy(&key.size, at, sizeof key.size);
		key.data = (char *)at + sizeof key.size;
		at = key.data + key.size;
		GEMP_TRY(find_group(g, &key, gemp_key_hash(key.data, key.size), &group));
		for (size_t i = 0; i < g->aggregate_count; i++)
			GEMP_TRY(gemp_aggregate_merge(&g->aggregates[i], group, &at));
	}
	return check_memory(g);
}

/* Collective. Sends groups [first, end) to their owners. The ranks agree on the status after merging, so that no rank
 * goes on to the next exchange alone. */
static gemp_code exchange_block(group_stage *g, size_t first, size_t end)
{
	gemp_runtime *context = g->context;
	size_t ranks = (size_t)context->comm->size;
	GEMP_OWNED size_t *sizes = NULL;
	size_t received_size = 0;
	GEMP_OWNED_BY(gemp_text_free) gemp_text packed = { 0 };
	GEMP_OWNED void *received = NULL;
	double t = gemp_now();
	gemp_code code = GEMP_NEW(sizes, ranks);
	GEMP_THEN(pack_groups(g, first, end, &packed, sizes));
	GEMP_TRY(
		gemp_exchange_bytes(context->comm, code, packed.data, sizes, &received, &received_size, &context->traffic));
	gemp_timers_add(&context->timers, GEMP_PHASE_EXCHANGE, t);
	return gemp_comm_agree(context->comm, merge_groups(g, received, (const char *)received + received_size));
}

/* Collective. Groups are exchanged in blocks, so that the packed groups need little memory. Received groups are
 * appended behind the `own` first groups and are not sent on, because this rank owns them. Groups that were sent stay
 * in the table, and push_groups skips them. */
static gemp_code exchange_groups(group_stage *g)
{
	const size_t own = g->groups.count;
	uint64_t max_groups = own;
	if (g->context->comm->size == 1)
		return GEMP_OK;
	gemp_comm_max(g->context->comm, &max_groups, 1);
	for (size_t first = 0; first < max_groups; first += BLOCK_GROUPS) {
		size_t begin = first < own ? first : own, end = own - begin < BLOCK_GROUPS ? own : begin + BLOCK_GROUPS;
		GEMP_TRY(exchange_block(g, begin, end));
	}
	return GEMP_OK;
}

/* PUSHING */

/* The bytes of a key are its packed cells, in the order of the key columns. */
static gemp_code add_keys(const group_stage *g, size_t group, gemp_frame *out)
{
	size_t size;
	const char *at = gemp_key_bytes(&g->groups, group, &size), *end = at + size;
	for (size_t c = 0; c < g->key_count; c++)
		GEMP_TRY(gemp_cell_unpack(&out->columns[c], out->rows, &at, end));
	out->rows++;
	return GEMP_OK;
}

/* Collects the vertices and edges in the lists of these groups in a frame of two columns. The shorter column is filled
 * up with missing elements. Lists of values need no look-ups. */
static gemp_code list_members(const group_stage *g, const size_t *groups, size_t count, gemp_frame *members)
{
	size_t rows[2] = { 0 };
	GEMP_TRY(gemp_frame_init(members, 2));
	members->columns[0].kind = GEMP_CELL_VERTEX;
	members->columns[1].kind = GEMP_CELL_EDGE;
	for (size_t i = 0; i < g->aggregate_count; i++) {
		const gemp_aggregate *a = &g->aggregates[i];
		size_t kind = a->cell == GEMP_CELL_EDGE;
		for (size_t k = 0; k < count && a->kind == GEMP_COLLECT && a->cell != GEMP_CELL_VALUE; k++)
			GEMP_TRY(gemp_aggregate_members(a, groups[k], &members->columns[kind], &rows[kind]));
	}
	members->rows = gemp_max(rows[0], rows[1]);
	for (size_t kind = 0; kind < 2; kind++)
		for (; rows[kind] < members->rows; rows[kind]++)
			GEMP_TRY(gemp_frame_add_element(&members->columns[kind], rows[kind], GEMP_NO_ELEMENT));
	return GEMP_OK;
}

/* Collective. Fetches the keys of the vertices, and the ends of the edges, in the lists of these groups. Every rank has
 * the same aggregates, so either all ranks fetch or no rank does. */
static gemp_code fetch_members(group_stage *g, const size_t *groups, size_t count, gemp_elements *elements)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame members = { 0 };
	bool needed = false;
	for (size_t i = 0; i < g->aggregate_count; i++)
		needed |= g->aggregates[i].kind == GEMP_COLLECT && g->aggregates[i].cell != GEMP_CELL_VALUE;
	if (!needed)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(g->context->comm, list_members(g, groups, count, &members)));
	return gemp_elements_fetch(elements, g->context, g->graph, members.columns, 2, members.rows, true);
}

/* The results are added before the keys, because add_keys counts the row. */
static gemp_code finish_groups(group_stage *g, const size_t *groups, size_t count, const gemp_elements *elements)
{
	gemp_frame_clear(&g->results);
	for (size_t k = 0; k < count; k++) {
		for (size_t i = 0; i < g->aggregate_count; i++)
			GEMP_TRY(gemp_aggregate_finish(&g->aggregates[i], groups[k], elements,
			                               &g->results.columns[g->key_count + i].values));
		GEMP_TRY(add_keys(g, groups[k], &g->results));
	}
	return GEMP_OK;
}

/* Collective. Finishes and pushes a block as one frame, so that the results of all groups need not fit into memory at
 * once. */
static gemp_code push_block(group_stage *g, const size_t *groups, size_t count, bool last, bool *enough)
{
	GEMP_OWNED_BY(gemp_elements_free) gemp_elements elements = { 0 };
	GEMP_TRY(fetch_members(g, groups, count, &elements));
	GEMP_TRY(gemp_comm_agree(g->context->comm, finish_groups(g, groups, count, &elements)));
	return g->next->push(g->next->self, &g->results, last, enough);
}

/* Collective. All ranks push the same number of blocks. A rank with fewer groups pushes empty blocks. */
static gemp_code push_groups(group_stage *g)
{
	GEMP_OWNED size_t *own_groups = NULL;
	size_t count = 0;
	bool enough = false;
	GEMP_TRY(gemp_comm_agree(g->context->comm, GEMP_NEW(own_groups, g->groups.count)));
	for (size_t group = 0; group < g->groups.count; group++)
		if (owner_of(g, group) == g->context->comm->rank)
			own_groups[count++] = group;
	uint64_t max_groups = count;
	gemp_comm_max(g->context->comm, &max_groups, 1);
	size_t blocks = max_groups ? (max_groups - 1) / BLOCK_GROUPS + 1 : 1;
	for (size_t b = 0; b < blocks && !enough; b++) {
		size_t first = b * BLOCK_GROUPS < count ? b * BLOCK_GROUPS : count, left = count - first;
		GEMP_TRY(
			push_block(g, own_groups + first, left < BLOCK_GROUPS ? left : BLOCK_GROUPS, b + 1 == blocks, &enough));
	}
	return GEMP_OK;
}

/* Without key columns there is exactly one group, even without rows: count(*) of no rows is 0. */
static gemp_code add_empty_group(group_stage *g)
{
	size_t group;
	const gemp_text none = { 0 };
	return g->key_count ? GEMP_OK : find_group(g, &none, gemp_key_hash("", 0), &group);
}

/* Collective. Groups the rows locally. After the last rows, groups are exchanged and pushed. */
static gemp_code group_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	group_stage *g = self;
	double t = gemp_now();
	if (g->ended)
		return GEMP_OK;
	gemp_code code = add_rows(g, frame);
	if (code == GEMP_OK && last)
		code = add_empty_group(g);
	gemp_timers_add(&g->context->timers, GEMP_PHASE_DISTINCT, t);
	GEMP_TRY(gemp_comm_agree(g->context->comm, code));
	if (!last)
		return GEMP_OK;
	GEMP_TRY(exchange_groups(g));
	GEMP_TRY(push_groups(g));
	g->ended = *enough = true;
	return code;
}

/* The stage may be only partly set up. */
static void group_free(void *self)
{
	group_stage *g = self;
	if (!g)
		return;
	for (size_t i = 0; g->aggregates && i < g->aggregate_count; i++)
		gemp_aggregate_free(&g->aggregates[i]);
	gemp_free_all(g->aggregates, g->arguments);
	gemp_key_table_free(&g->groups);
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

/* The caller may free the input frame after the stage is made, so the columns used later are copied here. */
static gemp_code set_up(group_stage *g, const gemp_group_options *options)
{
	GEMP_TRY(GEMP_NEW(g->aggregates, options->aggregate_count));
	GEMP_TRY(GEMP_NEW(g->arguments, options->aggregate_count));
	g->aggregate_count = options->aggregate_count;
	for (size_t i = 0; i < g->aggregate_count; i++) {
		int argument = g->arguments[i] = options->arguments[i];
		gemp_aggregate_init(&g->aggregates[i], options->aggregates[i],
		                    argument < 0 ? NULL : &options->input->columns[argument]);
	}
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
		g->key_count = options->key_count;
		code = set_up(g, options);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = (gemp_row_stage){ .self = g, .push = group_push, .free = group_free };
	g = NULL;
	return GEMP_OK;
}
