/* An aggregate keeps the states of all groups in arrays indexed by group, one array for each kind of state: counts,
 * sums of integers, exact sums of floats, extremes, and bags of values. An array grows when a group first needs it, and
 * an element of zeros is the state without values. Packed states travel to the group's owner, which merges them. */

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

/* DISTINCT and collect keep all distinct values until the end, because other ranks may have the same values. min and
 * max do not, because DISTINCT does not change their result. */
static bool collects_values(const gemp_aggregate *a)
{
	return a->kind == GEMP_COLLECT || (a->distinct && !is_min_max(a));
}

/* No state is allocated here. The first value of a group allocates the group's state. */
void gemp_aggregate_init(gemp_aggregate *a, const gemp_expr *expr, const gemp_frame_column *argument)
{
	*a = (gemp_aggregate){ .kind = expr->kind, .distinct = expr->distinct };
	if (argument) {
		a->cell = argument->kind;
		a->type = argument->values.type;
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
	gemp_free_all(a->count, a->sum, a->exact, a->extreme);
	gemp_bag_free(&a->bag);
	*a = (gemp_aggregate){ 0 };
}

/* Returns an estimate for the memory budget. Each exact sum counts with the usual size, so that the sums need not be
 * visited. */
size_t gemp_aggregate_memory(const gemp_aggregate *a)
{
	enum { USUAL_WORDS = 4 };
	return a->count_capacity * sizeof *a->count + a->sum_capacity * sizeof *a->sum +
	       a->exact_capacity * (sizeof *a->exact + USUAL_WORDS * sizeof(uint64_t)) +
	       a->extreme_capacity * sizeof *a->extreme + gemp_bag_memory(&a->bag);
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

/* STATES */

/* Counts are exact up to 2^63 - 1, the largest integer that a row can hold. */
static gemp_code count_more(gemp_aggregate *a, size_t group, uint64_t times)
{
	GEMP_TRY(GEMP_RESERVE_GROUP(a->count, a->count_capacity, group));
	a->count[group] += times;
	if (a->count[group] < times || a->count[group] > INT64_MAX)
		return gemp_fail(GEMP_EDATA, "a count passes 64 bits; group by more, or count less");
	return GEMP_OK;
}

/* Integers are summed in 128 bits, floats without rounding, so that the result does not depend on the order of rows. */
static gemp_code sum_more(gemp_aggregate *a, size_t group, const gemp_value *value, uint64_t times)
{
	if (value->type == GEMP_FLOAT) {
		GEMP_TRY(GEMP_RESERVE_GROUP(a->exact, a->exact_capacity, group));
		GEMP_TRY(gemp_exact_sum_add(&a->exact[group], value->real, times));
	} else {
		GEMP_CHECK(value->type == GEMP_INTEGER);
		GEMP_TRY(GEMP_RESERVE_GROUP(a->sum, a->sum_capacity, group));
		a->sum[group] += (__int128)value->integer * (__int128)times;
	}
	if (a->kind == GEMP_AVG)
		GEMP_TRY(count_more(a, group, times));
	return GEMP_OK;
}

/* A string is copied, because its frame does not outlive the call. */
static gemp_code store_min_max(gemp_min_max *best, const gemp_value *value)
{
	best->known = true;
	if (!gemp_is_text(value->type)) {
		best->value = gemp_value_canonical(*value);
		return GEMP_OK;
	}
	char *bytes = best->capacity ? (char *)best->value.string.bytes : NULL;
	size_t size = value->string.size;
	gemp_code code = GEMP_RESERVE(bytes, best->capacity, size + 1);
	if (bytes) {
		if (code == GEMP_OK && size)
			memcpy(bytes, value->string.bytes, size);
		best->value = (gemp_value){ .type = value->type, .string = { bytes, size } };
	}
	return code;
}

/* NULL never arrives here, so `known` alone says whether the group has a value. */
static gemp_code update_min_max(gemp_aggregate *a, size_t group, const gemp_value *value)
{
	GEMP_TRY(GEMP_RESERVE_GROUP(a->extreme, a->extreme_capacity, group));
	gemp_min_max *best = &a->extreme[group];
	int order = best->known ? gemp_value_order(value, &best->value) : 0;
	if (!best->known || (a->kind == GEMP_MIN ? order < 0 : order > 0))
		GEMP_TRY(store_min_max(best, value));
	return GEMP_OK;
}

/* The packed cell is the key of the bag, because equal cells have equal bytes. */
static gemp_code collect_value(gemp_aggregate *a, size_t group, const gemp_frame_column *argument, size_t row,
                               uint64_t times)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text cell = { 0 };
	gemp_cell_pack(argument, row, &cell);
	GEMP_TRY(gemp_text_status(&cell));
	return gemp_bag_add(&a->bag, group, cell.data, cell.size, times);
}

/* Aggregates skip NULL. count(*) has no argument and counts every row. */
gemp_code gemp_aggregate_add(gemp_aggregate *a, size_t group, const gemp_frame_column *argument, size_t row,
                             uint64_t times)
{
	if (argument && gemp_frame_is_null(argument, row))
		return GEMP_OK;
	if (collects_values(a))
		return collect_value(a, group, argument, row, times);
	if (a->kind == GEMP_COUNT || a->kind == GEMP_COUNT_STAR)
		return count_more(a, group, times);
	gemp_value value = gemp_frame_value(argument, row);
	return is_sum(a) ? sum_more(a, group, &value, times) : update_min_max(a, group, &value);
}

/* BYTES */

/* Packs the bytes of the struct, then the bytes of its string. The receiver replaces the packed pointer. */
static void pack_min_max(const gemp_min_max *best, gemp_text *out)
{
	const gemp_value none = { .null = true }, *value = best && best->known ? &best->value : &none;
	gemp_text_add(out, value, sizeof *value);
	if (!value->null && gemp_is_text(value->type))
		gemp_text_add(out, value->string.bytes, value->string.size);
}

/* Packs the number of values, then the multiplicity, size and bytes of each value. */
static void pack_bag(const gemp_bag *bag, size_t group, gemp_text *out)
{
	uint64_t values = gemp_bag_count(bag, group);
	gemp_text_add(out, &values, sizeof values);
	for (uint64_t at = gemp_bag_first(bag, group); at; at = gemp_bag_next(bag, at)) {
		size_t size;
		const char *cell = gemp_bag_cell(bag, at, &size);
		uint64_t head[2] = { gemp_bag_times(bag, at), size };
		gemp_text_add(out, head, sizeof head);
		gemp_text_add(out, cell, size);
	}
}

/* Packs only the states that the kind uses. gemp_aggregate_merge reads them in the same order. */
gemp_code gemp_aggregate_pack(const gemp_aggregate *a, size_t group, gemp_text *out)
{
	static const gemp_exact_sum zero;
	const __int128 none = 0;
	uint64_t count = group < a->count_capacity ? a->count[group] : 0;
	if (collects_values(a)) {
		pack_bag(&a->bag, group, out);
		return gemp_text_status(out);
	}
	if (is_min_max(a)) {
		pack_min_max(group < a->extreme_capacity ? &a->extreme[group] : NULL, out);
		return gemp_text_status(out);
	}
	if (a->kind != GEMP_SUM)
		gemp_text_add(out, &count, sizeof count);
	if (is_sum(a) && a->type == GEMP_FLOAT)
		return gemp_exact_sum_pack(group < a->exact_capacity ? &a->exact[group] : &zero, out);
	if (is_sum(a))
		gemp_text_add(out, group < a->sum_capacity ? &a->sum[group] : &none, sizeof none);
	return gemp_text_status(out);
}

/* Packed states have no alignment, so memcpy reads them. */
static void read_bytes(void *to, size_t size, const char **at)
{
	memcpy(to, *at, size);
	*at += size;
}

/* Values are added one by one, so that equal values of several ranks become one value. */
static gemp_code merge_bag(gemp_aggregate *a, size_t group, const char **at)
{
	uint64_t values, head[2];
	read_bytes(&values, sizeof values, at);
	for (uint64_t i = 0; i < values; i++) {
		read_bytes(head, sizeof head, at);
		GEMP_TRY(gemp_bag_add(&a->bag, group, *at, head[1], head[0]));
		*at += head[1];
	}
	return GEMP_OK;
}

/* A state without a value is packed as NULL, and merging NULL changes nothing. */
static gemp_code merge_min_max(gemp_aggregate *a, size_t group, const char **at)
{
	gemp_value value;
	read_bytes(&value, sizeof value, at);
	if (value.null)
		return GEMP_OK;
	if (gemp_is_text(value.type)) {
		value.string.bytes = *at;
		*at += value.string.size;
	}
	return update_min_max(a, group, &value);
}

/* Reads exactly the bytes that gemp_aggregate_pack wrote for this kind. */
gemp_code gemp_aggregate_merge(gemp_aggregate *a, size_t group, const char **at)
{
	uint64_t count;
	__int128 sum;
	if (collects_values(a))
		return merge_bag(a, group, at);
	if (is_min_max(a))
		return merge_min_max(a, group, at);
	if (a->kind != GEMP_SUM) {
		read_bytes(&count, sizeof count, at);
		GEMP_TRY(count_more(a, group, count));
	}
	if (is_sum(a) && a->type == GEMP_FLOAT) {
		GEMP_TRY(GEMP_RESERVE_GROUP(a->exact, a->exact_capacity, group));
		GEMP_TRY(gemp_exact_sum_merge_packed(&a->exact[group], at));
	} else if (is_sum(a)) {
		read_bytes(&sum, sizeof sum, at);
		GEMP_TRY(GEMP_RESERVE_GROUP(a->sum, a->sum_capacity, group));
		a->sum[group] += sum;
	}
	return GEMP_OK;
}

/* RESULTS */

/* The number of distinct values exceeds 63 bits only in theory, but an unnoticed overflow would give a wrong answer. */
static gemp_code finish_count(uint64_t count, gemp_column *out)
{
	if (count > INT64_MAX)
		return gemp_fail(GEMP_EDATA, "a count is %llu, and integers of a row end at 2^63 - 1",
		                 (unsigned long long)count);
	return gemp_column_add(out, &(gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)count });
}

