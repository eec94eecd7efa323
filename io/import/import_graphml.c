/* GraphML. An XML file cannot be cut, so each is read whole by one rank, after all ranks have read what it declares.
 * Labels of nodes are data `labels` or `label`, types of edges data `label`, `labels` or `type`, as Neo4j and
 * networkx write them. */

#include "core/memory.h"
#include "io/import/graphml_parser.h"
#include "io/import/import.h"
#include "io/text/text_scalar.h"
#include "partition/build/build_graph.h"
#include "partition/build/builder.h"

#include <string.h>

/* What becomes of a key of one file. */
typedef struct use {
	bool name[2];     /* the labels of nodes, the type of edges */
	size_t column[2]; /* the builder's */
} use;

typedef struct file {
	const char *path;
	uint32_t number; /* the builder's */
	gemp_graphml_head head;
	use *uses; /* [head.count] */
} file;

typedef struct column {
	const char *name; /* borrowed from a head */
	gemp_type type;
} column;

typedef struct import {
	size_t count;
	file *files;     /* [count] */
	bool undirected; /* all edges are */
	bool asked;      /* as the user says */
	gemp_builder *builder;
	size_t column_count[2], column_capacity[2];
	column *columns[2]; /* of vertices, of edges */
	const file *now;    /* being read */
} import;

/* WHAT IS DECLARED */

static size_t find_name(const gemp_graphml_head *head, bool edge, const char *name)
{
	size_t k = 0;
	while (k < head->count && !(head->keys[k].applies_to[edge] && strcmp(head->keys[k].name, name) == 0))
		k++;
	return k;
}

/* The first that there is holds labels or type; the others are attributes. */
static void choose_names(file *f)
{
	static const char *const names[2][3] = { { "labels", "label", NULL }, { "label", "labels", "type" } };
	for (int edge = 0; edge < 2; edge++)
		for (size_t i = 0; i < 3 && names[edge][i]; i++) {
			size_t key = find_name(&f->head, edge, names[edge][i]);
			if (key == f->head.count)
				continue;
			f->uses[key].name[edge] = true;
			break;
		}
}

/* Keys of one name are one column, of a type that holds what all of them hold. */
static gemp_code join_column(import *self, bool edge, const gemp_graphml_key *key, size_t *at)
{
	for (*at = 0; *at < self->column_count[edge]; ++*at) {
		column *there = &self->columns[edge][*at];
		if (strcmp(there->name, key->name) != 0)
			continue;
		bool numbers = (there->type == GEMP_INTEGER || there->type == GEMP_FLOAT) &&
		               (key->type == GEMP_INTEGER || key->type == GEMP_FLOAT);
		if (there->type != key->type)
			there->type = numbers ? GEMP_FLOAT : GEMP_STRING;
		return GEMP_OK;
	}
	GEMP_PROPAGATE(GEMP_RESERVE(self->columns[edge], self->column_capacity[edge], *at + 1));
	self->columns[edge][self->column_count[edge]++] = (column){ key->name, key->type };
	return GEMP_OK;
}

/* A key for both nodes and edges makes two columns. */
static gemp_code join_keys(import *self, file *f)
{
	GEMP_PROPAGATE(GEMP_NEW(f->uses, f->head.count));
	choose_names(f);
	for (size_t k = 0; k < f->head.count; k++)
		for (int edge = 0; edge < 2; edge++)
			if (f->head.keys[k].applies_to[edge] && !f->uses[k].name[edge])
				GEMP_PROPAGATE(join_column(self, edge, &f->head.keys[k], &f->uses[k].column[edge]));
	return GEMP_OK;
}

/* All ranks read all heads, since columns must be the same everywhere before any element is read. */
static gemp_code read_heads(import *self, const gemp_import_options *options, bool *string_keys)
{
	gemp_code code = GEMP_OK;
	GEMP_PROPAGATE(GEMP_NEW(self->files, options->edge_file_count));
	self->asked = options->undirected;
	self->undirected = options->undirected;
	for (; self->count < options->edge_file_count; self->count++) {
		file *f = &self->files[self->count];
		f->path = options->edge_files[self->count];
		code = gemp_graphml_read(&f->head, f->path, NULL, NULL);
		GEMP_THEN(join_keys(self, f));
		if (code != GEMP_OK) {
			self->count++;
			return code;
		}
		*string_keys |= f->head.string_ids;
		if (!self->asked && self->count && f->head.undirected != self->undirected)
			return gemp_fail(GEMP_EDATA, "%s is %s, %s is not; import files of one direction, or say --undirected",
			                 f->path, f->head.undirected ? "undirected" : "directed", self->files[0].path);
		self->undirected = self->asked || f->head.undirected;
	}
	return code;
}

/* Columns are numbered in the order of the files and their keys. */
static gemp_code declare(import *self)
{
	size_t at;
	for (size_t i = 0; i < self->count; i++)
		GEMP_PROPAGATE(gemp_builder_file(self->builder, self->files[i].path, &self->files[i].number));
	for (size_t c = 0; c < self->column_count[0]; c++)
		GEMP_PROPAGATE(
			gemp_builder_vertex_column(self->builder, self->columns[0][c].name, self->columns[0][c].type, &at));
	for (size_t c = 0; c < self->column_count[1]; c++)
		GEMP_PROPAGATE(
			gemp_builder_edge_column(self->builder, self->columns[1][c].name, self->columns[1][c].type, &at));
	return GEMP_OK;
}

