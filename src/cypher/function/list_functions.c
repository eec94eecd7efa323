/* Functions of lists, and functions of values of any type. */

#include "cypher/function/characters.h"
#include "cypher/function/function.h"
#include "pattern/model/string_function.h"

static gemp_code size(const gemp_cypher_call *call, gemp_datum *out)
{
	const gemp_datum value = call->arguments[0];
	int64_t count = value.size;
	if (value.kind == GEMP_DATUM_STRING)
		count = gemp_string_size(&(gemp_value){ .type = GEMP_STRING, .string = { value.text, value.size } });
	*out = gemp_datum_integer(count);
	return GEMP_OK;
}

static gemp_code head(const gemp_cypher_call *call, gemp_datum *out)
{
	const gemp_datum list = call->arguments[0];
	*out = list.size ? list.items[0] : gemp_datum_null();
	return GEMP_OK;
}

static gemp_code last(const gemp_cypher_call *call, gemp_datum *out)
{
	const gemp_datum list = call->arguments[0];
	*out = list.size ? list.items[list.size - 1] : gemp_datum_null();
	return GEMP_OK;
}

/* Shares the elements of the list. */
static gemp_code tail(const gemp_cypher_call *call, gemp_datum *out)
{
	const gemp_datum list = call->arguments[0];
	return list.size ? gemp_datum_list_of(out, list.items + 1, list.size - 1) : gemp_datum_list_of(out, NULL, 0);
}

static gemp_code reverse(const gemp_cypher_call *call, gemp_datum *out)
{
	const gemp_datum value = call->arguments[0];
	gemp_datum *items;
	if (value.kind == GEMP_DATUM_STRING)
		return gemp_characters_reverse(out, call->environment->arena, value);
	GEMP_TRY(GEMP_ARENA_NEW(call->environment->arena, items, value.size));
	for (size_t i = 0; i < value.size; i++)
		items[i] = value.items[value.size - 1 - i];
	return gemp_datum_list_of(out, items, value.size);
}

enum { MAX_RANGE = 1 << 28 }; /* elements; they take 4 GiB */

/* The distances are unsigned, since the distance of two 64-bit integers may exceed INT64_MAX. */
static gemp_code range(const gemp_cypher_call *call, gemp_datum *out)
{
	const int64_t first = call->arguments[0].integer, end = call->arguments[1].integer;
	const int64_t step = call->count > 2 ? call->arguments[2].integer : 1;
	gemp_datum *items;
	uint64_t count = 0;
	if (step == 0)
		return gemp_cypher_fail(call->environment, call->expr, "the step of range() must not be 0");
	if (step > 0 && first <= end)
		count = ((uint64_t)end - (uint64_t)first) / (uint64_t)step;
	else if (step < 0 && first >= end)
		count = ((uint64_t)first - (uint64_t)end) / -(uint64_t)step;
	else
		return gemp_datum_list_of(out, NULL, 0);
	if (count >= MAX_RANGE)
		return gemp_cypher_fail(call->environment, call->expr, "range() would have more than %d elements", MAX_RANGE);
	count++;
	GEMP_TRY(gemp_cypher_expect_memory(call->environment, call->expr, count, sizeof *items));
	GEMP_TRY(GEMP_ARENA_NEW(call->environment->arena, items, count));
	for (uint64_t i = 0; i < count; i++)
		items[i] = gemp_datum_integer((int64_t)((uint64_t)first + i * (uint64_t)step));
	return gemp_datum_list_of(out, items, count);
}

static gemp_code is_empty(const gemp_cypher_call *call, gemp_datum *out)
{
	*out = gemp_datum_boolean(call->arguments[0].size == 0);
	return GEMP_OK;
}

static gemp_code coalesce(const gemp_cypher_call *call, gemp_datum *out)
{
	for (size_t i = 0; i < call->count && gemp_datum_is_null(*out); i++)
		*out = call->arguments[i];
	return GEMP_OK;
}

static gemp_code null_if(const gemp_cypher_call *call, gemp_datum *out)
{
	if (gemp_datum_equal(call->arguments[0], call->arguments[1]) != GEMP_IS_TRUE)
		*out = call->arguments[0];
	return GEMP_OK;
}

static gemp_code value_type(const gemp_cypher_call *call, gemp_datum *out)
{
	const char *name = gemp_datum_kind_name[call->arguments[0].kind];
	return gemp_datum_string(out, call->environment->arena, name, strlen(name));
}

enum {
	LIST = GEMP_CY_BIT(LIST),
	LIST_OR_STRING = LIST | GEMP_CY_BIT(STRING),
	COLLECTION = LIST_OR_STRING | GEMP_CY_BIT(MAP),
	INTEGER = GEMP_CY_BIT(INTEGER),
};

const gemp_cypher_function gemp_cypher_list_functions[] = {
	{ "size", 1, 1, false, size, { LIST_OR_STRING } },
	{ "head", 1, 1, false, head, { LIST } },
	{ "last", 1, 1, false, last, { LIST } },
	{ "tail", 1, 1, false, tail, { LIST } },
	{ "reverse", 1, 1, false, reverse, { LIST_OR_STRING } },
	{ "range", 2, 3, false, range, { INTEGER, INTEGER, INTEGER } },
	{ "isEmpty", 1, 1, false, is_empty, { COLLECTION } },
	{ "coalesce", 1, SIZE_MAX, true, coalesce, { 0 } },
	{ "valueType", 1, 1, true, value_type, { 0 } },
	{ "nullIf", 2, 2, true, null_if, { 0 } },
	{ 0 },
};
