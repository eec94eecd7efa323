/* Rows are added in blocks. The first loop over a block drops NULLs and lists the groups, positions and multiplicities
 * of the remaining cells; the second loop is one for each kind and type, without a call for each value. */

#include "query/clause/aggregate.h"

#include "core/memory.h"
#include "graph/column.h"

#include <stdlib.h>
#include <string.h>

static bool is_sum(const gemp_aggregate *a)
{
	return a->kind == GEMP_SUM || a->kind == GEMP_AVG;
}

static bool is_min_max(const gemp_aggregate *a)
{
	return a->kind == GEMP_MIN || a->kind == GEMP_MAX;
}

/* sum has no count: the sum of no values is 0. */
static bool is_counted(const gemp_aggregate *a)
{
	return a->kind == GEMP_COUNT || a->kind == GEMP_COUNT_STAR || a->kind == GEMP_AVG;
}

/* DISTINCT and collect keep all distinct values until the end, because other ranks may have the same values. min and
 * max do not, because DISTINCT does not change their result. */
bool gemp_aggregate_collects(const gemp_aggregate *a)
{
	return a->kind == GEMP_COLLECT || (a->distinct && !is_min_max(a));
}

/* No state is allocated here. The first values allocate the states of all groups so far. */
void gemp_aggregate_init(gemp_aggregate *a, const gemp_expr *expr, const gemp_frame_column *argument)
{
	*a = (gemp_aggregate){ .kind = expr->kind, .distinct = expr->distinct };
	if (argument) {
		a->like.kind = argument->kind;
		a->like.values.type = argument->values.type;
	}
}

/* Frees the arrays and the memory that their elements own: words of exact sums, and bytes of strings. */
void gemp_aggregate_free(gemp_aggregate *a)
{
	for (size_t g = 0; g < a->exact_capacity; g++)
		gemp_exact_sum_free(&a->exact[g]);
	for (size_t g = 0; g < a->extreme_capacity; g++)
		if (a->extreme[g].capacity)
			gemp_free((char *)a->extreme[g].value.string.bytes);
	gemp_free_all(a->count, a->sum, a->exact, a->best, a->known, a->extreme);
	gemp_bag_free(&a->bag);
	*a = (gemp_aggregate){ .kind = a->kind, .distinct = a->distinct, .like = a->like };
}

/* Returns an estimate for the memory budget. Exact sums and strings count with a usual size, so that they need not be
 * visited. */
size_t gemp_aggregate_memory(const gemp_aggregate *a)
{
	enum { USUAL_BYTES = 32 };
	return a->count_capacity * sizeof *a->count + a->sum_capacity * sizeof *a->sum +
	       a->best_capacity * sizeof *a->best + a->known_capacity * sizeof *a->known +
	       a->exact_capacity * (sizeof *a->exact + USUAL_BYTES) +
	       a->extreme_capacity * (sizeof *a->extreme + USUAL_BYTES) + gemp_bag_memory(&a->bag);
}

/* min and max have the type of their argument. A sum of floats is a float. Every other sum is an integer. */
gemp_type gemp_aggregate_type(const gemp_expr *expr, gemp_type argument)
{
	switch (expr->kind) {
	case GEMP_COUNT_STAR:
	case GEMP_COUNT: return GEMP_INTEGER;
	case GEMP_AVG: return GEMP_FLOAT;
	case GEMP_COLLECT: return GEMP_LIST;
	case GEMP_SUM: return argument == GEMP_FLOAT ? GEMP_FLOAT : GEMP_INTEGER;
	default: return argument;
	}
}

/* Makes the arrays long enough for `groups` groups. A bag makes its own. */
static gemp_code reserve_groups(gemp_aggregate *a, size_t groups)
{
	if (groups == 0 || gemp_aggregate_collects(a))
		return GEMP_OK;
	if (is_counted(a))
		GEMP_TRY(GEMP_RESERVE_GROUP(a->count, a->count_capacity, groups - 1));
	if (is_sum(a))
		GEMP_TRY(GEMP_RESERVE_GROUP(a->sum, a->sum_capacity, groups - 1));
	if (!is_min_max(a))
		return GEMP_OK;
	if (gemp_is_text(a->like.values.type))
		return GEMP_RESERVE_GROUP(a->extreme, a->extreme_capacity, groups - 1);
	GEMP_TRY(GEMP_RESERVE_GROUP(a->best, a->best_capacity, groups - 1));
	return GEMP_RESERVE_GROUP(a->known, a->known_capacity, groups - 1);
}