/* Only the result must fit into 64 bits; intermediate sums may be larger. */
static gemp_code finish_sum(const gemp_aggregate *a, size_t group, gemp_column *out)
{
	if (a->type == GEMP_FLOAT) {
		double sum = group < a->exact_capacity ? gemp_exact_sum_round(&a->exact[group], 1) : 0;
		return gemp_column_add(out, &(gemp_value){ .type = GEMP_FLOAT, .real = sum });
	}
	__int128 sum = group < a->sum_capacity ? a->sum[group] : 0;
	if (sum < INT64_MIN || sum > INT64_MAX)
		return gemp_fail(GEMP_EDATA, "a sum of integers passes 64 bits; sum floats instead: sum(1.0 * x)");
	return gemp_column_add(out, &(gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)sum });
}

/* The exact sum is divided before it is rounded, so the mean is correctly rounded. */
static gemp_code finish_mean(const gemp_aggregate *a, size_t group, gemp_column *out)
{
	uint64_t count = group < a->count_capacity ? a->count[group] : 0;
	GEMP_OWNED_BY(gemp_exact_sum_free) gemp_exact_sum whole = { 0 };
	gemp_value mean = { .type = GEMP_FLOAT, .null = count == 0 };
	if (count && a->type == GEMP_FLOAT) {
		mean.real = gemp_exact_sum_round(&a->exact[group], count);
	} else if (count) {
		GEMP_TRY(gemp_exact_sum_add_integer(&whole, a->sum[group]));
		mean.real = gemp_exact_sum_round(&whole, count);
	}
	return gemp_column_add(out, &mean);
}

