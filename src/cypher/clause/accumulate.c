#include "cypher/clause/accumulate.h"

#include "core/memory.h"
#include "cypher/clause/element_order.h"
#include "query/rows/accumulator.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

typedef struct sum_state {
	uint64_t count;
	__int128 integers;
	gemp_exact_sum floats;
	bool has_floats;
	gemp_duration *durations; /* owned; NULL: no duration was added */
} sum_state;

/* The values of a group: numbers as given, for percentiles and deviations; or the elements of a list. */
typedef struct list_state {
	gemp_datum *values; /* [capacity] */
	size_t count, capacity;
	double fraction; /* second argument of a percentile, of the first row */
} list_state;

static const struct {
	const char *name;
	size_t size;
} kinds[GEMP_CYPHER_AGGREGATES] = {
	[GEMP_CYPHER_COUNT_STAR] = { "count(*)", sizeof(uint64_t) },
	[GEMP_CYPHER_COUNT] = { "count", sizeof(uint64_t) },
	[GEMP_CYPHER_SUM] = { "sum", sizeof(sum_state) },
	[GEMP_CYPHER_AVG] = { "avg", sizeof(sum_state) },
	[GEMP_CYPHER_MIN] = { "min", sizeof(gemp_datum) },
	[GEMP_CYPHER_MAX] = { "max", sizeof(gemp_datum) },
	[GEMP_CYPHER_COLLECT] = { "collect", sizeof(list_state) },
	[GEMP_CYPHER_STDEV] = { "stDev", sizeof(list_state) },
	[GEMP_CYPHER_STDEV_P] = { "stDevP", sizeof(list_state) },
	[GEMP_CYPHER_PERCENTILE_CONT] = { "percentileCont", sizeof(list_state) },
	[GEMP_CYPHER_PERCENTILE_DISC] = { "percentileDisc", sizeof(list_state) },
};

gemp_code gemp_cypher_aggregate_init(gemp_cypher_aggregate *a, const gemp_cypher_engine *engine,
                                     const gemp_cypher_expr *expr)
{
	size_t kind = 0;
	*a = (gemp_cypher_aggregate){ .engine = engine, .expr = expr, .distinct = { .rows.width = 2, .copies = true } };
	if (expr->kind != GEMP_CY_COUNT_STAR)
		for (kind = 1; kind < GEMP_CYPHER_AGGREGATES && strcasecmp(kinds[kind].name, expr->name.bytes) != 0;)
			kind++;
	GEMP_CHECK(kind < GEMP_CYPHER_AGGREGATES);
	a->kind = (gemp_cypher_aggregate_kind)kind;
	a->size = kinds[kind].size;
	return GEMP_OK;
}

static bool is_sum(const gemp_cypher_aggregate *a)
{
	return a->kind == GEMP_CYPHER_SUM || a->kind == GEMP_CYPHER_AVG;
}

void gemp_cypher_aggregate_free(gemp_cypher_aggregate *a)
{
	for (size_t g = 0; g < a->capacity; g++) {
		void *state = a->states + g * a->size;
		if (is_sum(a)) {
			gemp_exact_sum_free(&((sum_state *)state)->floats);
			gemp_free(((sum_state *)state)->durations);
		} else if (a->kind >= GEMP_CYPHER_COLLECT) {
			gemp_free(((list_state *)state)->values);
		}
	}
	gemp_free(a->states);
	gemp_cypher_row_set_free(&a->distinct);
	*a = (gemp_cypher_aggregate){ 0 };
}

static gemp_code find_state(gemp_cypher_aggregate *a, size_t group, void **state)
{
	void *states = a->states;
	const gemp_code code = gemp_reserve_group(&states, &a->capacity, group, a->size);
	a->states = states;
	*state = a->states + group * a->size;
	return code;
}

/* ADDING */

