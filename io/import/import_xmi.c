/* EMF models. The metamodel gives the features of each object. Rank 0 reads the model in two or three passes. The first
 * pass counts references. If the model has ids and references by position, another pass finds the id for each position.
 * The last pass feeds the builder. */

#include "core/status.h"
#include "io/import/ecore_parser.h"
#include "io/import/import.h"
#include "io/import/import_columns.h"
#include "io/import/xmi_parser.h"
#include "io/text/cells.h"
#include "partition/build/builder.h"

#include <inttypes.h>
#include <string.h>

typedef struct xmi_import {
	const char *path;
	gemp_ecore ecore;
	gemp_declared_columns columns; /* attributes of all classes */
	size_t *column_of;             /* [ecore.feature_count] the column of each attribute */
	gemp_builder *builder;
	uint64_t *counts;            /* [ecore.feature_count] number of references in the model */
	bool has_ids, has_positions; /* at least one object has an id; at least one reference is a position */
	gemp_dictionary paths;       /* paths of all objects, if the model has ids and positions */
	gemp_bytes keys;             /* keys of these objects, in the same order */
} xmi_import;

/* COLUMNS */

/* The attributes of all classes become columns, except derived attributes, which a model does not store. */
static gemp_code read_metamodel(xmi_import *self, const char *path)
{
	GEMP_TRY(gemp_ecore_read(&self->ecore, path));
	const size_t count = self->ecore.feature_count;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(self->column_of, count), GEMP_ARRAY(self->counts, count)));
	for (size_t f = 0; f < count; f++) {
		const gemp_ecore_feature *feature = &self->ecore.features[f];
		if (!feature->reference && !feature->derived)
			GEMP_TRY(gemp_declared_columns_join(&self->columns, feature->name, feature->type, &self->column_of[f]));
	}
	return GEMP_OK;
}

/* Only a reference with several ordered targets needs the column `order`. */
static bool is_ordered(const gemp_ecore_feature *feature)
{
	return feature->reference && feature->many && feature->ordered;
}

/* All ranks declare the same columns. The column `order` of edges is declared only if a reference is ordered. Its index
 * is then 0. */
static gemp_code declare(xmi_import *self)
{
	uint32_t file;
	size_t at;
	GEMP_TRY(gemp_builder_file(self->builder, self->path, &file));
	GEMP_TRY(gemp_declared_columns_declare(&self->columns, self->builder, gemp_builder_vertex_column));
	for (size_t f = 0; f < self->ecore.feature_count; f++)
		if (is_ordered(&self->ecore.features[f]))
			return gemp_builder_edge_column(self->builder, "order", GEMP_INTEGER, &at);
	return GEMP_OK;
}

/* THE FIRST PASSES */

/* If an object has no id, its key is its path. */
static gemp_code count_object(void *context, const gemp_xmi_object *object)
{
	xmi_import *self = context;
	self->has_ids |= object->key.size != object->path_size ||
	                 memcmp(object->key.data, object->path, object->path_size) != 0;
	return GEMP_OK;
}

/* The counts of a feature and of its opposite show whether the model stores both ends. */
static gemp_code count_reference(void *context, const gemp_xmi_reference *reference)
{
	xmi_import *self = context;
	self->counts[reference->feature]++;
	self->has_positions |= reference->by_position;
	return GEMP_OK;
}

/* Stores the path and the key of the object, so that references by position can find its key. */
static gemp_code note_path(void *context, const gemp_xmi_object *object)
{
	xmi_import *self = context;
	uint32_t index;
	GEMP_TRY(gemp_dictionary_add(&self->paths, object->path, object->path_size, &index));
	return gemp_bytes_add(&self->keys, object->key.data, object->key.size);
}

/* EMF writes both ends of two opposites, unless one is a containment. So two different counts above 0 mean a damaged
 * model. */
static gemp_code check_opposites(const xmi_import *self)
{
	for (size_t f = 0; f < self->ecore.feature_count; f++) {
		const gemp_ecore_feature *one = &self->ecore.features[f], *other;
		if (one->opposite == GEMP_ECORE_NONE || one->containment || one->container)
			continue;
		other = &self->ecore.features[one->opposite];
		uint64_t here = self->counts[f], there = self->counts[one->opposite];
		if (here && there && here != there && !one->derived && !other->derived)
			return gemp_fail(GEMP_EDATA,
			                 "%s: '%s' of %s and '%s' of %s are opposites, and there are %" PRIu64
			                 " of one and %" PRIu64 " of the other; save the model with EMF",
			                 self->path, one->name, self->ecore.classifiers[one->owner].name, other->name,
			                 self->ecore.classifiers[other->owner].name, here, there);
	}
	return GEMP_OK;
}

/* THE LAST PASS */

/* *out becomes the key of the target. If no object has the position, the key is the position itself, and the builder
 * reports that this vertex is missing. */
