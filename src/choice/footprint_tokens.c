/* The tokens of rows: what the footprint says, of each row's elements and of vertices around them. */
#include "choice/footprint_around.h"
#include "core/memory.h"
#include "core/ranges.h"

typedef struct listing {
	const gemp_footprint *footprint;
	const gemp_frame *frame;
	const uint8_t *choice;
	gemp_tokens *out;
	size_t around_count;
	gemp_row_token *around; /* [around_count] */
	uint64_t *next;         /* [rows] where these go, behind the tokens of the row's elements; if there are any */
} listing;

/* The element that a trace is about in a row, if the row has it; an aspect of all elements has one seat. */
static uint64_t element_at(const gemp_frame *frame, const gemp_trace_of_rule *trace, size_t row)
{
	if (trace->at != GEMP_AT_ELEMENT)
		return GEMP_NO_ELEMENT;
	return trace->column == GEMP_NO_COLUMN ? 0 : frame->columns[trace->column].elements[row];
}

static void count_range(void *self, size_t range, size_t begin, size_t end)
{
	listing *l = self;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		uint64_t count = 0;
		for (size_t i = 0; i < l->footprint->count && !l->choice[row]; i++)
			count += element_at(l->frame, &l->footprint->traces[i], row) != GEMP_NO_ELEMENT;
		l->out->begin[row + 1] = count;
	}
}

static void list_range(void *self, size_t range, size_t begin, size_t end)
{
	listing *l = self;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		uint64_t at = l->out->begin[row];
		for (size_t i = 0; i < l->footprint->count && !l->choice[row]; i++) {
			const gemp_trace_of_rule *trace = &l->footprint->traces[i];
			uint64_t element = element_at(l->frame, trace, row);
			if (element != GEMP_NO_ELEMENT)
				l->out->tokens[at++] = gemp_token(trace->seat + element, trace->touch);
		}
		if (l->around_count)
			l->next[row] = at;
	}
}

static gemp_code list_tokens(listing *l)
{
	gemp_code code = GEMP_OK;
	size_t rows = l->frame->rows;
	uint64_t *begin;
	GEMP_TRY(GEMP_NEW(l->out->begin, rows + 1));
	GEMP_TRY(GEMP_NEW(l->next, l->around_count ? rows : 0));
	begin = l->out->begin;
	gemp_for_ranges(rows, count_range, l);
	for (size_t i = 0; i < l->around_count; i++)
		begin[l->around[i].row + 1]++;
	for (size_t row = 0; row < rows; row++)
		begin[row + 1] += begin[row];
	GEMP_TRY(GEMP_NEW(l->out->tokens, begin[rows]));
	gemp_for_ranges(rows, list_range, l);
	for (size_t i = 0; i < l->around_count; i++)
		l->out->tokens[l->next[l->around[i].row]++] = l->around[i].token;
done:
	return code;
}

gemp_code gemp_footprint_tokens(gemp_tokens *out, const gemp_comm *comm, gemp_graph *graph,
                                const gemp_footprint *footprint, const gemp_frame *frame, const uint8_t *choice)
{
	gemp_code code = GEMP_OK;
	listing l = { .footprint = footprint, .frame = frame, .choice = choice, .out = out };
	*out = (gemp_tokens){ .matches = frame->rows, .seats = footprint->seats };
	GEMP_TRY(gemp_footprint_around(&l.around, &l.around_count, comm, graph, footprint, frame, choice));
	code = gemp_comm_agree(comm, list_tokens(&l));
done:
	gemp_free(l.around);
	gemp_free(l.next);
	if (code != GEMP_OK)
		gemp_tokens_free(out);
	return code;
}
