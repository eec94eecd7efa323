#include "command/order_option.h"

#include <ctype.h>
#include <string.h>

gemp_code gemp_vertex_option(int *out, const gemp_pattern *pattern, const char *option, const char *name, size_t size)
{
	size_t number = 0, digits = 0;
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		const char *own = pattern->vertices[v].name;
		if (own && strlen(own) == size && memcmp(own, name, size) == 0) {
			*out = (int)v;
			return GEMP_OK;
		}
	}
	for (; digits < size && digits < 4 && isdigit((unsigned char)name[digits]); digits++)
		number = number * 10 + (size_t)(name[digits] - '0');
	if (digits == 0 || digits < size || number >= pattern->vertex_count)
		return gemp_fail(GEMP_EUSAGE,
		                 "%s: '%.*s' is no vertex of the pattern; give a variable of it or a number from 0 to %zu",
		                 option, (int)size, name, pattern->vertex_count - 1);
	*out = (int)number;
	return GEMP_OK;
}

gemp_code gemp_order_option(int *order, int *count, const gemp_pattern *pattern, const char *text)
{
	uint64_t named = 0;
	*count = 0;
	for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
		int v;
		end = at + strcspn(at, ",");
		gemp_code code = gemp_vertex_option(&v, pattern, "--order", at, (size_t)(end - at));
		if (code != GEMP_OK)
			return code;
		if (named >> v & 1)
			return gemp_fail(GEMP_EUSAGE, "--order %s: '%.*s' stands there twice", text, (int)(end - at), at);
		named |= UINT64_C(1) << v;
		order[(*count)++] = v;
	}
	if ((size_t)*count < pattern->vertex_count)
		return gemp_fail(GEMP_EUSAGE, "--order %s: the pattern has %zu vertices, and all are to be given", text,
		                 pattern->vertex_count);
	return GEMP_OK;
}
