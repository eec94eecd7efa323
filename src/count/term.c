#include "count/term.h"

#include <stdlib.h>
#include <string.h>

#define BIT(i) ((uint8_t)(1u << (i)))

void gemp_term_set_differ(gemp_term *term, int i, int j, bool apart)
{
	term->differ[i] = (uint8_t)((term->differ[i] & ~BIT(j)) | (apart ? BIT(j) : 0));
	term->differ[j] = (uint8_t)((term->differ[j] & ~BIT(i)) | (apart ? BIT(i) : 0));
}

/* Vertex v gets the number to[v]; two vertices with one number become one. Adjacent vertices differ anyway, so
 * their bits in differ are cleared, which keeps equal terms equal as bytes. */
static gemp_term renumber(const gemp_term *term, const int *to, int size)
{
	gemp_term out = { .size = size, .rooted = term->rooted };
	for (int i = 0; i < term->size; i++)
		for (int j = 0; j < term->size; j++) {
			out.adjacent[to[i]] |= gemp_term_adjacent(term, i, j) ? BIT(to[j]) : 0;
			out.differ[to[i]] |= gemp_term_differ(term, i, j) ? BIT(to[j]) : 0;
		}
	for (int i = 0; i < size; i++)
		out.differ[i] &= (uint8_t)~out.adjacent[i];
	return out;
}

bool gemp_term_merge(const gemp_term *term, int i, int j, gemp_term *out)
{
	int to[GEMP_MAX_TERM], low = i < j ? i : j, high = i < j ? j : i;
	if (gemp_term_adjacent(term, i, j) || (term->rooted && low == 0))
		return false;
	gemp_term free = *term;
	gemp_term_set_differ(&free, i, j, false);
	for (int v = 0; v < term->size; v++)
		to[v] = v == high ? low : v - (v > high);
	*out = renumber(&free, to, term->size - 1);
	return true;
}

gemp_term gemp_term_root(const gemp_term *term, int root)
{
	int to[GEMP_MAX_TERM];
	for (int v = 0; v < term->size; v++)
		to[v] = v == root ? 0 : v + (v < root);
	gemp_term out = renumber(term, to, term->size);
	out.rooted = true;
	for (int v = 1; v < out.size; v++)
		gemp_term_set_differ(&out, 0, v, false);
	return out;
}

/* Backtracking over the images of the remaining vertices; terms have at most 7. */
static bool complete(const gemp_term *term, int to[GEMP_MAX_TERM], unsigned used, int known)
{
	if (known == term->size)
		return true;
	for (int v = 0; v < term->size; v++) {
		bool fits = !(used >> v & 1);
		for (int u = 0; u < known && fits; u++)
			fits = gemp_term_adjacent(term, u, known) == gemp_term_adjacent(term, to[u], v);
		to[known] = v;
		if (fits && complete(term, to, used | 1u << v, known + 1))
			return true;
	}
	return false;
}

/* Puts i first, maps it to j and tries to complete the map to an automorphism. */
bool gemp_term_equivalent(const gemp_term *term, int i, int j)
{
	int to[GEMP_MAX_TERM], first[GEMP_MAX_TERM];
	for (int v = 0; v < term->size; v++)
		first[v] = v == i ? 0 : v + (v < i);
	gemp_term in_front = renumber(term, first, term->size); /* i is 0 */
	to[0] = first[j];
	return complete(&in_front, to, 1u << to[0], 1);
}

/* Every vertex has two neighbours in the set, and walking along them visits all. */
bool gemp_term_cycle(const gemp_term *term, unsigned set, int cycle[GEMP_MAX_TERM])
{
	int length = __builtin_popcount(set), at = __builtin_ctz(set);
	unsigned left = set;
	for (unsigned v = set; v; v &= v - 1)
		if (__builtin_popcount(term->adjacent[__builtin_ctz(v)] & set) != 2)
			return false;
	for (int i = 0; i < length; i++) {
		cycle[i] = at;
		left &= ~(1u << at);
		unsigned next = term->adjacent[at] & left;
		if (!next)
			return i == length - 1;
		at = __builtin_ctz(next);
	}
	return false;
}

bool gemp_term_clique(const gemp_term *term, unsigned set)
{
	for (unsigned v = set; v; v &= v - 1) {
		int i = __builtin_ctz(v);
		if ((term->adjacent[i] & set) != (set & ~(1u << i)))
			return false;
	}
	return true;
}
