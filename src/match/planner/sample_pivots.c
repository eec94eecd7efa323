#include "match/planner/sample_pivots.h"

#include "core/bitset.h"
#include "core/threads.h"

/* Blocks have a multiple of 32 rows, so that few words of a bitmap belong to two blocks. A draw walks the blocks of its
 * pivots, so blocks are short unless they are many. A thread takes blocks of TAKEN rows at a time. */
enum { MIN_BLOCK = 64, MAX_BLOCK = 512, MAX_BLOCKS = 1 << 17, TAKEN = 1 << 15 };

static size_t block_rows(size_t rows)
{
	size_t block = MIN_BLOCK;
	while (block < MAX_BLOCK && rows / block > MAX_BLOCKS)
		block *= 2;
	return block;
}

/* The sum of the degrees of own rows [begin, end). */
static uint64_t degrees(const gemp_sample_pivots *p, size_t begin, size_t end)
{
	return gemp_view_entries(&p->lists, begin, end);
}

static uint8_t class_of_row(const gemp_sample_pivots *p, size_t row)
{
	return (uint8_t)(GEMP_SLOT_CLASSES - 1 - gemp_degree_class(degrees(p, row, row + 1)));
}

typedef struct class_task {
	const gemp_sample_pivots *pivots;
	uint8_t *mine;
} class_task;

static void find_classes(void *context, size_t begin, size_t end)
{
	const class_task *task = context;
	for (size_t v = begin; v < end; v++)
		task->mine[v] = class_of_row(task->pivots, v);
}

/* Collective. A single rank finds classes when they are asked for: a sample asks for few of them. */
static gemp_code make_classes(gemp_sample_pivots *p, gemp_runtime *context, gemp_code code)
{
	GEMP_OWNED uint8_t *mine = NULL;
	GEMP_OWNED size_t *begin = NULL;
	if (p->graph->ranks == 1)
		return code == GEMP_OK ? GEMP_NEW(p->class, p->graph->vertex_count) : code;
	GEMP_THEN(GEMP_NEW(mine, p->graph->rows));
	if (code == GEMP_OK)
		gemp_for_elements(p->graph->rows, find_classes, &(class_task){ p, mine });
	return gemp_comm_allgather(context->comm, code, mine, p->graph->rows, (void **)&p->class, &begin);
}

gemp_code gemp_sample_pivots_new(gemp_sample_pivots *out, gemp_runtime *context, const gemp_shard *graph,
                                 const gemp_pattern *pattern, const gemp_candidates *candidates)
{
	*out = (gemp_sample_pivots){ .graph = graph, .candidates = candidates, .block_rows = block_rows(graph->rows) };
	out->block_count = (graph->rows + out->block_rows - 1) / out->block_rows;
	GEMP_OWNED bool *relations = NULL;
	gemp_code code = GEMP_NEW(relations, graph->relation_count);
	for (size_t e = 0; e < pattern->edge_count && code == GEMP_OK; e++)
		for (size_t r = 0; r < graph->relation_count; r++)
			relations[r] |= pattern->edges[e].relations[r];
	GEMP_THEN(gemp_view_lists_new(&out->lists, graph, &(gemp_view_key){ relations, GEMP_VIEW_EITHER, false, false }));
	return make_classes(out, context, code);
}

void gemp_sample_pivots_free(gemp_sample_pivots *p)
{
	for (size_t v = 0; v <= GEMP_MAX_PATTERN_VERTICES; v++)
		gemp_free(p->blocks[v]);
	gemp_view_lists_free(&p->lists);
	gemp_free(p->class);
	*p = (gemp_sample_pivots){ 0 };
}

static uint8_t class_of(gemp_sample_pivots *p, gemp_vertex v)
{
	if (!p->class[v] && p->graph->ranks == 1)
		p->class[v] = class_of_row(p, v);
	return p->class[v];
}

bool gemp_sample_pivots_before(gemp_sample_pivots *p, gemp_vertex a, gemp_vertex b)
{
	uint8_t x = class_of(p, a), y = class_of(p, b);
	return x != y ? x < y : a < b;
}

/* The next row from v on whose bit is set, or `end`. Words without further bits are skipped. */
static size_t next_row(const gemp_shard *graph, const uint32_t *bits, size_t v, size_t end)
{
	while (bits && v < end) {
		uint64_t id = graph->first_vertex + v;
		uint32_t left = bits[id / 32] >> id % 32;
		if (left)
			return gemp_min(v + (size_t)__builtin_ctz(left), end);
		v += 32 - id % 32;
	}
	return gemp_min(v, end);
}

typedef struct block_task {
	const gemp_sample_pivots *pivots;
	const uint32_t *bits;
	gemp_pivot_block *blocks;
} block_task;

