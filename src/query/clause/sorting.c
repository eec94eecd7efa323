/* Rows of vertices and edges are sorted by numbers, not by keys. Hidden columns, which follow the shown columns, hold
 * the rank of each key, so that all comparisons are between values. The sample sort has three steps. All ranks gather
 * samples, each rank cuts its sorted rows into one bucket for each rank, and the ranks exchange the buckets. */

#include "query/clause/sorting.h"

#include "core/search.h"
#include "core/status.h"
#include "query/clause/projection.h"
#include "query/rows/elements.h"
#include "query/rows/row_select.h"
#include "query/rows/sort_runs.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_ROWS = 1 << 16, /* max number of rows pushed at a time */
	SPARE_ROWS = 1 << 14, /* number of rows beyond twice the limit before rows are dropped */
	SAMPLES = 64,         /* max number of samples of each rank, from which the splitters are taken */
	SPENT = 3,            /* a run is written when 1 / SPENT of the budget is used */
	READ = 16,            /* packed rows that are read back together: 1 / READ of the budget of each rank */
	MERGED = 8,           /* packed blocks of the runs that are merged: 1 / MERGED of the budget, */
	MIN_FAN = 8,          /* but at least so many runs, */
	MAX_FAN = 64,         /* and at most so many */
	EDGE_RANKS = 4,       /* number of order keys of an edge: type, key of source, key of target, parallel number */
};

/* The rows of this rank with their hidden order keys. While buckets are made, a second sort_stage holds the samples of
 * all ranks. */
typedef struct sort_stage {
	gemp_runtime *context;
	gemp_shard *graph;
	gemp_row_stage *next;
	uint64_t skip, limit;
	size_t shown; /* number of columns that are pushed; the later columns are hidden order keys of elements */
	size_t sort_count;
	gemp_sort_item *sorts; /* [sort_count] the sort columns of `rows`, which are columns of values */
	size_t leading;        /* number of sort columns before the first hidden one */
	gemp_frame rows;
	gemp_sort_runs runs;
	bool bounded; /* row SKIP + LIMIT - 1 of `rows` was the last of the sorted rows, so larger rows are not needed */
	bool ended;
} sort_stage;

static gemp_row_order order_of(const sort_stage *o)
{
	return (gemp_row_order){ .count = o->sort_count, .columns = o->sorts, .total = true };
}

static int compare_rows(const sort_stage *o, const gemp_frame *a, size_t x, const gemp_frame *b, size_t y)
{
	const gemp_row_order order = order_of(o);
	return gemp_row_order_compare(&order, a, x, b, y);
}

/* Sorts the numbers of the rows, and then moves each row once. */
static gemp_code sort_rows(sort_stage *o, uint64_t max_rows)
{
	GEMP_OWNED uint64_t *sorted_rows = NULL;
	gemp_frame sorted;
	const size_t rows = o->rows.rows, kept = rows < max_rows ? rows : (size_t)max_rows;
	const gemp_row_order order = order_of(o);
	GEMP_TRY(gemp_row_order_sort(&order, &o->rows, &sorted_rows));
	GEMP_TRY(gemp_frame_pick(&sorted, &o->rows, sorted_rows, kept));
	gemp_frame_free(&o->rows);
	o->rows = sorted;
	o->bounded = kept == max_rows;
	return GEMP_OK;
}

/* BUFFERING */

/* A rank never needs more rows than SKIP and LIMIT add up to. */
static uint64_t wanted_rows(const sort_stage *o)
{
	return gemp_limit_end(o->skip, o->limit);
}

/* Adds the order keys of an element: the rank of a vertex's key; for an edge its type, the ranks of its ends' keys, and
 * its parallel number. The order keys are integers in hidden columns, so that comparing rows needs no look-ups. */