/* VALUES */

/* The cells of a block that are not NULL. */
typedef struct cells {
	const gemp_column *values; /* NULL: of elements, or of count(*) */
	bool folded;               /* a value is the sum of the values for which it counts */
	size_t count;
	uint32_t group[GEMP_BAG_BLOCK];
	size_t at[GEMP_BAG_BLOCK]; /* rows of `values`, or of the frame */
	uint64_t times[GEMP_BAG_BLOCK];
} cells;

/* A cell of a column with a dictionary is found at the position of the dictionary's row. */
static void list_cells(const gemp_grouped_rows *r, const gemp_frame_column *argument, cells *out)
{
	const uint64_t *times = argument && argument->folded ? argument->folded : r->frame->multiplicity;
	const bool dictionary = argument && argument->dictionary;
	const bool has_elements = argument && argument->kind != GEMP_CELL_VALUE;
	out->values = dictionary ? argument->dictionary : argument && !has_elements ? &argument->values : NULL;
	const uint8_t *null = out->values ? out->values->null : NULL;
	size_t n = 0;
	out->folded = argument && argument->folded;
	for (size_t i = 0; i < r->count; i++) {
		const size_t row = r->first + (r->rows ? r->rows[i] : i);
		size_t at = row;
		if (dictionary) {
			at = argument->index[row];
			if (at == GEMP_NO_ROW)
				continue;
		}
		if ((null && null[at]) || (has_elements && argument->elements[row] == GEMP_NO_ELEMENT))
			continue;
		out->group[n] = r->groups[i];
		out->at[n] = at;
		out->times[n] = times ? times[row] : 1;
		n += out->times[n] > 0;
	}
	out->count = n;
}

/* Counts are exact up to 2^63 - 1, the largest integer that a row can hold. */
static gemp_code add_counts(gemp_aggregate *a, const uint32_t *groups, const uint64_t *times, size_t count)
{
	bool passed = false;
	for (size_t i = 0; i < count; i++) {
		uint64_t *sum = &a->count[groups[i]];
		*sum += times[i];
		passed |= *sum < times[i] || *sum > INT64_MAX;
	}
	return passed ? gemp_fail(GEMP_EDATA, "a count passes 64 bits; group by more, or count less") : GEMP_OK;
}

/* Adds value * times in units of 2^-64 if that is exact: the bits of the mantissa lie between 2^-64 and 2^62. Returns
 * false, and adds nothing, for all other numbers. */
static bool add_fixed(__int128 *sum, double value, uint64_t times)
{
	enum { MANTISSA = 52, UNIT = 64, BIAS = 1023, LARGEST = 62 };
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	const int exponent = (int)(bits >> MANTISSA & 0x7ff), shift = exponent - BIAS - MANTISSA + UNIT;
	uint64_t mantissa = (bits & ((UINT64_C(1) << MANTISSA) - 1)) | UINT64_C(1) << MANTISSA;
	if (exponent == 0 && bits << 1 == 0)
		return true;
	if (exponent == 0 || exponent - BIAS >= LARGEST || shift < -MANTISSA)
		return false;
	if (shift < 0 && mantissa & ((UINT64_C(1) << -shift) - 1))
		return false;
	const __int128 size = shift < 0 ? (__int128)(mantissa >> -shift) : (__int128)mantissa << shift;
	__int128 product, total;
	if (__builtin_mul_overflow(bits >> 63 ? -size : size, times, &product) ||
	    __builtin_add_overflow(*sum, product, &total))
		return false;
	*sum = total;
	return true;
}

