#include "query/product.h"

#include "core/memory.h"
#include "core/text.h"

#include <string.h>

enum { ROWS_AT_ONCE = 8192 };

/* GATHERING */
static gemp_code check_room(const gemp_product *p, size_t part, gemp_context *context, uint64_t bytes, size_t most)
{
	bytes = gemp_comm_sum1(context->comm, bytes);
	if (bytes <= most)
		return GEMP_OK;
	const gemp_pattern *pattern = p->parts[part].derived->pattern;
	const char *name = pattern->vertices[0].name;
	return gemp_fail(GEMP_ENOMEM, "the part of the pattern with %s%s has matches of %llu bytes, and every rank needs all of them "
	                 "to combine them with the other parts; narrow it, or give more --host-memory",
	                 name ? "" : "an unnamed vertex", name ? name : "", (unsigned long long)bytes);
}

gemp_code gemp_product_gather(gemp_product *p, size_t part, gemp_context *context, const gemp_row_store *rows, size_t most)
{
	gemp_code code = GEMP_OK;
	gemp_product_part *to = &p->parts[part];
	size_t width = to->derived->pattern->vertex_count, edges = to->derived->pattern->edge_count, *begin = NULL;
	size_t bytes = rows->rows * width * sizeof(gemp_vertex), edge_bytes = p->edges ? rows->rows * edges * sizeof(gemp_edge) : 0;
	void *all = NULL;
	GEMP_TRY(check_room(p, part, context, bytes + edge_bytes, most));
	GEMP_TRY(gemp_comm_gather_all(context->comm, rows->vertices, bytes, &all, &begin));
	to->vertices = all;
	to->rows = begin[context->comm->size] / (width * sizeof(gemp_vertex));
	gemp_free(begin);
	begin = NULL;
	if (p->edges && edges) {
		GEMP_TRY(gemp_comm_gather_all(context->comm, rows->edges, edge_bytes, &all, &begin));
		to->edges = all;
	}
done:
	gemp_free(begin);
	return code;
}

void gemp_product_free(gemp_product *p)
{
	for (size_t i = 0; i < p->part_count; i++) {
		gemp_free(p->parts[i].vertices);
		gemp_free(p->parts[i].edges);
	}
	gemp_row_store_free(&p->out);
	*p = (gemp_product){ 0 };
}

/* COMBINING. A row is of the whole pattern, its places filled part by part. */
typedef struct combination {
	gemp_product *product;
	gemp_vertex vertices[GEMP_MAX_PATTERN_VERTICES];
	gemp_edge edges[GEMP_MAX_PATTERN_EDGES];
	uint64_t placed, edges_placed;
} combination;

static bool must_differ(const gemp_product *p, size_t v)
{
	return (p->semantics == GEMP_ISO || p->semantics == GEMP_INDUCED) && !p->pattern->vertices[v].free;
}

static bool taken(const combination *c, size_t v)
{
	for (uint64_t left = must_differ(c->product, v) ? c->placed : 0; left; left &= left - 1) {
		size_t w = (size_t)__builtin_ctzll(left);
		if (must_differ(c->product, w) && c->vertices[w] == c->vertices[v])
			return true;
	}
	return false;
}

static bool edge_taken(const combination *c, size_t e)
{
	for (uint64_t left = c->product->semantics == GEMP_HOM ? 0 : c->edges_placed; left; left &= left - 1)
		if (c->edges[__builtin_ctzll(left)] == c->edges[e])
			return true;
	return false;
}