static gemp_code add_order_keys(gemp_frame_column *out, size_t row, const gemp_elements *elements, gemp_cell_kind kind,
                                uint64_t element)
{
	const gemp_value none = { .type = GEMP_INTEGER, .null = true };
	gemp_value numbers[EDGE_RANKS] = { none, none, none, none };
	const gemp_edge_ends *ends = kind == GEMP_CELL_EDGE ? gemp_elements_ends(elements, element) : NULL;
	size_t count = kind == GEMP_CELL_EDGE ? EDGE_RANKS : 1;
	if (kind == GEMP_CELL_VERTEX)
		numbers[0] = gemp_elements_rank(elements, element);
	if (ends) {
		numbers[0] = (gemp_value){ .type = GEMP_INTEGER, .integer = ends->relation };
		numbers[1] = gemp_elements_rank(elements, ends->source);
		numbers[2] = gemp_elements_rank(elements, ends->target);
		numbers[3] = (gemp_value){ .type = GEMP_INTEGER, .integer = ends->parallel };
	}
	for (size_t i = 0; i < count; i++) {
		out[i].values.rows = row;
		numbers[i].type = GEMP_INTEGER;
		GEMP_TRY(gemp_column_add(&out[i].values, &numbers[i]));
	}
	return GEMP_OK;
}

/* Appends the order keys of the frame's rows. */
static gemp_code append_order_keys(sort_stage *o, const gemp_frame *frame, const gemp_elements *elements)
{
	gemp_frame_column *out = o->rows.columns + o->shown;
	size_t before = o->rows.rows;
	for (size_t c = 0; c < o->shown; c++) {
		const gemp_frame_column *column = &frame->columns[c];
		if (column->kind == GEMP_CELL_VALUE)
			continue;
		for (size_t row = 0; row < frame->rows; row++)
			GEMP_TRY(add_order_keys(out, before + row, elements, column->kind, column->elements[row]));
		out += column->kind == GEMP_CELL_EDGE ? EDGE_RANKS : 1;
	}
	return GEMP_OK;
}

/* Writes the rows so far as a sorted run, and begins anew. Sorting needs memory, too, so a run has a part of the
 * budget. The bound is lost with the rows. */
static gemp_code write_run(sort_stage *o)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame empty = { 0 };
	const gemp_row_order order = order_of(o);
	GEMP_TRY(sort_rows(o, wanted_rows(o)));
	GEMP_TRY(gemp_sort_runs_add(&o->runs, &order, &o->rows));
	GEMP_TRY(gemp_frame_like(&empty, &o->rows));
	gemp_frame_free(&o->rows);
	o->rows = empty;
	empty = (gemp_frame){ 0 };
	o->bounded = false;
	return GEMP_OK;
}

/* Appends rows. If there are more than twice the limit plus a margin, the rows are sorted and those beyond the limit
 * are dropped, which costs amortised O(log n) a row. */
static gemp_code append_rows(sort_stage *o, const gemp_frame *frame, const gemp_elements *elements)
{
	size_t all = o->rows.count, budget = o->context->budgets.host_memory;
	if (frame->rows == 0)
		return GEMP_OK;
	GEMP_TRY(append_order_keys(o, frame, elements));
	o->rows.count = o->shown;
	gemp_code code = gemp_frame_append(&o->rows, frame);
	o->rows.count = all;
	if (code == GEMP_OK && o->rows.rows / 2 > wanted_rows(o) && o->rows.rows / 2 - wanted_rows(o) > SPARE_ROWS / 2)
		code = sort_rows(o, wanted_rows(o));
	if (code == GEMP_OK && budget && gemp_frame_memory(&o->rows) > budget / SPENT)
		code = write_run(o);
	return code;
}

/* With a limit, only the rows that may be among the first ones are kept. They are found by the sort columns before the
 * first column of elements, whose order keys are not fetched yet. *out stays empty if all rows are kept. */
