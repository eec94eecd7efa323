/* A dictionary of the dictd server, NAME-deu-eng.index and NAME-deu-eng.dict.dz as FreeDict writes them, becomes the
 * words of two languages and an edge for each translation. The index gives the place of each entry in the text. An
 * entry is
 *     headword /pronunciation/ <grammar>
 *     translation, translation <grammar>
 * An entry with several senses has the lines `1. translations`, `2. translations` and so on instead of the second line;
 * lines of explanation may follow each of them. */

#include "io/import/import_dict.h"

#include "core/status.h"
#include "io/file/source.h"
#include "io/import/import.h"
#include "io/import/words.h"
#include "io/text/cells.h"
#include "io/text/lines.h"
#include "partition/build/builder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ENTRIES are written for people and follow habits instead of a format. The rules here follow the contents of
 * FreeDict's dictionaries. All results are slices of the entry's text. */

/* Removes the first line from `rest` and returns it. */
static gemp_slice take_line(gemp_slice *rest)
{
	const char *newline = memchr(rest->bytes, '\n', rest->size);
	gemp_slice line = { rest->bytes, newline ? (size_t)(newline - rest->bytes) : rest->size };
	size_t taken = line.size + (newline != NULL);
	rest->bytes += taken;
	rest->size -= taken;
	return line;
}

/* The text before the first blank that has one of the characters in `stops` behind it, or the whole text if there is no
 * such blank. */
static gemp_slice before(gemp_slice text, const char *stops)
{
	for (size_t i = 0; i + 1 < text.size; i++)
		if (text.bytes[i] == ' ' && strchr(stops, text.bytes[i + 1]))
			return gemp_trimmed(text.bytes, text.bytes + i);
	return gemp_trimmed(text.bytes, text.bytes + text.size);
}

/* The text within the first pair of angle brackets. */
static gemp_slice grammar_of(gemp_slice line)
{
	const char *open = memchr(line.bytes, '<', line.size);
	const char *close = open ? memchr(open, '>', (size_t)(line.bytes + line.size - open)) : NULL;
	return close ? gemp_trimmed(open + 1, close) : (gemp_slice){ line.bytes, 0 };
}

static bool begins_with(gemp_slice text, const char *word)
{
	size_t size = strlen(word);
	return text.size >= size && memcmp(text.bytes, word, size) == 0;
}

