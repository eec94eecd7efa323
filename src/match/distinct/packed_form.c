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

/* Images of LANES rows. The steps are written with vectors, since the compiler jams loops over arrays and then does not
 * vectorise them. A comparison gives all ones or 0 for each row. */
enum { LANES = 8 };
typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t))));

/* A macro, since a function without AVX cannot take such vectors. */
#define CHOOSE(mask, yes, no) (((yes) & (mask)) | ((no) & ~(mask)))

/* Adds to *equal in which rows images are equal. */
GEMP_VECTOR_BODY void sort_lanes(const gemp_packed_form *form, lanes *images, lanes *equal)
{
	for (size_t s = 0; s < form->swap_count; s++) {
		lanes *low = &images[form->swaps[s][0]], *high = &images[form->swaps[s][1]];
		const lanes x = *low, y = *high, less = (lanes)(x < y);
		*low = CHOOSE(less, x, y);
		*high = CHOOSE(less, y, x);
	}
	for (size_t p = 0; p < form->pair_count; p++)
		*equal |= (lanes)(images[form->pairs[p][0]] == images[form->pairs[p][1]]);
}

/* Finds which point of the orbit has the smallest image, and permutes each row by the permutation of this point. Adds
 * to *equal in which rows images are equal. */
GEMP_VECTOR_BODY void choose_lanes(const gemp_packed_choice *choice, size_t vertices, lanes *images, lanes *equal)
{
	lanes from[GEMP_PACKED_VERTICES], smallest = images[choice->orbit[0]], best = { 0 };
	for (uint32_t o = 1; o < choice->orbit_size; o++) {
		const lanes image = images[choice->orbit[o]], less = (lanes)(image < smallest);
		*equal |= (lanes)(image == smallest);
		best = CHOOSE(less, (lanes){ 0 } + o, best);
		smallest = CHOOSE(less, image, smallest);
	}
	for (size_t v = 0; v < vertices; v++)
		from[v] = images[v];
	for (size_t v = 0; v < vertices; v++)
		images[v] = from[choice->to[0][v]];
	for (uint32_t o = 1; o < choice->orbit_size; o++) {
		const lanes chosen = (lanes)(best == o);
		for (size_t v = 0; v < vertices; v++)
			if (choice->to[o][v] != choice->to[0][v])
				images[v] = CHOOSE(chosen, from[choice->to[o][v]], images[v]);
	}
}

/* Makes the rows of a block canonical, LANES at a time. Returns a bit for each row in which images are equal. */
GEMP_VECTOR_BODY uint64_t make_canonical(const gemp_packed_form *form, column *columns)
{
	uint64_t repeats = 0;
	for (size_t first = 0; first < ROWS; first += LANES) {
		lanes images[GEMP_PACKED_VERTICES], equal = { 0 };
		for (size_t v = 0; v < form->vertices; v++)
			memcpy(&images[v], columns[v] + first, sizeof *images);
		sort_lanes(form, images, &equal);
		for (size_t c = 0; c < form->choice_count; c++)
			choose_lanes(&form->choices[c], form->vertices, images, &equal);
		for (size_t v = 0; v < form->vertices; v++)
			memcpy(columns[v] + first, &images[v], sizeof *images);
		uint32_t any = 0;
		for (size_t i = 0; i < LANES; i++)
			any |= equal[i];
		for (size_t i = 0; any && i < LANES; i++)
			repeats |= (uint64_t)(equal[i] & 1) << (first + i);
	}
	return repeats;
}

/* Vertices are digits, the first of which counts most. A base of two digits or more is below 2^32, so that products of
 * 32 bits suffice, which processors have for vectors. */
GEMP_VECTOR_BODY void write_number(uint64_t base, column *columns, size_t digits, uint64_t *number)
{
	const uint32_t by = (uint32_t)base;
	for (size_t i = 0; i < ROWS; i++)
		number[i] = columns[0][i];
	for (size_t v = 1; v < digits; v++)
		for (size_t i = 0; i < ROWS; i++) {
			const uint64_t low = (uint64_t)(uint32_t)number[i] * by, high = (uint64_t)(uint32_t)(number[i] >> 32) * by;
			number[i] = low + (high << 32) + columns[v][i];
		}
}

/* The first number is 1 more than its digits say, so that it is never 0. */
GEMP_VECTOR_BODY void write_numbers(const gemp_packed_form *form, column *columns, uint64_t *records)
{
	const size_t first = gemp_min(form->digits, form->vertices);
	uint64_t low[ROWS], high[ROWS];
	write_number(form->base, columns, first, low);
	if (form->words == 1) {
		for (size_t i = 0; i < ROWS; i++)
			records[i] = low[i] + 1;
		return;
	}
	write_number(form->base, columns + first, form->vertices - first, high);
	for (size_t i = 0; i < ROWS; i++) {
		records[2 * i] = low[i] + 1;
		records[2 * i + 1] = high[i];
	}
}

GEMP_VECTOR_BODY void fill_loop(const gemp_packed_form *form, const gemp_vertex *vertices, uint64_t *records,
                                uint64_t *repeats)
{
	column columns[GEMP_PACKED_VERTICES];
	read_rows(columns, vertices, form->vertices);
	*repeats = make_canonical(form, columns);
	write_numbers(form, columns, records);
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
