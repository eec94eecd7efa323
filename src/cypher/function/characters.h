/* characters: positions in UTF-8 text, counted in characters (code points).
 *
 * A character is a byte that is no continuation byte, and the continuation bytes after it. So text that is not UTF-8
 * has characters, too, and no function reads beyond its end. */

#ifndef GEMP_CYPHER_FUNCTION_CHARACTERS_H
#define GEMP_CYPHER_FUNCTION_CHARACTERS_H

#include "cypher/value/datum.h"

/* The byte after the character that begins at byte `at` < string.size. */
size_t gemp_characters_next(gemp_datum string, size_t at);
/* The byte at which the character before byte `at` > 0 begins. */
size_t gemp_characters_previous(gemp_datum string, size_t at);
/* The byte after the first `count` characters, or the end of a shorter string. */
size_t gemp_characters_skip(gemp_datum string, uint64_t count);
/* The same characters in reverse order. */
gemp_code gemp_characters_reverse(gemp_datum *out, gemp_arena *arena, gemp_datum string);

#endif
