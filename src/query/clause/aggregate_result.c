#include "query/clause/aggregate_result.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

/* NUMBERS */

/* The number of distinct values exceeds 63 bits only in theory, but an unnoticed overflow would give a wrong answer. */
static gemp_code finish_count(uint64_t count, gemp_column *out)
{
	if (count > INT64_MAX)
		return gemp_fail(GEMP_EDATA, "a count is %llu, and integers of a row end at 2^63 - 1",
		                 (unsigned long long)count);
	return gemp_column_add(out, &(gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)count });
}

/* Adds both parts of the sum without rounding, divides and rounds. If only the part of 128 bits exists and is a double
 * without rounding, the division of two doubles rounds correctly; the scaling by a power of 2 is exact. */
static gemp_code quotient(const gemp_aggregate *a, size_t group, uint64_t n, double *out)
{
	const __int128 sum = group < a->sum_capacity ? a->sum[group] : 0;
	const int32_t word = a->like.values.type == GEMP_FLOAT ? GEMP_FIXED_WORD : 0;
	const gemp_exact_sum *exact = group < a->exact_capacity ? &a->exact[group] : NULL;
	const double rounded = (double)sum;
	const bool alone = !exact || (!exact->count && !exact->special);
	if (alone && (n == 1 || (n <= UINT64_C(1) << 53 && fabs(rounded) < 0x1p100 && (__int128)rounded == sum))) {
		*out = ldexp(rounded / (double)n, 64 * word);
		return GEMP_OK;
	}
	GEMP_OWNED_BY(gemp_exact_sum_free) gemp_exact_sum whole = { 0 };
	GEMP_TRY(gemp_exact_sum_add_integer(&whole, sum, word));
	if (exact)
		GEMP_TRY(gemp_exact_sum_merge(&whole, exact));
	*out = gemp_exact_sum_round(&whole, n);
	return GEMP_OK;
}

/* Only the result must fit into 64 bits; intermediate sums may be larger. */
static gemp_code finish_sum(const gemp_aggregate *a, size_t group, gemp_column *out)
{
	gemp_value result = { .type = GEMP_FLOAT };
	if (a->like.values.type == GEMP_FLOAT) {
		GEMP_TRY(quotient(a, group, 1, &result.real));
		return gemp_column_add(out, &result);
	}
	const __int128 sum = group < a->sum_capacity ? a->sum[group] : 0;
	if (sum < INT64_MIN || sum > INT64_MAX)
		return gemp_fail(GEMP_EDATA, "a sum of integers passes 64 bits; sum floats instead: sum(1.0 * x)");
	return gemp_column_add(out, &(gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)sum });
}

static gemp_code finish_mean(const gemp_aggregate *a, size_t group, gemp_column *out)
{
	const uint64_t count = group < a->count_capacity ? a->count[group] : 0;
	gemp_value mean = { .type = GEMP_FLOAT, .null = count == 0 };
	if (count)
		GEMP_TRY(quotient(a, group, count, &mean.real));
	return gemp_column_add(out, &mean);
}

static gemp_code finish_extreme(const gemp_aggregate *a, size_t group, gemp_column *out)
{
	gemp_value value = { .type = out->type, .null = true };
	if (group < a->known_capacity && a->known[group])
		value = gemp_order_value(out->type, a->best[group]);
	else if (group < a->extreme_capacity && a->extreme[group].known)
		value = a->extreme[group].value;
	return gemp_column_add(out, &value);
}

/* DISTINCT */

gemp_code gemp_aggregate_members(const gemp_aggregate *a, const gemp_codes *codes, size_t group, gemp_frame_column *out,
                                 size_t *rows)
{
	for (uint32_t at = gemp_bag_first(&a->bag, group); at; at = gemp_bag_next(&a->bag, at))
		GEMP_TRY(gemp_codes_append(codes, out, (*rows)++, gemp_bag_code(&a->bag, at)));
	return GEMP_OK;
}

/* count(DISTINCT) is the number of collected values. For the other kinds each collected value is added once to an
 * aggregate without DISTINCT, whose result is the answer. */
static gemp_code finish_distinct(const gemp_aggregate *a, const gemp_codes *codes, size_t group, gemp_column *out)
{
	GEMP_OWNED_BY(gemp_aggregate_free)
	gemp_aggregate once = { .kind = a->kind, .like = a->like };
	GEMP_OWNED_BY(gemp_frame_column_free)
	gemp_frame_column members = { .kind = a->like.kind, .values = { .type = a->like.values.type } };
	const gemp_frame frame = { .columns = &members, .count = 1 };
	static const uint32_t groups[GEMP_BAG_BLOCK]; /* all are group 0 */
	gemp_grouped_rows rows = { .frame = &frame, .groups = groups, .group_count = 1 };
	size_t count = 0;
	if (a->kind == GEMP_COUNT)
		return finish_count(gemp_bag_count(&a->bag, group), out);
	GEMP_TRY(gemp_aggregate_members(a, codes, group, &members, &count));
	for (; rows.first < count; rows.first += rows.count) {
		rows.count = gemp_min(count - rows.first, (size_t)GEMP_BAG_BLOCK);
		GEMP_TRY(gemp_aggregate_add(&once, &rows, &members, NULL, 0));
	}
	return gemp_aggregate_finish(&once, codes, 0, NULL, out);
}

