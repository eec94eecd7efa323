/* Stabiliser chains by Schreier-Sims (Sims 1970; Seress, Permutation Group Algorithms, 2003). Permutations are arrays
 * of bytes, since there are at most 96 points. The canonical tuple is found greedily along the chain; a search follows
 * only where equal values leave a choice.
 */

#include "pattern/symmetry/permutation_group.h"

#include "core/memory.h"

#include <string.h>

typedef uint8_t gemp_point;

void gemp_symmetry_free(gemp_symmetry *symmetry)
{
	if (!symmetry)
		return;
	gemp_free_all(symmetry->images, symmetry);
}

/* One level of the chain: the stabiliser of the points before it in the base, and the orbit of its own point. */
typedef struct level {
	gemp_point base;
	size_t orbit_size;
	gemp_point orbit[GEMP_MAX_POINTS]; /* base first */
	int points[GEMP_MAX_POINTS];       /* the same, for callers */
	bool in_orbit[GEMP_MAX_POINTS];
	gemp_point *to[GEMP_MAX_POINTS]; /* [points] a permutation of this level that maps base to the point */
	size_t count, capacity;          /* generators of this level that deeper ones do not have */
	struct generator {
		gemp_point *images; /* [points] */
		size_t done;        /* orbit points that it was applied to */
	} * generators;
} level;

/* The stabiliser chain of a group along a base (Sims 1970); level 0 is the whole group. */
struct gemp_stab_chain {
	size_t points, levels;
	level *level;                                 /* [levels] */
	size_t moving[GEMP_MAX_POINTS], moving_count; /* levels with more than one point in the orbit */
};

/* |G| is the product of the orbit sizes along any base. */
gemp_code gemp_symmetry_finish(gemp_symmetry *symmetry)
{
	const int *orbit;
	GEMP_OWNED_BY(gemp_stab_chain_free_at) gemp_stab_chain *chain = NULL;
	GEMP_TRY(gemp_stab_chain_new(&chain, symmetry, NULL, symmetry->points));
	symmetry->order = 1;
	for (size_t i = 0; i < symmetry->points; i++) {
		size_t size = gemp_stab_chain_orbit(chain, i, &orbit);
		if (__builtin_mul_overflow(symmetry->order, size, &symmetry->order))
			symmetry->overflow = true;
	}
	if (symmetry->overflow)
		symmetry->order = UINT64_MAX;
	return GEMP_OK;
}

/* Computed once, when the group is finished. */
uint64_t gemp_symmetry_order(const gemp_symmetry *symmetry, bool *overflow)
{
	*overflow = symmetry->overflow;
	return symmetry->order;
}

/* The level owns the copy. */
static gemp_code copy_permutation(const gemp_stab_chain *chain, const gemp_point *from, gemp_point **out)
{
	return GEMP_COPY(*out, from, chain->points);
}

/* The product applies `first`, then `second`. */
static void multiply(size_t points, const gemp_point *first, const gemp_point *second, gemp_point *out)
{
	for (size_t i = 0; i < points; i++)
		out[i] = second[first[i]];
}

/* The image of each point gets the point itself. */
static void invert(size_t points, const gemp_point *permutation, gemp_point *out)
{
	for (size_t i = 0; i < points; i++)
		out[permutation[i]] = (gemp_point)i;
}

/* Divides the permutation by coset representatives from level `from` on. Returns true if only the identity is left: the
 * permutation is then in the group (Seress 2003, section 4.1). */
static bool sift(const gemp_stab_chain *chain, size_t from, gemp_point *permutation)
{
	gemp_point inverse[GEMP_MAX_POINTS], product[GEMP_MAX_POINTS];
	for (size_t i = from; i < chain->levels; i++) {
		const level *level = &chain->level[i];
		gemp_point image = permutation[level->base];
		if (image == level->base)
			continue;
		if (!level->in_orbit[image])
			return false;
		invert(chain->points, level->to[image], inverse);
		multiply(chain->points, permutation, inverse, product);
		memcpy(permutation, product, chain->points);
	}
	return true; /* a permutation that fixes every point of the base changes no tuple */
}

static gemp_code insert_generator(gemp_stab_chain *chain, size_t at, const gemp_point *permutation);