/* count(DISTINCT) is the number of collected values. For the other kinds each collected value is added once to an
 * aggregate without DISTINCT, whose result is the answer. */
static gemp_code finish_distinct(const gemp_aggregate *a, size_t group, const gemp_elements *elements, gemp_column *out)
{
	GEMP_OWNED_BY(gemp_aggregate_free)
	gemp_aggregate once = { .kind = a->kind, .cell = a->cell, .type = a->type };
	GEMP_OWNED_BY(gemp_frame_column_free) gemp_frame_column cell = { .values = { .type = a->type } };
	if (a->kind == GEMP_COUNT)
		return finish_count(gemp_bag_count(&a->bag, group), out);
	for (uint64_t at = gemp_bag_first(&a->bag, group); at; at = gemp_bag_next(&a->bag, at)) {
		size_t size;
		const char *bytes = gemp_bag_cell(&a->bag, at, &size);
		GEMP_TRY(gemp_cell_unpack(&cell, 0, &bytes, bytes + size));
		GEMP_TRY(gemp_aggregate_add(&once, 0, &cell, 0, 1));
	}
	return gemp_aggregate_finish(&once, 0, elements, out);
}

/* LISTS */

/* Used for sorting and printing lists, and before that by groups that fetch the keys of list members. */
gemp_code gemp_aggregate_members(const gemp_aggregate *a, size_t group, gemp_frame_column *out, size_t *rows)
{
	for (uint64_t at = gemp_bag_first(&a->bag, group); at; at = gemp_bag_next(&a->bag, at)) {
		size_t size;
		const char *bytes = gemp_bag_cell(&a->bag, at, &size);
		GEMP_TRY(gemp_cell_unpack(out, (*rows)++, &bytes, bytes + size));
	}
	return GEMP_OK;
}

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
static gemp_code finish_list(const gemp_aggregate *a, size_t group, const gemp_elements *elements, gemp_column *out)
{
	GEMP_OWNED_BY(list_value_free)
	list_value l = { .elements = elements, .members = { .kind = a->cell, .values = { .type = a->type } } };
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	size_t values = gemp_bag_count(&a->bag, group), i = 0;
	GEMP_TRY(GEMP_NEW(l.times, values));
	GEMP_TRY(GEMP_NEW(l.order, values));
	GEMP_TRY(gemp_aggregate_members(a, group, &l.members, &l.count));
	for (uint64_t at = gemp_bag_first(&a->bag, group); at; at = gemp_bag_next(&a->bag, at))
		l.times[i++] = a->distinct ? 1 : gemp_bag_times(&a->bag, at);
	GEMP_TRY(print_list(&l, &text));
	return gemp_column_add(out, &(gemp_value){ .type = GEMP_LIST, .string = { text.data, text.size } });
}

/* A group whose arrays were never allocated has the result for no values: 0 for counts and sums, NULL for the other
 * kinds. */
gemp_code gemp_aggregate_finish(const gemp_aggregate *a, size_t group, const gemp_elements *elements, gemp_column *out)
{
	if (a->kind == GEMP_COLLECT)
		return finish_list(a, group, elements, out);
	if (collects_values(a))
		return finish_distinct(a, group, elements, out);
	if (a->kind == GEMP_SUM)
		return finish_sum(a, group, out);
	if (a->kind == GEMP_AVG)
		return finish_mean(a, group, out);
	if (!is_min_max(a))
		return finish_count(group < a->count_capacity ? a->count[group] : 0, out);
	bool known = group < a->extreme_capacity && a->extreme[group].known;
	return gemp_column_add(out, known ? &a->extreme[group].value : &(gemp_value){ .type = out->type, .null = true });
}
