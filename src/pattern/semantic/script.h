/* script: a text of one or more queries. Each query ends with `;`, and the last `;` may be left out. */

#ifndef GEMP_PATTERN_SEMANTIC_SCRIPT_H
#define GEMP_PATTERN_SEMANTIC_SCRIPT_H

#include "pattern/model/pattern.h"
#include "pattern/model/source.h"

/* The texts of the queries. If there are several, spaces and empty lines replace the text before each query, so that
 * messages have places of the script. A single query is the unchanged text. */
typedef struct gemp_script_texts {
	size_t count;
	char **texts; /* [count] */
} gemp_script_texts;

/* A text without a query is one empty query, for which the parser has a message. Call gemp_script_texts_free also after
 * a failure. */
gemp_code gemp_script_cut(gemp_script_texts *out, const char *text);
void gemp_script_texts_free(gemp_script_texts *texts);

typedef struct gemp_script {
	size_t count;
	gemp_pattern **queries; /* [count] of the texts that gemp_script_cut makes */
} gemp_script;

/* GEMP_EUSAGE if the text has no query. Some query must use each parameter. */
gemp_code gemp_script_parse(gemp_script *out, const char *text, const char *file,
                            const gemp_query_parameter *parameters, size_t parameter_count);
void gemp_script_free(gemp_script *script);

#endif