static gemp_code select_rows(const sort_stage *o, const gemp_frame *frame, gemp_frame *out)
{
	GEMP_OWNED uint64_t *rows = NULL;
	size_t count;
	const gemp_row_order order = { .count = o->leading, .columns = o->sorts };
	const uint64_t wanted = wanted_rows(o);
	if (wanted == UINT64_MAX || order.count == 0 || frame->rows == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_row_order_select(&order, frame, wanted, o->bounded && wanted ? &o->rows : NULL, (size_t)wanted - 1,
	                               &rows, &count));
	return count < frame->rows ? gemp_frame_pick(out, frame, rows, count) : GEMP_OK;
}

/* Collective. The order keys of elements are fetched here, once. Later, sorting and the exchange handle numbers
 * only. */
static gemp_code buffer_rows(sort_stage *o, gemp_frame *frame)
{
	GEMP_OWNED_BY(gemp_elements_free) gemp_elements elements = { 0 };
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame selected = { 0 };
	gemp_code code = select_rows(o, frame, &selected);
	gemp_frame *rows = selected.columns ? &selected : frame;
	GEMP_THEN(gemp_frame_expand(rows, wanted_rows(o)));
	GEMP_TRY(gemp_comm_agree(o->context->comm, code));
	GEMP_TRY(gemp_elements_fetch(&elements, o->context, o->graph, rows->columns, o->shown, rows->rows, true));
	return gemp_comm_agree(o->context->comm, append_rows(o, rows, &elements));
}

/* SAMPLE SORT over the ranks */

/* Finds, by binary search, the first row of `o` that is not smaller than row x of `of`. If `after` is true, finds the
 * first row of `o` that is larger. */
static size_t find_row(const sort_stage *o, const gemp_frame *of, size_t x, bool after)
{
	size_t row;
	GEMP_PARTITION_POINT(row, 0, o->rows.rows, compare_rows(o, &o->rows, row, of, x) < after);
	return row;
}

/* Returns the row of this rank at which the bucket of rank r ends. Equal rows may be split over several ranks in
 * proportion to the samples, so that the rows of one frequent value do not all go to one rank. */
static size_t bucket_end(const sort_stage *o, const sort_stage *samples, size_t r, size_t ranks)
{
	size_t cut = (r + 1) * samples->rows.rows / ranks;
	if (r + 1 == ranks || cut >= samples->rows.rows)
		return o->rows.rows;
	size_t first_sample = find_row(samples, &samples->rows, cut, false);
	size_t end_sample = find_row(samples, &samples->rows, cut, true);
	size_t first = find_row(o, &samples->rows, cut, false), end = find_row(o, &samples->rows, cut, true);
	double part = (double)(cut - first_sample + 1) / (double)(end_sample - first_sample);
	return first + (size_t)((double)(end - first) * part);
}

/* Collective. Gathers up to SAMPLES evenly spaced rows of every rank and sorts them. The splitters are taken from these
 * samples. */
static gemp_code sample_rows(const sort_stage *o, sort_stage *samples)
{
	const gemp_comm *comm = o->context->comm;
	GEMP_OWNED_BY(gemp_text_free) gemp_text mine = { 0 };
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	size_t step = o->rows.rows / SAMPLES + 1;
	*samples = (sort_stage){ .shown = o->shown, .sort_count = o->sort_count, .sorts = o->sorts };
	gemp_code code = gemp_frame_like(&samples->rows, &o->rows);
	GEMP_THEN(gemp_frame_pack(&o->rows, step / 2, o->rows.rows, step, &mine));
	GEMP_TRY(gemp_comm_allgather(comm, code, mine.data, mine.size, &all, &begin));
	code = gemp_frame_unpack(&samples->rows, all, (const char *)all + begin[comm->size]);
	GEMP_THEN(sort_rows(samples, UINT64_MAX));
	return gemp_comm_agree(comm, code);
}

