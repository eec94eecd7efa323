/* packed_lanes: the steps that make rows canonical (match/distinct/packed_form.h), for LANES rows at a time. A source
 * file includes this text for each number of lanes that it needs, and FOR_LANES(name) is the name for this number. A
 * vector of LANES images must fill one register: the compiler splits a longer one into parts that it keeps in memory.
 * With AVX-512, 16 lanes take 3.8 ns for a row of cycle:4 and 8 lanes 6.6 ns; with AVX2, 8 lanes take 8.4 ns and 16
 * lanes 15 ns (Intel Xeon, 2 cores, 2026-11-29). Without LANES this file is empty. Local. */

#ifdef LANES

/* Images of LANES rows. The steps are written with vectors, since the compiler jams loops over arrays and then does not
 * vectorise them. A comparison gives all ones or 0 for each row. */
typedef uint32_t FOR_LANES(lanes) __attribute__((vector_size(LANES * sizeof(uint32_t))));
#define lanes FOR_LANES(lanes)

/* A macro, since a function without AVX cannot take such vectors. */
#define CHOOSE(mask, yes, no) (((yes) & (mask)) | ((no) & ~(mask)))

/* Adds to *equal in which rows images are equal. */
GEMP_VECTOR_BODY void FOR_LANES(sort_lanes)(const gemp_packed_form *form, lanes *images, lanes *equal)
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
GEMP_VECTOR_BODY void FOR_LANES(choose_lanes)(const gemp_packed_choice *choice, size_t vertices, lanes *images,
                                              lanes *equal)
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
GEMP_VECTOR_BODY uint64_t FOR_LANES(make_canonical)(const gemp_packed_form *form, column *columns)
{
	uint64_t repeats = 0;
	for (size_t first = 0; first < ROWS; first += LANES) {
		lanes images[GEMP_PACKED_VERTICES], equal = { 0 };
		for (size_t v = 0; v < form->vertices; v++)
			memcpy(&images[v], columns[v] + first, sizeof *images);
		FOR_LANES(sort_lanes)(form, images, &equal);
		for (size_t c = 0; c < form->choice_count; c++)
			FOR_LANES(choose_lanes)(&form->choices[c], form->vertices, images, &equal);
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

#undef lanes
#undef CHOOSE

#endif
