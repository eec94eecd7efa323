#include "match/groups/grouping.h"

#include "core/threads.h"
#include "match/forecast.h"
#include "match/groups/device_groups.h"
#include "match/search/search.h"

#include <string.h>

enum {
	WORDS = GEMP_GROUP_VALUES,
	UPLOADED = 1 << 20,   /* rows of the host that are uploaded at a time */
	ROUND_ROWS = 1 << 23, /* groups that are passed on in a round; the next sink may store them until it ends */
};

struct gemp_grouping {
	gemp_match *match;
	gemp_group_key key;
	gemp_sink sink;
	gemp_sink *next;
	uint64_t passed;  /* groups that were passed on, some of them in parts */
	uint64_t pending; /* of these in the present round */
	bool lost;        /* a group found no place */
	/* a batch and the records of one */
	size_t vertex_capacity, multiplicity_capacity, record_capacity;
	gemp_vertex *vertices;
	uint64_t *multiplicity, *records;
};

static bool prunes(const gemp_match *m)
{
	return m->options.groups.top || m->options.groups.min_rows > 1;
}

/* A row whose vertices are all in its key is mostly the only one of its group. */
bool gemp_grouping_suits(const gemp_match *m)
{
	const gemp_match_options *o = &m->options;
	gemp_group_key key;
	const size_t vertices = (size_t)m->plan->vertex_count;
	return o->groups.keys && o->listed && o->distinct == GEMP_BY_NOTHING && !o->count_parts && !o->in_parts &&
	       !o->first_only && o->limit == UINT64_MAX && !m->deduplicates && !m->phases.after_count &&
	       !m->plan->arguments && !m->plan->broken &&
	       gemp_group_key_new(&key, vertices, o->groups.keys, m->graph->vertex_count) &&
	       (key.count < vertices || prunes(m));
}

/* ROWS TO BATCHES */

typedef struct unpacking {
	gemp_grouping *g;
	const uint64_t *records;
} unpacking;

static void unpack(void *self, size_t begin, size_t end)
{
	const unpacking *u = self;
	const gemp_group_key *key = &u->g->key;
	for (size_t i = begin; i < end; i++) {
		gemp_group_key_unpack(key, u->records[i * WORDS + GEMP_GROUP_KEY], u->g->vertices + i * key->vertices);
		u->g->multiplicity[i] = u->records[i * WORDS + GEMP_GROUP_ROWS];
	}
}

/* Passes records on as one batch. */
static gemp_code pass(gemp_grouping *g, const uint64_t *records, size_t count, uint64_t left_out)
{
	if (!count && !left_out)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(g->vertices, g->vertex_capacity, count * g->key.vertices));
	GEMP_TRY(GEMP_RESERVE(g->multiplicity, g->multiplicity_capacity, count));
	gemp_for_elements(count, unpack, &(unpacking){ g, records });
	g->passed += count;
	g->pending += count;
	const gemp_batch batch = { .rows = count,
		                       .vertex_count = (int)g->key.vertices,
		                       .vertices = g->vertices,
		                       .multiplicity = count ? g->multiplicity : NULL,
		                       .left_out = left_out };
	return gemp_sink_deliver(g->next, &batch, &g->match->context->timers);
}

static gemp_code pass_lost(void *self, const uint64_t *records, size_t count)
{
	gemp_grouping *g = self;
	g->lost = true;
	return pass(g, records, count, 0);
}

/* ROWS OF THE HOST */

typedef struct packing {
	const gemp_grouping *g;
	const gemp_vertex *rows;
} packing;

static void pack(void *self, size_t begin, size_t end)
{
	const packing *p = self;
	for (size_t i = begin; i < end; i++) {
		p->g->records[i * WORDS + GEMP_GROUP_KEY] = gemp_group_key_pack(&p->g->key, p->rows + i * p->g->key.vertices);
		p->g->records[i * WORDS + GEMP_GROUP_ROWS] = 1;
	}
}

