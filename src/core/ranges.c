#include "core/ranges.h"

#include "core/threads.h"

typedef struct ranging {
	size_t count, rows; /* of all; of a range, the last may have fewer */
	gemp_range_body *body;
	void *context;
} ranging;

static void run_range(void *self, unsigned thread, size_t range)
{
	const ranging *r = self;
	size_t begin = range * r->rows, left = r->count - begin;
	(void)thread;
	r->body(r->context, range, begin, begin + (left < r->rows ? left : r->rows));
}

static size_t rows_of(size_t count)
{
	size_t rows = (count + GEMP_MOST_RANGES - 1) / GEMP_MOST_RANGES;
	return rows > GEMP_RANGE_ROWS ? rows : GEMP_RANGE_ROWS;
}

size_t gemp_ranges(size_t count)
{
	size_t rows = rows_of(count);
	return (count + rows - 1) / rows;
}

void gemp_for_ranges(size_t count, gemp_range_body *body, void *context)
{
	ranging r = { count, rows_of(count), body, context };
	gemp_parallel_for(gemp_ranges(count), run_range, &r);
}