/* Collective. Rank r receives the rows of bucket r from all ranks and sorts them. */
static gemp_code exchange_buckets(sort_stage *o, const sort_stage *samples)
{
	gemp_runtime *context = o->context;
	size_t ranks = (size_t)context->comm->size;
	GEMP_OWNED size_t *sizes = NULL;
	size_t received_size = 0, at = 0;
	GEMP_OWNED_BY(gemp_text_free) gemp_text packed = { 0 };
	GEMP_OWNED void *received = NULL;
	gemp_code code = GEMP_NEW(sizes, ranks);
	for (size_t r = 0; r < ranks && code == GEMP_OK; r++) {
		size_t before = packed.size, end = bucket_end(o, samples, r, ranks);
		end = end < at ? at : end; /* a bucket never begins before the end of the previous bucket */
		code = gemp_frame_pack(&o->rows, at, end, 1, &packed);
		sizes[r] = packed.size - before;
		at = end;
	}
	GEMP_TRY(
		gemp_exchange_bytes(context->comm, code, packed.data, sizes, &received, &received_size, &context->traffic));
	gemp_frame_clear(&o->rows);
	gemp_text_free(&packed);
	code = gemp_frame_unpack(&o->rows, received, (const char *)received + received_size);
	GEMP_THEN(sort_rows(o, UINT64_MAX));
	return gemp_comm_agree(context->comm, code);
}

/* Collective. Afterwards each rank's rows are in order, and no row of a rank is larger than a row of the next rank. */
static gemp_code sort_globally(sort_stage *o)
{
	sort_stage samples = { 0 };
	GEMP_TRY(gemp_comm_agree(o->context->comm, sort_rows(o, wanted_rows(o))));
	if (o->context->comm->size == 1)
		return GEMP_OK;
	gemp_code code = sample_rows(o, &samples);
	GEMP_THEN(exchange_buckets(o, &samples));
	gemp_frame_free(&samples.rows);
	return code;
}

/* PUSHING */

/* Collective. Pushes `count` of this rank's rows, which may be 0. The view has only the shown columns, so the order
 * keys are not pushed. */
static gemp_code push_block(sort_stage *o, size_t first, size_t count, bool last, bool *enough)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame block = { 0 };
	gemp_frame view = o->rows;
	view.count = o->shown;
	GEMP_TRY(gemp_comm_agree(o->context->comm, gemp_frame_slice(&block, &view, first, count)));
	return o->next->push(o->next->self, &block, last, enough);
}

/* Collective. Pushes the rows of rank 0, then of rank 1, and so on, one block at a time. In each push all other ranks
 * push an empty block. SKIP and LIMIT are reduced by these rows, and no more rows follow if `last`, or if the limit is
 * reached (*ended). */
static gemp_code push_sorted(sort_stage *o, bool last, bool *ended)
{
	const gemp_comm *comm = o->context->comm;
	size_t first, end;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED void *all = NULL;
	bool enough = false;
	const uint64_t total = gemp_comm_sum1(comm, o->rows.rows), skipped = gemp_min(total, o->skip);
	const uint64_t pushed = gemp_min(total - skipped, o->limit);
	gemp_limit_rows(comm, o->rows.rows, o->skip, o->limit, &first, &end);
	o->skip -= skipped;
	o->limit -= o->limit == UINT64_MAX ? 0 : pushed;
	last |= o->limit == 0;
	size_t mine = end - first;
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, &mine, sizeof mine, &all, &begin));
	const size_t *rows = all;
	int last_rank = comm->size - 1;
	while (last_rank > 0 && rows[last_rank] == 0)
		last_rank--;
	for (int r = 0; r <= last_rank && !enough; r++)
		for (size_t at = 0; (at < rows[r] || (r == last_rank && at == 0)) && !enough; at += BLOCK_ROWS) {
			size_t left = rows[r] - at, count = left < BLOCK_ROWS ? left : BLOCK_ROWS;
			bool last_block = last && r == last_rank && count == left;
			GEMP_TRY(push_block(o, first + at, r == comm->rank ? count : 0, last_block, &enough));
		}
	*ended = last || enough;
	return GEMP_OK;
}

