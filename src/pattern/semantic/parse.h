/* parse: makes a pattern from the text of one query, and rules from a text of rules.
 *
 * Every text is checked for UTF-8. Lexer and grammar (syntax/) make a syntax tree of it, and semantic analysis
 * (expression.h) makes a gemp_pattern of the tree. Errors of the text are GEMP_EUSAGE with line and column of the
 * user's text. */

#ifndef GEMP_PATTERN_SEMANTIC_PARSE_H
#define GEMP_PATTERN_SEMANTIC_PARSE_H

#include "pattern/model/rule.h"
#include "pattern/model/source.h"

/* The message of GEMP_EUSAGE has line:column, the line and a caret. `file` is NULL for a query of the command line. */
gemp_code gemp_pattern_parse(gemp_pattern **out, const char *text, const char *file);
/* Like gemp_pattern_parse, with values for $parameters. An unused parameter is an error, since it is probably
 * misspelt. */
gemp_code gemp_pattern_parse_with(gemp_pattern **out, const char *text, const char *file,
                                  const gemp_query_parameter *parameters, size_t parameter_count);

/* Parses one of several queries. used[parameter_count] is shared by all queries and becomes true for the parameters
 * that the text mentions; the caller reports unused parameters (gemp_ast_check_parameters). */
gemp_code gemp_pattern_parse_some(gemp_pattern **out, const char *text, const char *file,
                                  const gemp_query_parameter *parameters, size_t parameter_count, bool *used);

/* Like gemp_pattern_parse_some for a query that may have several MATCH, with WITH between them that only pass variables
 * on. Relationships of different MATCH may be the same, so the pattern has no meaning but under edge-iso and hom, with
 * one match for each embedding. */
gemp_code gemp_pattern_parse_chain(gemp_pattern **out, const char *text, const char *file,
                                   const gemp_query_parameter *parameters, size_t parameter_count, bool *used);

/* Checks a text whose parameters have no values yet. If it mentions parameters, only its syntax is checked. */
gemp_code gemp_pattern_check(const char *text);

/* RULES. Each rule's MATCH becomes a pattern like that of a query. rule_update.h reads the rule's updates. The
 * pattern's RETURN consists of the elements and values that the updates need, and of other elements of the match. RUN
 * becomes a tree of control. */

/* Errors are GEMP_EUSAGE as for gemp_pattern_parse. A rule that no RUN names gives a warning, if the text has a RUN. */
gemp_code gemp_rule_set_parse(gemp_rule_set **out, const char *text, const char *file,
                              const gemp_query_parameter *parameters, size_t parameter_count);

#endif