/* One generator on one point of the orbit gives a new orbit point, or a Schreier generator, which must lie in the
 * stabiliser one level below. */
static gemp_code apply_generator(gemp_stab_chain *chain, size_t at, const gemp_point *generator, gemp_point point)
{
	level *level = &chain->level[at];
	gemp_point image = generator[point], product[GEMP_MAX_POINTS];
	multiply(chain->points, level->to[point], generator, product);
	if (!level->in_orbit[image]) {
		level->in_orbit[image] = true;
		level->orbit[level->orbit_size++] = image;
		return copy_permutation(chain, product, &level->to[image]);
	}
	gemp_point inverse[GEMP_MAX_POINTS], schreier[GEMP_MAX_POINTS];
	invert(chain->points, level->to[image], inverse);
	multiply(chain->points, product, inverse, schreier);
	return sift(chain, at + 1, schreier) ? GEMP_OK : insert_generator(chain, at + 1, schreier);
}

/* Schreier-Sims: every pair of a generator and an orbit point is applied once; `done` counts the points that a
 * generator has been applied to. */
static gemp_code extend_orbit(gemp_stab_chain *chain, size_t at)
{
	level *level = &chain->level[at];
	for (bool more = true; more;) {
		more = false;
		for (size_t g = 0; g < level->count; g++) {
			while (level->generators[g].done < level->orbit_size) {
				gemp_point point = level->orbit[level->generators[g].done++];
				GEMP_TRY(apply_generator(chain, at, level->generators[g].images, point));
				more = true;
			}
		}
	}
	return GEMP_OK;
}

/* Adds a permutation that fixes base[0..at-1] and is not in the group yet, and completes the level's orbit with
 * it. */
static gemp_code insert_generator(gemp_stab_chain *chain, size_t at, const gemp_point *permutation)
{
	level *level = &chain->level[at];
	GEMP_TRY(GEMP_RESERVE(level->generators, level->capacity, level->count + 1));
	struct generator *generator = &level->generators[level->count];
	generator->done = 0;
	GEMP_TRY(copy_permutation(chain, permutation, &generator->images));
	level->count++;
	return extend_orbit(chain, at);
}

/* Level i starts as the trivial group: its orbit is base[i], reached by the identity. */
static gemp_code set_base(gemp_stab_chain *chain, const int *base)
{
	gemp_point identity[GEMP_MAX_POINTS];
	for (size_t i = 0; i < chain->points; i++)
		identity[i] = (gemp_point)i;
	for (size_t i = 0; i < chain->levels; i++) {
		level *level = &chain->level[i];
		level->base = level->orbit[0] = base ? (gemp_point)base[i] : (gemp_point)i;
		level->orbit_size = 1;
		level->in_orbit[level->base] = true;
		GEMP_TRY(copy_permutation(chain, identity, &level->to[level->base]));
	}
	return GEMP_OK;
}

/* Copies orbits for callers, and lists the levels that move something, which is all that canonical tuples need. */
static void finish_levels(gemp_stab_chain *chain)
{
	for (size_t i = 0; i < chain->levels; i++) {
		level *level = &chain->level[i];
		for (size_t j = 0; j < level->orbit_size; j++)
			level->points[j] = level->orbit[j];
		if (level->orbit_size > 1)
			chain->moving[chain->moving_count++] = i;
	}
}

/* Along a base of vertices only, permutations act on vertices, and edges are ignored. */
gemp_code gemp_stab_chain_new(gemp_stab_chain **out, const gemp_symmetry *symmetry, const int *base, size_t base_size)
{
	GEMP_OWNED_BY(gemp_stab_chain_free_at) gemp_stab_chain *chain = NULL;
	GEMP_CHECK(base_size == symmetry->points || base_size == symmetry->vertices);
	GEMP_TRY(GEMP_NEW(chain, 1));
	chain->points = base_size;
	GEMP_TRY(GEMP_NEW(chain->level, base_size));
	chain->levels = base_size;
	GEMP_TRY(set_base(chain, base));
	for (size_t g = 0; g < symmetry->count; g++) {
		gemp_point permutation[GEMP_MAX_POINTS], rest[GEMP_MAX_POINTS];
		for (size_t i = 0; i < base_size; i++)
			rest[i] = permutation[i] = (gemp_point)symmetry->images[g * symmetry->points + i];
		if (!sift(chain, 0, rest))
			GEMP_TRY(insert_generator(chain, 0, permutation));
	}
	finish_levels(chain);
	*out = chain;
	chain = NULL;
	return GEMP_OK;
}