static gemp_code consume(void *self, const gemp_batch *batch)
{
	gemp_grouping *g = self;
	const double began = gemp_now();
	for (size_t first = 0, count; first < batch->rows; first += count) {
		count = gemp_min(batch->rows - first, (size_t)UPLOADED);
		GEMP_TRY(GEMP_RESERVE(g->records, g->record_capacity, count * WORDS));
		gemp_for_elements(count, pack, &(packing){ g, batch->vertices + first * g->key.vertices });
		GEMP_TRY(gemp_device_groups_add_records(g->match->search->groups, g->records, count, count));
	}
	gemp_timers_add(&g->match->context->timers, GEMP_PHASE_DISTINCT, began);
	return GEMP_OK;
}

/* GROUPS */

/* Local. Adds the groups of the rank's other devices to those of the first. */
static gemp_code join_devices(gemp_grouping *g)
{
	const gemp_search *first = g->match->search;
	for (const gemp_search *s = first->next; s; s = s->next) {
		for (size_t slot = 0; slot < s->groups->table->slots;) {
			GEMP_OWNED uint64_t *records = NULL;
			size_t count;
			GEMP_TRY(gemp_device_groups_read(s->groups, &slot, 0, &records, &count));
			GEMP_TRY(gemp_device_groups_add_records(first->groups, records, count, 0));
		}
		first->groups->rows += s->groups->rows;
		s->groups->rows = 0;
		GEMP_TRY(gemp_group_table_clear(s->groups->table));
	}
	return GEMP_OK;
}

/* Collective. Makes groups whole, and finds the number of rows of the groups that are wanted. */
static gemp_code choose_min_rows(gemp_grouping *g, uint64_t *min_rows)
{
	const gemp_comm *comm = g->match->context->comm;
	const gemp_group_request *wanted = &g->match->options.groups;
	gemp_device_groups *groups = g->match->search->groups;
	*min_rows = 1;
	if (!prunes(g->match))
		return GEMP_OK;
	if (gemp_comm_sum1(comm, g->lost))
		return GEMP_OK;
	GEMP_TRY(gemp_group_table_exchange(groups->table, comm, gemp_device_groups_lose, groups));
	if (gemp_comm_sum1(comm, g->lost))
		return GEMP_OK;
	if (wanted->top)
		GEMP_TRY(gemp_group_table_threshold(groups->table, comm, wanted->top, min_rows));
	*min_rows = gemp_max(*min_rows, wanted->min_rows);
	return GEMP_OK;
}

/* Local. Passes on the groups of the next slots. */
static gemp_code pass_part(gemp_grouping *g, size_t *slot, uint64_t min_rows)
{
	gemp_device_groups *groups = g->match->search->groups;
	GEMP_OWNED uint64_t *records = NULL;
	size_t count;
	if (*slot == groups->table->slots)
		return GEMP_OK;
	GEMP_TRY(gemp_device_groups_read(groups, slot, min_rows, &records, &count));
	return pass(g, records, count, 0);
}

/* Collective. Passes on all groups. A round of the next sink ends when some rank has passed on ROUND_ROWS groups. */
static gemp_code pass_groups(gemp_grouping *g, uint64_t min_rows, bool *enough, bool *again)
{
	gemp_runtime *context = g->match->context;
	enum { LEFT, FULL };
	uint64_t state[] = { 1, 0 };
	size_t slot = 0;
	while (state[LEFT] && !*enough) {
		GEMP_TRY(gemp_comm_agree(context->comm, pass_part(g, &slot, min_rows)));
		state[LEFT] = slot < g->match->search->groups->table->slots;
		state[FULL] = g->pending >= ROUND_ROWS;
		gemp_comm_sum(context->comm, state, 2);
		if (!state[LEFT] || !state[FULL])
			continue;
		GEMP_TRY(gemp_sink_end_round(g->next, false, enough, again, &context->timers));
		g->pending = 0;
	}
	return GEMP_OK;
}