/* Lines of a dictionary that begin with these words explain the meaning of the entry. They have no translations. */
static bool is_note(gemp_slice line)
{
	gemp_slice text = gemp_trimmed(line.bytes, line.bytes + line.size);
	return begins_with(text, "see:") || begins_with(text, "Synonym") || begins_with(text, "Note:");
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The line without a number such as `2.` at its end. */
static gemp_slice without_number(gemp_slice line)
{
	gemp_slice text = gemp_trimmed(line.bytes, line.bytes + line.size);
	size_t size = text.size;
	if (size < 3 || text.bytes[size - 1] != '.' || !digit(text.bytes[size - 2]))
		return text;
	for (size--; size > 0 && digit(text.bytes[size - 1]);)
		size--;
	return size == 0 || text.bytes[size - 1] == ' ' ? gemp_trimmed(text.bytes, text.bytes + size) : text;
}

/* If the line begins with the number of the sense, returns the offset of the translations after the number, otherwise
 * 0. */
static size_t after_number(gemp_slice line, int64_t number)
{
	size_t i = 0;
	int64_t found = 0;
	for (; i < line.size && i < 6 && digit(line.bytes[i]); i++)
		found = 10 * found + (line.bytes[i] - '0');
	bool dot = i > 0 && i + 1 < line.size && line.bytes[i] == '.' && line.bytes[i + 1] == ' ';
	return dot && found == number ? i + 2 : 0;
}

/* The text without notes in [ ] and { } at its beginning. */
static gemp_slice without_notes(gemp_slice text)
{
	text = gemp_trimmed(text.bytes, text.bytes + text.size);
	while (text.size > 0 && (*text.bytes == '[' || *text.bytes == '{')) {
		const char *close = memchr(text.bytes, *text.bytes == '[' ? ']' : '}', text.size);
		text = close ? gemp_trimmed(close + 1, text.bytes + text.size) : (gemp_slice){ text.bytes, 0 };
	}
	return text;
}

/* Tests whether one pair of parentheses encloses the whole line. */
static bool is_parenthesis(gemp_slice line)
{
	gemp_slice text = gemp_trimmed(line.bytes, line.bytes + line.size);
	int depth = 0;
	for (size_t i = 0; i < text.size; i++) {
		depth += (text.bytes[i] == '(') - (text.bytes[i] == ')');
		if (depth <= 0)
			return i > 0 && i + 1 == text.size;
	}
	return false;
}

/* A translation that an entry repeats is added once, with its first sense. */
static gemp_code add_translation(gemp_dict_entry *entry, gemp_slice word, int64_t sense)
{
	word = before(without_notes(word), "<[/{");
	if (word.size == 0 || *word.bytes == '<')
		return GEMP_OK;
	for (size_t i = 0; i < entry->count; i++) {
		const gemp_slice *known = &entry->translations[i].word;
		if (known->size == word.size && memcmp(known->bytes, word.bytes, word.size) == 0)
			return GEMP_OK;
	}
	GEMP_TRY(GEMP_RESERVE(entry->translations, entry->capacity, entry->count + 1));
	entry->translations[entry->count++] = (gemp_translation){ word, sense };
	return GEMP_OK;
}

/* A comma separates translations if it is outside brackets and a blank follows it. */
static gemp_code add_line(gemp_dict_entry *entry, gemp_slice line, int64_t sense)
{
	gemp_slice text = without_number(line);
	const char *begin = text.bytes, *end = text.bytes + text.size;
	int depth = 0;
	for (const char *at = begin; at < end; at++) {
		depth += strchr("([<{", *at) != NULL;
		depth -= depth > 0 && strchr(")]>}", *at) != NULL;
		if (*at != ',' || depth > 0 || at + 1 == end || at[1] != ' ')
			continue;
		GEMP_TRY(add_translation(entry, gemp_trimmed(begin, at), sense));
		begin = at + 1;
	}
	return add_translation(entry, gemp_trimmed(begin, end), sense);
}

/* The first line holds the headword, pronunciation and grammar. If the next line has the number 1, the lines with the
 * numbers 1, 2, ... hold the translations. Otherwise the second line holds all translations. */
gemp_code gemp_dict_entry_read(gemp_dict_entry *entry, const char *text, size_t size)
{
	gemp_slice rest = { text, size }, line = take_line(&rest);
	entry->count = 0;
	entry->headword = before(without_notes(line), "</[");
	entry->grammar = grammar_of(line);
	if (entry->headword.size == 0)
		return gemp_fail(GEMP_EDATA, "no headword in the first line; is this a dictionary as FreeDict writes them?");
	line = take_line(&rest);
	if (is_parenthesis(line))
		line = take_line(&rest);
	if (!after_number(line, 1))
		return is_note(line) ? GEMP_OK : add_line(entry, line, 0);
	for (int64_t sense = 1; line.size > 0 || rest.size > 0; line = take_line(&rest)) {
		size_t at = after_number(line, sense);
		if (at == 0)
			continue;
		line = (gemp_slice){ line.bytes + at, line.size - at };
		GEMP_TRY(add_line(entry, is_parenthesis(line) ? take_line(&rest) : line, sense++));
	}
	return GEMP_OK;
}

void gemp_dict_entry_free(gemp_dict_entry *entry)
{
	gemp_free(entry->translations);
	*entry = (gemp_dict_entry){ 0 };
}

typedef struct index_entry {
	uint64_t offset, size;
	uint64_t line; /* line in the index */
} index_entry;

typedef struct dict_reader {
	gemp_cells cells;
	index_entry *entries; /* [count] index of the current dictionary */
	size_t count, capacity;
	gemp_text text;     /* text of the current dictionary */
	char languages[64]; /* such as "deu-eng" */
	gemp_dict_entry entry;
	gemp_words words;
	gemp_builder *builder;
	uint32_t file;
	size_t grammar, sense; /* the builder's columns */
} dict_reader;

/* The index writes numbers in base 64, with the highest digit first. */
static gemp_code read_number(uint64_t *out, const gemp_text_cell *cell)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	*out = 0;
	for (size_t i = 0; i < cell->size; i++) {
		const char *digit = memchr(digits, cell->bytes[i], 64);
		if (!digit || *out >> 50)
			return gemp_fail(GEMP_EDATA, "'%.*s' is not a place in the dictionary, written in base 64",
			                 cell->size > 40 ? 40 : (int)cell->size, cell->bytes);
		*out = *out << 6 | (uint64_t)(digit - digits);
	}
	return GEMP_OK;
}

/* Tests whether the entry describes the dictionary itself. */
static bool is_metadata(const gemp_line *line)
{
	return (line->size >= 10 && memcmp(line->text, "00database", 10) == 0) ||
	       (line->size >= 11 && memcmp(line->text, "00-database", 11) == 0);
}

