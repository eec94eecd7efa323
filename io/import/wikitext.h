/* wikitext: finds the translations in the text of a page of a Wiktionary.
 *
 * English: the section `====Translations====` of a word has templates such as {{t|de|Apfel|m}} and {{t+|fr|pomme|f}}.
 * German: the section `==== {{Übersetzungen}} ====` has {{Ü|en|apple}} and {{Üt|ru|яблоко|jabloko}}. Templates for
 * translations that nobody has checked (t-check, Ü?) are ignored. The heading of level 2 above a section names the
 * language of the word: `==English==`, `== Apfel ({{Sprache|Deutsch}}) ==`. */

#ifndef GEMP_IO_IMPORT_WIKITEXT_H
#define GEMP_IO_IMPORT_WIKITEXT_H

#include "core/text.h"
#include "io/text/cells.h"

#include <stdint.h>

/* The Wiktionary of one language. */
typedef struct gemp_wiki gemp_wiki;

/* The Wiktionary with this language code ("en", "de"); NULL if the program does not know its templates. */
const gemp_wiki *gemp_wiki_of(const char *language);

typedef struct gemp_wikitext_translation {
	gemp_slice source;         /* code of the language of the page's word */
	gemp_slice language, word; /* code of the language of the translation, and the translation itself */
	uint64_t line;             /* line in the text, from 0 */
} gemp_wikitext_translation;

typedef gemp_code gemp_visit_translation(void *self, const gemp_wikitext_translation *translation);

/* Visits the translations of the page in their order. The slices are valid during the visit. word: a buffer, which the
 * caller frees. *left_out is increased by the number of translations whose word is empty or has other markup than
 * links. */
gemp_code gemp_wikitext_read(const gemp_wiki *wiki, gemp_slice page, gemp_text *word, uint64_t *left_out,
                             gemp_visit_translation *visit, void *self);

#endif
