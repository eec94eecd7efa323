#include "euler/ranks_list.h"

#include "core/memory.h"
#include "core/timer.h"

enum { BLOCKS_A_PIECE = 4096, ELEMENTS_A_PIECE = 1 << 16, LOOSE_SPACING = 3, SPACING_ABOVE = 8 };

size_t gemp_euler_run_start(const uint64_t *joined, size_t slot)
{
	size_t word = slot >> 6;
	uint64_t gaps = ~joined[word] & (((uint64_t)2 << (slot & 63)) - 1); /* slots up to this one that end a run */
	while (gaps == 0)
		gaps = ~joined[--word];
	return (word << 6) + 63 - (size_t)__builtin_clzll(gaps);
}

void gemp_euler_list_free(gemp_euler_list *list)
{
	gemp_euler_block_free(&list->link);
	gemp_euler_block_free(&list->distance);
	gemp_euler_block_free(&list->weight);
	gemp_euler_block_free(&list->splitter);
	gemp_euler_block_free(&list->from);
	gemp_euler_block_free(&list->length);
}

/* Elements of this member that are to be splitters or are without a label: first each piece counts them, then lists
 * them. */
typedef struct choosing {
	gemp_euler_list *list;
	bool wide;
	size_t pieces;
	uint64_t *begin;   /* [pieces + 1] */
	void *elements;    /* NULL: count */
} choosing;

static void take(choosing *c, size_t piece, size_t x, bool wide)
{
	uint64_t at = c->begin[piece]++;
	if (c->elements)
		gemp_number_set(c->elements, at, x, wide);
}

static uint64_t spacing_of(const gemp_euler_list *list)
{
	return list->level == 0 ? list->team->spacing : SPACING_ABOVE;
}

/* One of each block of `spacing` elements, at a random place; of a shorter one perhaps none, or short lists stayed
 * as long. */
GEMP_INLINE void choose_piece(choosing *c, size_t piece, bool wide)
{
	const gemp_euler_list *list = c->list;
	uint64_t spacing = spacing_of(list), salt = gemp_mix(list->team->seed + list->level);
	size_t end = list->part + (piece + 1) * BLOCKS_A_PIECE * spacing;
	end = end < list->part_end ? end : list->part_end;
	for (size_t x = list->part + piece * BLOCKS_A_PIECE * spacing; x < end; x += spacing) {
		uint64_t width = end - x < spacing ? end - x : spacing;
		size_t chosen = x + (size_t)((gemp_mix(salt ^ (list->low + x)) >> 32) * spacing >> 32);
		if (list->chosen >= x && list->chosen < x + width)
			chosen = list->chosen;
		if (chosen < x + width && !gemp_closed(list, chosen, wide))
			take(c, piece, chosen, wide);
	}
}
GEMP_WIDTHS(choose_body, choose_piece, choosing)

GEMP_INLINE void loose_piece(choosing *c, size_t piece, bool wide)
{
	const gemp_euler_list *list = c->list;
	size_t end = list->part + (piece + 1) * ELEMENTS_A_PIECE;
	end = end < list->part_end ? end : list->part_end;
	for (size_t x = list->part + piece * ELEMENTS_A_PIECE; x < end; x++)
		if (gemp_label_at(list, x, wide) == 0 && !gemp_closed(list, x, wide))
			take(c, piece, x, wide);
}
GEMP_WIDTHS(loose_body, loose_piece, choosing)

/* Local. *elements: the caller's. */
static gemp_code select_elements(gemp_euler_list *list, gemp_loop_body *body, size_t a_piece, void **elements,
                                 size_t *count)
{
	gemp_code code = GEMP_OK;
	size_t pieces = (list->part_end - list->part + a_piece - 1) / a_piece;
	choosing c = { .list = list, .wide = list->wide, .pieces = pieces };
	GEMP_TRY(GEMP_NEW(c.begin, pieces + 1));
	gemp_parallel_for(pieces, body, &c);
	uint64_t before = 0;
	for (size_t p = 0; p < pieces; p++) {
		uint64_t here = c.begin[p];
		c.begin[p] = before;
		before += here;
	}
	*count = before;
	*elements = c.elements = gemp_calloc(before, gemp_number_size(list->wide));
	if (!c.elements)
		code = GEMP_ENOMEM;
	else
		gemp_parallel_for(pieces, body, &c);
done:
	gemp_free(c.begin);
	return code;
}

