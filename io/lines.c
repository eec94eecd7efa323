#include "io/lines.h"

#include "io/stream.h"
#include "io/text_cells.h"

#include <inttypes.h>

static gemp_code count_lines(gemp_lines *lines, uint64_t count[2])
{
	gemp_code code = GEMP_OK;
	gemp_stream *stream = NULL;
	char *text;
	size_t size;
	if (lines->bytes.begin == lines->bytes.end)
		return GEMP_OK;
	GEMP_TRY(gemp_stream_open(&stream, lines->path, lines->bytes.begin, lines->bytes.end));
	for (;;) {
		GEMP_TRY(gemp_stream_next(stream, false, &text, &size));
		if (!text)
			break;
		count[1] += !lines->is_item || lines->is_item(text, size);
	}
	count[0] = gemp_stream_line(stream) - 1;
done:
	gemp_stream_close(stream);
	return code;
}

gemp_code gemp_lines_open(gemp_lines *lines, const gemp_comm *comm, const char *path, gemp_is_item *is_item,
                          size_t turn)
{
	gemp_code code = GEMP_OK;
	gemp_stream_info info = { 0 };
	uint64_t found[2] = { 0 }, count[2] = { 0 };
	*lines = (gemp_lines){ .path = path, .is_item = is_item };
	if (comm->rank == 0)
		code = gemp_stream_inspect(path, &info);
	GEMP_TRY(gemp_comm_agree(comm, code));
	found[0] = info.size;
	found[1] = info.compressed;
	GEMP_MPI(MPI_Bcast(found, 2, MPI_UINT64_T, 0, comm->world));
	lines->size = found[0];
	if (!found[1])
		lines->bytes = gemp_share(comm, found[0]);
	else if (turn % (size_t)comm->size == (size_t)comm->rank)
		lines->bytes = (gemp_span){ 0, GEMP_STREAM_END };
	GEMP_TRY(gemp_comm_agree(comm, count_lines(lines, count)));
	lines->lines_before = gemp_comm_before(comm, count[0]);
	lines->items_before = gemp_comm_before(comm, count[1]);
	lines->items = gemp_comm_sum1(comm, count[1]);
done:
	return code;
}

/* Up to the end, or until *enough (NULL: never). */
static gemp_code visit_lines(const gemp_lines *lines, gemp_visit_line *visit, void *self, const bool *enough)
{
	gemp_code code = GEMP_OK;
	gemp_stream *stream = NULL;
	gemp_line line = { 0 };
	uint64_t items = lines->items_before;
	GEMP_TRY(gemp_stream_open(&stream, lines->path, lines->bytes.begin, lines->bytes.end));
	while (!enough || !*enough) {
		GEMP_TRY(gemp_stream_next(stream, false, &line.text, &line.size));
		if (!line.text)
			break;
		line.line = lines->lines_before + gemp_stream_line(stream);
		line.item = items;
		items += !lines->is_item || lines->is_item(line.text, line.size);
		code = gemp_utf8_require(line.text, line.size);
		if (code == GEMP_OK)
			code = visit(self, &line);
		if (code == GEMP_EDATA)
			gemp_fail_in(code, "%s:%" PRIu64 ": ", lines->path, line.line);
		if (code != GEMP_OK)
			break;
	}
done:
	gemp_stream_close(stream);
	return code;
}

gemp_code gemp_lines_visit(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_line *visit, void *self)
{
	bool none = lines->bytes.begin == lines->bytes.end;
	return gemp_comm_agree(comm, none ? GEMP_OK : visit_lines(lines, visit, self, NULL));
}

gemp_code gemp_lines_head(const char *path, gemp_visit_line *visit, void *self, const bool *enough)
{
	gemp_lines lines = { .path = path, .bytes = { 0, GEMP_STREAM_END } };
	return visit_lines(&lines, visit, self, enough);
}
