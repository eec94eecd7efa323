/* The table of formats, and the checks before a file is opened. The checks find the format that reads the files,
 * whether the files can be imported together, and whether the options suit the format. */

#include "io/import/import.h"

#include "core/status.h"
#include "io/file/source.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const gemp_format *const formats[] = {
	&gemp_format_tsv,   &gemp_format_csv,        &gemp_format_snap,      &gemp_format_neo4j,    &gemp_format_mtx,
	&gemp_format_metis, &gemp_format_adjacency,  &gemp_format_jsonl,     &gemp_format_packages, &gemp_format_dict,
	&gemp_format_pairs, &gemp_format_wiktionary, &gemp_format_graphml,   &gemp_format_gxl,      &gemp_format_xmi,
	&gemp_format_npz,   &gemp_format_h5ad,       &gemp_format_binsparse, &gemp_format_imdb,
};
enum { FORMATS = sizeof formats / sizeof *formats };

const gemp_format *const *gemp_formats(size_t *count)
{
	*count = FORMATS;
	return formats;
}

/* For "auto" *out becomes NULL; the endings of the files then give the formats. */
gemp_code gemp_format_parse(const gemp_format **out, const char *name)
{
	char names[18 * (FORMATS + 1)] = "auto";
	*out = NULL;
	if (strcmp(name, "auto") == 0)
		return GEMP_OK;
	for (size_t i = 0, at = 4; i < FORMATS; i++) {
		at += (size_t)snprintf(names + at, sizeof names - at, ", %s", formats[i]->name);
		if (strcmp(name, formats[i]->name) == 0) {
			*out = formats[i];
			return GEMP_OK;
		}
	}
	return gemp_fail(GEMP_EUSAGE, "unknown format '%s'; there are %s", name, names);
}

/* Endings are compared without regard to case. */
static bool ends_in(const char *path, size_t size, const char *ending, size_t tail)
{
	return size >= tail && strncasecmp(path + size - tail, ending, tail) == 0;
}

/* The endings of a format are one string, separated by blanks. */
static bool has_ending(const gemp_format *format, const char *path, size_t size)
{
	const char *ending = format->endings;
	for (size_t tail; *ending; ending += tail + (ending[tail] == ' ')) {
		tail = strcspn(ending, " ");
		if (ends_in(path, size, ending, tail))
			return true;
	}
	return false;
}

/* The format of a compressed file follows from the ending before .gz, .bz2 or .zst. */
const gemp_format *gemp_format_by_ending(const char *path)
{
	size_t size = strlen(path);
	if (ends_in(path, size, ".gz", 3))
		size -= 3;
	else if (ends_in(path, size, ".zst", 4))
		size -= 4;
	else if (ends_in(path, size, ".bz2", 4))
		size -= 4;
	for (size_t i = 0; i < FORMATS; i++)
		if (has_ending(formats[i], path, size))
			return formats[i];
	return NULL;
}

/* The format of file i. The vertex files come first in this numbering. A vertex file with an unknown ending is TSV. */
static gemp_code format_of(const gemp_format **out, const gemp_import_options *options, size_t i)
{
	bool edges = i >= options->vertex_file_count;
	const char *path = edges ? options->edge_files[i - options->vertex_file_count] : options->vertex_files[i];
	*out = gemp_format_by_ending(path);
	if (!edges && (!*out || *out == &gemp_format_snap))
		*out = &gemp_format_tsv;
	if (!*out)
		return gemp_fail(GEMP_EUSAGE,
		                 "%s: its ending does not tell the format; name the format: tsv, csv or snap, "
		                 "or another of those that `gemp-mpi help import` names",
		                 path);
	return GEMP_OK;
}

/* A single function reads all files of an import. The table formats share a function, so files of several table formats
 * can be imported together; other formats cannot be mixed. */
