/* words: the vertices of dictionaries. A word with its language is a vertex such as deu:Haus, with the label Word and
 * the attributes lang and word.
 *
 * Every rank collects the words that it reads. At the end each distinct word becomes one vertex, whichever ranks have
 * read it. Equal words of two languages are different vertices. */

#ifndef GEMP_IO_IMPORT_WORDS_H
#define GEMP_IO_IMPORT_WORDS_H

#include "io/import/import.h"
#include "io/text/cells.h"
#include "partition/build/builder.h"
#include "partition/build/dictionary.h"

#define GEMP_TRANSLATES "TRANSLATES" /* the type of the edges between words */

typedef struct gemp_words {
	gemp_builder *builder; /* borrowed */
	gemp_dictionary words; /* keys of all words that this rank has read */
	gemp_text keys[2];     /* keys of source and target */
	size_t language, word; /* the builder's columns */
} gemp_words;

/* Collective. Makes a builder of undirected edges between words, without parallel edges, with the files of the options
 * and the columns of words. The caller frees *builder, also after a failure. */
gemp_code gemp_words_build(gemp_words *words, gemp_builder **builder, const gemp_comm *comm,
                           const gemp_import_options *options);

/* Local. Declares the columns of words; the first call for a builder, on all ranks. */
gemp_code gemp_words_declare(gemp_words *words, gemp_builder *builder);

/* Local. *key becomes the key of the word, which is also added to the words. The key is valid until the next call with
 * the same `end`, which is 0 for the source of an edge and 1 for the target. The language has no colon. */
gemp_code gemp_words_key(gemp_words *words, gemp_value *key, size_t end, gemp_slice language, gemp_slice word);

/* Collective. Adds the vertices of the words of all ranks. */
gemp_code gemp_words_add_vertices(gemp_words *words, const gemp_comm *comm);

void gemp_words_free(gemp_words *words);

#endif
