#include "transform/conflicts/match_order.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"
#include "partition/exchange/value_exchange.h"
#include "primitive/sort.h"

#include <string.h>

/* TUPLES */

/* A part of a tuple. A part is one word, or two words for a value. */
typedef enum tuple_kind {
	VERTEX, /* the rank of the vertex's key */
	/* for an edge: the rank of the source's key in the upper half, the number among parallel edges in the lower half */
	SOURCE,
	TARGET, /* for an edge: the relation in the upper half, the rank of the target's key in the lower half */
	VALUE,
} tuple_kind;

typedef struct tuple_part {
	tuple_kind kind;
	const gemp_frame_column *column;
	size_t at; /* position in the tuple */
} tuple_part;

typedef struct tuple_builder {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule *rule;
	const gemp_frame *frame;
	gemp_rule_columns columns;
	size_t count;
	tuple_part *parts; /* [count] */
	size_t width;
	uint64_t *tuples; /* [rows * width] */
	/* the part that is filled now */
	const tuple_part *current;
	gemp_edge_values edges; /* the edges of its column, if the column has edges */
	gemp_vertex *ids;       /* [rows] the vertices whose key ranks the part needs */
	uint32_t *ranks;        /* [rows] */
} tuple_builder;

static void free_builder(tuple_builder *m)
{
	gemp_free_all(m->parts, m->tuples, m->ids, m->ranks);
	gemp_edge_values_free(&m->edges);
}

/* Adds a part. Values take two words, all other parts one word. */
static void add_part(tuple_builder *m, tuple_kind kind, const gemp_frame_column *column)
{
	m->parts[m->count++] = (tuple_part){ kind, column, m->width };
	m->width += kind == VALUE ? 2 : 1;
}

/* Returns the number of relations to which the edge can belong. *only becomes the last of them. */
static size_t count_relations(const tuple_builder *m, const gemp_pattern_edge *e, size_t *only)
{
	size_t count = 0;
	for (size_t r = 0; r < m->graph->relation_count; r++) {
		if (m->graph->relations[r].edge_count == 0 || (e->type_count && !e->relations[r]))
			continue;
		*only = r;
		count++;
	}
	return count;
}

/* Source and target determine a directed edge of a simple relation. If both are in the tuple, the edge adds no part.
 * Otherwise the tuple needs the number of the edge among parallel edges, and also the target if the row does not
 * contain it. */
static void add_edge(tuple_builder *m, size_t column)
{
	gemp_rule_edge e;
	size_t relation = 0;
	bool known = gemp_rule_edge_find(&e, m->rule, &m->columns, column);
	bool ends = known && e.from != GEMP_NO_COLUMN && e.to != GEMP_NO_COLUMN;
	size_t relations = known ? count_relations(m, e.edge, &relation) : SIZE_MAX;
	if (ends && relations == 0)
		return;
	const gemp_relation *one = &m->graph->relations[relation];
	bool directed = known && one->directed && e.edge->direction == GEMP_OUT;
	if (ends && relations == 1 && !one->multigraph && directed)
		return;
	add_part(m, SOURCE, &m->frame->columns[column]);
	if (!ends || relations > 1)
		add_part(m, TARGET, &m->frame->columns[column]);
}

/* Vertices come first, then edges, then values. This order determines how matches compare. */
static gemp_code find_parts(tuple_builder *m)
{
	const gemp_frame *f = m->frame;
	GEMP_TRY(GEMP_NEW(m->parts, 2 * f->count));
	for (size_t c = 0; c < f->count; c++)
		if (f->columns[c].kind == GEMP_CELL_VERTEX)
			add_part(m, VERTEX, &f->columns[c]);
	for (size_t c = 0; c < f->count; c++)
		if (f->columns[c].kind == GEMP_CELL_EDGE)
			add_edge(m, c);
	for (size_t c = 0; c < f->count && !m->rule->has_all_columns; c++)
		if (f->columns[c].kind == GEMP_CELL_VALUE)
			add_part(m, VALUE, &f->columns[c]);
	m->width = m->width ? m->width : 1;
	return gemp_new_all(GEMP_ARRAY(m->tuples, f->rows * m->width), GEMP_ARRAY(m->ids, f->rows),
	                    GEMP_ARRAY(m->ranks, f->rows));
}

/* Returns source and target of an edge of the current column. */
static const gemp_edge_ends *ends_of(const tuple_builder *m, uint64_t edge)
{
	return &m->edges.ends[gemp_edge_values_index(&m->edges, edge)];
}

