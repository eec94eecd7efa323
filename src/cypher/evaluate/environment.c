#include "cypher/evaluate/environment.h"

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