static gemp_code wrong_kind(const gemp_cypher_aggregate *a, const gemp_cypher_environment *environment,
                            gemp_datum value, const char *wanted)
{
	return gemp_cypher_fail(environment, a->expr, "%s needs %s, not a value of type %s", kinds[a->kind].name, wanted,
	                        gemp_datum_kind_name[value.kind]);
}

static gemp_code add_duration(sum_state *s, const gemp_duration *duration)
{
	if (!s->durations)
		GEMP_TRY(GEMP_NEW(s->durations, 1));
	gemp_duration *sum = s->durations;
	if (__builtin_add_overflow(sum->months, duration->months, &sum->months) ||
	    __builtin_add_overflow(sum->days, duration->days, &sum->days) ||
	    __builtin_add_overflow(sum->seconds, duration->seconds, &sum->seconds) ||
	    __builtin_add_overflow(sum->nanos, duration->nanos, &sum->nanos))
		return gemp_fail(GEMP_EDATA, "a sum of durations passes 64 bits; sum fewer rows");
	return GEMP_OK;
}

static gemp_code add_to_sum(const gemp_cypher_aggregate *a, const gemp_cypher_environment *environment, sum_state *s,
                            gemp_datum value)
{
	const bool is_duration = value.kind == GEMP_DATUM_DURATION;
	if (!is_duration && !gemp_datum_is_number(value))
		return wrong_kind(a, environment, value, "numbers or durations");
	if (s->count && is_duration != (s->durations != NULL))
		return wrong_kind(a, environment, value, s->durations ? "durations only" : "numbers only");
	s->count++;
	if (is_duration)
		return add_duration(s, value.duration);
	if (value.kind == GEMP_DATUM_INTEGER) {
		s->integers += value.integer;
		return GEMP_OK;
	}
	s->has_floats = true;
	return gemp_exact_sum_add(&s->floats, value.real, 1);
}

static bool may_have_elements(gemp_datum value)
{
	return value.kind >= GEMP_DATUM_LIST && value.kind <= GEMP_DATUM_PATH;
}

/* Elements have the order of their keys, as in ORDER BY. */
static gemp_code compare_with(const gemp_cypher_aggregate *a, gemp_datum value, gemp_datum best, int *order)
{
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena scratch = { 0 };
	gemp_datum pair[] = { value, best };
	if (may_have_elements(value) && may_have_elements(best))
		GEMP_TRY(gemp_cypher_order_elements(a->engine, pair, 2, &scratch));
	*order = gemp_datum_order(pair[0], pair[1]);
	return GEMP_OK;
}

/* The copy of a value that is beaten later stays in the arena; of rows in random order few are. */
static gemp_code add_to_extreme(const gemp_cypher_aggregate *a, gemp_datum *best, gemp_datum value, gemp_arena *arena)
{
	int order = 0;
	if (!gemp_datum_is_null(*best))
		GEMP_TRY(compare_with(a, value, *best, &order));
	if (gemp_datum_is_null(*best) || (a->kind == GEMP_CYPHER_MIN ? order < 0 : order > 0))
		return gemp_datum_copy(best, arena, value);
	return GEMP_OK;
}

static gemp_code find_fraction(const gemp_cypher_aggregate *a, const gemp_cypher_environment *environment,
                               list_state *list)
{
	const gemp_cypher_expr *expr = a->expr->first->next;
	gemp_datum value;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr, &value));
	list->fraction = value.kind == GEMP_DATUM_INTEGER ? (double)value.integer : value.real;
	if (!gemp_datum_is_number(value) || !(list->fraction >= 0 && list->fraction <= 1))
		return gemp_cypher_fail(environment, expr, "the second argument of %s must be a number in [0, 1]",
		                        kinds[a->kind].name);
	return GEMP_OK;
}

static gemp_code add_to_list(const gemp_cypher_aggregate *a, const gemp_cypher_environment *environment,
                             list_state *list, gemp_datum value, gemp_arena *arena)
{
	if (a->kind != GEMP_CYPHER_COLLECT && !gemp_datum_is_number(value))
		return wrong_kind(a, environment, value, "numbers");
	if (!list->count && a->kind >= GEMP_CYPHER_PERCENTILE_CONT)
		GEMP_TRY(find_fraction(a, environment, list));
	GEMP_TRY(GEMP_RESERVE(list->values, list->capacity, list->count + 1));
	return gemp_datum_copy(&list->values[list->count++], arena, value);
}