/* Lists the vertices of the part. A row without the element gets vertex 0, whose rank is ignored later. */
static void list_ids(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const tuple_builder *m = self;
	const uint64_t *elements = m->current->column->elements;
	for (size_t row = begin; row < end; row++)
		if (elements[row] == GEMP_NO_ELEMENT)
			m->ids[row] = 0;
		else if (m->current->kind == VERTEX)
			m->ids[row] = (gemp_vertex)elements[row];
		else
			m->ids[row] = m->current->kind == SOURCE ? ends_of(m, elements[row])->source
			                                         : ends_of(m, elements[row])->target;
}

/* Computes the words of the part from the key ranks of its vertices. */
static void fill_words(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const tuple_builder *m = self;
	const uint64_t *elements = m->current->column->elements;
	for (size_t row = begin; row < end; row++) {
		uint64_t *word = &m->tuples[row * m->width + m->current->at], rank = m->ranks[row];
		bool missing = elements[row] == GEMP_NO_ELEMENT;
		if (m->current->kind == VERTEX)
			*word = missing ? m->graph->vertex_count : rank;
		else if (missing)
			*word = UINT64_MAX;
		else if (m->current->kind == SOURCE)
			*word = rank << 32 | ends_of(m, elements[row])->parallel;
		else
			*word = (uint64_t)ends_of(m, elements[row])->relation << 32 | rank;
	}
}

gemp_code gemp_row_edges_fetch(gemp_edge_values *out, gemp_runtime *context, gemp_shard *graph,
                               const uint64_t *elements, size_t rows)
{
	GEMP_OWNED gemp_edge *edges = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(edges, rows)));
	for (size_t row = 0; row < rows; row++)
		if (elements[row] != GEMP_NO_ELEMENT)
			edges[count++] = elements[row];
	return gemp_fetch_edges(out, context, graph, edges, count, NULL, 0);
}

/* Collective. The part of the target comes directly after the part of the source, so the ends of a column are fetched
 * once for both. */
static gemp_code fill_elements(tuple_builder *m)
{
	if (m->current->kind == SOURCE) {
		gemp_edge_values_free(&m->edges);
		GEMP_TRY(gemp_row_edges_fetch(&m->edges, m->context, m->graph, m->current->column->elements, m->frame->rows));
	}
	gemp_for_ranges(m->frame->rows, list_ids, m);
	GEMP_TRY(gemp_vertex_numbers(m->context->comm, GEMP_OK, m->graph->bounds, m->graph->key_ranks, m->ids,
	                             m->frame->rows, m->ranks, NULL));
	gemp_for_ranges(m->frame->rows, fill_words, m);
	return GEMP_OK;
}

/* Local. Fills the values of rows that stand for several matches. NULL comes first, and integers are in ascending
 * order. For other types only equality matters, so the words are a hash of 128 bits. */
static gemp_code fill_values(tuple_builder *m)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text bytes = { 0 };
	for (size_t row = 0; row < m->frame->rows; row++) {
		gemp_value value = gemp_frame_value(m->current->column, row);
		uint64_t *number = &m->tuples[row * m->width + m->current->at];
		if (value.null)
			continue;
		number[0] = 1;
		number[1] = (uint64_t)value.integer ^ (uint64_t)1 << 63;
		if (value.type == GEMP_INTEGER)
			continue;
		gemp_text_clear(&bytes);
		gemp_cell_pack(m->current->column, row, &bytes);
		GEMP_TRY(gemp_text_status(&bytes));
		number[0] = gemp_hash(bytes.data, bytes.size, 0) | 1;
		number[1] = gemp_hash(bytes.data, bytes.size, 1);
	}
	return GEMP_OK;
}

/* The rule determines the parts, so all ranks have the same parts and make the same requests in the same order. */
gemp_code gemp_match_keys_new(gemp_match_keys *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                              const gemp_frame *frame)
{
	GEMP_OWNED_BY(free_builder)
	tuple_builder m = { .context = context, .graph = graph, .rule = rule, .frame = frame };
	gemp_rule_columns_find(&m.columns, rule);
	GEMP_TRY(gemp_comm_agree(context->comm, find_parts(&m)));
	GEMP_TRY(gemp_shard_load_keys(graph));
	for (size_t i = 0; i < m.count; i++) {
		m.current = &m.parts[i];
		GEMP_TRY(m.current->kind == VALUE ? gemp_comm_agree(context->comm, fill_values(&m)) : fill_elements(&m));
	}
	*out = (gemp_match_keys){ frame->rows, m.width, m.tuples, graph->vertex_count };
	m.tuples = NULL;
	return GEMP_OK;
}

/* SORTING */

/* Gathers one word of the tuples in the order of the rows: keys[i] becomes tuples[rows[i] * width + depth]. */
typedef struct key_gather {
	const uint64_t *tuples;
	size_t width, depth;
	const size_t *rows;
	uint64_t *keys;
} key_gather;

