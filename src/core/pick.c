#include "core/pick.h"

#include "core/memory.h"
#include "core/threads.h"

enum { PIECE = 1 << 14 };

typedef struct picking {
	size_t n;
	gemp_pick_predicate *wanted;
	const void *self;
	size_t *begin; /* [pieces + 1] of those of each piece, counted in the first pass */
	uint64_t *out; /* of the second */
} picking;

static void pick_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const picking *p = context;
	size_t end = (piece + 1) * PIECE < p->n ? (piece + 1) * PIECE : p->n;
	size_t at = p->out ? p->begin[piece] : 0;
	for (size_t i = piece * PIECE; i < end; i++) {
		if (!p->wanted(p->self, i))
			continue;
		if (p->out)
			p->out[at] = i;
		at++;
	}
	if (!p->out)
		p->begin[piece + 1] = at;
}

gemp_code gemp_pick(uint64_t **out, size_t *count, size_t n, gemp_pick_predicate *wanted, const void *self)
{
	gemp_code code = GEMP_OK;
	size_t pieces = (n + PIECE - 1) / PIECE;
	picking p = { n, wanted, self, NULL, NULL };
	GEMP_TRY(GEMP_NEW(p.begin, pieces + 1));
	gemp_parallel_for(pieces, pick_piece, &p);
	for (size_t i = 0; i < pieces; i++)
		p.begin[i + 1] += p.begin[i];
	*count = p.begin[pieces];
	GEMP_TRY(GEMP_NEW(p.out, *count));
	gemp_parallel_for(pieces, pick_piece, &p);
	*out = p.out;
done:
	gemp_free(p.begin);
	return code;
}
