/* Debian's Packages index becomes a graph of packages, their relations, sources, maintainers, tags and sections. The
 * key of a Package or a VirtualPackage is its name. The key of any other vertex is a prefix and its name, such as
 * `source:NAME`, `maintainer:NAME`, `tag:NAME` and `section:NAME`. */

#include "core/status.h"
#include "io/file/stream.h"
#include "io/import/import.h"
#include "io/text/cells.h"
#include "io/text/lines.h"
#include "partition/build/builder.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* STANZAS: a file in Debian's control syntax consists of stanzas, which blank lines separate. A stanza has fields
 * `Field: value`, and lines that begin with a blank continue a value. All ranks read a file together.
 *
 * A stanza belongs to the rank in whose byte range the preceding blank line begins, and the first stanza belongs to
 * rank 0. A rank reads beyond its range to the end of its last stanza. */

enum { STANZA_FIELDS = 32 };

static const char *const fields[] = {
	"Package",  "Source",   "Maintainer",   "Tag",       "Depends",        "Pre-Depends", "Recommends",
	"Suggests", "Enhances", "Breaks",       "Conflicts", "Replaces",       "Provides",    "Version",
	"Section",  "Priority", "Architecture", "Size",      "Installed-Size", "Description",
};

typedef struct stanza {
	size_t count;
	const char *const *fields; /* [count] names of the fields that are kept; case does not matter */
	/* [count] values with their continuation lines joined by blanks; "" if the field is absent */
	gemp_text values[STANZA_FIELDS];
	uint64_t line; /* number of the first line */
} stanza;

/* Visits one stanza. stanza_visit adds file and line to messages. */
typedef gemp_code visit_stanza(void *self, const stanza *stanza);

static void stanza_free(stanza *stanza)
{
	for (size_t i = 0; i < STANZA_FIELDS; i++)
		gemp_text_free(&stanza->values[i]);
}

typedef struct stanza_reader {
	stanza *stanza;
	gemp_text *field; /* value of the current field; NULL if this field is not kept */
	bool inside;      /* at least one line of the stanza was read */
	visit_stanza *visit;
	void *self;
} stanza_reader;

/* A line of blanks also separates stanzas. */
static bool is_blank(const char *text, size_t size)
{
	return strspn(text, " \t\r") >= size;
}

/* Appends a part of a value. A blank joins it to the preceding part. */
static void add_trimmed(gemp_text *out, const char *text, size_t size)
{
	const gemp_slice part = gemp_trimmed(text, text + size);
	if (out->size > 0)
		gemp_text_add(out, " ", 1);
	gemp_text_add(out, part.bytes, part.size);
}

/* A field that is not kept is skipped with its continuation lines. */
static gemp_code take_line(stanza_reader *reader, const char *text, size_t size)
{
	stanza *stanza = reader->stanza;
	const char *colon = memchr(text, ':', size);
	if (*text == ' ' || *text == '\t') {
		if (!reader->inside)
			return gemp_fail(GEMP_EDATA, "a continued line with no field before it; stanzas begin with 'Package: '");
		if (reader->field)
			add_trimmed(reader->field, text, size);
		return reader->field ? gemp_text_status(reader->field) : GEMP_OK;
	}
	if (!colon || colon == text)
		return gemp_fail(GEMP_EDATA, "'%.*s' is not 'Field: value'; is this a Packages index?",
		                 size > 40 ? 40 : (int)size, text);
	size_t name = (size_t)(colon - text);
	reader->field = NULL;
	for (size_t i = 0; i < stanza->count; i++)
		if (strlen(stanza->fields[i]) == name && strncasecmp(stanza->fields[i], text, name) == 0)
			reader->field = &stanza->values[i];
	if (!reader->field)
		return GEMP_OK;
	if (reader->field->size > 0)
		return gemp_fail(GEMP_EDATA, "field '%.*s' is there twice in a stanza; are blank lines missing?", (int)name,
		                 text);
	add_trimmed(reader->field, colon + 1, size - name - 1);
	return gemp_text_status(reader->field);
}

/* The values' memory is reused for the next stanza. */
static void begin_stanza(stanza_reader *reader, uint64_t line)
{
	for (size_t i = 0; i < reader->stanza->count; i++)
		gemp_text_clear(&reader->stanza->values[i]);
	reader->stanza->line = line;
	reader->field = NULL;
}