static gemp_code find_format(const gemp_format **out, const gemp_import_options *options)
{
	size_t files = options->vertex_file_count + options->edge_file_count;
	*out = options->format;
	if (files == 0)
		return gemp_fail(GEMP_EUSAGE, "import needs files of edges, and files of vertices "
		                              "if vertices have attributes");
	for (size_t i = 0; i < files && !options->format; i++) {
		const gemp_format *format;
		GEMP_TRY(format_of(&format, options, i));
		if (*out && (*out)->read != format->read)
			return gemp_fail(GEMP_EUSAGE,
			                 "files of the formats %s and %s cannot be read together; import "
			                 "files of one format, or name the format",
			                 (*out)->name, format->name);
		*out = format;
	}
	if (options->vertex_file_count && !(*out)->takes_vertices)
		return gemp_fail(
			GEMP_EUSAGE,
			"a file of format %s is a whole graph, vertices too; name it among the files of edges, and leave "
			"those of vertices out",
			(*out)->name);
	if (files > 1 && (*out)->one_file)
		return gemp_fail(GEMP_EUSAGE,
		                 "format %s numbers the vertices of each file anew, so %zu files are not one graph; import one",
		                 (*out)->name, files);
	if ((*out)->needs_metamodel && !options->metamodel)
		return gemp_fail(GEMP_EUSAGE,
		                 "a file of format %s says neither of which type its attributes are, nor what "
		                 "inherits from what, nor values that are as by default; name the metamodel that "
		                 "does, a file .ecore",
		                 (*out)->name);
	if (!(*out)->needs_metamodel && options->metamodel)
		return gemp_fail(GEMP_EUSAGE,
		                 "metamodel is for format xmi, and this is %s; leave it out, or name the format xmi",
		                 (*out)->name);
	return GEMP_OK;
}

gemp_code gemp_import(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	const gemp_format *format;
	GEMP_TRY(find_format(&format, options));
	return format->read(out, comm, options);
}

/* A format may read several files for one name. For imdb the name is that of a folder. */
gemp_code gemp_import_files(gemp_paths *out, const gemp_import_options *options)
{
	const gemp_format *format;
	GEMP_TRY(find_format(&format, options));
	if (options->metamodel)
		GEMP_TRY(gemp_paths_add(out, options->metamodel));
	for (size_t i = 0; i < options->vertex_file_count; i++)
		GEMP_TRY(gemp_paths_add(out, options->vertex_files[i]));
	for (size_t i = 0; i < options->edge_file_count; i++)
		GEMP_TRY(format->files ? format->files(out, options->edge_files[i])
		                       : gemp_paths_add(out, options->edge_files[i]));
	return GEMP_OK;
}

/* The path is copied, since callers compose some paths in temporary texts. */
gemp_code gemp_paths_add(gemp_paths *paths, const char *path)
{
	GEMP_TRY(GEMP_RESERVE(paths->path, paths->capacity, paths->count + 1));
	paths->path[paths->count] = gemp_strdup(path);
	if (!paths->path[paths->count])
		return GEMP_ENOMEM;
	paths->count++;
	return GEMP_OK;
}

void gemp_paths_free(gemp_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		gemp_free(paths->path[i]);
	gemp_free(paths->path);
	*paths = (gemp_paths){ 0 };
}

/* A format adds its own options to these, such as whether keys are strings. */
gemp_builder_options gemp_format_builder(const gemp_import_options *options)
{
	return (gemp_builder_options){
		.seed = options->seed,
		.undirected = options->undirected,
		.merge_parallel = options->merge_parallel,
		.default_label = options->default_label,
		.default_type = options->default_type,
		.merged_rows = options->merged_rows,
		.steps = options->steps,
	};
}

/* The builder needs the same files in the same order on all ranks, since messages name files by their number. */
gemp_code gemp_import_declare_files(gemp_builder *builder, const gemp_import_options *options)
{
	uint32_t file;
	for (size_t i = 0; i < options->edge_file_count; i++)
		GEMP_TRY(gemp_builder_file(builder, options->edge_files[i], &file));
	return GEMP_OK;
}

gemp_code gemp_import_element(gemp_builder *builder, bool edge, const gemp_value ends[2], const char *names,
                              size_t size, gemp_place place)
{
	return edge ? gemp_builder_edge(builder, &ends[0], &ends[1], names, size, place)
	            : gemp_builder_vertex(builder, &ends[0], names, size, place);
}

gemp_code gemp_import_value(gemp_builder *builder, bool edge, size_t column, const gemp_value *value)
{
	return (edge ? gemp_builder_edge_value : gemp_builder_vertex_value)(builder, column, value);
}

/* Every rank gets the whole sorted list of names and calls `add` for its block of the list. */
gemp_code gemp_import_names(const gemp_comm *comm, const gemp_dictionary *local, gemp_import_name *add, void *self)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_bytes_free) gemp_bytes all = { 0 };
	GEMP_TRY(gemp_bytes_union(comm, GEMP_OK, &local->list, &all));
	const gemp_block_range mine = gemp_comm_block(comm, all.count);
	for (uint64_t i = mine.begin; i < mine.end; i++) {
		const gemp_string name = gemp_bytes_at(&all, i);
		GEMP_THEN(add(self, name.bytes, name.size));
	}
	return gemp_comm_agree(comm, code);
}