static gemp_code add_floats(gemp_aggregate *a, const cells *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const size_t group = c->group[i];
		const double value = c->values->floats[c->at[i]];
		if (add_fixed(&a->sum[group], value, c->times[i]))
			continue;
		GEMP_TRY(GEMP_RESERVE_GROUP(a->exact, a->exact_capacity, group));
		GEMP_TRY(gemp_exact_sum_add(&a->exact[group], value, c->times[i]));
	}
	return GEMP_OK;
}

static gemp_code add_sums(gemp_aggregate *a, const cells *c)
{
	if (a->like.values.type == GEMP_FLOAT)
		return add_floats(a, c);
	GEMP_CHECK(a->like.values.type == GEMP_INTEGER);
	for (size_t i = 0; i < c->count; i++)
		a->sum[c->group[i]] += (__int128)c->values->integers[c->at[i]] * (__int128)(c->folded ? 1 : c->times[i]);
	return GEMP_OK;
}

/* A string is copied, because its frame does not outlive the call. */
static gemp_code store_text(gemp_min_max *best, const gemp_value *value)
{
	char *bytes = best->capacity ? (char *)best->value.string.bytes : NULL;
	size_t size = value->string.size;
	best->known = true;
	gemp_code code = GEMP_RESERVE(bytes, best->capacity, size + 1);
	if (bytes) {
		if (code == GEMP_OK && size)
			memcpy(bytes, value->string.bytes, size);
		best->value = (gemp_value){ .type = value->type, .string = { bytes, size } };
	}
	return code;
}

static gemp_code better_text(gemp_aggregate *a, size_t group, const gemp_value *value)
{
	gemp_min_max *best = &a->extreme[group];
	int order = best->known ? gemp_value_order(value, &best->value) : 0;
	if (!best->known || (a->kind == GEMP_MIN ? order < 0 : order > 0))
		GEMP_TRY(store_text(best, value));
	return GEMP_OK;
}

static void better_number(gemp_aggregate *a, size_t group, uint64_t bits)
{
	if (!a->known[group] || (a->kind == GEMP_MIN ? bits < a->best[group] : bits > a->best[group]))
		a->best[group] = bits;
	a->known[group] = 1;
}

/* The bits are those of gemp_order_bits, without a general value for each integer. */
static void add_integer_extremes(gemp_aggregate *a, const cells *c)
{
	const int64_t *integers = c->values->integers;
	for (size_t i = 0; i < c->count; i++)
		better_number(a, c->group[i], (uint64_t)integers[c->at[i]] ^ UINT64_C(1) << 63);
}

static gemp_code add_extremes(gemp_aggregate *a, const cells *c)
{
	if (c->values->type == GEMP_INTEGER) {
		add_integer_extremes(a, c);
		return GEMP_OK;
	}
	for (size_t i = 0; i < c->count; i++) {
		const gemp_value value = gemp_column_get(c->values, c->at[i]);
		if (gemp_is_text(value.type))
			GEMP_TRY(better_text(a, c->group[i], &value));
		else
			better_number(a, c->group[i], gemp_order_bits(&value));
	}
	return GEMP_OK;
}

/* NULL has a code of its own, so the argument itself is not read. */
static gemp_code collect(gemp_aggregate *a, const gemp_grouped_rows *r, const uint32_t *codes, size_t codes_first)
{
	uint64_t pairs[GEMP_BAG_BLOCK], times[GEMP_BAG_BLOCK];
	size_t n = 0;
	for (size_t i = 0; i < r->count; i++) {
		const size_t row = r->first + (r->rows ? r->rows[i] : i);
		const uint32_t code = codes[row - codes_first];
		if (code == GEMP_NULL_CODE)
			continue;
		pairs[n] = gemp_bag_pair(r->groups[i], code);
		times[n++] = r->frame->multiplicity ? r->frame->multiplicity[row] : 1;
	}
	return gemp_bag_add(&a->bag, pairs, times, n, r->group_count);
}

