/* Runs of plain bytes are copied as a whole; only bytes that a format treats specially are looked at one
 * by one. */

#include "io/text/escape.h"

#include "io/text/text_cells.h"

#include <string.h>

/* Bytes before the first one of `special` (which may hold a 0 byte); size if there is none. */
static size_t plain(const char *bytes, size_t size, const char *special, size_t specials)
{
	size_t at = 0;
	while (at < size && !memchr(special, bytes[at], specials))
		at++;
	return at;
}

/* Exported TSV is read by import again, where an empty field is NULL: what cannot come back is refused. */
gemp_code gemp_escape_tsv(gemp_text *out, const char *bytes, size_t size)
{
	static const char special[] = "\t\n\r"; /* and its 0 */
	size_t good = plain(bytes, size, special, sizeof special);
	if (size == 0)
		return gemp_fail(GEMP_EDATA, "an empty string would be read as NULL, as TSV has no quoting; "
		                             "write .csv, .jsonl or .graphml");
	if (good < size)
		return gemp_fail(GEMP_EDATA, "a string has a %s, which TSV cannot hold; write .csv or .jsonl",
		                 bytes[good] == '\t' ? "tab"
		                 : bytes[good]       ? "line end"
		                                     : "zero byte");
	gemp_text_add(out, bytes, size);
	return GEMP_OK;
}

/* Only fields that need quotes get them, so that files stay small and other programs read numbers as such. */
void gemp_escape_csv(gemp_text *out, const char *bytes, size_t size)
{
	if (size && plain(bytes, size, ",\"\r\n", 4) == size) {
		gemp_text_add(out, bytes, size);
		return;
	}
	gemp_text_add(out, "\"", 1);
	for (;;) {
		size_t good = plain(bytes, size, "\"", 1);
		gemp_text_add(out, bytes, good);
		if (good == size)
			break;
		gemp_text_add(out, "\"\"", 2);
		bytes += good + 1;
		size -= good + 1;
	}
	gemp_text_add(out, "\"", 1);
}

/* U+FFFE and U+FFFF are no characters of XML either. */
static bool is_no_character(const char *bytes, size_t size)
{
	return size >= 3 && memcmp(bytes, "\xef\xbf", 2) == 0 && (unsigned char)bytes[2] >= 0xbe;
}

/* White space is written as references, since XML readers turn it into blanks in attributes. */
gemp_code gemp_escape_xml(gemp_text *out, const char *bytes, size_t size)
{
	size_t from = 0, utf8 = gemp_utf8_check(bytes, size);
	if (utf8 < size && bytes[utf8])
		return gemp_fail(GEMP_EDATA, "a string is not UTF-8, which XML must be; write .csv or .jsonl");
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)bytes[i];
		const char *entity = byte == '&'    ? "&amp;"
		                     : byte == '<'  ? "&lt;"
		                     : byte == '>'  ? "&gt;"
		                     : byte == '"'  ? "&quot;"
		                     : byte == '\n' ? "&#10;"
		                     : byte == '\t' ? "&#9;"
		                     : byte == '\r' ? "&#13;"
		                                    : NULL;
		if ((byte < ' ' && !entity) || is_no_character(bytes + i, size - i))
			return gemp_fail(GEMP_EDATA,
			                 "a string has a control character (byte 0x%02x), which XML cannot "
			                 "hold; write .csv or .jsonl",
			                 byte);
		if (!entity)
			continue;
		gemp_text_add(out, bytes + from, i - from);
		gemp_text_print(out, "%s", entity);
		from = i + 1;
	}
	gemp_text_add(out, bytes + from, size - from);
	return GEMP_OK;
}

/* Zero bytes are left out: Graphviz would end the string there. */
void gemp_escape_dot(gemp_text *out, const char *bytes, size_t size)
{
	gemp_text_add(out, "\"", 1);
	while (size) {
		size_t good = plain(bytes, size, "\"\\\n\r", 5); /* and its 0 */
		gemp_text_add(out, bytes, good);
		if (good == size)
			break;
		if (bytes[good] == '"' || bytes[good] == '\\')
			gemp_text_print(out, "\\%c", bytes[good]);
		else if (bytes[good])
			gemp_text_print(out, "\\%c", bytes[good] == '\n' ? 'n' : 'r');
		bytes += good + 1;
		size -= good + 1;
	}
	gemp_text_add(out, "\"", 1);
}
