#include "pattern/syntax/scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ESCAPES */

/* Appends a character and returns the end. An escape of n digits takes more bytes in the text than its character takes
 * here, so the buffer is large enough. */
static char *add_utf8(char *out, unsigned long c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xC0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3F));
	} else if (c < 0x10000) {
		*out++ = (char)(0xE0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3F));
		*out++ = (char)(0x80 | (c & 0x3F));
	} else {
		*out++ = (char)(0xF0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3F));
		*out++ = (char)(0x80 | (c >> 6 & 0x3F));
		*out++ = (char)(0x80 | (c & 0x3F));
	}
	return out;
}

/* Reads a number of `digits` hexadecimal digits; returns false if some digits are missing. */
static bool hexadecimal(const char *bytes, size_t left, size_t digits, unsigned long *out)
{
	char text[9] = "";
	if (left < digits)
		return false;
	memcpy(text, bytes, digits);
	*out = strtoul(text, NULL, 16);
	return strspn(text, "0123456789abcdefABCDEF") == digits;
}

/* Reads the character after \u or \U; *at moves behind it. Two \u escapes may form a surrogate pair, as in JSON. */
static bool unicode(const char *bytes, size_t size, size_t *at, unsigned long *out)
{
	size_t digits = bytes[*at] == 'u' ? 4 : 8;
	unsigned long low;
	if (!hexadecimal(bytes + *at + 1, size - *at - 1, digits, out))
		return false;
	*at += 1 + digits;
	bool pair = *out >= 0xD800 && *out < 0xDC00 && size - *at >= 6 && bytes[*at] == '\\' && bytes[*at + 1] == 'u' &&
	            hexadecimal(bytes + *at + 2, 4, 4, &low) && low >= 0xDC00 && low < 0xE000;
	if (pair) {
		*out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
		*at += 6;
	}
	return *out > 0 && *out <= 0x10FFFF && (*out < 0xD800 || *out >= 0xE000);
}

const char gemp_scan_escapes[] = "this escape is not known; there are \\\\ \\' \\\" \\n \\t \\r \\b \\f \\/ "
								 "\\uXXXX and \\UXXXXXXXX";

/* Unknown escapes are refused at their place instead of being kept. */
bool gemp_scan_unescape(char *out, size_t *out_size, const char *bytes, size_t size, size_t *wrong)
{
	static const char from[] = "\\'\"ntrbf/", to[] = "\\'\"\n\t\r\b\f/";
	char *end = out;
	for (size_t i = 0; i < size;) {
		size_t escape = i;
		unsigned long c;
		if (bytes[i] != '\\') {
			*end++ = bytes[i++];
			continue;
		}
		i++;
		const char *known = strchr(from, bytes[i]);
		if (known) {
			*end++ = to[known - from];
			i++;
		} else if ((bytes[i] == 'u' || bytes[i] == 'U') && unicode(bytes, size, &i, &c)) {
			end = add_utf8(end, c);
		} else {
			*wrong = escape;
			return false;
		}
	}
	*end = '\0';
	*out_size = (size_t)(end - out);
	return true;
}

/* SPACES, QUOTES AND BRACKETS */

/* Returns the length of the space of Unicode that begins here: U+00A0, U+2000 to U+200B, U+2028, U+2029, U+202F and
 * U+3000; 0 if there is none. */
static size_t wide_space(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	if (at[0] == 0xC2 && at[1] == 0xA0)
		return 2;
	if (at[0] == 0xE2 && at[1] == 0x80 &&
	    ((at[2] >= 0x80 && at[2] <= 0x8B) || at[2] == 0xA8 || at[2] == 0xA9 || at[2] == 0xAF))
		return 3;
	return at[0] == 0xE3 && at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
}

/* Comments count as space. */
const char *gemp_scan_space(const char *text)
{
	for (;;) {
		const char *end;
		size_t wide;
		text += strspn(text, " \t\r\n");
		if (strncmp(text, "//", 2) == 0)
			text += strcspn(text, "\n");
		else if (strncmp(text, "/*", 2) == 0 && (end = strstr(text + 2, "*/")))
			text = end + 2;
		else if ((wide = wide_space(text)) > 0)
			text += wide;
		else
			return text;
	}
}

/* Returns the end of the quoted text that begins here, or the end of the text if the quote is not closed. Names in
 * backquotes have no escapes. */
const char *gemp_scan_quoted(const char *text)
{
	char quote = *text++;
	for (; *text && *text != quote; text++)
		text += *text == '\\' && quote != '`' && text[1];
	return text + (*text == quote);
}

/* All characters beyond ASCII count as letters. */
static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Two backquotes within a name stand for one. */
const char *gemp_scan_name(const char *text)
{
	while (*text == '`') {
		text = gemp_scan_quoted(text);
		if (*text != '`')
			return text;
	}
	if (isdigit((unsigned char)*text))
		return text;
	while (in_name(*text))
		text++;
	return text;
}

/* The kind of a closing bracket does not matter here; the grammar finds brackets that do not fit. The limit bounds the
 * cost of a text like `({a: ({a: ...`, which is scanned from each bracket on: without it 800 KB took minutes. */
const char *gemp_scan_brackets(const char *text)
{
	enum { DEEPEST = 1000 }; /* the grammars refuse deeper expressions */
	size_t depth = 0;
	do {
		if (strchr("'\"`", *text)) {
			text = gemp_scan_quoted(text);
		} else {
			depth += strchr("([{", *text) != NULL;
			depth -= strchr(")]}", *text) != NULL;
			text++;
		}
		text = gemp_scan_space(text);
	} while (*text && depth > 0 && depth <= DEEPEST);
	return depth > 0 ? "" : text;
}

/* PATHS in expressions. `(a)` may be a variable in parentheses or the first vertex of a path. Only the text after it
 * decides. The grammars have one token of look-ahead, so the lexers look ahead in the text. */

/* Returns the text behind the vertex whose opening parenthesis is at `text`. Returns "" if the parenthesis does not
 * begin a vertex, because there is a literal, another parenthesis, or an operator outside of its map. */
static const char *skip_vertex(const char *text)
{
	text = gemp_scan_space(text + 1);
	if (!strchr(":{)`", *text) && gemp_scan_name(text) == text)
		return "";
	while (*text && *text != ')') {
		if (strchr("(+-*/%<>=.,;}", *text))
			return "";
		if (*text == '{')
			text = gemp_scan_brackets(text);
		else
			text = strchr("'\"`", *text) ? gemp_scan_quoted(text) : text + 1;
		text = gemp_scan_space(text);
	}
	return text + (*text == ')');
}

/* After its first vertex a path has `-` or `<-`, and then `[...]-`, `-(` or `->`. `(a) - (b)` and `(a) - [1][0]` are
 * differences. */
bool gemp_scan_path_begins(const char *text)
{
	text = gemp_scan_space(skip_vertex(text));
	if (*text == '<')
		text = gemp_scan_space(text + 1);
	if (*text != '-')
		return false;
	text = gemp_scan_space(text + 1);
	if (*text == '[') {
		text = gemp_scan_brackets(text);
		return *text == '-' || !*text;
	}
	text = *text == '-' ? gemp_scan_space(text + 1) : "";
	return *text == '(' || *text == '>';
}