/* Collective. Nothing is passed on before the last round but groups that found no place. */
static gemp_code end_round(void *self, bool last, bool *enough, bool *again)
{
	gemp_grouping *g = self;
	gemp_runtime *context = g->match->context;
	uint64_t min_rows;
	if (!last)
		return GEMP_OK;
	const double began = gemp_now(), before = gemp_timers_sum(&context->timers);
	GEMP_TRY(gemp_comm_agree(context->comm, join_devices(g)));
	GEMP_TRY(choose_min_rows(g, &min_rows));
	gemp_timers_add_rest(&context->timers, GEMP_PHASE_DISTINCT, began, before);
	GEMP_TRY(pass_groups(g, min_rows, enough, again));
	if (*enough)
		return GEMP_OK;
	/* all rows of this rank count as delivered; the difference is modulo 2^64, as the sum of all ranks is */
	GEMP_TRY(gemp_comm_agree(context->comm, pass(g, NULL, 0, g->match->search->groups->rows - g->passed)));
	return gemp_sink_end_round(g->next, true, enough, again, &context->timers);
}

/* Local. */
static gemp_code make_tables(gemp_grouping *g)
{
	const double expected = gemp_match_forecast(g->match).rows;
	for (gemp_search *s = g->match->search; s; s = s->next)
		GEMP_TRY(gemp_device_groups_new(&s->groups, s->context->device, &g->key, expected, pass_lost, g));
	return GEMP_OK;
}

/* Collective. */
static bool devices_suit(const gemp_match *m)
{
	uint64_t unsuited = 0;
	for (const gemp_search *s = m->search; s; s = s->next)
		unsuited += !gemp_device_groups_suit(s->context->device);
	return gemp_comm_sum1(m->context->comm, unsuited) == 0;
}

gemp_code gemp_grouping_new(gemp_grouping **out, gemp_match *m, gemp_sink *next)
{
	GEMP_OWNED_BY(gemp_grouping_free_at) gemp_grouping *g = NULL;
	*out = NULL;
	if (!next || !gemp_grouping_suits(m) || !devices_suit(m))
		return GEMP_OK;
	gemp_code code = GEMP_NEW(g, 1);
	if (g) {
		*g = (gemp_grouping){ .match = m, .next = next };
		gemp_group_key_new(&g->key, (size_t)m->plan->vertex_count, m->options.groups.keys, m->graph->vertex_count);
		g->sink = (gemp_sink){ .self = g, .consume = consume, .end_round = end_round };
	}
	GEMP_TRY(gemp_comm_agree(m->context->comm, code));
	GEMP_TRY(gemp_comm_agree(m->context->comm, make_tables(g)));
	*out = g;
	g = NULL;
	return GEMP_OK;
}

void gemp_grouping_free(gemp_grouping *g)
{
	if (!g)
		return;
	for (gemp_search *s = g->match->search; s; s = s->next) {
		gemp_device_groups_free(s->groups);
		s->groups = NULL;
	}
	gemp_free_all(g->vertices, g->multiplicity, g->records, g);
}

gemp_sink *gemp_grouping_sink(gemp_grouping *g)
{
	return &g->sink;
}

void gemp_grouping_figures(const gemp_grouping *g, gemp_group_figures *figures)
{
	figures->rows += g->match->search->groups->rows;
	figures->groups += g->passed;
}

void gemp_grouping_explain(const gemp_match *m, gemp_text *out)
{
	const gemp_group_request *wanted = &m->options.groups;
	const char *separator = "";
	if (!m->search || !gemp_grouping_suits(m) || !gemp_device_groups_suit(m->search->context->device))
		return;
	gemp_text_print(out, "  groups: made on the device, by (");
	for (int v = 0; v < m->plan->vertex_count; v++) {
		const char *name = gemp_pattern_row_name(m->pattern, v, false);
		if (!(wanted->keys >> v & 1))
			continue;
		if (name)
			gemp_text_print(out, "%s%s", separator, name);
		else
			gemp_text_print(out, "%sv%d", separator, v);
		separator = ", ";
	}
	gemp_text_print(out, ")");
	if (wanted->top)
		gemp_text_print(out, "; the %llu with most rows reach the host", (unsigned long long)wanted->top);
	else if (wanted->min_rows > 1)
		gemp_text_print(out, "; those of at least %llu rows reach the host", (unsigned long long)wanted->min_rows);
	gemp_text_print(out, "\n");
}
