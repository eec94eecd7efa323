/* Arcs as rows of local vertices. Each range of arcs is sorted by where they come from, in a cache, unless it is
 * already, and then goes to its rows; so the ends of each row ascend. */
#include "core/memory.h"
#include "core/prefix.h"
#include "core/ranges.h"
#include "core/threads.h"
#include "gas/layout_parts.h"

enum { DIGIT = 8, MOST_PASSES = 4 };

/* What a thread has for itself. */
typedef struct room {
	uint32_t *word; /* arcs of a range */
	size_t capacity;
	gemp_code code;
	char message[GEMP_MESSAGE_SIZE];
} room;

typedef struct filling {
	const gemp_gas_making *m;
	gemp_gas_rows *in, *in_ghost, *in_other;
	uint64_t *next_own, *next_ghost; /* [targets] where the next end goes; of other rows next_own alone */
	room *rooms;                     /* [threads] */
	unsigned passes, digit;          /* of a sort by local vertices, and its bits; 0: they are sorted */
} filling;

static inline uint32_t local_of(const gemp_gas_making *m, gemp_vertex id)
{
	uint64_t row = id - m->graph->first;
	return row < m->graph->rows ? m->out->local[row] : m->ghost_local[gemp_bits_before(&m->ghosts, id)];
}

/* Stable, by the digit at `shift`. count[] are places. */
static inline __attribute__((always_inline)) void pass(uint32_t *to, const uint32_t *from, uint64_t arcs,
                                                       unsigned shift, uint32_t mask, uint64_t *count,
                                                       unsigned words)
{
	for (uint64_t i = 0; i < arcs; i++) {
		const uint32_t *arc = from + i * words;
		gemp_gas_arc_copy(to + count[arc[ARC_FROM] >> shift & mask]++ * words, arc, words);
	}
}

/* Sorted arcs are in one of the two arrays, which is returned; `from` are local vertices then. */
static inline __attribute__((always_inline)) uint32_t *sort_range(const filling *f, uint32_t *word, uint32_t *other,
                                                                  uint64_t arcs, unsigned words)
{
	uint64_t count[MOST_PASSES][1 << DIGIT] = { 0 };
	uint32_t mask = (1u << f->digit) - 1;
	for (uint64_t i = 0; i < arcs; i++) {
		uint32_t from = local_of(f->m, word[i * words + ARC_FROM]);
		word[i * words + ARC_FROM] = from;
		for (unsigned p = 0; p < f->passes; p++)
			count[p][from >> p * f->digit & mask]++;
	}
	for (unsigned p = 0; p < f->passes; p++) {
		uint64_t sum = 0;
		for (size_t d = 0; d <= mask; d++) {
			uint64_t here = count[p][d];
			count[p][d] = sum;
			sum += here;
		}
		pass(other, word, arcs, p * f->digit, mask, count[p], words);
		uint32_t *swap = word;
		word = other;
		other = swap;
	}
	return word;
}

static inline __attribute__((always_inline)) void put(const filling *f, const uint32_t *arc, size_t size)
{
	uint32_t from = arc[ARC_FROM];
	bool other = f->in_other && !gemp_gas_is_own(f->m, arc[ARC_TO]), ghost = !other && from >= f->m->out->own;
	const gemp_gas_rows *rows = other ? f->in_other : ghost ? f->in_ghost : f->in;
	uint64_t place = (ghost ? f->next_ghost : f->next_own)[arc[ARC_TO]]++;
	rows->end[place] = from;
	if (size)
		gemp_gas_weight_put(rows->weight, place, arc + ARC_WEIGHT, size);
}

static inline __attribute__((always_inline)) void fill(const filling *f, size_t range, uint32_t *other, unsigned words,
                                                       size_t size)
{
	const gemp_gas_arcs *arcs = &f->m->arcs;
	uint64_t begin = arcs->begin[range], count = arcs->begin[range + 1] - begin;
	size_t to = range << arcs->shift, end = (range + 1) << arcs->shift;
	for (; to < end && to < f->m->targets; to++) {
		uint32_t row = gemp_gas_row_at(f->m, to);
		if (row == GEMP_NO_VERTEX)
			continue;
		bool own = gemp_gas_is_own(f->m, to);
		f->next_own[to] = (own ? f->in : f->in_other)->begin[row];
		if (own)
			f->next_ghost[to] = f->in_ghost->begin[row];
	}
	const uint32_t *sorted = arcs->word + begin * words;
	if (f->passes)
		sorted = sort_range(f, arcs->word + begin * words, other, count, words);
	for (uint64_t i = 0; i < count; i++)
		put(f, sorted + i * words, size);
}