/* A line of the index is `headword TAB place TAB size`. */
static gemp_code visit_index(void *self, const gemp_line *line)
{
	dict_reader *reader = self;
	index_entry found = { .line = line->line };
	GEMP_TRY(gemp_cells_tsv(&reader->cells, line->text, line->size));
	if (reader->cells.count < 3 || reader->cells.count > 4)
		return gemp_fail(GEMP_EDATA,
		                 "%zu fields where an index has a word, a place and a size; name the "
		                 ".index file of a dictionary of dictd",
		                 reader->cells.count);
	GEMP_TRY(read_number(&found.offset, &reader->cells.cell[1]));
	GEMP_TRY(read_number(&found.size, &reader->cells.cell[2]));
	if (found.offset + found.size > reader->text.size)
		return gemp_fail(GEMP_EDATA,
		                 "the entry's place (%" PRIu64 ", %" PRIu64 " bytes) is beyond the "
		                 "dictionary's %zu bytes; do .index and .dict.dz belong together?",
		                 found.offset, found.size, reader->text.size);
	if (is_metadata(line))
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(reader->entries, reader->capacity, reader->count + 1));
	reader->entries[reader->count++] = found;
	return GEMP_OK;
}

/* For qsort: compares places, so words that share an entry become adjacent. */
static int compare_entries(const void *left, const void *right)
{
	const index_entry *a = left, *b = right;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* Several words of the index may share an entry. The entry is kept once. */
static void remove_duplicates(dict_reader *reader)
{
	size_t kept = 0;
	if (reader->count)
		qsort(reader->entries, reader->count, sizeof *reader->entries, compare_entries);
	for (size_t i = 0; i < reader->count; i++)
		if (kept == 0 || reader->entries[i].offset != reader->entries[kept - 1].offset)
			reader->entries[kept++] = reader->entries[i];
	reader->count = kept;
}

enum { MAX_TEXT = 1 << 28 };

/* The whole text stays in memory, since the entries are read at the places that the index gives. A few bytes of a
 * compressed file may stand for gigabytes of text, so its size is limited; dictionaries have some MiB. */
static gemp_code read_text(gemp_text *text, const char *path)
{
	GEMP_OWNED_BY(gemp_source_close_at) gemp_source *source = NULL;
	GEMP_OWNED char *piece = NULL;
	size_t size = 1, room = 1 << 20;
	gemp_text_clear(text);
	GEMP_TRY(GEMP_NEW(piece, room));
	GEMP_TRY(gemp_source_open(&source, path, 0, false));
	while (size > 0) {
		GEMP_TRY(gemp_source_read(source, piece, room, &size));
		if (text->size + size > MAX_TEXT)
			return gemp_fail(GEMP_EDATA, "%s: has more than %d MiB of text; is it the text of a dictionary?", path,
			                 MAX_TEXT >> 20);
		gemp_text_add(text, piece, size);
		GEMP_TRY(gemp_text_status(text));
	}
	return GEMP_OK;
}

/* which: 0 for the first language, 1 for the second. */
static gemp_code make_key(dict_reader *reader, gemp_value *key, size_t which, gemp_slice word)
{
	const char *dash = strchr(reader->languages, '-');
	const gemp_slice languages[2] = { { reader->languages, (size_t)(dash - reader->languages) },
		                              { dash + 1, strlen(dash + 1) } };
	return gemp_words_key(&reader->words, key, which, languages[which], word);
}

/* Each translation becomes an edge with the attributes grammar and sense. */
static gemp_code add_entry(dict_reader *reader, const index_entry *place)
{
	const gemp_dict_entry *entry = &reader->entry;
	gemp_value source, target;
	const char *bytes = reader->text.data + place->offset;
	GEMP_TRY(gemp_utf8_require(bytes, place->size));
	GEMP_TRY(gemp_dict_entry_read(&reader->entry, bytes, place->size));
	GEMP_TRY(make_key(reader, &source, 0, entry->headword));
	for (size_t i = 0; i < entry->count; i++) {
		gemp_value grammar = { .type = GEMP_STRING, .string = { entry->grammar.bytes, entry->grammar.size } };
		gemp_value sense = { .type = GEMP_INTEGER, .integer = entry->translations[i].sense };
		GEMP_TRY(make_key(reader, &target, 1, entry->translations[i].word));
		GEMP_TRY(gemp_builder_edge(reader->builder, &source, &target, GEMP_TRANSLATES, strlen(GEMP_TRANSLATES),
		                           (gemp_place){ reader->file, place->line }));
		if (entry->grammar.size)
			GEMP_TRY(gemp_builder_edge_value(reader->builder, reader->grammar, &grammar));
		if (sense.integer)
			GEMP_TRY(gemp_builder_edge_value(reader->builder, reader->sense, &sense));
	}
	return GEMP_OK;
}

/* The length of NAME in a path NAME.index, NAME.dict.dz or NAME.dict. */
static size_t base_of(const char *path)
{
	static const char *const endings[] = { ".index", ".dict.dz", ".dict" };
	size_t size = strlen(path);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t tail = strlen(endings[i]);
		if (size > tail && strcmp(path + size - tail, endings[i]) == 0)
			return size - tail;
	}
	return size;
}

