/* Comparison of values, in the four ways of openCypher 9.
 *
 *   equality       =, IN: three-valued; a NULL inside a list or map makes the result unknown unless another part
 *                  differs
 *   comparability  <, <=: three-valued; values of different kinds have no order, except for integers and floats
 *   orderability   ORDER BY, min, max: a total order of all values
 *   equivalence    DISTINCT, groups: the order is 0; equivalent values have the same hash
 *
 * Integers and floats are compared by value without rounding. NaN is not equal to itself, but equivalent to itself. All
 * functions recurse over lists and maps, GEMP_DATUM_MAX_DEPTH levels at most. */

#include "core/random.h"
#include "cypher/temporal/temporal.h"

#include <math.h>

static gemp_truth truth_of(bool truth)
{
	return truth ? GEMP_IS_TRUE : GEMP_IS_FALSE;
}

static bool is_nan(gemp_datum value)
{
	return value.kind == GEMP_DATUM_FLOAT && isnan(value.real);
}

/* Two numbers, neither of which is NaN. */
static int compare_numbers(gemp_datum a, gemp_datum b)
{
	gemp_value values[2];
	const gemp_datum numbers[2] = { a, b };
	bool comparable;
	for (int i = 0; i < 2; i++) {
		values[i] = (gemp_value){ .type = numbers[i].kind == GEMP_DATUM_INTEGER ? GEMP_INTEGER : GEMP_FLOAT };
		if (values[i].type == GEMP_INTEGER)
			values[i].integer = numbers[i].integer;
		else
			values[i].real = numbers[i].real;
	}
	return gemp_value_compare(&values[0], &values[1], &comparable);
}

static int compare_strings(gemp_datum a, gemp_datum b)
{
	return gemp_compare_bytes(a.text, a.size, b.text, b.size);
}