/* Of the elements without a label some, for which 0 takes their place. */
static size_t split_loose(gemp_euler_list *list, void *loose, size_t *left, void *taken, bool all)
{
	size_t count = 0, kept = 0;
	bool wide = list->wide;
	uint64_t salt = gemp_mix(list->team->seed ^ ~(uint64_t)list->level);
	for (size_t i = 0; i < *left; i++) {
		uint64_t x = gemp_number_at(loose, i, wide);
		if (gemp_label_at(list, x, wide) != 0)
			continue;
		if (all || gemp_mix(salt ^ (list->low + x)) % LOOSE_SPACING == 0)
			gemp_number_set(taken, count++, x, wide);
		else
			gemp_number_set(loose, kept++, x, wide);
	}
	*left = kept;
	return count;
}

typedef struct naming {
	gemp_euler_list *list;
	bool wide;
	const void *elements;
	size_t count, first; /* number of the first one */
} naming;

GEMP_INLINE void name_piece(naming *n, size_t piece, bool wide)
{
	gemp_euler_list *list = n->list;
	size_t end = (piece + 1) * ELEMENTS_A_PIECE < n->count ? (piece + 1) * ELEMENTS_A_PIECE : n->count;
	for (size_t i = piece * ELEMENTS_A_PIECE; i < end; i++) {
		uint64_t x = gemp_number_at(n->elements, i, wide), k = n->first + i;
		gemp_number_set(list->splitter.at, k, x, wide);
		gemp_number_set(list->link.at, 2 * x + 1, gemp_label_flag(wide) | (k + 1), wide);
	}
}
GEMP_WIDTHS(name_body, name_piece, naming)

/* These elements become splitters, and their stretches are walked. Collective; `code`: what happened here before. */
static gemp_code add_splitters(gemp_euler_list *list, const void *elements, size_t count, gemp_code code)
{
	gemp_euler_team *team = list->team;
	size_t size = gemp_number_size(list->wide), before = list->splitters, first, end;
	uint64_t all;
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	naming n = { .list = list, .wide = list->wide, .elements = elements, .count = count };
	n.first = before + gemp_euler_team_before(team, count, &all);
	code = gemp_euler_block_grow(team, &list->splitter, before + all, size);
	if (code == GEMP_OK)
		code = gemp_euler_block_grow(team, &list->from, before + all, size);
	if (code == GEMP_OK)
		code = gemp_euler_block_grow(team, &list->length, before + all, size);
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	list->splitters = before + all;
	gemp_parallel_for((count + ELEMENTS_A_PIECE - 1) / ELEMENTS_A_PIECE, name_body, &n);
	gemp_euler_team_fence(team);
	gemp_euler_team_part(team, all, &first, &end);
	GEMP_TRY(gemp_euler_list_walk(list, NULL, before + first, end - first));
done:
	return code;
}

static gemp_code contract_loose(gemp_euler_list *list)
{
	gemp_code code = GEMP_OK;
	void *loose = NULL, *taken = NULL;
	size_t left = 0, count = 0;
	code = select_elements(list, loose_body, ELEMENTS_A_PIECE, &loose, &left);
	if (code == GEMP_OK && !(taken = gemp_calloc(left, gemp_number_size(list->wide))))
		code = GEMP_ENOMEM;
	GEMP_TRY(gemp_comm_agree(list->team->comm, code));
	if (gemp_comm_sum1(list->team->comm, left) == 0)
		goto done;
	for (int all = 0; all < 2; all++) {
		count = split_loose(list, loose, &left, taken, all);
		GEMP_TRY(add_splitters(list, taken, count, GEMP_OK));
	}
done:
	gemp_free(loose);
	gemp_free(taken);
	return code;
}

gemp_code gemp_euler_list_contract(gemp_euler_list *list, double *walk, double *orphans)
{
	gemp_code code = GEMP_OK;
	void *elements = NULL;
	size_t count = 0;
	double begun = gemp_now();
	code = select_elements(list, choose_body, BLOCKS_A_PIECE * spacing_of(list), &elements, &count);
	GEMP_TRY(add_splitters(list, elements, count, code));
	if (walk)
		*walk = gemp_now() - begun;
	begun = gemp_now();
	GEMP_TRY(contract_loose(list));
	if (orphans)
		*orphans = gemp_now() - begun;
done:
	gemp_free(elements);
	return code;
}
