/* rule_parse: from the text of a file of rules to a gemp_rule_set (model/rule.h).
 *
 * Each rule's MATCH becomes a pattern as for a query, its updates are read by rule_update.h, and the pattern's RETURN
 * is made from the elements and values that the updates need. RUN becomes a tree of control.
 */

#ifndef GEMP_PATTERN_SEMANTIC_RULE_PARSE_H
#define GEMP_PATTERN_SEMANTIC_RULE_PARSE_H

#include "pattern/model/parameter.h"
#include "pattern/model/rule.h"

/* Errors are GEMP_EUSAGE as for gemp_pattern_parse. A rule that no RUN names is a warning. */
gemp_code gemp_rule_set_parse(gemp_rule_set **out, const char *text, const char *file,
                              const gemp_query_parameter *parameters, size_t parameter_count);

#endif
