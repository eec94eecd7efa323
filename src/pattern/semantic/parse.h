/* parse: from the text of one query, of a script of several, or of rules, to patterns and rules.
 *
 * A text is checked for UTF-8, read by lexer and grammar (syntax/) into a syntax tree, and analysed into a
 * gemp_pattern (expression.h). Queries of a script end with `;`; the last `;` may be left out. Errors are GEMP_EUSAGE
 * with line and column of the user's text.
 */

#ifndef GEMP_PATTERN_SEMANTIC_PARSE_H
#define GEMP_PATTERN_SEMANTIC_PARSE_H

#include "pattern/model/rule.h"
#include "pattern/model/source.h"

/* Errors are GEMP_EUSAGE with line:column, the line and a caret. `file` is NULL for a query of the command line. */
gemp_code gemp_pattern_parse(gemp_pattern **out, const char *text, const char *file);
/* The same with values for $parameters; an unused parameter is an error, since it is probably misspelt. */
gemp_code gemp_pattern_parse_with(gemp_pattern **out, const char *text, const char *file,
                                  const gemp_query_parameter *parameters, size_t parameter_count);

/* Checks a text whose parameters have no values yet: only its syntax if it mentions parameters, else also its names. */
gemp_code gemp_pattern_check(const char *text);

typedef struct gemp_script {
	size_t count;
	gemp_pattern **queries; /* [count]; their texts begin with as many empty lines as the script has before them */
} gemp_script;

/* At least one query, or GEMP_EUSAGE as for gemp_pattern_parse. Every parameter must be in some query. */
gemp_code gemp_script_parse(gemp_script *out, const char *text, const char *file,
                            const gemp_query_parameter *parameters, size_t parameter_count);
void gemp_script_free(gemp_script *script);

/* RULES. Each rule's MATCH becomes a pattern like that of a query, rule_update.h reads its updates, and the pattern's
 * RETURN is made from the elements and values that the updates need. RUN becomes a tree of control. */

/* Errors are GEMP_EUSAGE as for gemp_pattern_parse. A rule that no RUN names gives a warning, if the text has a RUN. */
gemp_code gemp_rule_set_parse(gemp_rule_set **out, const char *text, const char *file,
                              const gemp_query_parameter *parameters, size_t parameter_count);

#endif