static void fill_range(void *context, unsigned thread, size_t range)
{
	const filling *f = context;
	const gemp_gas_arcs *arcs = &f->m->arcs;
	room *r = &f->rooms[thread];
	if (r->code == GEMP_OK && f->passes)
		r->code = GEMP_RESERVE(r->word, r->capacity, (arcs->begin[range + 1] - arcs->begin[range]) * arcs->words);
	if (r->code != GEMP_OK) {
		memcpy(r->message, gemp_message(), sizeof r->message);
		return;
	}
	switch (gemp_gas_weight_size(f->m->out->weights)) {
	case 0: fill(f, range, r->word, 2, 0); return;
	case 1: fill(f, range, r->word, 3, 1); return;
	case 2: fill(f, range, r->word, 3, 2); return;
	case 4: fill(f, range, r->word, 3, 4); return;
	default: fill(f, range, r->word, 4, 8); return;
	}
}

typedef struct beginning {
	const gemp_gas_making *m;
	bool own;              /* rows, or others */
	const uint64_t *count, *more; /* [targets] their sums; more: or NULL */
	uint64_t *begin;       /* [rows + 1] */
} beginning;

static void set_counts(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const beginning *b = context;
	for (size_t to = begin; to < end; to++) {
		uint32_t row = gemp_gas_row_at(b->m, to);
		if (row != GEMP_NO_VERTEX && gemp_gas_is_own(b->m, to) == b->own)
			b->begin[row + 1] = b->count[to] + (b->more ? b->more[to] : 0);
	}
}

static gemp_code new_rows(gemp_gas_rows *rows, uint32_t count, uint64_t edges, gemp_gas_weights weights)
{
	gemp_code code = GEMP_OK;
	size_t size = gemp_gas_weight_size(weights);
	rows->rows = count;
	GEMP_TRY(GEMP_NEW(rows->end, edges));
	if (size)
		code = (rows->weight = gemp_calloc(edges, size)) ? GEMP_OK : GEMP_ENOMEM;
done:
	return code;
}

static gemp_code begin_rows(gemp_gas_rows *rows, beginning b)
{
	gemp_code code = GEMP_OK;
	uint32_t count = b.own ? b.m->out->own : b.m->others;
	GEMP_TRY(GEMP_NEW(rows->begin, (size_t)count + 1));
	b.begin = rows->begin;
	gemp_for_ranges(b.m->targets, set_counts, &b);
	gemp_prefix_sums(rows->begin, (size_t)count + 1);
	code = new_rows(rows, count, rows->begin[count], b.m->out->weights);
done:
	return code;
}

gemp_code gemp_gas_make_in(gemp_gas_making *m)
{
	gemp_code code = GEMP_OK;
	gemp_gas_layout *out = m->out;
	unsigned threads = gemp_threads(), bits = 0;
	if (!m->alone)
		bits = out->known > 1 ? 32 - (unsigned)__builtin_clz(out->known - 1) : 1;
	filling f = { .m = m, .in = &out->in, .in_ghost = &out->in_ghost, .next_own = m->from_own, .next_ghost = m->from_ghost,
	              .passes = (bits + DIGIT - 1) / DIGIT };
	f.digit = f.passes ? (bits + f.passes - 1) / f.passes : 0;
	GEMP_TRY(begin_rows(&out->in, (beginning){ m, true, m->from_own, NULL, NULL }));
	GEMP_TRY(begin_rows(&out->in_ghost, (beginning){ m, true, m->from_ghost, NULL, NULL }));
	if (out->grid.columns > 1) {
		GEMP_TRY(begin_rows(&out->in_other, (beginning){ m, false, m->from_own, m->from_ghost, NULL }));
		f.in_other = &out->in_other;
	}
	GEMP_TRY(GEMP_NEW(f.rooms, threads));
	gemp_parallel_for(m->arcs.ranges, fill_range, &f);
	for (unsigned t = 0; t < threads; t++)
		if (code == GEMP_OK && f.rooms[t].code != GEMP_OK)
			code = gemp_fail(f.rooms[t].code, "%s", f.rooms[t].message);
done:
	for (unsigned t = 0; f.rooms && t < threads; t++)
		gemp_free(f.rooms[t].word);
	gemp_free(f.rooms);
	gemp_free(m->arcs.word);
	m->arcs.word = NULL;
	return code;
}