static int compare_ids(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* EQUALITY */

static gemp_truth equal_lists(gemp_datum a, gemp_datum b)
{
	gemp_truth truth = GEMP_IS_TRUE;
	if (a.size != b.size)
		return GEMP_IS_FALSE;
	for (size_t i = 0; i < a.size && truth != GEMP_IS_FALSE; i++) {
		gemp_truth same = gemp_datum_equal(a.items[i], b.items[i]);
		truth = same == GEMP_IS_TRUE ? truth : same;
	}
	return truth;
}

/* Maps with different keys differ, also if the value of a key is NULL. */
static gemp_truth equal_maps(gemp_datum a, gemp_datum b)
{
	gemp_truth truth = GEMP_IS_TRUE;
	if (a.size != b.size)
		return GEMP_IS_FALSE;
	for (size_t i = 0; i < a.size && truth != GEMP_IS_FALSE; i++) {
		if (strcmp(a.entries[i].key, b.entries[i].key) != 0)
			return GEMP_IS_FALSE;
		gemp_truth same = gemp_datum_equal(a.entries[i].value, b.entries[i].value);
		truth = same == GEMP_IS_TRUE ? truth : same;
	}
	return truth;
}

gemp_truth gemp_datum_equal(gemp_datum a, gemp_datum b)
{
	if (gemp_datum_is_null(a) || gemp_datum_is_null(b))
		return GEMP_IS_UNKNOWN;
	if (gemp_datum_is_number(a) && gemp_datum_is_number(b))
		return truth_of(!is_nan(a) && !is_nan(b) && compare_numbers(a, b) == 0);
	if (a.kind != b.kind)
		return GEMP_IS_FALSE;
	switch (a.kind) {
	case GEMP_DATUM_BOOLEAN: return truth_of(a.truth == b.truth);
	case GEMP_DATUM_STRING: return truth_of(compare_strings(a, b) == 0);
	case GEMP_DATUM_LIST:
	case GEMP_DATUM_PATH: return equal_lists(a, b);
	case GEMP_DATUM_MAP: return equal_maps(a, b);
	case GEMP_DATUM_NODE:
	case GEMP_DATUM_RELATIONSHIP: return truth_of(a.id == b.id);
	default: return truth_of(gemp_temporal_equal(a, b));
	}
}

/* COMPARABILITY */

/* The first elements that are not equal decide. If it is unknown whether two elements are equal, so is the order. */
static gemp_truth less_lists(gemp_datum a, gemp_datum b, bool or_equal)
{
	for (size_t i = 0; i < a.size && i < b.size; i++) {
		gemp_truth same = gemp_datum_equal(a.items[i], b.items[i]);
		if (same == GEMP_IS_UNKNOWN)
			return GEMP_IS_UNKNOWN;
		if (same == GEMP_IS_FALSE)
			return gemp_datum_less(a.items[i], b.items[i], false);
	}
	return truth_of(a.size < b.size || (or_equal && a.size == b.size));
}

gemp_truth gemp_datum_less(gemp_datum a, gemp_datum b, bool or_equal)
{
	int order;
	if (gemp_datum_is_number(a) && gemp_datum_is_number(b)) {
		if (is_nan(a) || is_nan(b))
			return GEMP_IS_FALSE;
		order = compare_numbers(a, b);
		return truth_of(order < 0 || (or_equal && order == 0));
	}
	if (a.kind != b.kind)
		return GEMP_IS_UNKNOWN;
	switch (a.kind) {
	case GEMP_DATUM_BOOLEAN: order = (int)a.truth - (int)b.truth; break;
	case GEMP_DATUM_STRING: order = compare_strings(a, b); break;
	case GEMP_DATUM_LIST: return less_lists(a, b, or_equal);
	case GEMP_DATUM_DATE:
	case GEMP_DATUM_LOCAL_TIME:
	case GEMP_DATUM_TIME:
	case GEMP_DATUM_LOCAL_DATETIME:
	case GEMP_DATUM_DATETIME: order = gemp_temporal_compare(a, b); break;
	default: return GEMP_IS_UNKNOWN; /* durations, too: the length of a month depends on the date */
	}
	return truth_of(order < 0 || (or_equal && order == 0));
}

/* ORDERABILITY */

/* The place of a kind among all kinds. */
static int rank_of(gemp_datum value)
{
	static const int8_t ranks[GEMP_DATUM_KINDS] = {
		[GEMP_DATUM_MAP] = 0,
		[GEMP_DATUM_NODE] = 1,
		[GEMP_DATUM_RELATIONSHIP] = 2,
		[GEMP_DATUM_LIST] = 3,
		[GEMP_DATUM_PATH] = 4,
		[GEMP_DATUM_STRING] = 5,
		[GEMP_DATUM_BOOLEAN] = 6,
		[GEMP_DATUM_INTEGER] = 7,
		[GEMP_DATUM_FLOAT] = 7,
		[GEMP_DATUM_DATE] = 8,
		[GEMP_DATUM_LOCAL_TIME] = 9,
		[GEMP_DATUM_TIME] = 10,
		[GEMP_DATUM_LOCAL_DATETIME] = 11,
		[GEMP_DATUM_DATETIME] = 12,
		[GEMP_DATUM_DURATION] = 13,
		[GEMP_DATUM_NULL] = 15,
	};
	return is_nan(value) ? 14 : ranks[value.kind];
}

/* Lexicographic: a prefix comes before the longer list. */
static int order_lists(gemp_datum a, gemp_datum b)
{
	for (size_t i = 0; i < a.size && i < b.size; i++) {
		int order = gemp_datum_order(a.items[i], b.items[i]);
		if (order)
			return order;
	}
	return (a.size > b.size) - (a.size < b.size);
}

/* By the number of entries, then by the keys, then by the values. */
static int order_maps(gemp_datum a, gemp_datum b)
{
	int order = (a.size > b.size) - (a.size < b.size);
	for (size_t i = 0; i < a.size && !order; i++)
		order = strcmp(a.entries[i].key, b.entries[i].key);
	for (size_t i = 0; i < a.size && !order; i++)
		order = gemp_datum_order(a.entries[i].value, b.entries[i].value);
	return order;
}

int gemp_datum_order(gemp_datum a, gemp_datum b)
{
	int rank = rank_of(a), other = rank_of(b);
	if (rank != other)
		return rank - other;
	switch (a.kind) {
	case GEMP_DATUM_NULL: return 0;
	case GEMP_DATUM_BOOLEAN: return (int)a.truth - (int)b.truth;
	case GEMP_DATUM_INTEGER:
	case GEMP_DATUM_FLOAT: return is_nan(a) ? 0 : compare_numbers(a, b);
	case GEMP_DATUM_STRING: return compare_strings(a, b);
	case GEMP_DATUM_LIST:
	case GEMP_DATUM_PATH: return order_lists(a, b);
	case GEMP_DATUM_MAP: return order_maps(a, b);
	case GEMP_DATUM_NODE:
	case GEMP_DATUM_RELATIONSHIP: return compare_ids(a.id, b.id);
	default: return gemp_temporal_compare(a, b);
	}
}

/* EQUIVALENCE */

bool gemp_datum_equivalent(gemp_datum a, gemp_datum b)
{
	return gemp_datum_order(a, b) == 0;
}

/* A float with an integral value gets the hash of the integer, so 1.0 and 1, and -0.0 and 0, have the same hash. */
static uint64_t hash_number(gemp_datum value, uint64_t seed)
{
	if (value.kind == GEMP_DATUM_INTEGER)
		return gemp_mix(seed ^ (uint64_t)value.integer);
	if (isnan(value.real))
		return gemp_mix(seed);
	if (value.real >= -0x1p63 && value.real < 0x1p63 && trunc(value.real) == value.real)
		return gemp_mix(seed ^ (uint64_t)(int64_t)value.real);
	return gemp_hash(&value.real, sizeof value.real, seed);
}

/* The seed of each part is the hash of the parts before it, so the order of parts matters. */
static uint64_t hash_parts(gemp_datum value, uint64_t hash)
{
	for (size_t i = 0; i < value.size; i++)
		if (value.kind == GEMP_DATUM_MAP) {
			hash = gemp_hash(value.entries[i].key, strlen(value.entries[i].key), hash);
			hash = gemp_mix(hash ^ gemp_datum_hash(value.entries[i].value));
		} else {
			hash = gemp_mix(hash * GEMP_RANDOM_STEP ^ gemp_datum_hash(value.items[i]));
		}
	return hash;
}

uint64_t gemp_datum_hash(gemp_datum value)
{
	uint64_t seed = gemp_mix((uint64_t)rank_of(value) + GEMP_RANDOM_STEP);
	switch (value.kind) {
	case GEMP_DATUM_NULL: return seed;
	case GEMP_DATUM_BOOLEAN: return gemp_mix(seed ^ (uint64_t)value.truth);
	case GEMP_DATUM_INTEGER:
	case GEMP_DATUM_FLOAT: return hash_number(value, seed);
	case GEMP_DATUM_STRING: return gemp_hash(value.text, value.size, seed);
	case GEMP_DATUM_LIST:
	case GEMP_DATUM_MAP:
	case GEMP_DATUM_PATH: return hash_parts(value, gemp_mix(seed ^ value.size));
	case GEMP_DATUM_NODE:
	case GEMP_DATUM_RELATIONSHIP: return gemp_mix(seed ^ value.id);
	default: return gemp_mix(seed ^ gemp_temporal_hash(value));
	}
}
