/* A dump of a Wiktionary, pages-articles.xml as Wikimedia publishes it: a series of pages with a title, a namespace and
 * a revision, whose text has translations (wikitext.h). Rank i % ranks reads file i once, page by page. Undirected
 * edges join the title of the page and its translations. Other words may be translated back by pages of their own, so
 * equal edges are one. */

#include "core/log.h"
#include "core/status.h"
#include "io/import/import.h"
#include "io/import/wikitext.h"
#include "io/import/words.h"
#include "io/text/xml.h"

#include <inttypes.h>
#include <string.h>

/* The element in which the reader is. Other elements are skipped. */
typedef enum place { OUTSIDE, IN_DUMP, IN_PAGE, IN_TITLE, IN_NAMESPACE, IN_REVISION, IN_TEXT } place;

typedef struct wiktionary_reader {
	gemp_builder *builder;
	gemp_words words;
	uint32_t file; /* number of the current file */
	const gemp_wiki *wiki;
	place place;
	gemp_text title, namespace, word;
	bool has_text; /* the page has had a text */
	uint64_t line; /* where the current text begins */
	uint64_t left_out;
} wiktionary_reader;

/* The root names the language of the wiki, which decides how translations are written. */
static gemp_code begin_dump(wiktionary_reader *reader, const char *name, const char **attributes)
{
	const char *language = gemp_xml_attribute(attributes, "http://www.w3.org/XML/1998/namespace lang");
	if (strcmp(name, "mediawiki") != 0)
		return gemp_fail(GEMP_EDATA, "the file is no dump of a wiki: it begins with <%.40s> and not with <mediawiki>",
		                 name);
	reader->wiki = language ? gemp_wiki_of(language) : NULL;
	if (!reader->wiki)
		return gemp_fail(
			GEMP_EDATA,
			"the dump is of a wiki in the language '%.20s'; the translations of the English (en) and German "
			"(de) Wiktionary can be read",
			language ? language : "");
	reader->place = IN_DUMP;
	return GEMP_OK;
}

/* An old revision could have other translations than the present one. */
static gemp_code begin_text(wiktionary_reader *reader, const gemp_xml *xml)
{
	if (reader->has_text)
		return gemp_fail(GEMP_EDATA,
		                 "page '%.80s' has several revisions; import pages-articles, not the pages' history",
		                 reader->title.data);
	reader->has_text = true;
	reader->line = gemp_xml_line(xml);
	reader->place = IN_TEXT;
	return GEMP_OK;
}

static void begin_page(wiktionary_reader *reader)
{
	gemp_text_clear(&reader->title);
	gemp_text_clear(&reader->namespace);
	reader->has_text = false;
	reader->place = IN_PAGE;
}

static gemp_code on_start(void *self, gemp_xml *xml, const char *full, const char **attributes)
{
	wiktionary_reader *reader = self;
	const char *name = gemp_xml_local(full);
	if (reader->place == OUTSIDE)
		return begin_dump(reader, name, attributes);
	if (reader->place == IN_DUMP && strcmp(name, "page") == 0)
		begin_page(reader);
	else if (reader->place == IN_PAGE && strcmp(name, "title") == 0)
		reader->place = IN_TITLE;
	else if (reader->place == IN_PAGE && strcmp(name, "ns") == 0)
		reader->place = IN_NAMESPACE;
	else if (reader->place == IN_PAGE && strcmp(name, "revision") == 0)
		reader->place = IN_REVISION;
	else if (reader->place == IN_REVISION && strcmp(name, "text") == 0)
		return begin_text(reader, xml);
	else
		gemp_xml_skip(xml);
	return GEMP_OK;
}

/* The English Wiktionary has the translations of some words on pages of their own, such as water/translations. */
static gemp_slice word_of_title(const gemp_text *title)
{
	static const char ending[] = "/translations";
	gemp_slice word = { title->data, title->size };
	size_t tail = sizeof ending - 1;
	if (word.size > tail && memcmp(word.bytes + word.size - tail, ending, tail) == 0)
		word.size -= tail;
	return word;
}

static gemp_code add_translation(void *self, const gemp_wikitext_translation *found)
{
	wiktionary_reader *reader = self;
	gemp_value ends[2];
	GEMP_TRY(gemp_words_key(&reader->words, &ends[0], 0, found->source, word_of_title(&reader->title)));
	GEMP_TRY(gemp_words_key(&reader->words, &ends[1], 1, found->language, found->word));
	return gemp_builder_edge(reader->builder, &ends[0], &ends[1], GEMP_TRANSLATES, strlen(GEMP_TRANSLATES),
	                         (gemp_place){ reader->file, reader->line + found->line });
}

/* Words are the pages of namespace 0; the others are talks, templates and so on. */
static gemp_code end_text(wiktionary_reader *reader, const char *text, size_t size)
{
	if (reader->title.size == 0 || reader->namespace.size == 0)
		return gemp_fail(GEMP_EDATA, "a page has a text before its <%s>; a dump has title, ns, revision in this order",
		                 reader->title.size == 0 ? "title" : "ns");
	if (strcmp(reader->namespace.data, "0") != 0)
		return GEMP_OK;
	return gemp_wikitext_read(reader->wiki, (gemp_slice){ text, size }, &reader->word, &reader->left_out,
	                          add_translation, reader);
}

static gemp_code on_end(void *self, const char *text, size_t size)
{
	wiktionary_reader *reader = self;
	const gemp_slice trimmed = gemp_trimmed(text, text + size);
	gemp_text *kept = reader->place == IN_TITLE ? &reader->title : &reader->namespace;
	switch (reader->place) {
	case IN_TITLE:
	case IN_NAMESPACE:
		gemp_text_clear(kept);
		gemp_text_add(kept, trimmed.bytes, trimmed.size);
		reader->place = IN_PAGE;
		return gemp_text_status(kept);
	case IN_TEXT: reader->place = IN_REVISION; return end_text(reader, text, size);
	case IN_REVISION: reader->place = IN_PAGE; return GEMP_OK;
	case IN_PAGE: reader->place = IN_DUMP; return GEMP_OK;
	default: reader->place = OUTSIDE; return GEMP_OK;
	}
}

static void free_wiktionary(wiktionary_reader *reader)
{
	gemp_builder_free(reader->builder);
	gemp_words_free(&reader->words);
	gemp_text_free(&reader->title);
	gemp_text_free(&reader->namespace);
	gemp_text_free(&reader->word);
}

static gemp_code read_wiktionary(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	static const gemp_xml_visitor visitor = { "a dump of a wiki", on_start, on_end, NULL };
	GEMP_OWNED_BY(free_wiktionary) wiktionary_reader self = { 0 };
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_words_build(&self.words, &self.builder, comm, options));
	for (size_t i = (size_t)comm->rank; i < options->edge_file_count && code == GEMP_OK; i += (size_t)comm->size) {
		self.place = OUTSIDE;
		self.file = (uint32_t)i + 1;
		code = gemp_xml_read(options->edge_files[i], &visitor, &self);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_words_add_vertices(&self.words, comm));
	gemp_comm_sum(comm, &self.left_out, 1);
	if (self.left_out > 0)
		gemp_warn("%" PRIu64 " translations have no word, or markup other than links, and are left out", self.left_out);
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_wiktionary = {
	.name = "wiktionary",
	.endings = "-pages-articles.xml -pages-articles-multistream.xml",
	.summary = "dumps of the English and German Wiktionary: words and their translations; undirected",
	.read = read_wiktionary,
};