/* Aggregates skip NULL. count(*) has no argument and counts every row. */
gemp_code gemp_aggregate_add(gemp_aggregate *a, const gemp_grouped_rows *rows, const gemp_frame_column *argument,
                             const uint32_t *codes, size_t codes_first)
{
	cells c;
	if (gemp_aggregate_collects(a))
		return collect(a, rows, codes, codes_first);
	GEMP_TRY(reserve_groups(a, rows->group_count));
	list_cells(rows, argument, &c);
	if (is_counted(a))
		GEMP_TRY(add_counts(a, c.group, c.times, c.count));
	if (is_sum(a))
		return add_sums(a, &c);
	return is_min_max(a) ? add_extremes(a, &c) : GEMP_OK;
}

/* MERGING */

static gemp_code merge_bags(gemp_aggregate *a, const gemp_aggregate *from, const uint32_t *target,
                            const uint32_t *source, size_t count, size_t groups)
{
	uint64_t pairs[GEMP_BAG_BLOCK], times[GEMP_BAG_BLOCK];
	size_t n = 0;
	for (size_t i = 0; i < count; i++)
		for (uint32_t at = gemp_bag_first(&from->bag, source[i]); at; at = gemp_bag_next(&from->bag, at)) {
			pairs[n] = gemp_bag_pair(target[i], gemp_bag_code(&from->bag, at));
			times[n++] = gemp_bag_times(&from->bag, at);
			if (n < GEMP_BAG_BLOCK)
				continue;
			GEMP_TRY(gemp_bag_add(&a->bag, pairs, times, n, groups));
			n = 0;
		}
	return gemp_bag_add(&a->bag, pairs, times, n, groups);
}

/* If the sum of both parts in 128 bits overflows, the smaller unit moves to the exact sum. */
static gemp_code merge_sum(gemp_aggregate *a, size_t group, __int128 sum, const gemp_exact_sum *exact)
{
	const bool floats = a->like.values.type == GEMP_FLOAT;
	bool overflow = floats && __builtin_add_overflow(a->sum[group], sum, &(__int128){ 0 });
	if (!overflow)
		a->sum[group] += sum;
	if (!overflow && !exact)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE_GROUP(a->exact, a->exact_capacity, group));
	if (overflow)
		GEMP_TRY(gemp_exact_sum_add_integer(&a->exact[group], sum, GEMP_FIXED_WORD));
	return exact ? gemp_exact_sum_merge(&a->exact[group], exact) : GEMP_OK;
}

static const gemp_exact_sum *exact_of(const gemp_aggregate *a, size_t group)
{
	const gemp_exact_sum *exact = group < a->exact_capacity ? &a->exact[group] : NULL;
	return exact && (exact->count || exact->special) ? exact : NULL;
}

/* A group beyond the capacity of the source's arrays has no values. */
gemp_code gemp_aggregate_merge(gemp_aggregate *a, const gemp_aggregate *from, const uint32_t *target,
                               const uint32_t *source, size_t count, size_t groups)
{
	if (gemp_aggregate_collects(a))
		return merge_bags(a, from, target, source, count, groups);
	GEMP_TRY(reserve_groups(a, groups));
	for (size_t i = 0; i < count && is_counted(a); i++)
		if (source[i] < from->count_capacity)
			GEMP_TRY(add_counts(a, &target[i], &from->count[source[i]], 1));
	for (size_t i = 0; i < count && is_sum(a); i++)
		if (source[i] < from->sum_capacity)
			GEMP_TRY(merge_sum(a, target[i], from->sum[source[i]], exact_of(from, source[i])));
	for (size_t i = 0; i < count && is_min_max(a); i++) {
		if (source[i] < from->known_capacity && from->known[source[i]])
			better_number(a, target[i], from->best[source[i]]);
		if (source[i] < from->extreme_capacity && from->extreme[source[i]].known)
			GEMP_TRY(better_text(a, target[i], &from->extreme[source[i]].value));
	}
	return GEMP_OK;
}

/* BYTES */

/* Packs the number of values, then the multiplicity and the content of each value. */
static void pack_bag(const gemp_aggregate *a, const gemp_codes *codes, size_t group, gemp_text *out)
{
	gemp_varint_pack(out, gemp_bag_count(&a->bag, group));
	for (uint32_t at = gemp_bag_first(&a->bag, group); at; at = gemp_bag_next(&a->bag, at)) {
		gemp_varint_pack(out, gemp_bag_times(&a->bag, at));
		gemp_codes_pack(codes, &a->like, gemp_bag_code(&a->bag, at), out);
	}
}

