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
	gemp_group_request wanted; /* `by` is 0 if there are too many values of an attribute for groups of them */
	gemp_group_key key;
	gemp_value_classes classes[GEMP_MAX_PATTERN_VERTICES]; /* [vertex] of the first vertex with this attribute */
	gemp_sink sink;
	gemp_sink *next;
	uint64_t passed;  /* groups that were passed on, some of them in parts */
	uint64_t pending; /* of these in the present round */
	bool lost;        /* a group found no place */
	bool second;      /* this is the second search */
	/* a batch and the records of one */
	size_t vertex_capacity, multiplicity_capacity, record_capacity;
	gemp_vertex *vertices;
	uint64_t *multiplicity, *records;
};

static bool prunes(const gemp_group_request *wanted)
{
	return wanted->by && (wanted->top || wanted->min_rows > 1);
}

/* True if the sink needs rows of groups that have enough rows. Then a second search finds these rows. */
static bool searches_twice(const gemp_group_request *wanted)
{
	return prunes(wanted) && wanted->by != wanted->keys;
}

/* The vertices whose ids or classes are the key of a record. */
static uint64_t key_vertices(const gemp_group_request *wanted)
{
	return searches_twice(wanted) ? wanted->by : wanted->keys;
}

/* True if some vertex of the key may have a class in place of its id. */
static bool has_attributes(const gemp_group_request *wanted)
{
	for (uint64_t left = key_vertices(wanted); left; left &= left - 1)
		if (wanted->attribute[__builtin_ctzll(left)])
			return true;
	return false;
}

bool gemp_grouping_allowed(const gemp_match *m)
{
	const gemp_match_options *o = &m->options;
	return o->groups.keys && o->listed && o->distinct == GEMP_BY_NOTHING && !o->count_parts && !o->in_parts &&
	       !o->first_only && o->limit == UINT64_MAX && !m->deduplicates && !m->phases.after_count &&
	       !m->plan->arguments && !m->plan->broken;
}

/* A row whose vertices are all in its key is mostly the only one of its group. The number of classes of an attribute is
 * known when the match runs, and is mostly small. */
