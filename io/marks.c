#include "io/marks.h"

#include "core/memory.h"

enum { WORD = 64, PAGE_WORDS = 1024, PAGE = WORD * PAGE_WORDS };

gemp_code gemp_marks_new(gemp_marks *out, uint64_t bound)
{
	*out = (gemp_marks){ .bound = bound, .page_count = (size_t)((bound + PAGE - 1) / PAGE) };
	return GEMP_NEW(out->pages, out->page_count);
}

void gemp_marks_free(gemp_marks *marks)
{
	for (size_t p = 0; marks->pages && p < marks->page_count; p++)
		gemp_free(marks->pages[p]);
	gemp_free(marks->pages);
	*marks = (gemp_marks){ 0 };
}

gemp_code gemp_marks_add(gemp_marks *marks, uint64_t number)
{
	gemp_code code = GEMP_OK;
	GEMP_CHECK(number < marks->bound);
	uint64_t **page = &marks->pages[number / PAGE], bit = (uint64_t)1 << number % WORD;
	if (!*page)
		GEMP_TRY(GEMP_NEW(*page, PAGE_WORDS));
	uint64_t *word = &(*page)[number % PAGE / WORD];
	marks->count += !(*word & bit);
	*word |= bit;
done:
	return code;
}

uint64_t gemp_marks_next(const gemp_marks *marks, uint64_t from)
{
	while (from < marks->bound) {
		const uint64_t *page = marks->pages[from / PAGE];
		uint64_t left = page ? page[from % PAGE / WORD] >> from % WORD : 0;
		if (left)
			return from + (uint64_t)__builtin_ctzll(left);
		uint64_t step = page ? WORD : PAGE;
		from = (from / step + 1) * step;
	}
	return GEMP_NO_MARK;
}
