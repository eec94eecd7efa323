/* Entries are prose for people with habits rather than a format; the rules here follow what FreeDict's
 * dictionaries contain. Everything is a slice of the entry's text. */

#include "io/import/dict_entry.h"

#include "core/memory.h"

#include <stdbool.h>
#include <string.h>

/* Blanks around words belong to the layout of the entry. */
static gemp_dict_slice trimmed(const char *begin, const char *end)
{
	while (begin < end && strchr(" \t\r", *begin))
		begin++;
	while (begin < end && strchr(" \t\r", end[-1]))
		end--;
	return (gemp_dict_slice){ begin, (size_t)(end - begin) };
}

/* The next line of the rest. */
static gemp_dict_slice take_line(gemp_dict_slice *rest)
{
	const char *newline = memchr(rest->bytes, '\n', rest->size);
	gemp_dict_slice line = { rest->bytes, newline ? (size_t)(newline - rest->bytes) : rest->size };
	size_t taken = line.size + (newline != NULL);
	rest->bytes += taken;
	rest->size -= taken;
	return line;
}

/* Up to a blank and one of these. */
static gemp_dict_slice before(gemp_dict_slice text, const char *stops)
{
	for (size_t i = 0; i + 1 < text.size; i++)
		if (text.bytes[i] == ' ' && strchr(stops, text.bytes[i + 1]))
			return trimmed(text.bytes, text.bytes + i);
	return trimmed(text.bytes, text.bytes + text.size);
}

/* What stands in the first < >. */
static gemp_dict_slice grammar_of(gemp_dict_slice line)
{
	const char *open = memchr(line.bytes, '<', line.size);
	const char *close = open ? memchr(open, '>', (size_t)(line.bytes + line.size - open)) : NULL;
	return close ? trimmed(open + 1, close) : (gemp_dict_slice){ line.bytes, 0 };
}

static bool begins(gemp_dict_slice text, const char *word)
{
	size_t size = strlen(word);
	return text.size >= size && memcmp(text.bytes, word, size) == 0;
}

/* Lines of such words explain a sense and hold no translations. */
static bool is_note(gemp_dict_slice line)
{
	gemp_dict_slice text = trimmed(line.bytes, line.bytes + line.size);
	return begins(text, "see:") || begins(text, "Synonym") || begins(text, "Note:");
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Without the `2.` that may end it. */
static gemp_dict_slice without_number(gemp_dict_slice line)
{
	gemp_dict_slice text = trimmed(line.bytes, line.bytes + line.size);
	size_t size = text.size;
	if (size < 3 || text.bytes[size - 1] != '.' || !digit(text.bytes[size - 2]))
		return text;
	for (size--; size > 0 && digit(text.bytes[size - 1]);)
		size--;
	return size == 0 || text.bytes[size - 1] == ' ' ? trimmed(text.bytes, text.bytes + size) : text;
}

/* Where a line of sense `number` has its translations; 0 if it is none. */
static size_t after_number(gemp_dict_slice line, int64_t number)
{
	size_t i = 0;
	int64_t found = 0;
	for (; i < line.size && i < 6 && digit(line.bytes[i]); i++)
		found = 10 * found + (line.bytes[i] - '0');
	bool dot = i > 0 && i + 1 < line.size && line.bytes[i] == '.' && line.bytes[i + 1] == ' ';
	return dot && found == number ? i + 2 : 0;
}

/* Without the notes in [ ] and { } in front. */
static gemp_dict_slice without_notes(gemp_dict_slice text)
{
	text = trimmed(text.bytes, text.bytes + text.size);
	while (text.size > 0 && (*text.bytes == '[' || *text.bytes == '{')) {
		const char *close = memchr(text.bytes, *text.bytes == '[' ? ']' : '}', text.size);
		text = close ? trimmed(close + 1, text.bytes + text.size) : (gemp_dict_slice){ text.bytes, 0 };
	}
	return text;
}

/* Is the whole line in one pair of parentheses? */
static bool is_parenthesis(gemp_dict_slice line)
{
	gemp_dict_slice text = trimmed(line.bytes, line.bytes + line.size);
	int depth = 0;
	for (size_t i = 0; i < text.size; i++) {
		depth += (text.bytes[i] == '(') - (text.bytes[i] == ')');
		if (depth <= 0)
			return i > 0 && i + 1 == text.size;
	}
	return false;
}

/* A word that is given twice for one headword makes one edge. */
static gemp_code add(gemp_dict_entry *entry, gemp_dict_slice word, int64_t sense)
{
	word = before(without_notes(word), "<[/{");
	if (word.size == 0 || *word.bytes == '<')
		return GEMP_OK;
	for (size_t i = 0; i < entry->count; i++) {
		const gemp_dict_slice *known = &entry->translations[i].word;
		if (known->size == word.size && memcmp(known->bytes, word.bytes, word.size) == 0)
			return GEMP_OK;
	}
	GEMP_PROPAGATE(GEMP_RESERVE(entry->translations, entry->capacity, entry->count + 1));
	entry->translations[entry->count++] = (gemp_translation){ word, sense };
	return GEMP_OK;
}

/* Translations between commas that are not in brackets and that a blank follows. */
static gemp_code add_line(gemp_dict_entry *entry, gemp_dict_slice line, int64_t sense)
{
	gemp_code code = GEMP_OK;
	gemp_dict_slice text = without_number(line);
	const char *begin = text.bytes, *end = text.bytes + text.size;
	int depth = 0;
	for (const char *at = begin; at < end && code == GEMP_OK; at++) {
		depth += strchr("([<{", *at) != NULL;
		depth -= depth > 0 && strchr(")]>}", *at) != NULL;
		if (*at != ',' || depth > 0 || at + 1 == end || at[1] != ' ')
			continue;
		code = add(entry, trimmed(begin, at), sense);
		begin = at + 1;
	}
	return code == GEMP_OK ? add(entry, trimmed(begin, end), sense) : code;
}

/* The first line is the headword with pronunciation and grammar; what follows depends on whether senses
 * are numbered. */
gemp_code gemp_dict_entry_read(gemp_dict_entry *entry, const char *text, size_t size)
{
	gemp_dict_slice rest = { text, size }, line = take_line(&rest);
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
		line = (gemp_dict_slice){ line.bytes + at, line.size - at };
		GEMP_PROPAGATE(add_line(entry, is_parenthesis(line) ? take_line(&rest) : line, sense++));
	}
	return GEMP_OK;
}

void gemp_dict_entry_free(gemp_dict_entry *entry)
{
	gemp_free(entry->translations);
	*entry = (gemp_dict_entry){ 0 };
}
