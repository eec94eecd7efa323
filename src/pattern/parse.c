/* From what the grammar read to a pattern. */
#include "core/memory.h"
#include "pattern/build.h"
#include "pattern/parse.h"

#include <string.h>

gemp_code parse_row(parse *p, gemp_pattern *pattern, const query_match *match, const query_match *optionals,
                    const query_projection *with, parse_scope *row)
{
	parse_scope passed;
	gemp_code code = GEMP_OK;
	GEMP_TRY(parse_new_scope(p, pattern, PARSE_MAX_NAMES, row));
	GEMP_TRY(parse_match(p, row, match));
	for (; optionals; optionals = optionals->next)
		GEMP_TRY(parse_optional(p, row, optionals));
	if (with) {
		GEMP_TRY(gemp_pattern_add_with(pattern));
		GEMP_TRY(parse_clause(p, row, with, true, pattern->with, &passed));
		*row = passed;
	}
done:
	return code;
}

static gemp_code build(parse *p, gemp_pattern *pattern)
{
	const query *q = p->q;
	parse_scope row, passed;
	gemp_code code = GEMP_OK;
	GEMP_TRY(parse_row(p, pattern, q->match, q->optionals, q->with, &row));
	pattern->returns_given = q->result && q->result->items;
	if (pattern->returns_given)
		return parse_clause(p, &row, q->result, false, &pattern->result, &passed);
	GEMP_TRY(gemp_pattern_return_vertices(pattern));
	pattern->result.has_limit = q->result != NULL;
	pattern->result.limit = q->result ? (uint64_t)q->result->limit->value.integer : 0;
done:
	return code;
}

gemp_code gemp_pattern_parse_some(gemp_pattern **out, const char *text, const char *file,
                                  const gemp_query_parameter *parameters, size_t parameter_count, bool *used)
{
	query q;
	if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
		text += 3; /* the byte order mark of some editors */
	gemp_source source = { file, text };
	parse p = { .q = &q };
	gemp_pattern *pattern = NULL;
	gemp_code code = GEMP_OK;
	GEMP_TRY(query_parse(&q, &source, parameters, parameter_count, used));
	GEMP_TRY(parse_set_marks(&p));
	GEMP_TRY(gemp_pattern_new(&pattern, text, file));
	GEMP_TRY(build(&p, pattern));
	*out = pattern;
	pattern = NULL;
done:
	gemp_pattern_free(pattern);
	query_free(&q);
	return code;
}

gemp_code gemp_pattern_parse_with(gemp_pattern **out, const char *text, const char *file,
                                  const gemp_query_parameter *parameters, size_t parameter_count)
{
	gemp_code code = GEMP_OK;
	gemp_pattern *pattern = NULL;
	bool *used = NULL;
	GEMP_TRY(GEMP_NEW(used, parameter_count));
	GEMP_TRY(gemp_pattern_parse_some(&pattern, text, file, parameters, parameter_count, used));
	GEMP_TRY(query_check_parameters(parameters, parameter_count, used));
	*out = pattern;
	pattern = NULL;
done:
	gemp_pattern_free(pattern);
	gemp_free(used);
	return code;
}

gemp_code gemp_pattern_parse(gemp_pattern **out, const char *text, const char *file)
{
	return gemp_pattern_parse_with(out, text, file, NULL, 0);
}