/* After the first blank line, further blank lines do not end a stanza again. */
static gemp_code end_stanza(stanza_reader *reader)
{
	bool inside = reader->inside;
	reader->inside = false;
	return inside ? reader->visit(reader->self, reader->stanza) : GEMP_OK;
}

/* Local. The lines before the first blank line belong to a stanza of a lower rank, except on rank 0. */
static gemp_code read_lines(stanza_reader *reader, const gemp_lines *lines, gemp_stream *stream)
{
	bool mine = lines->bytes.begin == 0;
	for (;;) {
		gemp_code code = GEMP_OK;
		uint64_t offset = gemp_stream_offset(stream), line;
		char *text;
		size_t size;
		GEMP_TRY(gemp_stream_next(stream, false, &text, &size));
		line = lines->lines_before + gemp_stream_line(stream);
		bool blank = !text || is_blank(text, size);
		if (blank) {
			line = reader->stanza->line;
			code = end_stanza(reader);
		} else if (mine) {
			if (!reader->inside)
				begin_stanza(reader, line);
			code = gemp_utf8_require(text, size);
			GEMP_THEN(take_line(reader, text, size));
			reader->inside = true;
		}
		if (code == GEMP_EDATA)
			gemp_fail_in(code, "%s:%" PRIu64 ": ", lines->path, line);
		if (code != GEMP_OK || !text || (blank && offset >= lines->bytes.end))
			return code;
		mine |= blank;
	}
}

/* Collective. Visits this rank's stanzas of a file that gemp_lines_open has opened. `stanza` gives the fields to keep,
 * and its memory is reused for all stanzas. An error names file and line; if `visit` fails, the line is that of the
 * stanza. All ranks return the same code. */
static gemp_code stanza_visit(stanza *stanza, const gemp_lines *lines, const gemp_comm *comm, visit_stanza *visit,
                              void *self)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_stream_close_at) gemp_stream *stream = NULL;
	stanza_reader reader = { .stanza = stanza, .visit = visit, .self = self };
	if (lines->bytes.begin < lines->bytes.end) {
		code = gemp_stream_open(&stream, lines->path, lines->bytes.begin, GEMP_STREAM_END);
		GEMP_THEN(read_lines(&reader, lines, stream));
	}
	return gemp_comm_agree(comm, code);
}

enum { PACKAGE, SOURCE, MAINTAINER, TAG, RELATIONS, FIRST_ATTRIBUTE = RELATIONS + 9, SECTION = FIRST_ATTRIBUTE + 1 };

enum { FIELDS = sizeof fields / sizeof *fields };

static const char *const relations[] = {
	"DEPENDS", "PRE_DEPENDS", "RECOMMENDS", "SUGGESTS", "ENHANCES", "BREAKS", "CONFLICTS", "REPLACES", "PROVIDES",
};

static const struct {
	const char *name;
	gemp_type type;
} attributes[] = {
	{ "version", GEMP_STRING },      { "section", GEMP_STRING }, { "priority", GEMP_STRING },
	{ "architecture", GEMP_STRING }, { "size", GEMP_INTEGER },   { "installed_size_kib", GEMP_INTEGER },
	{ "description", GEMP_STRING },
};

/* The prefixes of keys, and the labels of the vertices with these keys. A key without a prefix is a virtual package. */
static const struct {
	const char *prefix, *label;
} others[] = {
	{ "source:", "SourcePackage" }, { "maintainer:", "Maintainer" }, { "tag:", "Tag" },
	{ "section:", "Section" },      { "", "VirtualPackage" },
};

typedef struct packages_reader {
	const gemp_comm *comm;
	stanza stanza;
	gemp_dictionary mine; /* packages that this rank has read in the current file */
	/* packages of all ranks and files; from index `packages` on, other names that this rank has read */
	gemp_dictionary names;
	uint32_t packages;
	uint64_t *first; /* [packages] file * ranks + rank, for the first file and rank that list the package */
	size_t first_capacity;
	uint8_t *done;         /* [packages] this rank has added the package */
	gemp_dictionary other; /* keys of vertices that are not packages, read by this rank */
	gemp_dictionary seen;  /* "RELATION target" for the current package */
	uint64_t repeated;     /* number of stanzas that were skipped */
	gemp_builder *builder;
	gemp_text text;
	uint32_t file;
	size_t name, columns[sizeof attributes / sizeof *attributes], alternative;
} packages_reader;

