/* One pass over the page: a line that begins with = may be a heading, which says whether translations follow and of
 * which language their word is. In a section of translations, templates are found at any depth, since a table of
 * translations is a template, too. A template that is never closed is ignored, as people write pages; a template that
 * is not closed within MAX_TEMPLATE bytes counts as one of them, so the time for a page of open templates is linear. */

#include "io/import/wikitext.h"

#include "core/status.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_ARGUMENTS = 2, MAX_TEMPLATE = 1 << 11 };

typedef struct language_name {
	const char *name, *code;
} language_name;

struct gemp_wiki {
	const char *language;
	const char *section;            /* is in the headings of sections of translations */
	const char *before, *after;     /* enclose the language in headings of level 2; "": the heading is the language */
	const char *const *templates;   /* whose first argument is a language, and the second a word; ends in NULL */
	const language_name *languages; /* ends in NULL; sections of other languages are ignored */
};

static const char *const english_templates[] = { "t", "t+", "tt", "tt+", "t-simple", NULL };
static const char *const german_templates[] = { "Ü", "Üt", NULL };

static const language_name english_languages[] = { { "English", "en" }, { "Translingual", "mul" }, { NULL, NULL } };

/* The languages of most of the words that the German Wiktionary translates. */
static const language_name german_languages[] = {
	{ "Deutsch", "de" },
	{ "Englisch", "en" },
	{ "Französisch", "fr" },
	{ "Italienisch", "it" },
	{ "Spanisch", "es" },
	{ "Schwedisch", "sv" },
	{ "Polnisch", "pl" },
	{ "Latein", "la" },
	{ "Esperanto", "eo" },
	{ "Russisch", "ru" },
	{ "Ungarisch", "hu" },
	{ "Niederländisch", "nl" },
	{ "Tschechisch", "cs" },
	{ "Portugiesisch", "pt" },
	{ "Dänisch", "da" },
	{ "Türkisch", "tr" },
	{ "Norwegisch", "no" },
	{ "Finnisch", "fi" },
	{ "Katalanisch", "ca" },
	{ "Isländisch", "is" },
	{ "Griechisch", "el" },
	{ "Altgriechisch", "grc" },
	{ "Griechisch (Neu-)", "el" },
	{ "Griechisch (Alt-)", "grc" },
	{ "Bulgarisch", "bg" },
	{ "Rumänisch", "ro" },
	{ "Kroatisch", "hr" },
	{ "Serbisch", "sr" },
	{ "Slowenisch", "sl" },
	{ "Slowakisch", "sk" },
	{ "Ukrainisch", "uk" },
	{ "Litauisch", "lt" },
	{ "Lettisch", "lv" },
	{ "Estnisch", "et" },
	{ "Japanisch", "ja" },
	{ "Chinesisch", "zh" },
	{ "Koreanisch", "ko" },
	{ "Arabisch", "ar" },
	{ "Hebräisch", "he" },
	{ "Baskisch", "eu" },
	{ "Kurmandschi", "kmr" },
	{ "Obersorbisch", "hsb" },
	{ "Niedersorbisch", "dsb" },
	{ "Färöisch", "fo" },
	{ "Irisch", "ga" },
	{ "Walisisch", "cy" },
	{ "Albanisch", "sq" },
	{ "Bosnisch", "bs" },
	{ "Mazedonisch", "mk" },
	{ "Indonesisch", "id" },
	{ "Vietnamesisch", "vi" },
	{ "Niederdeutsch", "nds" },
	{ "Luxemburgisch", "lb" },
	{ "Afrikaans", "af" },
	{ "Galicisch", "gl" },
	{ "Okzitanisch", "oc" },
	{ "International", "mul" },
	{ NULL, NULL },
};

static const gemp_wiki wikis[] = {
	{ "en", "Translations", "", "", english_templates, english_languages },
	{ "de", "{{Übersetzungen}}", "{{Sprache|", "}}", german_templates, german_languages },
};

const gemp_wiki *gemp_wiki_of(const char *language)
{
	for (size_t i = 0; i < sizeof wikis / sizeof *wikis; i++)
		if (strcmp(wikis[i].language, language) == 0)
			return &wikis[i];
	return NULL;
}

typedef struct page_reader {
	const gemp_wiki *wiki;
	const char *at, *end;
	uint64_t line;
	const char *language; /* code of the current word's language; NULL: it is not known */
	bool translations;    /* the section has translations */
	gemp_text *word;
	uint64_t *left_out;
	gemp_visit_translation *visit;
	void *self;
} page_reader;

static bool begins_with(const page_reader *p, const char *at, const char *text)
{
	size_t size = strlen(text);
	return (size_t)(p->end - at) >= size && memcmp(at, text, size) == 0;
}

