#include "choice/blocked.h"

#include "choice/choose.h"
#include "choice/dangling.h"
#include "core/memory.h"
#include "core/ranges.h"
#include "pattern/rule_columns.h"

typedef struct pair {
	const uint64_t *one, *other; /* columns that may have the same element, which cannot have the fates of both */
} pair;

typedef struct blocking {
	const gemp_rule *rule;
	const gemp_frame *frame;
	gemp_semantics semantics;
	gemp_rule_columns columns;
	size_t *fate;         /* [frame->count] of the elements of columns */
	size_t pair_count, pair_capacity;
	pair *pairs;
	uint8_t *choice;
	uint64_t blocked;
} blocking;

/* IDENTIFICATION */

/* Is what is in this column told apart from all others that are, by the semantics of the pattern? */
static bool is_apart(const blocking *b, size_t column)
{
	const gemp_pattern *p = b->rule->pattern;
	bool edge = b->frame->columns[column].kind == GEMP_CELL_EDGE;
	if (b->semantics == GEMP_HOM || (b->semantics == GEMP_EDGE_ISO && !edge))
		return false;
	for (size_t e = 0; e < p->edge_count && edge; e++)
		if (b->columns.edge[e] == column)
			return true;
	for (size_t v = 0; v < p->vertex_count && !edge; v++)
		if (b->columns.vertex[v] == column)
			return !p->vertices[v].free;
	return false;
}

/* From MERGED on: into an element, each its own. */
enum { STAYS, DELETED, MERGED };

static gemp_code find_fates(blocking *b)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(b->fate, b->frame->count));
	for (size_t i = 0; i < b->rule->update_count; i++) {
		const gemp_update *u = &b->rule->updates[i];
		if (u->kind == GEMP_DELETE)
			b->fate[u->element.index] = DELETED;
		else if (u->kind == GEMP_MERGE)
			b->fate[u->element.index] = MERGED + 2 * u->to.index + u->to.created;
	}
done:
	return code;
}

static gemp_code find_pairs(blocking *b)
{
	gemp_code code = GEMP_OK;
	const gemp_frame *f = b->frame;
	GEMP_TRY(find_fates(b));
	for (size_t c = 1; c < f->count; c++)
		for (size_t k = 0; k < c; k++) {
			if (b->fate[k] == b->fate[c] || f->columns[k].kind != f->columns[c].kind ||
			    (is_apart(b, c) && is_apart(b, k)))
				continue;
			GEMP_TRY(GEMP_RESERVE(b->pairs, b->pair_capacity, b->pair_count + 1));
			b->pairs[b->pair_count++] = (pair){ f->columns[c].elements, f->columns[k].elements };
		}
done:
	return code;
}

static void identify_range(void *self, size_t range, size_t begin, size_t end)
{
	blocking *b = self;
	(void)range;
	for (size_t i = 0; i < b->pair_count; i++)
		for (size_t row = begin; row < end; row++)
			if (b->pairs[i].one[row] == b->pairs[i].other[row] && b->pairs[i].one[row] != GEMP_NO_ELEMENT)
				b->choice[row] = GEMP_LEFT_OUT;
}

static void count_range(void *self, size_t range, size_t begin, size_t end)
{
	blocking *b = self;
	uint64_t blocked = 0;
	(void)range;
	for (size_t row = begin; row < end; row++)
		blocked += b->choice[row] == GEMP_LEFT_OUT;
	__atomic_fetch_add(&b->blocked, blocked, __ATOMIC_RELAXED);
}

gemp_code gemp_block(gemp_context *context, gemp_graph *graph, const gemp_rule *rule, gemp_semantics semantics,
                     const gemp_frame *frame, uint8_t *choice, uint64_t *blocked)
{
	gemp_code code = GEMP_OK;
	blocking b = { .rule = rule, .frame = frame, .semantics = semantics, .choice = choice };
	gemp_rule_columns_find(&b.columns, rule);
	GEMP_TRY(gemp_comm_agree(context->comm, find_pairs(&b)));
	if (b.pair_count)
		gemp_for_ranges(frame->rows, identify_range, &b);
	GEMP_TRY(gemp_block_dangling(context, graph, rule, &b.columns, frame, choice));
	gemp_for_ranges(frame->rows, count_range, &b);
done:
	*blocked = b.blocked;
	gemp_free(b.fate);
	gemp_free(b.pairs);
	return code;
}