/* 0 for no value. Otherwise 1 and the bits of the number, or 1 plus the size of the string and its bytes. */
static void pack_extreme(const gemp_aggregate *a, size_t group, gemp_text *out)
{
	const gemp_min_max *text = group < a->extreme_capacity && a->extreme[group].known ? &a->extreme[group] : NULL;
	const bool known = group < a->known_capacity && a->known[group];
	gemp_varint_pack(out, text ? (gemp_wide)text->value.string.size + 1 : known);
	if (text)
		gemp_text_add(out, text->value.string.bytes, text->value.string.size);
	else if (known)
		gemp_text_add(out, &a->best[group], sizeof *a->best);
}

/* Packs only the states that the kind uses. gemp_aggregate_unpack reads them in the same order. */
gemp_code gemp_aggregate_pack(const gemp_aggregate *a, const gemp_codes *codes, size_t group, gemp_text *out)
{
	if (gemp_aggregate_collects(a))
		pack_bag(a, codes, group, out);
	else if (is_min_max(a))
		pack_extreme(a, group, out);
	else if (is_counted(a))
		gemp_varint_pack(out, group < a->count_capacity ? a->count[group] : 0);
	if (is_sum(a) && !a->distinct) {
		const gemp_exact_sum *exact = exact_of(a, group);
		gemp_varint_pack(out, group < a->sum_capacity ? gemp_zigzag(a->sum[group]) : 0);
		gemp_text_add(out, &(char){ exact != NULL }, 1);
		if (exact)
			GEMP_TRY(gemp_exact_sum_pack(exact, out));
	}
	return gemp_text_status(out);
}

/* Values are added one by one, so that equal values of several ranks become one value. */
static gemp_code unpack_bag(gemp_aggregate *a, gemp_codes *codes, size_t group, size_t groups, const char **at)
{
	for (gemp_wide left = gemp_varint_unpack(at); left > 0; left--) {
		const uint64_t times = (uint64_t)gemp_varint_unpack(at);
		uint32_t code;
		GEMP_TRY(gemp_codes_unpack(codes, &a->like, at, &code));
		const uint64_t pair = gemp_bag_pair((uint32_t)group, code);
		GEMP_TRY(gemp_bag_add(&a->bag, &pair, &times, 1, groups));
	}
	return GEMP_OK;
}

static gemp_code unpack_extreme(gemp_aggregate *a, size_t group, const char **at)
{
	const gemp_wide first = gemp_varint_unpack(at);
	uint64_t bits;
	if (first == 0)
		return GEMP_OK;
	if (gemp_is_text(a->like.values.type)) {
		const gemp_value value = { .type = a->like.values.type, .string = { *at, (size_t)(first - 1) } };
		*at += value.string.size;
		return better_text(a, group, &value);
	}
	memcpy(&bits, *at, sizeof bits);
	*at += sizeof bits;
	better_number(a, group, bits);
	return GEMP_OK;
}

/* Reads exactly the bytes that gemp_aggregate_pack wrote for this kind. */
gemp_code gemp_aggregate_unpack(gemp_aggregate *a, gemp_codes *codes, size_t group, size_t groups, const char **at)
{
	const uint32_t target = (uint32_t)group;
	if (gemp_aggregate_collects(a))
		return unpack_bag(a, codes, group, groups, at);
	GEMP_TRY(reserve_groups(a, groups));
	if (is_min_max(a))
		return unpack_extreme(a, group, at);
	if (is_counted(a))
		GEMP_TRY(add_counts(a, &target, &(uint64_t){ (uint64_t)gemp_varint_unpack(at) }, 1));
	if (!is_sum(a))
		return GEMP_OK;
	GEMP_TRY(merge_sum(a, group, gemp_zigzag_back(gemp_varint_unpack(at)), NULL));
	if (!*(*at)++)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE_GROUP(a->exact, a->exact_capacity, group));
	return gemp_exact_sum_merge_packed(&a->exact[group], at);
}
