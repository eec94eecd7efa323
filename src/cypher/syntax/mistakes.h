/* mistakes: recognises what people often write instead of openCypher, and names the remedy. Internal to
 * src/cypher/syntax.
 *
 * A rule looks at the unexpected token, at the text before it, and at the tokens that the grammar expects. Nothing
 * here decides whether a query is valid. */

#ifndef GEMP_CYPHER_SYNTAX_MISTAKES_H
#define GEMP_CYPHER_SYNTAX_MISTAKES_H

#include "cypher/syntax/build.h"

enum { GEMP_CY_HINT_SIZE = 256 };

/* Writes the remedy to hint[GEMP_CY_HINT_SIZE], or returns false if no rule recognises a mistake at `place`. */
bool gemp_cy_mistake(const char *text, gemp_cypher_place place, const gemp_cypher_expected *expected, char *hint);

#endif