/* RUNS */

/* The first rows of all ranks' blocks in ascending order, and which of them are splitters. */
typedef struct splitters {
	gemp_frame rows;
	size_t count;
	uint64_t *at; /* [count] rows of `rows` */
} splitters;

static void free_splitters(splitters *s)
{
	gemp_frame_free(&s->rows);
	gemp_free(s->at);
}

/* Chooses splitters so that about `limit` blocks lie between two of them. */
static gemp_code choose_splitters(const sort_stage *o, splitters *s, size_t limit)
{
	GEMP_OWNED uint64_t *sorted = NULL;
	const gemp_row_order order = order_of(o);
	GEMP_TRY(gemp_row_order_sort(&order, &s->rows, &sorted));
	GEMP_TRY(GEMP_NEW(s->at, s->rows.rows / limit + 1));
	for (size_t i = limit; i < s->rows.rows; i += limit)
		s->at[s->count++] = sorted[i];
	return GEMP_OK;
}

/* Collective. All ranks gather the first rows of all blocks and choose the same splitters. */
static gemp_code find_splitters(const sort_stage *o, splitters *s)
{
	const gemp_comm *comm = o->context->comm;
	const size_t limit = o->context->budgets.host_memory / READ / GEMP_SORT_BLOCK * (size_t)comm->size;
	GEMP_OWNED_BY(gemp_text_free) gemp_text mine = { 0 };
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	gemp_code code = gemp_frame_like(&s->rows, &o->rows);
	GEMP_THEN(gemp_frame_pack(&o->runs.firsts, 0, o->runs.firsts.rows, 1, &mine));
	GEMP_TRY(gemp_comm_allgather(comm, code, mine.data, mine.size, &all, &begin));
	code = gemp_frame_unpack(&s->rows, all, (const char *)all + begin[comm->size]);
	GEMP_THEN(choose_splitters(o, s, gemp_max(limit, (size_t)1)));
	return gemp_comm_agree(comm, code);
}

/* Collective. Reads the rows between two splitters from the runs of all ranks, sorts and pushes them, range by range.
 * */
static gemp_code push_runs(sort_stage *o)
{
	const gemp_comm *comm = o->context->comm;
	const gemp_row_order order = order_of(o);
	GEMP_OWNED_BY(free_splitters) splitters s = { 0 };
	bool ended = false;
	gemp_code code = write_run(o);
	GEMP_THEN(gemp_sort_runs_finish(&o->runs, &order));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(find_splitters(o, &s));
	for (size_t i = 0; i <= s.count && !ended; i++) {
		const size_t from = i ? s.at[i - 1] : SIZE_MAX, to = i < s.count ? s.at[i] : SIZE_MAX;
		gemp_frame_clear(&o->rows);
		GEMP_TRY(gemp_comm_agree(comm, gemp_sort_runs_read(&o->runs, &order, &s.rows, from, to, &o->rows)));
		GEMP_TRY(sort_globally(o));
		GEMP_TRY(push_sorted(o, i == s.count, &ended));
	}
	return GEMP_OK;
}

/* Collective. Sorts and pushes the rows that fit into the memory of all ranks. */
static gemp_code push_all(sort_stage *o)
{
	bool ended;
	uint64_t has_runs = o->runs.count > 0;
	gemp_comm_max(o->context->comm, &has_runs, 1);
	if (has_runs)
		return push_runs(o);
	const double t = gemp_now();
	gemp_code code = sort_globally(o);
	gemp_timers_add(&o->context->timers, GEMP_PHASE_DISTINCT, t);
	return code == GEMP_OK ? push_sorted(o, true, &ended) : code;
}