static void gather_keys(void *self, size_t range, size_t begin, size_t end)
{
	const key_gather *g = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		g->keys[i] = g->tuples[g->rows[i] * g->width + g->depth];
}

/* The permutation of the rows is sorted by one word after the other, beginning with the least significant word. Each
 * sort is stable. */
gemp_code gemp_tuple_sort(const uint64_t *tuples, size_t width, size_t *rows, size_t count)
{
	const gemp_sort sort = { .key = GEMP_KEY_U64, .value_size = sizeof *rows };
	GEMP_OWNED uint64_t *keys = NULL;
	GEMP_TRY(GEMP_NEW(keys, count));
	key_gather g = { .tuples = tuples, .width = width, .rows = rows, .keys = keys };
	for (g.depth = width; g.depth-- > 0;) {
		gemp_for_ranges(count, gather_keys, &g);
		GEMP_TRY(gemp_sort_host(&sort, keys, rows, count));
	}
	return GEMP_OK;
}

/* REQUESTS TO THE RESPONSIBLE RANKS */

/* The records of the participating rows, and the answers of the ranks that are responsible for the records. */
typedef struct order_request {
	const gemp_match_keys *matches;
	const uint64_t *priority; /* NULL: records contain no priority */
	size_t count, width;
	size_t *rows;      /* [count] */
	uint64_t *records; /* [count * width]; a record is a priority, a tuple, or a priority followed by a tuple */
	int *owner;        /* [count] */
	uint64_t *answers; /* [count] */
} order_request;

static void free_request(order_request *a)
{
	gemp_free_all(a->rows, a->records, a->owner, a->answers);
}

/* Lists the participating rows in ascending order. */
static gemp_code list_marked(order_request *a, const uint8_t *marked)
{
	GEMP_TRY(GEMP_NEW(a->rows, a->matches->count));
	for (size_t i = 0; i < a->matches->count; i++)
		if (marked[i])
			a->rows[a->count++] = i;
	return GEMP_OK;
}

/* Records are contiguous, since an exchange sends blocks of equal size. */
static void fill_records(void *self, size_t range, size_t begin, size_t end)
{
	order_request *a = self;
	size_t own = a->priority ? 1 : 0, of_tuple = a->width - own;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		uint64_t *record = a->records + i * a->width;
		if (own)
			record[0] = a->priority[a->rows[i]];
		memcpy(record + own, a->matches->tuples + a->rows[i] * a->matches->width, of_tuple * sizeof *record);
	}
}

/* Each rank is responsible for an equal range of first words below `bound`. The last rank is also responsible for
 * larger words. */
static gemp_code make_records(order_request *a, const gemp_comm *comm, size_t width, uint64_t bound)
{
	uint64_t owned = bound / (uint64_t)comm->size + 1;
	a->width = width;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(a->records, a->count * width), GEMP_ARRAY(a->owner, a->count),
	                      GEMP_ARRAY(a->answers, a->count)));
	gemp_for_ranges(a->count, fill_records, a);
	for (size_t i = 0; i < a->count && comm->size > 1; i++) {
		uint64_t owner = a->records[i * width] / owned;
		a->owner[i] = owner < (uint64_t)comm->size ? (int)owner : comm->size - 1;
	}
	return GEMP_OK;
}

static gemp_code request_answers(order_request *a, const gemp_comm *comm, gemp_request_handler answer, void *self)
{
	const gemp_request request = { a->records, a->count, a->width * sizeof *a->records, a->owner, answer, self };
	return gemp_request_run(comm, GEMP_OK, &request, a->answers);
}

/* Local. Sorts records: (*rows)[i] becomes the number of the i-th record. */
static gemp_code sorted_rows(size_t **rows, const uint64_t *records, size_t count, size_t width)
{
	GEMP_TRY(GEMP_NEW(*rows, count));
	for (size_t i = 0; i < count; i++)
		(*rows)[i] = i;
	return gemp_tuple_sort(records, width, *rows, count);
}

/* NUMBERS */

/* The records for which this rank is responsible. */
typedef struct number_context {
	size_t width, count;
	size_t *rows;      /* [count] numbers of the records in sorted order */
	uint64_t *answers; /* [count] */
} number_context;

static void number_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const number_context *n = self;
	for (size_t i = begin; i < end; i++)
		n->answers[n->rows[i]] = i;
}

/* Request handler. Answers the position of each record among the records that this rank has received. */
static gemp_code answer_numbers(void *self, const void *records, size_t count, uint64_t *answers)
{
	number_context *n = self;
	GEMP_OWNED size_t *rows = NULL;
	GEMP_TRY(sorted_rows(&rows, records, count, n->width));
	n->count = count;
	n->rows = rows;
	n->answers = answers;
	gemp_for_ranges(count, number_range, n);
	return GEMP_OK;
}

