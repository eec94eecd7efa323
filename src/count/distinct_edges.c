#include "count/distinct_edges.h"

#include "core/status.h"

enum { MAX_COINCIDENCES = 128 };

/* Two edges have one image if the vertices of each of the two pairs have one image. */
typedef struct coincidence {
	int pair[2][2];
} coincidence;

/* The maps of the term without any of the coincidences. */
typedef struct restricted_term {
	gemp_term term;
	int count;
	coincidence coincidences[MAX_COINCIDENCES];
} restricted_term;

/* Do the images of the two vertices always differ? */
static bool always_differ(const gemp_term *term, const int pair[2])
{
	return gemp_term_adjacent(term, pair[0], pair[1]) || gemp_term_differ(term, pair[0], pair[1]);
}

static bool same_pair(const int a[2], const int b[2])
{
	return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

static bool same_coincidence(const coincidence *a, const coincidence *b)
{
	return (same_pair(a->pair[0], b->pair[0]) && same_pair(a->pair[1], b->pair[1])) ||
	       (same_pair(a->pair[0], b->pair[1]) && same_pair(a->pair[1], b->pair[0]));
}

static bool has_coincidence(const restricted_term *r, const coincidence *c)
{
	int i = 0;
	while (i < r->count && !same_coincidence(&r->coincidences[i], c))
		i++;
	return i < r->count;
}

/* Adds a coincidence. If one of its pairs is one vertex, the other pair must differ, and *differs is set if the term
 * did not say so. Coincidences that no map has are left out. Returns false if all maps have the coincidence. */
static bool restrict_term(restricted_term *r, const coincidence *c, bool *differs)
{
	const bool first = c->pair[0][0] == c->pair[0][1], second = c->pair[1][0] == c->pair[1][1];
	const int *other = c->pair[first];
	if (first && second)
		return false;
	if (first || second) {
		*differs |= !always_differ(&r->term, other);
		if (!always_differ(&r->term, other))
			gemp_term_set_differ(&r->term, other[0], other[1], true);
	} else if (!always_differ(&r->term, c->pair[0]) && !always_differ(&r->term, c->pair[1]) && !has_coincidence(r, c)) {
		GEMP_CHECK(r->count < MAX_COINCIDENCES);
		r->coincidences[r->count++] = *c;
	}
	return true;
}

/* Repeats the restriction until no further pair must differ, since each such pair rules out coincidences. Returns false
 * if no map is left. */
static bool reduce(restricted_term *r)
{
	bool differs = true;
	while (differs) {
		const int count = r->count;
		differs = false;
		r->count = 0;
		for (int i = 0; i < count; i++) { /* the list is written behind the place where it is read */
			const coincidence c = r->coincidences[i];
			if (!restrict_term(r, &c, &differs))
				return false;
		}
	}
	return true;
}

/* Merges the two vertices of a pair, as gemp_term_merge numbers the vertices. */
static void merge_pair(restricted_term *r, const int pair[2])
{
	const int low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] + pair[1] - low;
	gemp_term merged;
	GEMP_CHECK(gemp_term_merge(&r->term, low, high, &merged));
	r->term = merged;
	for (int i = 0; i < r->count; i++)
		for (int k = 0; k < 4; k++) {
			int *v = &r->coincidences[i].pair[k / 2][k % 2];
			*v = *v == high ? low : *v - (*v > high);
		}
}

/* The maps with the last coincidence and without the others. The four vertices of a coincidence are different: if the
 * two edges had a common end, its pair would be one vertex, or the other vertex of its pair would be adjacent to it.
 * Merging the first pair therefore leaves the second pair as two vertices. */
static restricted_term with_last(const restricted_term *r)
{
	restricted_term out = *r;
	int pair[2] = { r->coincidences[r->count - 1].pair[0][0], r->coincidences[r->count - 1].pair[0][1] };
	merge_pair(&out, pair);
	pair[0] = out.coincidences[r->count - 1].pair[1][0];
	pair[1] = out.coincidences[r->count - 1].pair[1][1];
	merge_pair(&out, pair);
	out.count--;
	return out;
}

/* The maps without any of k coincidences are all maps, less the maps with coincidence i and without the first i - 1,
 * for each i. The recursion ends since each merge removes a vertex. */
static bool expand(gemp_term_sum *out, const restricted_term *from, int sign)
{
	restricted_term r = *from;
	if (!reduce(&r))
		return true;
	for (; r.count; r.count--) {
		const restricted_term merged = with_last(&r);
		if (!expand(out, &merged, -sign))
			return false;
	}
	if (out->count == GEMP_MAX_SUMMANDS)
		return false;
	out->summands[out->count].term = r.term;
	out->summands[out->count++].sign = sign;
	return true;
}

/* Adds both coincidences of two edges: a[0] with b[0], and a[0] with b[1]. */
static bool restrict_edges(restricted_term *r, const int a[2], const int b[2], bool *differs)
{
	const coincidence straight = { { { a[0], b[0] }, { a[1], b[1] } } }, cross = { { { a[0], b[1] }, { a[1], b[0] } } };
	return restrict_term(r, &straight, differs) && restrict_term(r, &cross, differs);
}

/* Edges with a common end are taken first, because they rule out most coincidences of the others. */
bool gemp_distinct_edges(gemp_term_sum *out, const gemp_term *term, const gemp_term_edges *edges)
{
	restricted_term r = { .term = *term };
	bool differs = false;
	out->count = 0;
	for (int apart = 0; apart < 2; apart++)
		for (size_t e = 0; e < edges->count; e++)
			for (size_t f = 0; f < e; f++) {
				const int *a = edges->ends[e], *b = edges->ends[f];
				const bool share = a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
				if (share == apart || !(edges->differ[e] >> f & 1))
					continue;
				if (r.count + 2 > MAX_COINCIDENCES)
					return false;
				if (!restrict_edges(&r, a, b, &differs))
					return true;
			}
	return expand(out, &r, 1);
}