/* Also frees a chain that was built only partly: absent permutations are NULL. */
void gemp_stab_chain_free(gemp_stab_chain *chain)
{
	if (!chain)
		return;
	for (size_t i = 0; i < chain->levels; i++) {
		level *level = &chain->level[i];
		for (size_t j = 0; j < chain->points; j++)
			gemp_free(level->to[j]);
		for (size_t g = 0; g < level->count; g++)
			gemp_free(level->generators[g].images);
		gemp_free(level->generators);
	}
	gemp_free_all(chain->level, chain);
}

/* Under the trivial group every tuple is canonical, so that callers may skip the work. */
bool gemp_stab_chain_is_trivial(const gemp_stab_chain *chain)
{
	return chain->moving_count == 0;
}

/* The base point comes first. */
size_t gemp_stab_chain_orbit(const gemp_stab_chain *chain, size_t index, const int **orbit)
{
	GEMP_CHECK(index < chain->levels);
	*orbit = chain->level[index].points;
	return chain->level[index].orbit_size;
}

/* The tuple o to: the value of point to[i] moves to point i. */
static void permute_tuple(const gemp_stab_chain *chain, const uint64_t *tuple, const gemp_point *to, uint64_t *out)
{
	for (size_t i = 0; i < chain->points; i++)
		out[i] = tuple[to[i]];
}

/* The smallest value among the points to which the level can move. */
static uint64_t smallest_image(const level *level, const uint64_t *tuple)
{
	uint64_t value = tuple[level->base];
	for (size_t i = 1; i < level->orbit_size; i++)
		if (tuple[level->orbit[i]] < value)
			value = tuple[level->orbit[i]];
	return value;
}

/* True if a quick test finds that b is a o g for some g of the levels from `from` on. A false negative is harmless:
 * both branches are searched then. */
static bool is_known_image(const gemp_stab_chain *chain, size_t from, const uint64_t *a, const uint64_t *b)
{
	uint64_t moved[GEMP_MAX_POINTS], next[GEMP_MAX_POINTS];
	memcpy(moved, a, chain->points * sizeof *moved);
	for (size_t m = from; m < chain->moving_count; m++) {
		const level *level = &chain->level[chain->moving[m]];
		size_t i = 0;
		while (i < level->orbit_size && moved[level->orbit[i]] != b[level->base])
			i++;
		if (i == level->orbit_size)
			return false;
		permute_tuple(chain, moved, level->to[level->orbit[i]], next);
		memcpy(moved, next, chain->points * sizeof *moved);
	}
	return memcmp(moved, b, chain->points * sizeof *b) == 0;
}

/* The search of a canonical tuple where several images are equal. */
typedef struct canonical_search {
	const gemp_stab_chain *chain;
	bool found;
	uint64_t best[GEMP_MAX_POINTS];
} canonical_search;

/* Compares the tuple with the best one along base[0..levels): negative, 0 or positive. */
static int against_best(const canonical_search *s, const uint64_t *tuple, size_t levels)
{
	for (size_t i = 0; i < levels; i++) {
		gemp_point point = s->chain->level[i].base;
		if (tuple[point] != s->best[point])
			return tuple[point] < s->best[point] ? -1 : 1;
	}
	return 0;
}

/* Finds the best of tuple o g over the levels from moving[m] on. It follows every choice of the smallest value, except
 * choices known to be equivalent to an earlier choice, and tuples that are worse than the best tuple so far. */