/* WHAT IS IN IT */

/* Labels are "A;B", or ":A:B" as Neo4j writes them. In place. */
static void unify_labels(char *text)
{
	if (text[0] == ':')
		for (; *text; text++)
			*text = *text == ':' ? ';' : *text;
}

/* Data for labels or type goes before the attribute of the element. */
static const gemp_text *name_of(const file *f, const gemp_graphml_element *element)
{
	for (size_t k = 0; k < f->head.count; k++)
		if (f->uses[k].name[element->edge] && element->present[k])
			return &element->values[k];
	return &element->name;
}

/* Borrowed: the builder copies what it keeps. */
static gemp_value text_value(const gemp_text *text)
{
	gemp_value value = { .type = GEMP_STRING };
	value.string.bytes = text->data;
	value.string.size = text->size;
	return value;
}

/* Blanks around numbers come from pretty-printed files. */
static gemp_code read_value(gemp_value *out, const column *column, const gemp_text *text)
{
	static const char blanks[] = " \t\r\n";
	const char *at = text->data;
	size_t size = text->size;
	if (column->type != GEMP_STRING) {
		for (; size && strchr(blanks, *at); at++)
			size--;
		while (size && strchr(blanks, at[size - 1]))
			size--;
	}
	gemp_code code = gemp_scalar_read(out, column->type, at, size);
	return code == GEMP_EDATA ? gemp_fail_in(code, "data '%s': ", column->name) : code;
}

/* Data that gives labels or the type is no attribute. */
static gemp_code add_values(import *self, const gemp_graphml_element *element)
{
	bool edge = element->edge;
	for (size_t k = 0; k < self->now->head.count; k++) {
		const use *use = &self->now->uses[k];
		gemp_value value;
		if (!element->present[k] || use->name[edge])
			continue;
		GEMP_PROPAGATE(read_value(&value, &self->columns[edge][use->column[edge]], &element->values[k]));
		GEMP_PROPAGATE(
			(edge ? gemp_builder_edge_value : gemp_builder_vertex_value)(self->builder, use->column[edge], &value));
	}
	return GEMP_OK;
}

/* An edge that differs in direction would change its meaning in a graph of the other kind. */
static gemp_code visit(void *context, const gemp_graphml_head *head, const gemp_graphml_element *element)
{
	import *self = context;
	gemp_place place = { self->now->number, element->line };
	gemp_value ends[2] = { text_value(&element->ends[0]), text_value(&element->ends[1]) };
	const gemp_text *name = name_of(self->now, element);
	(void)head;
	if (!element->edge) {
		if (name->data)
			unify_labels(name->data);
		GEMP_PROPAGATE(gemp_builder_vertex(self->builder, &ends[0], name->data, name->size, place));
	} else {
		if (!self->asked && element->undirected != self->undirected)
			return gemp_fail(GEMP_EDATA,
			                 "this edge is %s and others are not; say --undirected, or list undirected "
			                 "edges in both directions",
			                 element->undirected ? "undirected" : "directed");
		GEMP_PROPAGATE(gemp_builder_edge(self->builder, &ends[0], &ends[1], name->data, name->size, place));
	}
	return add_values(self, element);
}

/* Files are dealt out to the ranks. */
static gemp_code read_files(import *self, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	for (size_t i = (size_t)comm->rank; i < self->count && code == GEMP_OK; i += (size_t)comm->size) {
		self->now = &self->files[i];
		code = gemp_graphml_read(&self->files[i].head, self->files[i].path, visit, self);
	}
	return code;
}

/* Takes an import that failed early. */
static void free_import(import *self)
{
	gemp_builder_free(self->builder);
	for (size_t i = 0; i < self->count; i++) {
		gemp_graphml_head_free(&self->files[i].head);
		gemp_free(self->files[i].uses);
	}
	gemp_free_all(self->files, self->columns[0], self->columns[1]);
}

/* Two passes: heads of all files, then elements of this rank's files. */
static gemp_code read_graphml(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	gemp_code code = GEMP_OK;
import self = { 0 };
	gemp_builder_options built = gemp_format_builder(options);
	built.vertices_from_edges = false;
	GEMP_TRY(gemp_comm_agree(comm, read_heads(&self, options, &built.string_keys)));
	built.undirected = self.undirected;
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	GEMP_TRY(gemp_comm_agree(comm, declare(&self)));
	GEMP_TRY(gemp_comm_agree(comm, read_files(&self, comm)));
	GEMP_TRY(gemp_builder_finish(self.builder, out));
done:
	free_import(&self);
	return code;
}

const gemp_format gemp_format_graphml = {
	.name = "graphml",
	.endings = ".graphml",
	.summary = "GraphML (XML), with labels and types as Neo4j and networkx write them",
	.read = read_graphml,
};