bool gemp_grouping_suits(const gemp_match *m)
{
	const gemp_group_request *wanted = &m->options.groups;
	gemp_group_key key = gemp_group_key_new((size_t)m->plan->vertex_count, key_vertices(wanted),
	                                        m->graph->vertex_count);
	for (size_t i = 0; i < key.count; i++)
		if (wanted->attribute[key.digits[i].vertex])
			key.digits[i].base = 1;
	return gemp_grouping_allowed(m) && gemp_group_key_fits(&key) &&
	       (key.count < key.vertices || prunes(wanted) || has_attributes(wanted));
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

/* If there is a second search, all its rows are passed on then. */
static gemp_code pass_lost(void *self, const uint64_t *records, size_t count)
{
	gemp_grouping *g = self;
	g->lost = true;
	return searches_twice(&g->wanted) ? GEMP_OK : pass(g, records, count, 0);
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

/* In the second search rows may be passed on of groups that are not wanted. */
static gemp_code consume(void *self, const gemp_batch *batch)
{
	gemp_grouping *g = self;
	const double began = gemp_now();
	if (g->second) {
		gemp_batch vertices = *batch;
		vertices.edge_count = 0;
		vertices.edges = NULL;
		g->passed += batch->rows;
		return gemp_sink_deliver(g->next, &vertices, &g->match->context->timers);
	}
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
	const gemp_group_request *wanted = &g->wanted;
	gemp_device_groups *groups = g->match->search->groups;
	*min_rows = 1;
	if (!prunes(wanted))
		return GEMP_OK;
	if (gemp_comm_sum1(comm, g->lost))
		return GEMP_OK;
	GEMP_TRY(gemp_group_table_narrow(groups->table, comm, wanted->top, wanted->min_rows));
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

/* Local. Appends the groups with at least min_rows rows to g->records. */
static gemp_code list_wanted(gemp_grouping *g, uint64_t min_rows, size_t *count)
{
	gemp_device_groups *groups = g->match->search->groups;
	*count = 0;
	for (size_t slot = 0; slot < groups->table->slots;) {
		GEMP_OWNED uint64_t *records = NULL;
		size_t more;
		GEMP_TRY(gemp_device_groups_read(groups, &slot, min_rows, &records, &more));
		GEMP_TRY(GEMP_RESERVE(g->records, g->record_capacity, (*count + more) * WORDS));
		if (more)
			memcpy(g->records + *count * WORDS, records, more * WORDS * sizeof *records);
		*count += more;
	}
	return GEMP_OK;
}

/* Local. Replaces the groups of all devices of this rank by the given ones. */
static gemp_code replace_groups(gemp_grouping *g, const uint64_t *records, size_t count)
{
	for (const gemp_search *s = g->match->search; s; s = s->next) {
		GEMP_TRY(gemp_group_table_clear(s->groups->table));
		for (size_t first = 0, part; first < count; first += part) {
			part = gemp_min(count - first, (size_t)UPLOADED);
			GEMP_TRY(gemp_device_groups_add_records(s->groups, records + first * WORDS, part, 0));
		}
	}
	return GEMP_OK;
}

/* Collective. Every device gets the wanted groups of all ranks. The only device of a single rank has them already. */
static gemp_code share_wanted(gemp_grouping *g, uint64_t *min_rows)
{
	const gemp_comm *comm = g->match->context->comm;
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	size_t count = 0;
	if (comm->size == 1 && !g->match->search->next)
		return GEMP_OK;
	gemp_code code = list_wanted(g, *min_rows, &count);
	*min_rows = 1;
	GEMP_TRY(gemp_comm_allgather(comm, code, g->records, count * WORDS * sizeof *g->records, &all, &begin));
	const size_t bytes = begin[comm->size];
	return gemp_comm_agree(comm, replace_groups(g, all, bytes / (WORDS * sizeof *g->records)));
}

/* Collective. Asks for a second search, in which devices look rows up in the tables of groups. */
static gemp_code begin_second(gemp_grouping *g, uint64_t min_rows, bool *again)
{
	bool lost = gemp_comm_sum1(g->match->context->comm, g->lost) > 0;
	if (!lost)
		GEMP_TRY(share_wanted(g, &min_rows));
	lost |= gemp_comm_sum1(g->match->context->comm, g->lost) > 0;
	for (const gemp_search *s = g->match->search; s; s = s->next) {
		s->groups->filters = true;
		s->groups->min_rows = lost ? 0 : min_rows;
	}
	g->second = *again = true;
	return GEMP_OK;
}

/* Collective. In a first search nothing is passed on before the last round but groups that found no place. */
static gemp_code end_round(void *self, bool last, bool *enough, bool *again)
{
	gemp_grouping *g = self;
	gemp_runtime *context = g->match->context;
	uint64_t min_rows;
	if (g->second)
		return gemp_sink_end_round(g->next, last, enough, again, &context->timers);
	if (!last)
		return GEMP_OK;
	const double began = gemp_now(), before = gemp_timers_sum(&context->timers);
	GEMP_TRY(gemp_comm_agree(context->comm, join_devices(g)));
	GEMP_TRY(choose_min_rows(g, &min_rows));
	if (searches_twice(&g->wanted))
		GEMP_TRY(begin_second(g, min_rows, again));
	gemp_timers_add_rest(&context->timers, GEMP_PHASE_DISTINCT, began, before);
	if (g->second)
		return GEMP_OK;
	GEMP_TRY(pass_groups(g, min_rows, enough, again));
	if (*enough)
		return GEMP_OK;
	/* all rows of this rank count as delivered; the difference is modulo 2^64, as the sum of all ranks is */
	GEMP_TRY(gemp_comm_agree(context->comm, pass(g, NULL, 0, g->match->search->groups->rows - g->passed)));
	return gemp_sink_end_round(g->next, true, enough, again, &context->timers);
}

/* The first vertex of the pattern with the attribute of this vertex, whose classes serve both. */
static int owner_of(const gemp_group_request *wanted, int vertex)
{
	int first = 0;
	while (wanted->attribute[first] != wanted->attribute[vertex])
		first++;
	return first;
}

/* Collective. Makes the classes of these vertices that are missing. *whole is false if a vertex with an attribute has
 * none, because there are too many values. */
static gemp_code make_classes(gemp_grouping *g, uint64_t vertices, bool *whole)
{
	*whole = true;
	for (uint64_t left = vertices; left; left &= left - 1) {
		const int vertex = __builtin_ctzll(left), attribute = g->wanted.attribute[vertex];
		gemp_value_classes *classes = &g->classes[attribute ? owner_of(&g->wanted, vertex) : vertex];
		if (!attribute)
			continue;
		if (!classes->of)
			GEMP_TRY(gemp_value_classes_new(classes, g->match->context, g->match->graph, (size_t)attribute - 1, NULL));
		*whole &= classes->of != NULL;
	}
	return GEMP_OK;
}

/* Collective. A vertex by whose values the sink groups rows needs classes, since groups of vertices are parts of its
 * groups. */
static gemp_code choose_key(gemp_grouping *g)
{
	const gemp_match *m = g->match;
	bool whole;
	GEMP_TRY(make_classes(g, key_vertices(&g->wanted), &whole));
	if (g->wanted.by) {
		GEMP_TRY(make_classes(g, g->wanted.by, &whole));
		g->wanted.by = whole ? g->wanted.by : 0;
	}
	g->key = gemp_group_key_new((size_t)m->plan->vertex_count, key_vertices(&g->wanted), m->graph->vertex_count);
	for (size_t i = 0; i < g->key.count; i++) {
		const int vertex = g->key.digits[i].vertex;
		const gemp_value_classes *classes = &g->classes[owner_of(&g->wanted, vertex)];
		if (g->wanted.attribute[vertex] && classes->of)
			gemp_group_key_classify(&g->key, vertex, classes);
	}
	return GEMP_OK;
}

/* True if a number holds the key, and groups are mostly fewer than rows, or not all of them are wanted. */
static bool is_useful(const gemp_grouping *g)
{
	bool useful = g->key.count < g->key.vertices || prunes(&g->wanted);
	for (size_t i = 0; i < g->key.count; i++)
		useful |= g->key.digits[i].classes != NULL;
	return useful && gemp_group_key_fits(&g->key);
}

/* Collective, although only the caller makes the ranks agree on the code. */
static gemp_code make_tables(gemp_grouping *g)
{
	const double expected = gemp_match_forecast(g->match).rows;
	for (gemp_search *s = g->match->search; s; s = s->next)
		GEMP_TRY(gemp_device_groups_new(&s->groups, s->context->device, &g->key, g->match->graph->vertex_count,
		                                expected, pass_lost, g));
	return GEMP_OK;
}

static bool device_suits(const gemp_search *s)
{
	return gemp_device_groups_suit(s->context->device, (size_t)s->plan->vertex_count, s->result_capacity);
}

/* Collective. */
static bool devices_suit(const gemp_match *m)
{
	uint64_t unsuited = 0;
	for (const gemp_search *s = m->search; s; s = s->next)
		unsuited += !device_suits(s);
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
		*g = (gemp_grouping){ .match = m, .next = next, .wanted = m->options.groups };
		g->sink = (gemp_sink){ .self = g, .consume = consume, .end_round = end_round };
	}
	GEMP_TRY(gemp_comm_agree(m->context->comm, code));
	gemp_timers *timers = &m->context->timers;
	const double began = gemp_now(), before = gemp_timers_sum(timers);
	GEMP_TRY(choose_key(g));
	gemp_timers_add_rest(timers, GEMP_PHASE_CONVERT, began, before);
	if (!is_useful(g))
		return GEMP_OK;
	const double known = gemp_now();
	GEMP_TRY(gemp_comm_agree(m->context->comm, make_tables(g)));
	gemp_timers_add(timers, GEMP_PHASE_BUILD, known);
	*out = g;
	g = NULL;
	return GEMP_OK;
}

/* The tables borrow the key and the classes. */
void gemp_grouping_free(gemp_grouping *g)
{
	if (!g)
		return;
	for (gemp_search *s = g->match->search; s; s = s->next) {
		gemp_device_groups_free(s->groups);
		s->groups = NULL;
	}
	for (int v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		gemp_value_classes_free(&g->classes[v]);
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

/* Names the vertices, or the attributes by which they are grouped. */
static void print_vertices(const gemp_match *m, uint64_t vertices, gemp_text *out)
{
	const char *separator = "";
	for (int v = 0; v < m->plan->vertex_count; v++) {
		const char *name = gemp_pattern_row_name(m->pattern, v, false);
		const int attribute = m->options.groups.attribute[v];
		if (!(vertices >> v & 1))
			continue;
		if (name)
			gemp_text_print(out, "%s%s", separator, name);
		else
			gemp_text_print(out, "%sv%d", separator, v);
		if (attribute)
			gemp_text_print(out, ".%s", m->graph->attributes.columns[attribute - 1].name);
		separator = ", ";
	}
}

void gemp_grouping_explain(const gemp_match *m, gemp_text *out)
{
	const gemp_group_request *wanted = &m->options.groups;
	const bool twice = searches_twice(wanted);
	if (m->interpreter && gemp_interpreter_groups(m->interpreter)) {
		gemp_text_print(out, "  groups: counted by the host for each pivot, by (");
		print_vertices(m, wanted->keys, out);
		gemp_text_print(out, ")\n");
	}
	if (!m->search || !gemp_grouping_suits(m) || !device_suits(m->search))
		return;
	gemp_text_print(out, "  groups: made on the device, by (");
	print_vertices(m, key_vertices(wanted), out);
	gemp_text_print(out, ")");
	if (prunes(wanted) && wanted->top)
		gemp_text_print(out, "; the %llu with most rows", (unsigned long long)wanted->top);
	else if (prunes(wanted))
		gemp_text_print(out, "; those of at least %llu rows", (unsigned long long)wanted->min_rows);
	if (prunes(wanted))
		gemp_text_print(out, "%s reach the host", twice ? " are searched for again, and their rows" : "");
	gemp_text_print(out, "\n");
}