/* The position in `path` of the two languages at the end of the name, such as "deu-eng"; NULL if the name does not end
 * in two languages. */
static const char *languages_of(const char *path, size_t base)
{
	size_t at = base;
	for (int dashes = 0; at > 0 && path[at - 1] != '/'; at--) {
		bool dash = path[at - 1] == '-';
		if (dash && dashes++)
			break;
		if (!dash && !(path[at - 1] >= 'a' && path[at - 1] <= 'z'))
			return NULL;
	}
	const char *dash = memchr(path + at, '-', base - at);
	return dash && dash > path + at && dash + 1 < path + base ? path + at : NULL;
}

/* Lists the two files of a dictionary: the index, which is not compressed, and the text, which may be compressed. */
static gemp_code dict_files(gemp_paths *out, const char *path)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	size_t base = base_of(path);
	gemp_text_print(&name, "%.*s.index", (int)base, path);
	GEMP_TRY(gemp_text_status(&name));
	GEMP_TRY(gemp_paths_add(out, name.data));
	gemp_text_clear(&name);
	gemp_text_print(&name, "%.*s.dict.dz", (int)base, path);
	GEMP_TRY(gemp_text_status(&name));
	if (access(name.data, R_OK) != 0)
		name.data[name.size - 3] = '\0'; /* try the name of an uncompressed text */
	if (access(name.data, R_OK) != 0)
		return gemp_fail(GEMP_ENOINPUT, "%s.dz: cannot be read: %s; a dictionary is two files, .index and .dict.dz",
		                 name.data, strerror(errno));
	return gemp_paths_add(out, name.data);
}

/* Local. paths[2]: the index and the text. */
static gemp_code read_dictionary(dict_reader *reader, char *const *paths)
{
	const bool never = false;
	size_t base = base_of(paths[0]);
	const char *languages = languages_of(paths[0], base);
	if (!languages || base - (size_t)(languages - paths[0]) >= sizeof reader->languages)
		return gemp_fail(GEMP_EDATA,
		                 "%s: the name does not end in two languages, as in "
		                 "freedict-deu-eng.index; rename the files, or link to them under such a name",
		                 paths[0]);
	snprintf(reader->languages, sizeof reader->languages, "%.*s", (int)(base - (size_t)(languages - paths[0])),
	         languages);
	reader->count = 0;
	GEMP_TRY(read_text(&reader->text, paths[1]));
	GEMP_TRY(gemp_lines_head(paths[0], visit_index, reader, &never));
	remove_duplicates(reader);
	for (size_t i = 0; i < reader->count; i++) {
		gemp_code code = add_entry(reader, &reader->entries[i]);
		if (code == GEMP_EDATA)
			gemp_fail_in(code, "%s:%" PRIu64 ": entry of this word: ", paths[0], reader->entries[i].line);
		GEMP_TRY(code);
	}
	return GEMP_OK;
}

/* Both files of each dictionary are declared, so the index of dictionary i is file 2 i + 1. */
static gemp_code declare(dict_reader *reader, const gemp_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		GEMP_TRY(gemp_builder_file(reader->builder, paths->path[i], &reader->file));
	GEMP_TRY(gemp_words_declare(&reader->words, reader->builder));
	GEMP_TRY(gemp_builder_edge_column(reader->builder, "grammar", GEMP_STRING, &reader->grammar));
	return gemp_builder_edge_column(reader->builder, "sense", GEMP_INTEGER, &reader->sense);
}

/* The reader may be set up only in part, after a failure. */
static void free_reader(dict_reader *reader)
{
	gemp_builder_free(reader->builder);
	gemp_cells_free(&reader->cells);
	gemp_free(reader->entries);
	gemp_text_free(&reader->text);
	gemp_dict_entry_free(&reader->entry);
	gemp_words_free(&reader->words);
}

/* Rank i % ranks reads dictionary i. */
static gemp_code read_dict(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_paths_free) gemp_paths paths = { 0 };
	GEMP_OWNED_BY(free_reader) dict_reader self = { 0 };
	gemp_builder_options built = gemp_format_builder(options);
	built.string_keys = true;
	for (size_t i = 0; i < options->edge_file_count && code == GEMP_OK; i++)
		code = dict_files(&paths, options->edge_files[i]);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, declare(&self, &paths)));
	for (size_t i = (size_t)comm->rank; 2 * i < paths.count && code == GEMP_OK; i += (size_t)comm->size) {
		self.file = (uint32_t)(2 * i + 1);
		code = read_dictionary(&self, &paths.path[2 * i]);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_words_add_vertices(&self.words, comm));
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_dict = {
	.name = "dict",
	.endings = ".index .dict.dz",
	.summary = "dictionaries of dictd (Debian's dict-freedict-*): words of two languages and their translations",
	.files = dict_files,
	.read = read_dict,
};
