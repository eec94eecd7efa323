#include "core/pick.h"

#include "core/memory.h"
#include "core/threads.h"

enum { CHUNK = 1 << 14 };

typedef struct pick_task {
	gemp_pick_predicate *wanted;
	const void *self;
	size_t *begin; /* [chunks + 1] chunk c writes to out[begin[c]] .. out[begin[c + 1] - 1] */
	uint64_t *out; /* NULL in the first pass, which counts */
} pick_task;

/* One body for both passes, so that they cannot disagree about what is selected. */
static void pick_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const pick_task *p = context;
	size_t at = p->out ? p->begin[chunk] : 0;
	for (size_t i = begin; i < end; i++) {
		if (!p->wanted(p->self, i))
			continue;
		if (p->out)
			p->out[at] = i;
		at++;
	}
	if (!p->out)
		p->begin[chunk + 1] = at;
}

gemp_code gemp_pick(uint64_t **out, size_t *count, size_t n, gemp_pick_predicate *wanted, const void *self)
{
	gemp_code code = GEMP_OK;
	size_t chunks = (n + CHUNK - 1) / CHUNK;
	pick_task p = { wanted, self, NULL, NULL };
	GEMP_TRY(GEMP_NEW(p.begin, chunks + 1));
	gemp_for_chunks(n, CHUNK, pick_chunk, &p);
	for (size_t i = 0; i < chunks; i++)
		p.begin[i + 1] += p.begin[i];
	*count = p.begin[chunks];
	GEMP_TRY(GEMP_NEW(p.out, *count));
	gemp_for_chunks(n, CHUNK, pick_chunk, &p);
	*out = p.out;
done:
	gemp_free(p.begin);
	return code;
}