/* LISTS */

/* A list while it is sorted. order[] is sorted instead of the members, so that members need not move. */
typedef struct list_value {
	const gemp_elements *elements;
	gemp_frame_column members;
	size_t count;
	uint64_t *times, *order; /* [count] */
} list_value;

static void list_value_free(list_value *l)
{
	gemp_frame_column_free(&l->members);
	gemp_free_all(l->times, l->order);
}

/* Elements have the order of ORDER BY, so that lists do not depend on ids or ranks. */
static int compare_members(const void *a, const void *b, void *context)
{
	const list_value *l = context;
	size_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	if (l->members.kind != GEMP_CELL_VALUE)
		return gemp_elements_compare(l->elements, l->members.kind, l->members.elements[x], l->members.elements[y]);
	gemp_value left = gemp_frame_value(&l->members, x), right = gemp_frame_value(&l->members, y);
	return gemp_value_order(&left, &right);
}

/* Prints a vertex as its key, and an edge as its type with the keys of its ends. */
static void print_member(const list_value *l, size_t i, gemp_text *out)
{
	if (l->members.kind == GEMP_CELL_EDGE) {
		const gemp_edge_ends *ends = gemp_elements_ends(l->elements, l->members.elements[i]);
		gemp_value type = gemp_elements_type(l->elements, l->members.elements[i]);
		gemp_value source = gemp_elements_key(l->elements, ends->source);
		gemp_value target = gemp_elements_key(l->elements, ends->target);
		gemp_json_edge(out, &type, &source, &target);
		return;
	}
	gemp_value value = l->members.kind == GEMP_CELL_VERTEX ? gemp_elements_key(l->elements, l->members.elements[i])
	                                                       : gemp_frame_value(&l->members, i);
	gemp_json_value(out, &value);
}

/* Prints the members as JSON in ascending order, each as many times as it was collected. */
static gemp_code print_list(list_value *l, gemp_text *out)
{
	for (size_t i = 0; i < l->count; i++)
		l->order[i] = i;
	qsort_r(l->order, l->count, sizeof *l->order, compare_members, l);
	gemp_text_add(out, "[", 1);
	for (size_t i = 0; i < l->count; i++)
		for (uint64_t k = 0; k < l->times[l->order[i]]; k++) {
			if (out->size > 1)
				gemp_text_add(out, ", ", 2);
			print_member(l, l->order[i], out);
		}
	gemp_text_add(out, "]", 1);
	return gemp_text_status(out);
}

/* The list becomes a string of JSON. Of later expressions only size() reads the members again. */
static gemp_code finish_list(const gemp_aggregate *a, const gemp_codes *codes, size_t group,
                             const gemp_elements *elements, gemp_column *out)
{
	GEMP_OWNED_BY(list_value_free)
	list_value l = { .elements = elements,
		             .members = { .kind = a->like.kind, .values = { .type = a->like.values.type } } };
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	size_t values = gemp_bag_count(&a->bag, group), i = 0;
	GEMP_TRY(GEMP_NEW(l.times, values));
	GEMP_TRY(GEMP_NEW(l.order, values));
	GEMP_TRY(gemp_aggregate_members(a, codes, group, &l.members, &l.count));
	for (uint32_t at = gemp_bag_first(&a->bag, group); at; at = gemp_bag_next(&a->bag, at))
		l.times[i++] = a->distinct ? 1 : gemp_bag_times(&a->bag, at);
	GEMP_TRY(print_list(&l, &text));
	return gemp_column_add(out, &(gemp_value){ .type = GEMP_LIST, .string = { text.data, text.size } });
}

/* A group whose arrays were never allocated has the result for no values: 0 for counts and sums, NULL for the other
 * kinds. */
gemp_code gemp_aggregate_finish(const gemp_aggregate *a, const gemp_codes *codes, size_t group,
                                const gemp_elements *elements, gemp_column *out)
{
	if (a->kind == GEMP_COLLECT)
		return finish_list(a, codes, group, elements, out);
	if (gemp_aggregate_collects(a))
		return finish_distinct(a, codes, group, out);
	switch (a->kind) {
	case GEMP_SUM: return finish_sum(a, group, out);
	case GEMP_AVG: return finish_mean(a, group, out);
	case GEMP_MIN:
	case GEMP_MAX: return finish_extreme(a, group, out);
	default: return finish_count(group < a->count_capacity ? a->count[group] : 0, out);
	}
}