/* Collective. Turns positions within a rank into positions among all records, since the records of lower ranks come
 * before. */
static gemp_code add_before(const gemp_comm *comm, uint64_t here, const order_request *a, uint64_t *total)
{
	GEMP_OWNED uint64_t *all = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(all, (size_t)comm->size + 1)));
	all[comm->rank + 1] = here;
	gemp_comm_sum(comm, all, comm->size + 1);
	for (int r = 0; r < comm->size; r++)
		all[r + 1] += all[r];
	for (size_t i = 0; i < a->count; i++)
		a->answers[i] += all[a->owner[i]];
	if (total)
		*total = all[comm->size];
	return GEMP_OK;
}

gemp_code gemp_match_order_number(const gemp_comm *comm, const gemp_match_keys *matches, const uint8_t *marked,
                                  uint64_t *number, uint64_t *total)
{
	GEMP_OWNED_BY(free_request) order_request a = { .matches = matches };
	number_context n = { .width = matches->width };
	gemp_code code = list_marked(&a, marked);
	GEMP_THEN(make_records(&a, comm, matches->width, matches->bound));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(request_answers(&a, comm, answer_numbers, &n));
	GEMP_TRY(add_before(comm, n.count, &a, total));
	for (size_t i = 0; i < a.count; i++)
		number[a.rows[i]] = a.answers[i];
	return GEMP_OK;
}

/* PRIORITIES */

/* Request handler. Answers how many records with the same first word come before this record. With width 1 it answers
 * only whether another record has the same word. */
static gemp_code answer_repeated(void *self, const void *records, size_t count, uint64_t *answers)
{
	const size_t width = *(const size_t *)self;
	const uint64_t *first = records;
	GEMP_OWNED size_t *rows = NULL;
	GEMP_TRY(sorted_rows(&rows, records, count, width));
	for (size_t i = 1; i < count; i++)
		if (first[rows[i] * width] == first[rows[i - 1] * width]) {
			answers[rows[i]] = answers[rows[i - 1]] + 1;
			if (width == 1)
				answers[rows[i]] = answers[rows[i - 1]] = 1;
		}
	return GEMP_OK;
}

/* Removes the rows with a unique priority from the request. */
static void keep_repeated(order_request *a)
{
	size_t kept = 0;
	for (size_t i = 0; i < a->count; i++)
		if (a->answers[i])
			a->rows[kept++] = a->rows[i];
	a->count = kept;
	gemp_free_all(a->records, a->owner, a->answers);
	a->records = a->answers = NULL;
	a->owner = NULL;
}

/* Collective. Requests with records of priorities, each followed by its tuple if with_tuples is true. */
static gemp_code request_repeated(order_request *a, const gemp_comm *comm, bool with_tuples)
{
	size_t width = 1 + (with_tuples ? a->matches->width : 0);
	GEMP_TRY(gemp_comm_agree(comm, make_records(a, comm, width, UINT64_MAX)));
	return request_answers(a, comm, answer_repeated, &width);
}

/* Collective. One round. Equal priorities are hashed again together with their position in the order of tuples.
 * *repeated becomes the number of matches whose priority was not unique. Tuples are sent only for these matches. They
 * are few, since priorities are hashes of 64 bits. */
static gemp_code replace_repeated(const gemp_comm *comm, const gemp_match_keys *matches, const uint8_t *marked,
                                  uint64_t *priority, uint64_t *repeated)
{
	GEMP_OWNED_BY(free_request) order_request a = { .matches = matches, .priority = priority };
	GEMP_TRY(gemp_comm_agree(comm, list_marked(&a, marked)));
	GEMP_TRY(request_repeated(&a, comm, false));
	keep_repeated(&a);
	*repeated = gemp_comm_sum1(comm, a.count);
	if (*repeated == 0)
		return GEMP_OK;
	GEMP_TRY(request_repeated(&a, comm, true));
	for (size_t i = 0; i < a.count; i++)
		if (a.answers[i])
			priority[a.rows[i]] = gemp_mix(priority[a.rows[i]] + a.answers[i]);
	return GEMP_OK;
}

/* A new priority is again a hash of 64 bits, so more than one or two rounds are improbable. */
gemp_code gemp_match_order_distinct(const gemp_comm *comm, const gemp_match_keys *matches, const uint8_t *marked,
                                    uint64_t *priority)
{
	for (uint64_t repeated = 1; repeated;)
		GEMP_TRY(replace_repeated(comm, matches, marked, priority, &repeated));
	return GEMP_OK;
}
