/* Automorphisms of patterns with paths of variable length, carried over to their variants. */
#include "core/memory.h"
#include "pattern/derive.h"
#include "pattern/group.h"

#include <string.h>

enum { LENGTHS = 1 << 16 }; /* more than any path has */

/* Of the pattern with each path told apart by its length, beside its bounds: they keep the lengths. */
static gemp_code keeping_lengths(gemp_symmetry **out, const gemp_pattern *pattern, const uint32_t *length)
{
	gemp_code code = GEMP_OK;
	gemp_pattern fixed = *pattern;
	GEMP_TRY(GEMP_NEW(fixed.edges, pattern->edge_count));
	memcpy(fixed.edges, pattern->edges, pattern->edge_count * sizeof *fixed.edges);
	for (size_t e = 0; e < pattern->edge_count; e++)
		fixed.edges[e].least = LENGTHS * pattern->edges[e].least + length[e];
	code = gemp_symmetry_find(out, &fixed, true);
done:
	gemp_free(fixed.edges);
	return code;
}

typedef struct lifting {
	const gemp_pattern *pattern;
	const uint32_t *length;
	const gemp_derived *variant;
} lifting;

/* A path goes to a path of the same length; against its direction, if its beginning goes to the other's end. */
static void lift_path(const lifting *l, const int *images, size_t e, int *out)
{
	const gemp_derived *d = l->variant;
	size_t vertices = l->pattern->vertex_count, f = (size_t)images[vertices + e] - vertices;
	int points = (int)d->pattern->vertex_count, length = (int)l->length[e];
	bool turned = images[l->pattern->edges[e].from] != l->pattern->edges[f].from;
	for (int i = 0; i < length; i++)
		out[points + d->edge[e] + i] = points + d->edge[f] + (turned ? length - 1 - i : i);
	for (int i = 0; i + 1 < length; i++)
		out[d->path[e] + i] = d->path[f] + (turned ? length - 2 - i : i);
}

static void lift(const lifting *l, const int *images, int *out)
{
	const gemp_derived *d = l->variant;
	for (size_t v = 0; v < l->pattern->vertex_count; v++)
		out[d->vertex[v]] = d->vertex[images[v]];
	for (size_t e = 0; e < l->pattern->edge_count; e++)
		if (l->length[e])
			lift_path(l, images, e, out);
}

gemp_code gemp_symmetry_of_variant(gemp_symmetry **out, const gemp_pattern *pattern, const uint32_t *length,
                                   const gemp_derived *variant)
{
	gemp_code code = GEMP_OK;
	gemp_symmetry *base = NULL, *lifted = NULL;
	const lifting l = { pattern, length, variant };
	GEMP_TRY(keeping_lengths(&base, pattern, length));
	GEMP_TRY(GEMP_NEW(lifted, 1));
	lifted->vertices = variant->pattern->vertex_count;
	lifted->points = lifted->vertices + variant->pattern->edge_count;
	GEMP_TRY(GEMP_NEW(lifted->images, base->count * lifted->points));
	for (; lifted->count < base->count; lifted->count++)
		lift(&l, base->images + lifted->count * base->points, lifted->images + lifted->count * lifted->points);
	GEMP_TRY(gemp_symmetry_finish(lifted));
	*out = lifted;
	lifted = NULL;
done:
	gemp_symmetry_free(lifted);
	gemp_symmetry_free(base);
	return code;
}

/* CLASSES of lengths: what the generators make of them, breadth first. */
enum { MOST_ASSIGNMENTS = 65536 };

typedef struct assignments {
	size_t width, count, capacity;
	uint32_t *lengths; /* [count * width] */
} assignments;

static gemp_code add(assignments *all, const uint32_t *lengths)
{
	for (size_t i = 0; i < all->count; i++)
		if (memcmp(all->lengths + i * all->width, lengths, all->width * sizeof *lengths) == 0)
			return GEMP_OK;
	if (all->count == MOST_ASSIGNMENTS)
		return gemp_fail(GEMP_EUSAGE, "the paths of variable length can have their lengths in more than %d ways; give "
		                 "narrower bounds", MOST_ASSIGNMENTS);
	gemp_code code = GEMP_RESERVE(all->lengths, all->capacity, (all->count + 1) * all->width);
	if (code == GEMP_OK)
		memcpy(all->lengths + all->count++ * all->width, lengths, all->width * sizeof *lengths);
	return code;
}

static bool earlier(const uint32_t *a, const uint32_t *b, size_t width)
{
	for (size_t i = 0; i < width; i++)
		if (a[i] != b[i])
			return a[i] < b[i];
	return false;
}

gemp_code gemp_lengths_come_first(const gemp_symmetry *symmetry, const gemp_pattern *pattern, const uint32_t *length,
                                  bool *first)
{
	gemp_code code = GEMP_OK;
	assignments all = { .width = pattern->edge_count };
	uint32_t image[GEMP_MAX_PATTERN_EDGES];
	*first = true;
	if (all.width == 0)
		return GEMP_OK;
	GEMP_TRY(add(&all, length));
	for (size_t i = 0; i < all.count && *first; i++)
		for (size_t g = 0; g < symmetry->count && *first; g++) {
			const int *images = symmetry->images + g * symmetry->points;
			for (size_t e = 0; e < all.width; e++)
				image[(size_t)images[pattern->vertex_count + e] - pattern->vertex_count] = all.lengths[i * all.width + e];
			*first = !earlier(image, length, all.width);
			GEMP_TRY(add(&all, image));
		}
done:
	gemp_free(all.lengths);
	return code;
}