static bool is_text(gemp_slice slice, const char *text)
{
	return slice.size == strlen(text) && memcmp(slice.bytes, text, slice.size) == 0;
}

/* HEADINGS */

/* The code of the language that a heading of level 2 names; NULL if it names none, or an unknown one. */
static const char *language_of(const gemp_wiki *wiki, gemp_slice title)
{
	size_t before = strlen(wiki->before);
	const char *begin = before ? memmem(title.bytes, title.size, wiki->before, before) : title.bytes;
	if (!begin)
		return NULL;
	begin += before;
	size_t left = (size_t)(title.bytes + title.size - begin), after = strlen(wiki->after);
	const char *end = after ? memmem(begin, left, wiki->after, after) : begin + left;
	if (!end)
		return NULL;
	const gemp_slice name = gemp_trimmed(begin, end);
	for (const language_name *known = wiki->languages; known->name; known++)
		if (is_text(name, known->name))
			return known->code;
	return NULL;
}

/* Any heading ends a section of translations, also one of a deeper level. */
static void read_line(page_reader *p, const char *end)
{
	if (*p->at != '=')
		return;
	gemp_slice line = gemp_trimmed(p->at, end);
	size_t level = 0;
	while (2 * level + 1 < line.size && line.bytes[level] == '=' && line.bytes[line.size - 1 - level] == '=')
		level++;
	if (level == 0)
		return;
	const gemp_slice title = gemp_trimmed(line.bytes + level, line.bytes + line.size - level);
	if (level <= 2)
		p->language = level == 2 ? language_of(p->wiki, title) : NULL;
	p->translations = level > 2 && memmem(title.bytes, title.size, p->wiki->section, strlen(p->wiki->section)) != NULL;
}

/* TEMPLATES */

/* The end of the part of a template that begins at `at`: the next | or }} before `end` that is in no inner template or
 * link. NULL if there is none. */
static const char *part_end(const char *at, const char *end)
{
	int depth = 0;
	for (; at + 1 < end; at++) {
		bool doubled = at[0] == at[1];
		if (depth == 0 && (*at == '|' || (doubled && *at == '}')))
			return at;
		if (!doubled || !strchr("{}[]", *at))
			continue;
		depth += *at == '{' || *at == '[' ? 1 : depth > 0 ? -1 : 0;
		at++;
	}
	return NULL;
}

/* Removes the name from an argument such as `2=apple`. Returns the number that the argument has; 0 if it has another
 * name, as in `tr=yabloko`. number: the number of the next argument without a name, which an argument without a name
 * gets. */
static size_t number_of(gemp_slice *argument, size_t *number)
{
	const char *end = argument->bytes + argument->size, *equal = argument->bytes;
	while (equal < end && !strchr("=[{<", *equal))
		equal++;
	if (equal == end || *equal != '=')
		return (*number)++;
	const gemp_slice name = gemp_trimmed(argument->bytes, equal);
	*argument = gemp_trimmed(equal + 1, end);
	return name.size == 1 && *name.bytes >= '1' && *name.bytes <= '9' ? (size_t)(*name.bytes - '0') : 0;
}

/* The size of an entity such as &amp; or &#39; at the beginning of the text; 0 if there is none. */
static size_t entity_size(gemp_slice text)
{
	size_t size = 1;
	if (*text.bytes != '&')
		return 0;
	while (size < text.size && (text.bytes[size] == '#' || isalnum((unsigned char)text.bytes[size])))
		size++;
	return size > 1 && size < text.size && text.bytes[size] == ';' ? size + 1 : 0;
}

/* Replaces links by their texts and the entity &nbsp; by a blank, and removes quotes of italics:
 * [[Apfel#Deutsch|Äpfel]] becomes Äpfel. Returns false if no plain word is left. */
static bool make_plain(gemp_text *out, gemp_slice text)
{
	const char *at = text.bytes, *end = text.bytes + text.size;
	gemp_text_clear(out);
	while (at < end) {
		const size_t left = (size_t)(end - at), entity = entity_size((gemp_slice){ at, left });
		if (left > 1 && at[0] == '[' && at[1] == '[') {
			const char *close = memmem(at, left, "]]", 2), *bar = close ? memrchr(at, '|', (size_t)(close - at)) : NULL;
			if (!close)
				return false;
			at = bar ? bar + 1 : at + 2;
		} else if (left > 1 && at[0] == ']' && at[1] == ']') {
			at += 2;
		} else if (entity) {
			if (entity != strlen("&nbsp;") || memcmp(at, "&nbsp;", entity) != 0)
				return false;
			gemp_text_add(out, " ", 1);
			at += entity;
		} else if (left > 1 && at[0] == '\'' && at[1] == '\'') {
			while (at < end && *at == '\'')
				at++;
		} else {
			gemp_text_add(out, at++, 1);
		}
	}
	return out->size > 0 && !out->failed && strcspn(out->data, "[]{}<>|\t\n") == out->size;
}

