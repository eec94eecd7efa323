#include "topology/reversed_rows.h"

#include "core/memory.h"

gemp_code gemp_reversed_rows_new(gemp_reversed_rows *out, size_t rows, size_t edges, bool numbers)
{
	*out = (gemp_reversed_rows){ .rows = rows };
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->begin, rows + 1), GEMP_ARRAY(out->source, edges)));
	if (numbers)
		GEMP_TRY(GEMP_NEW(out->edge, edges));
	return GEMP_OK;
}

void gemp_reversed_rows_free(gemp_reversed_rows *reversed)
{
	gemp_free_all(reversed->begin, reversed->source, reversed->edge);
	*reversed = (gemp_reversed_rows){ 0 };
}