/* Without a bitmap, the sum of a block is a difference of offsets. */
static void sum_blocks(void *context, size_t range, size_t begin, size_t end)
{
	const block_task *task = context;
	const gemp_shard *graph = task->pivots->graph;
	(void)range;
	for (size_t b = begin; b < end; b++) {
		size_t rows = task->pivots->block_rows, first = b * rows, last = gemp_chunk_end(graph->rows, rows, b);
		gemp_pivot_block *block = &task->blocks[b];
		if (!task->bits) {
			*block = (gemp_pivot_block){ last - first, last - first + degrees(task->pivots, first, last) };
			continue;
		}
		for (size_t v = first; (v = next_row(graph, task->bits, v, last)) < last; v++) {
			block->candidates++;
			block->size += 1 + degrees(task->pivots, v, v + 1);
		}
	}
}

/* Finds the sums of a pattern vertex, and computes them if this is its first draw. */
static gemp_code find_blocks(gemp_sample_pivots *p, int vertex, const gemp_pivot_block **out)
{
	const uint32_t *bits = p->candidates->bits[vertex];
	gemp_pivot_block **blocks = &p->blocks[bits ? vertex : GEMP_MAX_PATTERN_VERTICES];
	if (!*blocks) {
		GEMP_TRY(GEMP_NEW(*blocks, p->block_count));
		gemp_for_chunks(p->block_count, TAKEN / p->block_rows, sum_blocks, &(block_task){ p, bits, *blocks });
	}
	*out = *blocks;
	return GEMP_OK;
}

/* A block of which pivots are drawn. */
typedef struct block_draw {
	size_t block;
	double sum;   /* of the sizes in all blocks before it */
	double next;  /* the first place that is drawn, in sizes */
	size_t first; /* number of the pivots that are drawn before it */
} block_draw;

typedef struct drawn_pivot {
	gemp_vertex id;
	double weight;
} drawn_pivot;

typedef struct pivot_draw {
	const gemp_sample_pivots *pivots;
	const uint32_t *bits;
	double stride;
	bool all; /* every candidate is drawn */
	size_t count, capacity;
	block_draw *blocks; /* [count] ascending */
	size_t drawn_count;
	drawn_pivot *drawn; /* [drawn_count] */
} pivot_draw;

static void free_draw(pivot_draw *d)
{
	gemp_free_all(d->blocks, d->drawn);
}

/* Sums of sizes are integers below 2^53, so doubles hold them exactly and blocks can be skipped without an effect on
 * the draws. Each place is the sum of the same numbers, whoever walks its block. */
static gemp_code list_blocks(pivot_draw *d, const gemp_pivot_block *blocks, double unit)
{
	double sum = 0, next = d->stride * unit;
	for (size_t b = 0; b < d->pivots->block_count; b++) {
		const double end = sum + (double)blocks[b].size;
		if (d->all ? blocks[b].candidates > 0 : next < end) {
			GEMP_TRY(GEMP_RESERVE(d->blocks, d->capacity, d->count + 1));
			d->blocks[d->count++] = (block_draw){ b, sum, next, d->drawn_count };
		}
		d->drawn_count += d->all ? blocks[b].candidates : 0;
		for (; !d->all && next < end; next += d->stride)
			d->drawn_count++;
		sum = end;
	}
	return GEMP_OK;
}

/* Walks the rows of some blocks. */
static void draw_range(void *context, size_t range, size_t begin, size_t end)
{
	const pivot_draw *d = context;
	const gemp_sample_pivots *p = d->pivots;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		const block_draw *at = &d->blocks[i];
		const size_t last = gemp_chunk_end(p->graph->rows, p->block_rows, at->block);
		double sum = at->sum, next = at->next;
		drawn_pivot *to = d->drawn + at->first;
		for (size_t v = at->block * p->block_rows; (v = next_row(p->graph, d->bits, v, last)) < last; v++) {
			const gemp_vertex id = (gemp_vertex)(p->graph->first_vertex + v);
			const double size = 1 + (double)degrees(p, v, v + 1);
			sum += size;
			if (d->all)
				*to++ = (drawn_pivot){ id, 1 };
			for (; !d->all && next < sum; next += d->stride)
				*to++ = (drawn_pivot){ id, d->stride / size };
		}
	}
}

/* One thread finds the blocks of the draws, and all threads walk their rows, a few blocks at a time. */
gemp_code gemp_sample_pivots_draw(gemp_sample_pivots *p, int vertex, size_t wanted, double unit, gemp_pivot_taker *take,
                                  void *self, uint64_t *count)
{
	enum { WALKED = 16 };
	const gemp_pivot_block *blocks;
	GEMP_OWNED_BY(free_draw) pivot_draw d = { .pivots = p, .bits = p->candidates->bits[vertex] };
	double total = 0;
	GEMP_TRY(find_blocks(p, vertex, &blocks));
	*count = 0;
	for (size_t b = 0; b < p->block_count; b++) {
		*count += blocks[b].candidates;
		total += (double)blocks[b].size;
	}
	d.all = *count <= wanted;
	d.stride = total / (double)wanted;
	GEMP_TRY(list_blocks(&d, blocks, unit));
	GEMP_TRY(GEMP_NEW(d.drawn, d.drawn_count));
	gemp_for_chunks(d.count, WALKED, draw_range, &d);
	for (size_t i = 0; i < d.drawn_count; i++)
		GEMP_TRY(take(self, d.drawn[i].id, d.drawn[i].weight));
	return GEMP_OK;
}
