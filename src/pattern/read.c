/* A text read by lexer and grammar. */
#include "pattern/parser.h"
#define YYSTYPE QUERY_YYSTYPE
#define YYLTYPE QUERY_YYLTYPE
#include "pattern/lexer.h"

#include <string.h>

static gemp_code read_text(query *q)
{
	q->code = gemp_source_check(&q->source);
	if (q->code != GEMP_OK)
		return q->code;
	size_t size = strlen(q->source.text);
	char *copy = query_alloc(q, size + 2); /* flex wants two zeros at the end */
	if (!copy)
		return q->code;
	memcpy(copy, q->source.text, size);
	void *scanner;
	GEMP_CHECK(query_yylex_init_extra(q, &scanner) == 0);
	GEMP_CHECK(query_yy_scan_buffer(copy, size + 2, scanner));
	int failed = query_yyparse(scanner, q);
	GEMP_CHECK(!failed || q->code != GEMP_OK);
	query_yylex_destroy(scanner);
	return q->code;
}

gemp_code query_parse(query *q, const gemp_source *source, const gemp_query_parameter *parameters,
                      size_t parameter_count, bool *used)
{
	*q = (query){ .source = *source, .parameters = parameters, .parameter_count = parameter_count, .used = used };
	return read_text(q);
}

gemp_code query_parse_rules(query *q, const gemp_source *source, const gemp_query_parameter *parameters,
                            size_t parameter_count, bool *used)
{
	*q = (query){ .source = *source, .parameters = parameters, .parameter_count = parameter_count, .used = used,
		.ruled = true };
	return read_text(q);
}

gemp_code query_check_parameters(const gemp_query_parameter *parameters, size_t parameter_count, const bool *used)
{
	for (size_t i = 0; i < parameter_count; i++)
		if (!used[i])
			return gemp_fail(GEMP_EUSAGE, "--param %s: there is no $%s in the query; leave it out or write it where the "
			                 "value belongs", parameters[i].name, parameters[i].name);
	return GEMP_OK;
}
