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

/* The steps for 16 rows at a time, and for 8. */
#define LANES 16
#define FOR_LANES(name) name##_16
#include "match/distinct/packed_lanes.h"
#undef LANES
#undef FOR_LANES
#define LANES 8
#define FOR_LANES(name) name##_8
#include "match/distinct/packed_lanes.h"

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

GEMP_VECTOR_BODY void fill_wide_loop(const gemp_packed_form *form, const gemp_vertex *vertices, uint64_t *records,
                                     uint64_t *repeats)
{
	column columns[GEMP_PACKED_VERTICES];
	read_rows(columns, vertices, form->vertices);
	*repeats = make_canonical_16(form, columns);
	write_numbers(form, columns, records);
}

GEMP_VECTOR_BODY void fill_loop(const gemp_packed_form *form, const gemp_vertex *vertices, uint64_t *records,
                                uint64_t *repeats)
{
	column columns[GEMP_PACKED_VERTICES];
	read_rows(columns, vertices, form->vertices);
	*repeats = make_canonical_8(form, columns);
	write_numbers(form, columns, records);
}

GEMP_VECTOR_LOOP(fill_wide,
                 (const gemp_packed_form *form, const gemp_vertex *vertices, uint64_t *records, uint64_t *repeats),
                 (form, vertices, records, repeats))
GEMP_VECTOR_LOOP(fill,
                 (const gemp_packed_form *form, const gemp_vertex *vertices, uint64_t *records, uint64_t *repeats),
                 (form, vertices, records, repeats))

uint64_t gemp_packed_fill(const gemp_packed_form *form, const gemp_vertex *vertices, uint64_t *records)
{
	uint64_t repeats;
	if (gemp_vector_is_wide())
		fill_wide(form, vertices, records, &repeats);
	else
		fill(form, vertices, records, &repeats);
	return repeats;
}