/* The text before the first byte that is one of the characters in `stops`. */
static gemp_slice before(gemp_slice text, const char *stops)
{
	size_t size = 0;
	while (size < text.size && !strchr(stops, text.bytes[size]))
		size++;
	return gemp_trimmed(text.bytes, text.bytes + size);
}

static gemp_slice value_of(const stanza *stanza, size_t field)
{
	const gemp_text *value = &stanza->values[field];
	return value->size ? (gemp_slice){ value->data, value->size } : (gemp_slice){ "", 0 };
}

/* Removes the first item of the list. Returns false if the list has ended. */
static bool next_item(gemp_slice *list, char separator, gemp_slice *item)
{
	if (!list->bytes)
		return false;
	const char *end = list->bytes + list->size, *cut = memchr(list->bytes, separator, list->size);
	*item = gemp_trimmed(list->bytes, cut ? cut : end);
	*list = cut ? (gemp_slice){ cut + 1, (size_t)(end - cut - 1) } : (gemp_slice){ NULL, 0 };
	return true;
}

/* First pass: collects the names of all packages. A name that is not among them belongs to a virtual package. */
static gemp_code take_name(void *self, const stanza *stanza)
{
	packages_reader *reader = self;
	gemp_slice name = value_of(stanza, PACKAGE);
	uint32_t index;
	if (name.size == 0)
		return gemp_fail(GEMP_EDATA, "a stanza without a field 'Package'; is this a Packages index?");
	if (memchr(name.bytes, ':', name.size) || memchr(name.bytes, ' ', name.size))
		return gemp_fail(GEMP_EDATA, "'%.*s' is not the name of a package", name.size > 40 ? 40 : (int)name.size,
		                 name.bytes);
	return gemp_dictionary_add(&reader->mine, name.bytes, name.size, &index);
}

/* Collective. Adds the packages of a file to the names. For each new package, stores the file and the lowest rank that
 * lists it. */
static gemp_code join_names(packages_reader *reader, size_t file)
{
	const gemp_comm *comm = reader->comm;
	GEMP_OWNED_BY(gemp_text_free) gemp_text packed = { 0 };
	GEMP_OWNED void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < reader->mine.list.count; i++) {
		const gemp_string name = gemp_bytes_at(&reader->mine.list, i);
		gemp_text_add(&packed, name.bytes, name.size);
		gemp_text_add(&packed, "", 1);
	}
	gemp_dictionary_free(&reader->mine);
	GEMP_TRY(gemp_comm_allgather(comm, gemp_text_status(&packed), packed.data, packed.size, &all, &begin));
	for (int rank = 0; rank < comm->size; rank++)
		for (const char *at = (char *)all + begin[rank]; at < (char *)all + begin[rank + 1] && code == GEMP_OK;
		     at += strlen(at) + 1) {
			size_t known = reader->names.list.count;
			uint32_t index;
			code = GEMP_RESERVE(reader->first, reader->first_capacity, known + 1);
			GEMP_THEN(gemp_dictionary_add(&reader->names, at, strlen(at), &index));
			if (code == GEMP_OK && index == known)
				reader->first[index] = file * (size_t)comm->size + (size_t)rank;
		}
	return gemp_comm_agree(comm, code);
}

/* Adds an edge from a package to another vertex. The key of a source, maintainer, tag or section has a prefix, so the
 * key differs from all names of packages and virtual packages. */
static gemp_code add_edge(packages_reader *reader, gemp_slice package, const char *prefix, gemp_slice name,
                          const char *type, uint64_t line)
{
	uint32_t index;
	gemp_text *key = &reader->text;
	gemp_text_clear(key);
	gemp_text_print(key, "%s", prefix);
	gemp_text_add(key, name.bytes, name.size);
	GEMP_TRY(gemp_text_status(key));
	gemp_value source = gemp_string_value(package.bytes, package.size);
	const gemp_value target = gemp_string_value(key->data, key->size);
	if (*prefix)
		GEMP_TRY(gemp_dictionary_add(&reader->other, key->data, key->size, &index));
	return gemp_builder_edge(reader->builder, &source, &target, type, strlen(type), (gemp_place){ reader->file, line });
}