static void descend(canonical_search *s, size_t m, const uint64_t *tuple)
{
	const gemp_stab_chain *chain = s->chain;
	bool last = m == chain->moving_count;
	if (s->found && against_best(s, tuple, last ? chain->levels : chain->moving[m]) > 0)
		return;
	if (last) {
		if (!s->found || against_best(s, tuple, chain->levels) < 0)
			memcpy(s->best, tuple, chain->points * sizeof *tuple);
		s->found = true;
		return;
	}
	const level *level = &chain->level[chain->moving[m]];
	uint64_t value = smallest_image(level, tuple), next[GEMP_MAX_POINTS], other[GEMP_MAX_POINTS];
	for (size_t i = 0; i < level->orbit_size; i++) {
		if (tuple[level->orbit[i]] != value)
			continue;
		permute_tuple(chain, tuple, level->to[level->orbit[i]], next);
		bool known = false;
		for (size_t j = 0; j < i && !known; j++) {
			if (tuple[level->orbit[j]] != value)
				continue;
			permute_tuple(chain, tuple, level->to[level->orbit[j]], other);
			known = is_known_image(chain, m + 1, other, next);
		}
		if (!known)
			descend(s, m + 1, next);
	}
}

/* Greedy while each smallest image is unique, which is the rule where images are distinct; a search follows only equal
 * images. */
void gemp_stab_chain_canonical(const gemp_stab_chain *chain, uint64_t *tuple)
{
	uint64_t next[GEMP_MAX_POINTS];
	size_t m = 0;
	for (; m < chain->moving_count; m++) {
		const level *level = &chain->level[chain->moving[m]];
		uint64_t value = smallest_image(level, tuple);
		size_t chosen = level->orbit_size, times = 0;
		for (size_t i = 0; i < level->orbit_size; i++)
			if (tuple[level->orbit[i]] == value)
				chosen = times++ ? chosen : i;
		if (times > 1)
			break;
		if (chosen == 0)
			continue;
		permute_tuple(chain, tuple, level->to[level->orbit[chosen]], next);
		memcpy(tuple, next, chain->points * sizeof *tuple);
	}
	if (m == chain->moving_count)
		return;
	canonical_search s = { .chain = chain };
	descend(&s, m, tuple);
	memcpy(tuple, s.best, chain->points * sizeof *tuple);
}

/* Without branches that depend on the images, since a processor would guess half of them wrongly. The permutation of
 * the first point is the identity. `points` is a constant for most groups, so the compiler unrolls the inner loop. */
static inline const uint32_t *canonical_words(const gemp_stab_chain *chain, const uint32_t *tuple,
                                              uint32_t scratch[2][GEMP_MAX_POINTS], const size_t points)
{
	bool equal = false;
	for (size_t m = 0; m < chain->moving_count; m++) {
		const level *level = &chain->level[chain->moving[m]];
		uint32_t smallest = tuple[level->base], *next = scratch[m & 1];
		size_t chosen = 0;
		for (size_t i = 1; i < level->orbit_size; i++) {
			const uint32_t value = tuple[level->orbit[i]];
			equal |= value == smallest;
			chosen = value < smallest ? i : chosen;
			smallest = value < smallest ? value : smallest;
		}
		const gemp_point *to = level->to[level->orbit[chosen]];
		for (size_t i = 0; i < points; i++)
			next[i] = tuple[to[i]];
		tuple = next;
	}
	return equal ? NULL : tuple;
}

const uint32_t *gemp_stab_chain_canonical_words(const gemp_stab_chain *chain, const uint32_t *tuple,
                                                uint32_t scratch[2][GEMP_MAX_POINTS])
{
	switch (chain->points) {
	case 3: return canonical_words(chain, tuple, scratch, 3);
	case 4: return canonical_words(chain, tuple, scratch, 4);
	case 5: return canonical_words(chain, tuple, scratch, 5);
	case 6: return canonical_words(chain, tuple, scratch, 6);
	default: return canonical_words(chain, tuple, scratch, chain->points);
	}
}

size_t gemp_stab_chain_moving(const gemp_stab_chain *chain)
{
	return chain->moving_count;
}

size_t gemp_stab_chain_choices(const gemp_stab_chain *chain, size_t m, const uint8_t **orbit)
{
	const level *level = &chain->level[chain->moving[m]];
	*orbit = level->orbit;
	return level->orbit_size;
}

const uint8_t *gemp_stab_chain_choice(const gemp_stab_chain *chain, size_t m, size_t i)
{
	const level *level = &chain->level[chain->moving[m]];
	return level->to[level->orbit[i]];
}
