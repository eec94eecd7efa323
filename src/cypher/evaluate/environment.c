#include "cypher/evaluate/environment.h"

#include "core/memory.h"
#include "core/quantity.h"

gemp_code gemp_cypher_fail(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, const char *format,
                           ...)
{
	va_list arguments;
	va_start(arguments, format);
	gemp_code code = gemp_source_vfail(environment->source, expr->place.begin, format, arguments);
	va_end(arguments);
	return code;
}

gemp_code gemp_cypher_fail_at(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_code code)
{
	if (code != GEMP_EUSAGE && code != GEMP_EDATA)
		return code;
	char message[GEMP_MESSAGE_SIZE];
	snprintf(message, sizeof message, "%s", gemp_message());
	return gemp_cypher_fail(environment, expr, "%s", message);
}

gemp_code gemp_cypher_expect_memory(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                    uint64_t count, size_t size)
{
	const size_t live = gemp_memory_live();
	if (!environment->budget || (live <= environment->budget && count <= (environment->budget - live) / size))
		return GEMP_OK;
	gemp_cypher_fail(environment, expr,
	                 "with the values of this expression the query would hold %s, more than the %s of --host-memory; "
	                 "use fewer rows, or shorter lists and strings, or raise --host-memory",
	                 gemp_shown_bytes(live + count * size).text, gemp_shown_bytes(environment->budget).text);
	return GEMP_ENOMEM;
}

gemp_code gemp_cypher_place_memory(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                   gemp_code code)
{
	if (code == GEMP_ENOMEM && gemp_memory_limited(gemp_message()))
		gemp_cypher_fail(environment, expr,
		                 "with the values of this expression the query would hold more than the %s of --host-memory; "
		                 "use fewer rows, or shorter lists and strings, or raise --host-memory",
		                 gemp_shown_bytes(environment->budget).text);
	return code;
}
