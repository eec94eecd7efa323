#include "io/stanza.h"

#include "io/stream.h"
#include "io/text_cells.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

void gemp_stanza_free(gemp_stanza *stanza)
{
	for (size_t i = 0; i < GEMP_STANZA_FIELDS; i++)
		gemp_text_free(&stanza->values[i]);
}

typedef struct reading {
	gemp_stanza *stanza;
	gemp_text *field; /* that a continued line belongs to; NULL: one that is not kept, or none */
	bool inside;      /* of a stanza */
	gemp_visit_stanza *visit;
	void *self;
} reading;

static bool is_blank(const char *text, size_t size)
{
	return strspn(text, " \t\r") >= size;
}

static void add_trimmed(gemp_text *out, const char *text, size_t size)
{
	while (size > 0 && strchr(" \t\r", *text)) {
		text++;
		size--;
	}
	while (size > 0 && strchr(" \t\r", text[size - 1]))
		size--;
	if (out->size > 0)
		gemp_text_add(out, " ", 1);
	gemp_text_add(out, text, size);
}

static gemp_code take_line(reading *reading, const char *text, size_t size)
{
	gemp_stanza *stanza = reading->stanza;
	const char *colon = memchr(text, ':', size);
	if (*text == ' ' || *text == '\t') {
		if (!reading->inside)
			return gemp_fail(GEMP_EDATA, "a continued line with no field before it; stanzas begin with "
			                 "'Package: '");
		if (reading->field)
			add_trimmed(reading->field, text, size);
		return reading->field ? gemp_text_status(reading->field) : GEMP_OK;
	}
	if (!colon || colon == text)
		return gemp_fail(GEMP_EDATA, "'%.*s' is not 'Field: value'; is this a Packages index?",
		                 size > 40 ? 40 : (int)size, text);
	size_t name = (size_t)(colon - text);
	reading->field = NULL;
	for (size_t i = 0; i < stanza->count; i++)
		if (strlen(stanza->names[i]) == name && strncasecmp(stanza->names[i], text, name) == 0)
			reading->field = &stanza->values[i];
	if (!reading->field)
		return GEMP_OK;
	if (reading->field->size > 0)
		return gemp_fail(GEMP_EDATA, "field '%.*s' is there twice in a stanza; are blank lines missing?",
		                 (int)name, text);
	add_trimmed(reading->field, colon + 1, size - name - 1);
	return gemp_text_status(reading->field);
}

static void begin_stanza(reading *reading, uint64_t line)
{
	for (size_t i = 0; i < reading->stanza->count; i++)
		gemp_text_clear(&reading->stanza->values[i]);
	reading->stanza->line = line;
	reading->field = NULL;
}

static gemp_code end_stanza(reading *reading)
{
	bool inside = reading->inside;
	reading->inside = false;
	return inside ? reading->visit(reading->self, reading->stanza) : GEMP_OK;
}

static gemp_code read_lines(reading *reading, const gemp_lines *lines, gemp_stream *stream)
{
	gemp_code code = GEMP_OK;
	bool mine = lines->bytes.begin == 0;
	for (;;) {
		uint64_t offset = gemp_stream_offset(stream), line;
		char *text;
		size_t size;
		GEMP_TRY(gemp_stream_next(stream, false, &text, &size));
		line = lines->lines_before + gemp_stream_line(stream);
		bool blank = !text || is_blank(text, size);
		if (blank) {
			line = reading->stanza->line;
			code = end_stanza(reading);
		} else if (mine) {
			if (!reading->inside)
				begin_stanza(reading, line);
			code = gemp_utf8_require(text, size);
			if (code == GEMP_OK)
				code = take_line(reading, text, size);
			reading->inside = true;
		}
		if (code == GEMP_EDATA)
			gemp_fail_in(code, "%s:%" PRIu64 ": ", lines->path, line);
		if (code != GEMP_OK || !text || (blank && offset >= lines->bytes.end))
			break;
		mine |= blank;
	}
done:
	return code;
}

gemp_code gemp_stanza_visit(gemp_stanza *stanza, const gemp_lines *lines, const gemp_comm *comm,
                            gemp_visit_stanza *visit, void *self)
{
	gemp_code code = GEMP_OK;
	gemp_stream *stream = NULL;
	reading reading = { .stanza = stanza, .visit = visit, .self = self };
	if (lines->bytes.begin < lines->bytes.end) {
		code = gemp_stream_open(&stream, lines->path, lines->bytes.begin, GEMP_STREAM_END);
		if (code == GEMP_OK)
			code = read_lines(&reading, lines, stream);
	}
	gemp_stream_close(stream);
	return gemp_comm_agree(comm, code);
}
