#include "query/variant.h"

#include "core/memory.h"

enum { MOST_VARIANTS = 256 };

typedef struct finding {
	const gemp_pattern *pattern;
	const gemp_finder_options *options;
	size_t count;
	gemp_variant *variants; /* [MOST_VARIANTS] */
} finding;

static bool by_orbit(const finding *f)
{
	return f->options->match.distinct == GEMP_BY_ORBIT;
}

static gemp_code make_chain(gemp_variant *v)
{
	int base[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES];
	size_t points = v->derived.pattern->vertex_count + (v->edges ? v->derived.pattern->edge_count : 0);
	for (size_t i = 0; i < points; i++)
		base[i] = (int)i;
	return gemp_chain_new(&v->chain, v->symmetry, base, points);
}

static gemp_code find_crossing(gemp_variant *v, const int *part)
{
	gemp_code code = GEMP_OK;
	const gemp_pattern *pattern = v->derived.pattern;
	GEMP_TRY(GEMP_NEW(v->crossing, pattern->condition_count));
	for (size_t i = 0; i < pattern->condition_count; i++) {
		const gemp_condition *condition = &pattern->conditions[i];
		uint64_t touched = 0;
		for (uint64_t left = condition->vertices; left; left &= left - 1)
			touched |= UINT64_C(1) << part[__builtin_ctzll(left)];
		for (uint64_t left = condition->edges; left; left &= left - 1)
			touched |= UINT64_C(1) << part[pattern->edges[__builtin_ctzll(left)].from];
		if (touched & (touched - 1))
			v->crossing[v->crossing_count++] = condition;
	}
done:
	return code;
}

static gemp_code find_parts(finding *f, gemp_variant *v)
{
	gemp_code code = GEMP_OK;
	int part[GEMP_MAX_PATTERN_VERTICES];
	v->part_count = f->pattern->given ? 1 : (size_t)gemp_pattern_parts(v->derived.pattern, part);
	if (v->part_count == 1)
		return GEMP_OK;
	for (size_t i = 0; i < v->part_count; i++)
		GEMP_TRY(gemp_pattern_part(&v->parts[i], v->derived.pattern, part, (int)i));
	GEMP_TRY(find_crossing(v, part));
	if (by_orbit(f))
		GEMP_TRY(make_chain(v));
done:
	return code;
}

/* Edges have to be told apart where trails could run into others, and where somebody wants them. */
static bool needs_edges(const finding *f, const gemp_variant *v)
{
	bool paths = false, conditions = false;
	const gemp_pattern *pattern = v->derived.pattern;
	for (size_t e = 0; e < f->pattern->edge_count; e++)
		paths = paths || f->pattern->edges[e].path;
	for (size_t i = 0; i < pattern->condition_count; i++)
		conditions = conditions || pattern->conditions[i].edges;
	return f->options->edges || conditions || (paths && f->options->match.semantics != GEMP_HOM) ||
	       f->options->match.semantics == GEMP_EDGE_ISO;
}

static gemp_code derive(finding *f, gemp_variant *v, const uint32_t *length, bool *wanted)
{
	gemp_code code = GEMP_OK;
	bool impossible;
	*v = (gemp_variant){ 0 };
	*wanted = false;
	GEMP_TRY(gemp_pattern_variant(&v->derived, f->pattern, length, f->options->match.semantics, &impossible));
	if (impossible)
		return GEMP_OK;
	*wanted = true;
	v->edges = needs_edges(f, v);
	if (by_orbit(f))
		GEMP_TRY(gemp_symmetry_of_variant(&v->symmetry, f->pattern, length, &v->derived));
	GEMP_TRY(find_parts(f, v));
done:
	return code;
}

/* The next choice of lengths, the last edge counting fastest; false: there is none. */
static bool next_lengths(const gemp_pattern *pattern, uint32_t *length)
{
	for (size_t e = pattern->edge_count; e-- > 0;) {
		if (length[e] < pattern->edges[e].most) {
			length[e]++;
			return true;
		}
		length[e] = pattern->edges[e].least;
	}
	return false;
}

static void free_variant(gemp_variant *v)
{
	for (size_t i = 0; i < v->part_count; i++)
		gemp_match_free(v->matches[i]);
	for (size_t i = 0; v->part_count > 1 && i < v->part_count; i++)
		gemp_derived_free(&v->parts[i]);
	gemp_chain_free(v->chain);
	gemp_symmetry_free(v->symmetry);
	gemp_free(v->crossing);
	gemp_derived_free(&v->derived);
}

/* Variants that differ by an automorphism alone find the same matches: one of them will do. */
static gemp_code add_variant(finding *f, const gemp_symmetry *symmetry, const uint32_t *length)
{
	gemp_code code = GEMP_OK;
	bool wanted = true;
	if (symmetry)
		GEMP_TRY(gemp_lengths_come_first(symmetry, f->pattern, length, &wanted));
	if (!wanted)
		return GEMP_OK;
	if (f->count == MOST_VARIANTS)
		return gemp_fail(GEMP_EUSAGE, "the paths of variable length can have their lengths in more than %d ways; give "
		                 "narrower bounds", MOST_VARIANTS);
	gemp_variant *v = &f->variants[f->count];
	code = derive(f, v, length, &wanted);
	if (code != GEMP_OK || !wanted)
		free_variant(v);
	else
		f->count++;
done:
	return code;
}

gemp_code gemp_variants_find(gemp_variant **out, size_t *count, const gemp_pattern *pattern,
                             const gemp_finder_options *options)
{
	gemp_code code = GEMP_OK;
	finding all = { .pattern = pattern, .options = options }, *f = &all;
	gemp_symmetry *symmetry = NULL;
	uint32_t length[GEMP_MAX_PATTERN_EDGES];
	GEMP_TRY(GEMP_NEW(f->variants, MOST_VARIANTS));
	if (by_orbit(f))
		GEMP_TRY(gemp_symmetry_find(&symmetry, f->pattern, true));
	for (size_t e = 0; e < f->pattern->edge_count; e++)
		length[e] = f->pattern->edges[e].least;
	do
		GEMP_TRY(add_variant(f, symmetry, length));
	while (next_lengths(f->pattern, length));
	*out = f->variants;
	*count = f->count;
	f->variants = NULL;
done:
	gemp_variants_free(f->variants, f->count);
	gemp_symmetry_free(symmetry);
	return code;
}

void gemp_variants_free(gemp_variant *variants, size_t count)
{
	for (size_t i = 0; variants && i < count; i++)
		free_variant(&variants[i]);
	gemp_free(variants);
}