/* A package may name the same target twice in one relation, with two versions. Both become one edge. */
static gemp_code is_repeated(packages_reader *reader, const char *type, gemp_slice name, bool *repeated)
{
	size_t known = reader->seen.list.count;
	uint32_t index;
	gemp_text_clear(&reader->text);
	gemp_text_print(&reader->text, "%s ", type);
	gemp_text_add(&reader->text, name.bytes, name.size);
	GEMP_TRY(gemp_text_status(&reader->text));
	GEMP_TRY(gemp_dictionary_add(&reader->seen, reader->text.data, reader->text.size, &index));
	*repeated = index < known;
	return GEMP_OK;
}

/* A group is such as `a (>= 1) | b [amd64]`. If it has several alternatives, they are numbered from 0. */
static gemp_code add_alternatives(packages_reader *reader, gemp_slice package, const char *type, gemp_slice group,
                                  uint64_t line)
{
	bool several = memchr(group.bytes, '|', group.size) != NULL, repeated;
	gemp_slice item;
	for (int64_t number = 0; next_item(&group, '|', &item); number++) {
		gemp_slice name = before(item, " (<[:");
		gemp_value place = { .type = GEMP_INTEGER, .integer = number };
		uint32_t index;
		if (name.size == 0)
			return gemp_fail(GEMP_EDATA, "package '%.*s' has an empty name in its relation %s", (int)package.size,
			                 package.bytes, type);
		GEMP_TRY(is_repeated(reader, type, name, &repeated));
		if (repeated)
			continue;
		GEMP_TRY(gemp_dictionary_add(&reader->names, name.bytes, name.size, &index));
		if (index >= reader->packages)
			GEMP_TRY(gemp_dictionary_add(&reader->other, name.bytes, name.size, &index));
		GEMP_TRY(add_edge(reader, package, "", name, type, line));
		if (several)
			GEMP_TRY(gemp_builder_edge_value(reader->builder, reader->alternative, &place));
	}
	return GEMP_OK;
}

/* Commas separate the groups of alternatives. */
static gemp_code add_relations(packages_reader *reader, gemp_slice package, const stanza *stanza)
{
	gemp_dictionary_free(&reader->seen);
	for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
		gemp_slice list = value_of(stanza, RELATIONS + i), group;
		while (next_item(&list, ',', &group))
			if (group.size > 0)
				GEMP_TRY(add_alternatives(reader, package, relations[i], group, stanza->line));
	}
	return GEMP_OK;
}

/* If a package has no field Source, its source has the name of the package. */
static gemp_code add_owner_edges(packages_reader *reader, gemp_slice package, const stanza *stanza)
{
	gemp_slice source = before(value_of(stanza, SOURCE), " ("), maintainer = before(value_of(stanza, MAINTAINER), "<");
	gemp_slice section = value_of(stanza, SECTION), tags = value_of(stanza, TAG), tag;
	bool repeated;
	GEMP_TRY(add_edge(reader, package, "source:", source.size ? source : package, "BUILT_FROM", stanza->line));
	if (maintainer.size)
		GEMP_TRY(add_edge(reader, package, "maintainer:", maintainer, "MAINTAINED_BY", stanza->line));
	if (section.size)
		GEMP_TRY(add_edge(reader, package, "section:", section, "IN_SECTION", stanza->line));
	while (next_item(&tags, ',', &tag)) {
		if (tag.size == 0)
			continue;
		GEMP_TRY(is_repeated(reader, "HAS_TAG", tag, &repeated));
		if (!repeated)
			GEMP_TRY(add_edge(reader, package, "tag:", tag, "HAS_TAG", stanza->line));
	}
	return GEMP_OK;
}

/* An empty field is NULL. */
static gemp_code add_package(packages_reader *reader, gemp_slice package, const stanza *stanza)
{
	gemp_value key = gemp_string_value(package.bytes, package.size);
	GEMP_TRY(gemp_builder_vertex(reader->builder, &key, "Package", 7, (gemp_place){ reader->file, stanza->line }));
	GEMP_TRY(gemp_builder_vertex_value(reader->builder, reader->name, &key));
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		gemp_slice text = value_of(stanza, FIRST_ATTRIBUTE + i);
		gemp_value value;
		if (text.size == 0)
			continue;
		gemp_code code = gemp_scalar_read(&value, attributes[i].type, text.bytes, text.size);
		if (code != GEMP_OK)
			return gemp_fail_in(code, "field '%s': ", fields[FIRST_ATTRIBUTE + i]);
		GEMP_TRY(gemp_builder_vertex_value(reader->builder, reader->columns[i], &value));
	}
	return GEMP_OK;
}

