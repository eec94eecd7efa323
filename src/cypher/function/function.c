/* Finds functions in the parts of the table, and calls them. Names are compared without regard to case. A query names
 * few functions, each once before it runs, so a loop over all of them is fast enough. */

#include "cypher/function/function.h"

#include <strings.h>

static const gemp_cypher_function *const parts[] = {
	gemp_cypher_string_functions,  gemp_cypher_math_functions,       gemp_cypher_list_functions,
	gemp_cypher_element_functions, gemp_cypher_conversion_functions, gemp_cypher_temporal_functions,
};
enum { PARTS = sizeof parts / sizeof *parts };

static const char *const aggregates[] = {
	"avg", "collect", "count", "max", "min", "percentileCont", "percentileDisc", "stDev", "stDevP", "sum",
};
enum { AGGREGATES = sizeof aggregates / sizeof *aggregates };

const gemp_cypher_function *gemp_cypher_function_find(const char *name)
{
	for (size_t p = 0; p < PARTS; p++)
		for (const gemp_cypher_function *function = parts[p]; function->name; function++)
			if (strcasecmp(function->name, name) == 0)
				return function;
	return NULL;
}

const char *gemp_cypher_function_nearest(const char *name)
{
	enum { MAX_NAMES = 256 };
	const char *names[MAX_NAMES];
	size_t count = 0;
	for (size_t i = 0; i < AGGREGATES; i++)
		names[count++] = aggregates[i];
	for (size_t p = 0; p < PARTS; p++)
		for (const gemp_cypher_function *function = parts[p]; function->name; function++) {
			GEMP_CHECK(count < MAX_NAMES);
			names[count++] = function->name;
		}
	return gemp_text_nearest(name, names, count);
}

uint32_t gemp_cypher_function_kinds(const gemp_cypher_function *function, size_t index)
{
	return function->kinds[index < 2 ? index : 2];
}

void gemp_cypher_kinds_text(uint32_t kinds, gemp_text *out)
{
	const char *separator = "";
	for (int kind = 0; kind < GEMP_DATUM_KINDS; kind++) {
		if (!(kinds >> kind & 1))
			continue;
		kinds &= ~(UINT32_C(1) << kind);
		gemp_text_print(out, "%s%s", separator, gemp_datum_kind_name[kind]);
		separator = (kinds & (kinds - 1)) ? ", " : " or ";
	}
}

static gemp_code wrong_kind(const gemp_cypher_function *function, const gemp_cypher_call *call, size_t index)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text expected = { 0 };
	gemp_cypher_kinds_text(gemp_cypher_function_kinds(function, index), &expected);
	GEMP_TRY(gemp_text_status(&expected));
	return gemp_cypher_fail(call->environment, call->expr, "argument %zu of %s() must be of type %s; it is of type %s",
	                        index + 1, function->name, expected.data,
	                        gemp_datum_kind_name[call->arguments[index].kind]);
}

gemp_code gemp_cypher_function_call(const gemp_cypher_function *function, const gemp_cypher_call *call, gemp_datum *out)
{
	for (size_t i = 0; i < call->count; i++) {
		uint32_t kinds = gemp_cypher_function_kinds(function, i);
		if (kinds && call->arguments[i].kind != GEMP_DATUM_NULL && !(kinds >> call->arguments[i].kind & 1))
			return wrong_kind(function, call, i);
	}
	*out = gemp_datum_null();
	for (size_t i = 0; i < call->count && !function->takes_null; i++)
		if (gemp_datum_is_null(call->arguments[i]))
			return GEMP_OK;
	return function->call(call, out);
}