gemp_code gemp_cypher_aggregate_count(gemp_cypher_aggregate *a, size_t group, uint64_t rows)
{
	void *state;
	GEMP_TRY(find_state(a, group, &state));
	*(uint64_t *)state += rows;
	return GEMP_OK;
}

gemp_code gemp_cypher_aggregate_add(gemp_cypher_aggregate *a, const gemp_cypher_environment *environment, size_t group,
                                    gemp_arena *arena)
{
	gemp_datum value;
	void *state;
	if (a->kind == GEMP_CYPHER_COUNT_STAR)
		return gemp_cypher_aggregate_count(a, group, 1);
	GEMP_TRY(gemp_cypher_evaluate(environment, a->expr->first, &value));
	if (gemp_datum_is_null(value))
		return GEMP_OK;
	if (a->expr->distinct) {
		bool added;
		size_t index;
		const gemp_datum row[2] = { gemp_datum_integer((int64_t)group), value };
		GEMP_TRY(gemp_cypher_row_set_add(&a->distinct, row, 0, &index, &added));
		if (!added)
			return GEMP_OK;
	}
	GEMP_TRY(find_state(a, group, &state));
	if (a->kind == GEMP_CYPHER_COUNT)
		++*(uint64_t *)state;
	else if (is_sum(a))
		return add_to_sum(a, environment, state, value);
	else if (a->kind < GEMP_CYPHER_COLLECT)
		return add_to_extreme(a, state, value, arena);
	else
		return add_to_list(a, environment, state, value, arena);
	return GEMP_OK;
}

/* RESULTS */

static gemp_code new_duration(gemp_arena *arena, gemp_duration value, gemp_datum *out)
{
	gemp_duration *copy;
	GEMP_TRY(GEMP_ARENA_NEW(arena, copy, 1));
	*copy = value;
	*out = (gemp_datum){ .kind = GEMP_DATUM_DURATION, .duration = copy };
	return GEMP_OK;
}

/* The rest of a division of months becomes days of a mean month (30.436875 days), and so on, as in the division of one
 * duration by a number. */
static gemp_duration divide_duration(gemp_duration sum, uint64_t n)
{
	const int64_t by = (int64_t)n, second = 1000000000, day = 86400;
	const double month = 30.436875 * (double)day, parts = (double)n;
	const double rest_months = (double)(sum.months % by) / parts * month;
	const double rest_days = (double)(sum.days % by) / parts * (double)day;
	const double rest_seconds = (double)(sum.seconds % by) / parts;
	const double rest = rest_months + rest_days + rest_seconds;
	const int64_t days = (int64_t)(rest_months / (double)day);
	const double seconds = rest - (double)days * (double)day;
	return (gemp_duration){ .months = sum.months / by,
		                    .days = sum.days / by + days,
		                    .seconds = sum.seconds / by + (int64_t)seconds,
		                    .nanos = sum.nanos / by +
		                             (int64_t)llround((seconds - (double)(int64_t)seconds) * (double)second) };
}

static gemp_code finish_sum(const gemp_cypher_aggregate *a, const gemp_cypher_environment *environment, sum_state *s,
                            gemp_datum *out)
{
	const bool mean = a->kind == GEMP_CYPHER_AVG;
	if (s->durations)
		return new_duration(environment->arena, mean ? divide_duration(*s->durations, s->count) : *s->durations, out);
	if (mean && !s->count)
		return GEMP_OK;
	if (!mean && !s->has_floats) {
		if (s->integers < INT64_MIN || s->integers > INT64_MAX)
			return gemp_cypher_fail(environment, a->expr, "a sum of integers passes 64 bits; sum toFloat() of them");
		*out = gemp_datum_integer((int64_t)s->integers);
		return GEMP_OK;
	}
	GEMP_TRY(gemp_exact_sum_add_integer(&s->floats, s->integers, 0));
	s->integers = 0;
	*out = gemp_datum_float(gemp_exact_sum_round(&s->floats, mean ? s->count : 1));
	return GEMP_OK;
}