/* Second pass: a package is taken from the first file and rank that list it, and other listings are counted and
 * skipped. */
static gemp_code feed_stanza(void *self, const stanza *stanza)
{
	packages_reader *reader = self;
	gemp_slice package = value_of(stanza, PACKAGE);
	uint32_t index;
	/* only finds the index, since the name is known */
	GEMP_TRY(gemp_dictionary_add(&reader->names, package.bytes, package.size, &index));
	uint64_t here = (reader->file - UINT64_C(1)) * (uint64_t)reader->comm->size + (uint64_t)reader->comm->rank;
	if (reader->done[index] || reader->first[index] != here) {
		reader->repeated++;
		return GEMP_OK;
	}
	reader->done[index] = 1;
	GEMP_TRY(add_package(reader, package, stanza));
	GEMP_TRY(add_relations(reader, package, stanza));
	return add_owner_edges(reader, package, stanza);
}

/* The prefix of the key gives the label of the vertex. Without a prefix the vertex is a virtual package. */
static gemp_code add_other(void *self, const char *key, size_t size)
{
	const packages_reader *reader = self;
	gemp_value value = gemp_string_value(key, size);
	size_t kind = 0, skip;
	while ((skip = strlen(others[kind].prefix)) > size || memcmp(others[kind].prefix, key, skip) != 0)
		kind++;
	gemp_value name = gemp_string_value(key + skip, size - skip);
	GEMP_TRY(gemp_builder_vertex(reader->builder, &value, others[kind].label, strlen(others[kind].label),
	                             (gemp_place){ 0 }));
	return gemp_builder_vertex_value(reader->builder, reader->name, &name);
}

/* The name is an attribute, too, since some keys have a prefix. */
static gemp_code declare(packages_reader *reader, const gemp_import_options *options)
{
	GEMP_TRY(gemp_import_declare_files(reader->builder, options));
	GEMP_TRY(gemp_builder_vertex_column(reader->builder, "name", GEMP_STRING, &reader->name));
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
		GEMP_TRY(
			gemp_builder_vertex_column(reader->builder, attributes[i].name, attributes[i].type, &reader->columns[i]));
	GEMP_TRY(gemp_builder_edge_column(reader->builder, "alternative", GEMP_INTEGER, &reader->alternative));
	return GEMP_NEW(reader->done, reader->packages);
}

/* The reader may be set up only in part, after a failure. */
static void free_reader(packages_reader *reader)
{
	gemp_builder_free(reader->builder);
	stanza_free(&reader->stanza);
	gemp_dictionary_free(&reader->mine);
	gemp_dictionary_free(&reader->names);
	gemp_dictionary_free(&reader->other);
	gemp_dictionary_free(&reader->seen);
	gemp_text_free(&reader->text);
	gemp_free_all(reader->first, reader->done);
}

/* Names are joined file by file, so the first file that lists a package does not depend on the number of ranks. */
static gemp_code read_packages(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	size_t count = options->edge_file_count;
	GEMP_OWNED_BY(free_reader) packages_reader self = { .comm = comm, .stanza = { .fields = fields, .count = 1 } };
	GEMP_OWNED gemp_lines *lines = NULL;
	gemp_builder_options built = gemp_format_builder(options);
	built.string_keys = true;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(lines, count)));
	for (size_t i = 0; i < count; i++) {
		GEMP_TRY(gemp_lines_open(&lines[i], comm, options->edge_files[i], NULL, i));
		GEMP_TRY(stanza_visit(&self.stanza, &lines[i], comm, take_name, &self));
		GEMP_TRY(join_names(&self, i));
	}
	self.packages = (uint32_t)self.names.list.count;
	self.stanza.count = FIELDS;
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, declare(&self, options)));
	for (size_t i = 0; i < count; i++) {
		self.file = (uint32_t)i + 1;
		GEMP_TRY(stanza_visit(&self.stanza, &lines[i], comm, feed_stanza, &self));
	}
	GEMP_TRY(gemp_import_names(comm, &self.other, add_other, &self));
	self.repeated = gemp_comm_sum1(comm, self.repeated);
	if (self.repeated)
		gemp_warn("%" PRIu64 " packages are listed again, in other versions; the first of each is taken",
		          self.repeated);
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_packages = {
	.name = "packages",
	.endings = "Packages",
	.summary = "Debian's index of packages: dependencies, sources, maintainers, tags, sections",
	.read = read_packages,
};
