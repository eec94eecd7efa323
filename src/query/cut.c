#include "query/cut.h"

#include "core/memory.h"

void gemp_cut_rows(const gemp_comm *comm, size_t rows, uint64_t skip, uint64_t limit, size_t *first,
                   size_t *end)
{
	uint64_t before = gemp_comm_before(comm, rows), stop = limit > UINT64_MAX - skip ? UINT64_MAX : skip + limit;
	*first = before >= skip ? 0 : skip - before < rows ? (size_t)(skip - before) : rows;
	*end = before >= stop ? 0 : stop - before < rows ? (size_t)(stop - before) : rows;
	*end = *end < *first ? *first : *end;
}

typedef struct cutting {
	gemp_context *context;
	gemp_stage *next;
	uint64_t skip, limit;   /* what is left of them */
	bool *some_left_out;
	bool ended;
} cutting;

static gemp_code cut_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	gemp_code code = GEMP_OK;
	cutting *c = self;
	const gemp_comm *comm = c->context->comm;
	uint64_t *picked = NULL;
	gemp_frame cut = { 0 };
	size_t first, end;
	uint64_t wanted = c->limit > UINT64_MAX - c->skip ? UINT64_MAX : c->skip + c->limit;
	if (c->ended)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, gemp_frame_expand(frame, wanted)));
	uint64_t all = gemp_comm_sum1(comm, frame->rows);
	gemp_cut_rows(comm, frame->rows, c->skip, c->limit, &first, &end);
	uint64_t skipped = all < c->skip ? all : c->skip, left = all - skipped;
	bool reached = c->limit < UINT64_MAX && left >= c->limit;
	*c->some_left_out |= skipped > 0 || left > c->limit || (reached && !last);
	c->skip -= skipped;
	c->limit -= c->limit == UINT64_MAX ? 0 : left < c->limit ? left : c->limit;
	code = GEMP_NEW(picked, end - first);
	for (size_t i = 0; i < end - first && code == GEMP_OK; i++)
		picked[i] = first + i;
	if (code == GEMP_OK)
		code = gemp_frame_pick(&cut, frame, picked, end - first);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(c->next->push(c->next->self, &cut, last || reached, enough));
	c->ended = last || reached || *enough;
	*enough |= reached;
done:
	gemp_free(picked);
	gemp_frame_free(&cut);
	return code;
}

gemp_code gemp_cut_new(gemp_stage *out, gemp_context *context, uint64_t skip, uint64_t limit, bool *some_left_out,
                       gemp_stage *next)
{
	cutting *c;
	gemp_code code = GEMP_NEW(c, 1);
	if (code == GEMP_OK)
		*c = (cutting){
			.context = context, .next = next, .skip = skip, .limit = limit, .some_left_out = some_left_out,
		};
	code = gemp_comm_agree(context->comm, code);
	if (code == GEMP_OK)
		*out = (gemp_stage){ .self = c, .push = cut_push, .free = gemp_free };
	else
		gemp_free(c);
	return code;
}