/* Puts one row of a part in its places; false where it collides with parts placed before. */
static bool place(combination *c, const gemp_product_part *part, const gemp_vertex *vertices, const gemp_edge *edges)
{
	const gemp_pattern *whole = c->product->pattern;
	uint64_t placed = c->placed, edges_placed = c->edges_placed;
	for (size_t v = 0; v < whole->vertex_count; v++) {
		if (part->derived->vertex[v] < 0)
			continue;
		c->vertices[v] = vertices[part->derived->vertex[v]];
		if (taken(c, v))
			return false;
		placed |= UINT64_C(1) << v;
	}
	for (size_t e = 0; c->product->edges && e < whole->edge_count; e++) {
		if (part->derived->edge[e] < 0)
			continue;
		c->edges[e] = edges[part->derived->edge[e]];
		if (edge_taken(c, e))
			return false;
		edges_placed |= UINT64_C(1) << e;
	}
	c->placed = placed;
	c->edges_placed = edges_placed;
	return true;
}

static bool is_canonical(const combination *c)
{
	const gemp_product *p = c->product;
	uint64_t tuple[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES], least[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES];
	size_t points = 0;
	if (!p->chain)
		return true;
	for (size_t v = 0; v < p->pattern->vertex_count; v++)
		tuple[points++] = c->vertices[v];
	for (size_t e = 0; p->edges && e < p->pattern->edge_count; e++)
		tuple[points++] = c->edges[e];
	memcpy(least, tuple, points * sizeof *least);
	gemp_chain_canonical(p->chain, least);
	return memcmp(least, tuple, points * sizeof *least) == 0;
}

static gemp_code hand_on(gemp_product *p)
{
	gemp_batch batch = gemp_row_store_batch(&p->out);
	gemp_code code = batch.rows ? p->next->take(p->next->self, &batch) : GEMP_OK;
	gemp_row_store_clear(&p->out);
	return code;
}

static gemp_code emit(const combination *c)
{
	gemp_code code = GEMP_OK;
	gemp_product *p = c->product;
	if (!is_canonical(c))
		return GEMP_OK;
	const gemp_batch row = { .rows = 1, .vertex_count = (int)p->pattern->vertex_count,
		.edge_count = p->edges ? (int)p->pattern->edge_count : 0, .vertices = c->vertices, .edges = c->edges };
	GEMP_TRY(gemp_row_store_add(&p->out, &row, 1));
	if (p->out.rows >= ROWS_AT_ONCE)
		code = hand_on(p);
done:
	return code;
}

/* All combinations with rows of the parts from `part` on. */
static gemp_code combine(combination *c, size_t part)
{
	gemp_product *p = c->product;
	gemp_code code = GEMP_OK;
	if (part == p->streaming)
		return combine(c, part + 1);
	if (part == p->part_count)
		return emit(c);
	const gemp_product_part *from = &p->parts[part];
	size_t vertices = from->derived->pattern->vertex_count, edges = from->derived->pattern->edge_count;
	uint64_t placed = c->placed, edges_placed = c->edges_placed;
	for (size_t row = 0; row < from->rows && code == GEMP_OK; row++) {
		if (place(c, from, from->vertices + row * vertices, from->edges ? from->edges + row * edges : NULL))
			code = combine(c, part + 1);
		c->placed = placed;
		c->edges_placed = edges_placed;
	}
	return code;
}

static gemp_code product_take(void *self, const gemp_batch *batch)
{
	gemp_code code = GEMP_OK;
	gemp_product *p = self;
	const gemp_product_part *part = &p->parts[p->streaming];
	for (size_t row = 0; row < batch->rows && code == GEMP_OK; row++) {
		combination c = { .product = p };
		const gemp_edge *edges = batch->edge_count ? batch->edges + row * (size_t)batch->edge_count : NULL;
		if (place(&c, part, batch->vertices + row * (size_t)batch->vertex_count, edges))
			code = combine(&c, 0);
	}
	if (code == GEMP_OK)
		code = hand_on(p);
	return code;
}

static gemp_code product_turn(void *self, bool last, bool *enough, bool *again)
{
	gemp_product *p = self;
	return p->next->turn(p->next->self, last, enough, again);
}

gemp_sink gemp_product_sink(gemp_product *product)
{
	return (gemp_sink){ .self = product, .take = product_take, .turn = product_turn };
}
