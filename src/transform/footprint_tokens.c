/* The tokens of rows: what the footprint says, of each row's elements. */
#include "core/memory.h"
#include "transform/footprint.h"
#include "transform/ranges.h"

typedef struct listing {
	const gemp_footprint *footprint;
	const gemp_frame *frame;
	const uint8_t *choice;
	gemp_tokens *out;
} listing;

/* The element that a trace is about in a row; an aspect of all elements has one seat. */
static uint64_t element_at(const gemp_frame *frame, const gemp_trace_of_rule *trace, size_t row)
{
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
	}
}

gemp_code gemp_footprint_tokens(gemp_tokens *out, const gemp_footprint *footprint, const gemp_frame *frame,
                                const uint8_t *choice)
{
	gemp_code code = GEMP_OK;
	listing l = { footprint, frame, choice, out };
	*out = (gemp_tokens){ .matches = frame->rows, .seats = footprint->seats };
	GEMP_TRY(GEMP_NEW(out->begin, frame->rows + 1));
	gemp_for_ranges(frame->rows, count_range, &l);
	for (size_t row = 0; row < frame->rows; row++)
		out->begin[row + 1] += out->begin[row];
	GEMP_TRY(GEMP_NEW(out->tokens, out->begin[frame->rows]));
	gemp_for_ranges(frame->rows, list_range, &l);
done:
	if (code != GEMP_OK)
		gemp_tokens_free(out);
	return code;
}
