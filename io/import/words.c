/* A word is kept only as its key, from which language and word are cut again: a language has no colon. */

#include "io/import/words.h"

#include <string.h>

gemp_code gemp_words_declare(gemp_words *words, gemp_builder *builder)
{
	words->builder = builder;
	GEMP_TRY(gemp_builder_vertex_column(builder, "lang", GEMP_STRING, &words->language));
	return gemp_builder_vertex_column(builder, "word", GEMP_STRING, &words->word);
}

gemp_code gemp_words_build(gemp_words *words, gemp_builder **builder, const gemp_comm *comm,
                           const gemp_import_options *options)
{
	gemp_builder_options built = gemp_format_builder(options);
	built.string_keys = built.undirected = built.merge_parallel = true;
	GEMP_TRY(gemp_builder_new(builder, comm, &built));
	gemp_code code = gemp_import_declare_files(*builder, options);
	GEMP_THEN(gemp_words_declare(words, *builder));
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_step_times_next(options->steps, "parse");
	return GEMP_OK;
}

gemp_code gemp_words_key(gemp_words *words, gemp_value *key, size_t end, gemp_slice language, gemp_slice word)
{
	gemp_text *text = &words->keys[end];
	uint32_t index;
	gemp_text_clear(text);
	gemp_text_add(text, language.bytes, language.size);
	gemp_text_add(text, ":", 1);
	gemp_text_add(text, word.bytes, word.size);
	GEMP_TRY(gemp_text_status(text));
	GEMP_TRY(gemp_dictionary_add(&words->words, text->data, text->size, &index));
	*key = gemp_string_value(text->data, text->size);
	return GEMP_OK;
}

static gemp_code add_word(void *self, const char *key, size_t size)
{
	const gemp_words *words = self;
	const char *colon = memchr(key, ':', size);
	size_t language_size = (size_t)(colon - key);
	const gemp_value whole = gemp_string_value(key, size), language = gemp_string_value(key, language_size);
	const gemp_value word = gemp_string_value(colon + 1, size - language_size - 1);
	GEMP_TRY(gemp_builder_vertex(words->builder, &whole, "Word", 4, (gemp_place){ 0 }));
	GEMP_TRY(gemp_builder_vertex_value(words->builder, words->language, &language));
	return gemp_builder_vertex_value(words->builder, words->word, &word);
}

gemp_code gemp_words_add_vertices(gemp_words *words, const gemp_comm *comm)
{
	return gemp_import_names(comm, &words->words, add_word, words);
}

void gemp_words_free(gemp_words *words)
{
	gemp_dictionary_free(&words->words);
	gemp_text_free(&words->keys[0]);
	gemp_text_free(&words->keys[1]);
}