static gemp_code find_target(xmi_import *self, const gemp_xmi_reference *reference, gemp_value *out)
{
	uint32_t index;
	size_t size = strlen(reference->target);
	*out = gemp_string_value(reference->target, size);
	if (!reference->by_position || self->keys.count == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_dictionary_add(&self->paths, reference->target, size, &index));
	if (index < self->keys.count) {
		const gemp_string key = gemp_bytes_at(&self->keys, index);
		*out = gemp_string_value(key.bytes, key.size);
	}
	return GEMP_OK;
}

/* A container reference repeats a containment from the other side, so it is left out. If the model stores only one of
 * two opposites, the other one is added. */
static gemp_code feed_reference(void *context, const gemp_xmi_reference *reference)
{
	xmi_import *self = context;
	const gemp_ecore_feature *feature = &self->ecore.features[reference->feature];
	gemp_value source = gemp_string_value(reference->source, strlen(reference->source)), target;
	gemp_place place = { 1, reference->line };
	if (feature->derived || feature->container)
		return GEMP_OK;
	GEMP_TRY(find_target(self, reference, &target));
	GEMP_TRY(gemp_builder_edge(self->builder, &source, &target, feature->name, strlen(feature->name), place));
	if (is_ordered(feature)) {
		const gemp_value order = { .type = GEMP_INTEGER, .integer = (int64_t)reference->order };
		GEMP_TRY(gemp_builder_edge_value(self->builder, 0, &order));
	}
	if (feature->opposite == GEMP_ECORE_NONE)
		return GEMP_OK;
	const gemp_ecore_feature *back = &self->ecore.features[feature->opposite];
	if (!back->derived && (feature->containment || self->counts[feature->opposite] == 0))
		return gemp_builder_edge(self->builder, &target, &source, back->name, strlen(back->name), place);
	return GEMP_OK;
}

/* EMF does not write an attribute that has its default value, so a missing attribute gets the default. */
static gemp_code feed_object(void *context, const gemp_xmi_object *object)
{
	xmi_import *self = context;
	const gemp_ecore_classifier *class = &self->ecore.classifiers[object->class];
	gemp_value value = gemp_string_value(object->key.data, object->key.size);
	GEMP_TRY(gemp_builder_vertex(self->builder, &value, class->labels, strlen(class->labels),
	                             (gemp_place){ 1, object->line }));
	for (size_t slot = 0; slot < class->feature_count; slot++) {
		const gemp_ecore_feature *feature = &self->ecore.features[class->features[slot]];
		const gemp_text *given = object->present[slot] ? &object->values[slot] : NULL;
		const char *text = given ? given->size ? given->data : "" : feature->default_value;
		if (feature->reference || feature->derived || !text)
			continue;
		size_t at = self->column_of[class->features[slot]];
		GEMP_TRY(gemp_scalar_read(&value, self->columns.columns[at].type, text, given ? given->size : strlen(text)));
		GEMP_TRY(gemp_builder_vertex_value(self->builder, at, &value));
	}
	return GEMP_OK;
}

/* Local. An XML file cannot be read from its middle, so rank 0 reads all of it. */
static gemp_code read_model(xmi_import *self)
{
	static const gemp_xmi_visitor counting = { count_object, count_reference }, noting = { note_path, NULL };
	static const gemp_xmi_visitor feeding = { feed_object, feed_reference };
	GEMP_TRY(gemp_xmi_read(self->path, &self->ecore, &counting, self));
	GEMP_TRY(check_opposites(self));
	if (self->has_ids && self->has_positions)
		GEMP_TRY(gemp_xmi_read(self->path, &self->ecore, &noting, self));
	return gemp_xmi_read(self->path, &self->ecore, &feeding, self);
}

/* The import may be set up only in part, after a failure. */
static void free_import(xmi_import *self)
{
	gemp_builder_free(self->builder);
	gemp_ecore_free(&self->ecore);
	gemp_free_all(self->columns.columns, self->column_of, self->counts);
	gemp_dictionary_free(&self->paths);
	gemp_bytes_free(&self->keys);
}

/* Every rank reads the metamodel, which gives the columns. Only rank 0 reads the model. */
static gemp_code read_xmi(gemp_shard **out, const gemp_comm *comm, const gemp_import_options *options)
{
	GEMP_OWNED_BY(free_import) xmi_import self = { .path = options->edge_files[0] };
	gemp_builder_options built = gemp_format_builder(options);
	GEMP_TRY(gemp_comm_agree(comm, read_metamodel(&self, options->metamodel)));
	built.string_keys = self.ecore.string_ids;
	GEMP_TRY(gemp_builder_new(&self.builder, comm, &built));
	gemp_code code = declare(&self);
	if (comm->rank == 0)
		GEMP_THEN(read_model(&self));
	GEMP_TRY(gemp_comm_agree(comm, code));
	return gemp_builder_finish(self.builder, out);
}

const gemp_format gemp_format_xmi = {
	.name = "xmi",
	.endings = ".xmi",
	.summary = "Models of EMF (XMI), of the metamodel --metamodel: classes are labels, references types of edges",
	.one_file = true,
	.needs_metamodel = true,
	.read = read_xmi,
};