static bool is_code(gemp_slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", text.bytes[i]))
			return false;
	return text.size > 0;
}

/* Reads the arguments, from the | behind the name on. *close becomes the end of the template; NULL if it is not closed
 * before `limit`. */
static void read_arguments(const char *at, const char *limit, gemp_slice arguments[MAX_ARGUMENTS], const char **close)
{
	size_t next = 1;
	while (at && *at == '|') {
		const char *end = part_end(at + 1, limit);
		if (end) {
			gemp_slice argument = gemp_trimmed(at + 1, end);
			size_t number = number_of(&argument, &next);
			if (number >= 1 && number <= MAX_ARGUMENTS)
				arguments[number - 1] = argument;
		}
		at = end;
	}
	*close = at;
}

/* Visits the word, or each of its forms if two slashes separate several, as in the Chinese 蘋果//苹果. */
static gemp_code visit_forms(page_reader *p, gemp_slice language, gemp_slice word)
{
	const char *at = word.bytes, *end = at + word.size;
	while (at < end) {
		const char *slashes = memmem(at, (size_t)(end - at), "//", 2), *over = slashes ? slashes : end;
		const gemp_slice form = gemp_trimmed(at, over);
		const gemp_wikitext_translation found = { { p->language, strlen(p->language) }, language, form, p->line };
		if (form.size > 0)
			GEMP_TRY(p->visit(p->self, &found));
		at = slashes ? slashes + 2 : end;
	}
	return GEMP_OK;
}

/* Reads the template at p->at if it is a translation. All other templates are left to the caller, which looks for
 * translations inside. *close becomes the end of the translation, or NULL. */
static gemp_code read_template(page_reader *p, const char **close)
{
	const char *name = p->at + 2, *bar = name;
	const char *limit = p->end - p->at > MAX_TEMPLATE ? p->at + MAX_TEMPLATE : p->end;
	gemp_slice arguments[MAX_ARGUMENTS] = { 0 };
	*close = NULL;
	while (bar < limit && !strchr("{}[]|", *bar))
		bar++;
	if (bar == limit || *bar != '|')
		return GEMP_OK;
	const gemp_slice trimmed = gemp_trimmed(name, bar);
	const char *const *known = p->wiki->templates;
	while (*known && !is_text(trimmed, *known))
		known++;
	if (!*known)
		return GEMP_OK;
	read_arguments(bar, limit, arguments, close);
	if (!*close)
		return GEMP_OK;
	bool plain = is_code(arguments[0]) && make_plain(p->word, arguments[1]);
	GEMP_TRY(gemp_text_status(p->word));
	const gemp_slice word = plain ? gemp_trimmed(p->word->data, p->word->data + p->word->size) : (gemp_slice){ 0 };
	if (word.size == 0) {
		++*p->left_out;
		return GEMP_OK;
	}
	return visit_forms(p, arguments[0], word);
}

/* THE PAGE */

/* Moves behind `to` and counts the lines. */
static void skip_to(page_reader *p, const char *to)
{
	for (; p->at < to; p->at++)
		p->line += *p->at == '\n';
}

static const char *line_end(const page_reader *p)
{
	const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
	return newline ? newline : p->end;
}

/* Reads a line outside sections of translations, or one step of a line inside. */
static gemp_code read_step(page_reader *p, bool *fresh)
{
	const char *close;
	if (*fresh)
		read_line(p, line_end(p));
	*fresh = !p->translations || !p->language;
	if (*fresh) {
		const char *end = line_end(p);
		skip_to(p, end < p->end ? end + 1 : end);
		return GEMP_OK;
	}
	if (begins_with(p, p->at, "<!--")) {
		const char *over = memmem(p->at, (size_t)(p->end - p->at), "-->", 3);
		skip_to(p, over ? over + 3 : p->end);
	} else if (begins_with(p, p->at, "{{")) {
		GEMP_TRY(read_template(p, &close));
		skip_to(p, close ? close + 2 : p->at + 2);
	} else {
		*fresh = *p->at == '\n';
		skip_to(p, p->at + 1);
	}
	return GEMP_OK;
}

gemp_code gemp_wikitext_read(const gemp_wiki *wiki, gemp_slice page, gemp_text *word, uint64_t *left_out,
                             gemp_visit_translation *visit, void *self)
{
	page_reader p = { .wiki = wiki,
		              .at = page.bytes,
		              .end = page.bytes + page.size,
		              .word = word,
		              .left_out = left_out,
		              .visit = visit,
		              .self = self };
	bool fresh = true;
	while (p.at < p.end)
		GEMP_TRY(read_step(&p, &fresh));
	return GEMP_OK;
}
