#ifndef GEMP_PATTERN_SEMANTIC_RULE_PARSE_H
#define GEMP_PATTERN_SEMANTIC_RULE_PARSE_H

#include "pattern/model/parameter.h"
#include "pattern/model/rule.h"

/* Errors are GEMP_EUSAGE as for gemp_pattern_parse. A rule that no RUN names is a warning. */
gemp_code gemp_rule_set_parse(gemp_rule_set **out, const char *text, const char *file,
                              const gemp_query_parameter *parameters, size_t parameter_count);

#endif
