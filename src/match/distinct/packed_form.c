#include "match/distinct/packed_form.h"

#include "core/vector.h"

#include <string.h>

enum { ROWS = GEMP_PACKED_ROWS };

/* An odd-even transposition sort (Habermann 1972), whose steps do not depend on the images. */
void gemp_packed_sort(gemp_packed_form *form, const int *columns, size_t count)
{
	for (size_t round = 0; round < count; round++)
		for (size_t i = round & 1; i + 1 < count; i += 2) {
			uint8_t *swap = form->swaps[form->swap_count++];
			swap[0] = (uint8_t)columns[i];
			swap[1] = (uint8_t)columns[i + 1];
		}
	for (size_t i = 0; i + 1 < count; i++) {
		uint8_t *pair = form->pairs[form->pair_count++];
		pair[0] = (uint8_t)columns[i];
		pair[1] = (uint8_t)columns[i + 1];
	}
}

void gemp_packed_choose(gemp_packed_form *form, const gemp_stab_chain *chain)
{
	const uint8_t *orbit, *to;
	for (size_t m = 0; m < gemp_stab_chain_moving(chain); m++) {
		gemp_packed_choice *choice = &form->choices[form->choice_count++];
		choice->orbit_size = gemp_stab_chain_choices(chain, m, &orbit);
		for (size_t i = 0; i < choice->orbit_size; i++) {
			choice->orbit[i] = orbit[i];
			to = gemp_stab_chain_choice(chain, m, i);
			for (size_t v = 0; v < form->vertices; v++)
				choice->to[i][v] = to[v];
		}
	}
}

typedef uint32_t column[ROWS];

GEMP_VECTOR_BODY void read_columns(column *columns, const gemp_vertex *vertices, const size_t count)
{
	for (size_t v = 0; v < count; v++)
		for (size_t i = 0; i < ROWS; i++)
			columns[v][i] = vertices[i * count + v];
}

/* The constants let the compiler choose shuffles for short rows. */
GEMP_VECTOR_BODY void read_rows(column *columns, const gemp_vertex *vertices, size_t count)
{
	switch (count) {
	case 3: read_columns(columns, vertices, 3); return;
	case 4: read_columns(columns, vertices, 4); return;
	case 5: read_columns(columns, vertices, 5); return;
	case 6: read_columns(columns, vertices, 6); return;
	default: read_columns(columns, vertices, count);
	}
}

GEMP_VECTOR_BODY void sort_columns(const gemp_packed_form *form, column *columns, column equal)
{
	for (size_t s = 0; s < form->swap_count; s++) {
		uint32_t *low = columns[form->swaps[s][0]], *high = columns[form->swaps[s][1]];
		for (size_t i = 0; i < ROWS; i++) {
			const uint32_t x = low[i], y = high[i];
			low[i] = x < y ? x : y;
			high[i] = x < y ? y : x;
		}
	}
	for (size_t p = 0; p < form->pair_count; p++)
		for (size_t i = 0; i < ROWS; i++)
			equal[i] |= columns[form->pairs[p][0]][i] == columns[form->pairs[p][1]][i];
}

/* Writes to chosen[] which point of the orbit has the smallest image. The loop writes arrays of its own, since the
 * compiler does not vectorise it unless it knows that the arrays are different. */
GEMP_VECTOR_BODY void find_smallest(const gemp_packed_choice *choice, column *columns, column chosen, column equal)
{
	column smallest, best = { 0 }, same = { 0 };
	memcpy(smallest, columns[choice->orbit[0]], sizeof smallest);
	for (uint32_t o = 1; o < choice->orbit_size; o++) {
		const uint32_t *image = columns[choice->orbit[o]];
		for (size_t i = 0; i < ROWS; i++) {
			const uint32_t x = image[i], y = smallest[i];
			same[i] |= x == y;
			best[i] = x < y ? o : best[i];
			smallest[i] = x < y ? x : y;
		}
	}
	memcpy(chosen, best, sizeof best);
	for (size_t i = 0; i < ROWS; i++)
		equal[i] |= same[i];
}

/* Permutes each row by the permutation that chosen[] names. */
GEMP_VECTOR_BODY void permute_columns(const gemp_packed_choice *choice, size_t vertices, column *from, column *to,
                                      const column chosen)
{
	for (size_t v = 0; v < vertices; v++) {
		memcpy(to[v], from[choice->to[0][v]], sizeof *to);
		for (uint32_t o = 1; o < choice->orbit_size; o++) {
			const uint32_t *source = from[choice->to[o][v]];
			if (choice->to[o][v] != choice->to[0][v])
				for (size_t i = 0; i < ROWS; i++)
					to[v][i] = chosen[i] == o ? source[i] : to[v][i];
		}
	}
}

/* Vertices are digits, the first of which counts most. The first number is 1 more than its digits say, so that it is
 * never 0. */
GEMP_VECTOR_BODY void write_numbers(const gemp_packed_form *form, column *columns, uint64_t *records)
{
	const uint64_t base = form->base;
	const size_t first = gemp_min(form->digits, form->vertices);
	uint64_t low[ROWS] = { 0 }, high[ROWS] = { 0 };
	for (size_t v = 0; v < first; v++)
		for (size_t i = 0; i < ROWS; i++)
			low[i] = low[i] * base + columns[v][i];
	if (form->words == 1) {
		for (size_t i = 0; i < ROWS; i++)
			records[i] = low[i] + 1;
		return;
	}
	for (size_t v = first; v < form->vertices; v++)
		for (size_t i = 0; i < ROWS; i++)
			high[i] = high[i] * base + columns[v][i];
	for (size_t i = 0; i < ROWS; i++) {
		records[2 * i] = low[i] + 1;
		records[2 * i + 1] = high[i];
	}
}

GEMP_VECTOR_BODY void fill_loop(const gemp_packed_form *form, const gemp_vertex *vertices, uint64_t *records,
                                uint64_t *repeats)
{
	column columns[2][GEMP_PACKED_VERTICES], chosen, equal = { 0 };
	column *now = columns[0], *other = columns[1];
	uint32_t any = 0;
	read_rows(now, vertices, form->vertices);
	sort_columns(form, now, equal);
	for (size_t c = 0; c < form->choice_count; c++) {
		column *next = other;
		find_smallest(&form->choices[c], now, chosen, equal);
		permute_columns(&form->choices[c], form->vertices, now, next, chosen);
		other = now;
		now = next;
	}
	write_numbers(form, now, records);
	for (size_t i = 0; i < ROWS; i++)
		any |= equal[i];
	*repeats = 0;
	for (size_t i = 0; any && i < ROWS; i++)
		*repeats |= (uint64_t)(equal[i] != 0) << i;
}

GEMP_VECTOR_LOOP(fill,
                 (const gemp_packed_form *form, const gemp_vertex *vertices, uint64_t *records, uint64_t *repeats),
                 (form, vertices, records, repeats))

uint64_t gemp_packed_fill(const gemp_packed_form *form, const gemp_vertex *vertices, uint64_t *records)
{
	uint64_t repeats;
	fill(form, vertices, records, &repeats);
	return repeats;
}