static double number_of(gemp_datum value)
{
	return value.kind == GEMP_DATUM_INTEGER ? (double)value.integer : value.real;
}

/* The two-pass formula; both sums are exact, so that the order of the values does not matter. */
static gemp_code finish_deviation(const gemp_cypher_aggregate *a, const list_state *list, gemp_datum *out)
{
	const uint64_t degrees = a->kind == GEMP_CYPHER_STDEV ? list->count - 1 : list->count;
	gemp_exact_sum sum = { 0 }, squares = { 0 };
	gemp_code code = GEMP_OK;
	*out = gemp_datum_float(0);
	if (list->count < 2)
		return GEMP_OK;
	for (size_t i = 0; i < list->count; i++)
		GEMP_THEN(gemp_exact_sum_add(&sum, number_of(list->values[i]), 1));
	const double mean = gemp_exact_sum_round(&sum, list->count);
	for (size_t i = 0; i < list->count; i++) {
		const double off = number_of(list->values[i]) - mean;
		GEMP_THEN(gemp_exact_sum_add(&squares, off * off, 1));
	}
	*out = gemp_datum_float(sqrt(gemp_exact_sum_round(&squares, degrees)));
	gemp_exact_sum_free(&sum);
	gemp_exact_sum_free(&squares);
	return code;
}

static int compare_values(const void *a, const void *b)
{
	return gemp_datum_order(*(const gemp_datum *)a, *(const gemp_datum *)b);
}

/* percentileDisc gives the value at the nearest rank, percentileCont interpolates between two neighbours. */
static gemp_code finish_percentile(const gemp_cypher_aggregate *a, const list_state *list, gemp_datum *out)
{
	if (!list->count)
		return GEMP_OK;
	qsort(list->values, list->count, sizeof *list->values, compare_values);
	if (a->kind == GEMP_CYPHER_PERCENTILE_DISC) {
		const double rank = ceil(list->fraction * (double)list->count);
		const size_t at = rank < 1 ? 0 : gemp_min((size_t)rank, list->count) - 1;
		*out = list->values[at];
		return GEMP_OK;
	}
	const double at = list->fraction * (double)(list->count - 1);
	const size_t low = (size_t)at, high = gemp_min(low + 1, list->count - 1);
	const double below = number_of(list->values[low]), above = number_of(list->values[high]);
	*out = gemp_datum_float(low == high || at == (double)low ? below : below + (at - (double)low) * (above - below));
	return GEMP_OK;
}

gemp_code gemp_cypher_aggregate_finish(gemp_cypher_aggregate *a, const gemp_cypher_environment *environment,
                                       size_t group, gemp_datum *out)
{
	void *state;
	*out = gemp_datum_null();
	GEMP_TRY(find_state(a, group, &state));
	switch (a->kind) {
	case GEMP_CYPHER_COUNT_STAR:
	case GEMP_CYPHER_COUNT: *out = gemp_datum_integer((int64_t) * (uint64_t *)state); return GEMP_OK;
	case GEMP_CYPHER_SUM:
	case GEMP_CYPHER_AVG: return finish_sum(a, environment, state, out);
	case GEMP_CYPHER_MIN:
	case GEMP_CYPHER_MAX: *out = *(gemp_datum *)state; return GEMP_OK;
	case GEMP_CYPHER_COLLECT: {
		const list_state *list = state;
		return gemp_datum_list(out, environment->arena, list->values, list->count);
	}
	case GEMP_CYPHER_STDEV:
	case GEMP_CYPHER_STDEV_P: return finish_deviation(a, state, out);
	default: return finish_percentile(a, state, out);
	}
}