/* Collective. Buffers the rows. After the last rows, all rows are sorted and pushed. */
static gemp_code sorting_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	sort_stage *o = self;
	double t = gemp_now();
	if (o->ended)
		return GEMP_OK;
	GEMP_TRY(buffer_rows(o, frame));
	gemp_timers_add(&o->context->timers, GEMP_PHASE_DISTINCT, t);
	if (!last)
		return GEMP_OK;
	GEMP_TRY(push_all(o));
	o->ended = *enough = true;
	return GEMP_OK;
}

/* The stage may be only partly set up. */
static void sorting_free(void *self)
{
	sort_stage *o = self;
	if (!o)
		return;
	gemp_frame_free(&o->rows);
	gemp_sort_runs_free(&o->runs);
	gemp_free_all(o->sorts, o);
}

GEMP_RELEASE(sorting_free, sort_stage *)

/* SETTING UP */

/* The number of hidden order keys of a column: 0 for values, 1 for vertices, EDGE_RANKS for edges. */
static size_t sort_columns_of(const gemp_frame_column *column)
{
	return column->kind == GEMP_CELL_VALUE ? 0 : column->kind == GEMP_CELL_EDGE ? EDGE_RANKS : 1;
}

/* A column of values is its own sort column. A column of elements is sorted by its hidden order keys. */
static void add_sorts(sort_stage *o, const gemp_frame *input, size_t c, bool descending)
{
	size_t first = o->shown, count = sort_columns_of(&input->columns[c]);
	for (size_t other = 0; other < c; other++)
		first += sort_columns_of(&input->columns[other]);
	if (count == 0)
		o->sorts[o->sort_count++] = (gemp_sort_item){ .item = c, .descending = descending };
	for (size_t i = 0; i < count; i++)
		o->sorts[o->sort_count++] = (gemp_sort_item){ .item = first + i, .descending = descending };
}

/* After the items of ORDER BY, all columns are sort columns, which makes the order total. */
static gemp_code set_up(sort_stage *o, const gemp_sorting_options *options)
{
	const gemp_frame *input = options->input;
	size_t numbers = 0;
	for (size_t c = 0; c < input->count; c++)
		numbers += sort_columns_of(&input->columns[c]);
	GEMP_TRY(gemp_frame_init(&o->rows, input->count + numbers));
	GEMP_TRY(gemp_frame_set_like(&o->rows, input, input->count));
	for (size_t c = input->count; c < o->rows.count; c++)
		GEMP_TRY(gemp_frame_set(&o->rows, c, GEMP_CELL_VALUE, "", GEMP_INTEGER));
	GEMP_TRY(GEMP_NEW(o->sorts, EDGE_RANKS * (options->order_count + input->count)));
	for (size_t i = 0; i < options->order_count; i++)
		add_sorts(o, input, options->orders[i].item, options->orders[i].descending);
	for (size_t c = 0; c < input->count; c++)
		add_sorts(o, input, c, false);
	while (o->leading < o->sort_count && o->sorts[o->leading].item < o->shown)
		o->leading++;
	return GEMP_OK;
}

static void set_up_runs(sort_stage *o)
{
	const size_t fan = o->context->budgets.host_memory / MERGED / GEMP_SORT_BLOCK;
	gemp_sort_runs_init(&o->runs, gemp_min(gemp_max(fan, MIN_FAN), MAX_FAN), wanted_rows(o));
}

/* The columns of the input frame are copied, because the caller may free the frame after the stage is made. */
gemp_code gemp_sorting_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                           const gemp_sorting_options *options)
{
	GEMP_OWNED_BY(sorting_free_at) sort_stage *o = NULL;
	gemp_code code = GEMP_NEW(o, 1);
	if (code == GEMP_OK) {
		o->context = context;
		o->graph = graph;
		o->next = options->next;
		o->skip = options->skip;
		o->limit = options->limit;
		o->shown = options->input->count;
		set_up_runs(o);
		code = set_up(o, options);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = (gemp_row_stage){ .self = o, .push = sorting_push, .free = sorting_free };
	o = NULL;
	return GEMP_OK;
}
