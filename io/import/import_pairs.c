/* A list of translations without a header: a line `HU alma TAB EN apple` is a pair of words, each with its language in
 * front. The vertices are the words, and the edges are undirected. Lists have many a pair twice, once from each of its
 * words, so equal pairs are one edge. */

#include "core/log.h"
#include "core/status.h"
#include "io/import/import.h"
#include "io/import/words.h"
#include "io/text/lines.h"

#include <string.h>

typedef struct pairs_reader {
	gemp_builder *builder;
	gemp_words words;
	uint32_t file; /* number of the current file */
} pairs_reader;

/* Cuts "HU alma" at its first blank. which: names the word in messages. */
static gemp_code read_word(gemp_slice cell, const char *which, gemp_slice *language, gemp_slice *word)
{
	static const char form[] = "lines are like 'HU alma', a tab, 'EN apple'";
	const char *end = cell.bytes + cell.size, *blank = memchr(cell.bytes, ' ', cell.size);
	if (cell.size == 0)
		return gemp_fail(GEMP_EDATA, "the %s word is missing; %s", which, form);
	if (!blank)
		return gemp_fail(GEMP_EDATA, "the %s word, '%.*s', has no language in front of it; %s", which,
		                 cell.size > 40 ? 40 : (int)cell.size, cell.bytes, form);
	*language = (gemp_slice){ cell.bytes, (size_t)(blank - cell.bytes) };
	*word = gemp_trimmed(blank, end);
	if (memchr(language->bytes, ':', language->size))
		return gemp_fail(GEMP_EDATA, "the language '%.*s' has a colon, which separates language and word in ids; %s",
		                 language->size > 40 ? 40 : (int)language->size, language->bytes, form);
	return GEMP_OK;
}

/* Empty lines are ignored. */
static gemp_code visit_pair(void *self, const gemp_line *line)
{
	pairs_reader *reader = self;
	const char *end = line->text + line->size, *tab = memchr(line->text, '\t', line->size);
	gemp_value ends[2];
	if (gemp_trimmed(line->text, end).size == 0 && !tab)
		return GEMP_OK;
	if (!tab)
		return gemp_fail(GEMP_EDATA, "no tab between two words; lines are like 'HU alma', a tab, 'EN apple'");
	if (memchr(tab + 1, '\t', (size_t)(end - tab - 1)))
		return gemp_fail(GEMP_EDATA, "more than one tab; a line has two words, and a tab between them");
	const gemp_slice cells[2] = { gemp_trimmed(line->text, tab), gemp_trimmed(tab + 1, end) };
	for (size_t i = 0; i < 2; i++) {
		gemp_slice language, word;
		GEMP_TRY(read_word(cells[i], i ? "second" : "first", &language, &word));
		GEMP_TRY(gemp_words_key(&reader->words, &ends[i], i, language, word));
	}
	return gemp_builder_edge(reader->builder, &ends[0], &ends[1], GEMP_TRANSLATES, strlen(GEMP_TRANSLATES),
	                         (gemp_place){ reader->file, line->line });
}

static void free_pairs(pairs_reader *reader)
{
	gemp_builder_free(reader->builder);
	gemp_words_free(&reader->words);
}

/* Collective. All ranks read each file together. */
static gemp_code read_pairs(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	GEMP_OWNED_BY(free_pairs) pairs_reader self = { 0 };
	GEMP_TRY(gemp_words_build(&self.words, &self.builder, comm, options));
	for (size_t i = 0; i < options->edge_file_count; i++) {
		gemp_lines lines;
		self.file = (uint32_t)i + 1;
		GEMP_TRY(gemp_lines_open(&lines, comm, options->edge_files[i], NULL, i));
		GEMP_TRY(gemp_lines_visit(&lines, comm, visit_pair, &self));
	}
	GEMP_TRY(gemp_words_add_vertices(&self.words, comm));
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_pairs = {
	.name = "pairs",
	.endings = ".pairs",
	.summary = "translations without a header, `HU alma`, a tab, `EN apple`; undirected",
	.read = read_pairs,
};
