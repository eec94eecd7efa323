/* XMI: each vertex an object at the top, with its key as xmi:id; the metamodel that import needs to read them again is
 * F.metamodel.ecore, with a class for each set of labels. All inherit their features from one. */

#include "core/memory.h"
#include "io/export/export.h"
#include "io/import/ecore.h"
#include "io/text/escape.h"
#include "partition/exchange/value_exchange.h"

#include <math.h>
#include <string.h>

#define NAMESPACE "http://gemp-mpi/graph"
#define BASE "Vertex__" /* no class of a set of labels ends so */

static gemp_code add_value(gemp_text *out, const gemp_value *value)
{
	if (value->type == GEMP_STRING)
		return gemp_escape_xml(out, value->string.bytes, value->string.size);
	if (value->type == GEMP_FLOAT && isinf(value->real))
		gemp_text_print(out, "%s", value->real > 0 ? "INF" : "-INF");
	else
		gemp_value_print(value, out);
	return GEMP_OK;
}

/* CAN IT BE HELD? */

/* Names of XML, of which those beyond ASCII are not looked at closely. */
static gemp_code check_name(const gemp_export_context *e, const char *what, const char *name)
{
	static const char others[] = "0123456789-.";
	bool good = *name != '\0';
	for (const char *at = name; *at && good; at++) {
		bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_' || (*at & 0x80);
		good = letter || (at > name && strchr(others, *at));
	}
	return good ? GEMP_OK
	            : gemp_fail(GEMP_EDATA,
	                        "%s: %s '%.80s' is no name of XML (letters, digits, '_', '-' and '.', a "
	                        "letter first); write .graphml",
	                        e->options->path, what, name);
}

/* Its labels joined. EMF takes points in names for numbers, so they are joined by '_'. */
static gemp_code class_name(const gemp_shard *graph, const gemp_label_set *set, const char *between, gemp_text *out)
{
	gemp_text_clear(out);
	for (size_t i = 0; i < set->count; i++)
		gemp_text_print(out, "%s%s", i ? between : "", graph->labels[set->labels[i]]);
	if (set->count == 0 && *between == '_')
		gemp_text_print(out, "Vertex_");
	return gemp_text_status(out);
}

/* Sets of labels become classes by joining their names, which must not make two sets alike. */
static gemp_code check_classes(const gemp_export_context *e)
{
	gemp_code code = GEMP_OK;
	const gemp_shard *graph = e->graph;
	GEMP_OWNED_BY(gemp_text_free) gemp_text one = { 0 }, other = { 0 };
	for (size_t l = 0; l < graph->label_count; l++) {
		GEMP_PROPAGATE(check_name(e, "label", graph->labels[l]));
		if (graph->labels[l][strlen(graph->labels[l]) - 1] == '_')
			return gemp_fail(GEMP_EDATA, "%s: label '%.80s' ends in '_'; write .graphml", e->options->path,
			                 graph->labels[l]);
	}
	for (size_t s = 0; s < graph->label_set_count; s++)
		for (size_t t = 0; t < s; t++) {
			GEMP_PROPAGATE(class_name(graph, &graph->label_sets[s], "_", &one));
			GEMP_PROPAGATE(class_name(graph, &graph->label_sets[t], "_", &other));
			if (strcmp(one.data, other.data) == 0) {
				code = gemp_fail(GEMP_EDATA,
				                 "%s: two sets of labels are both '%.80s' with '_' between them; write .graphml",
				                 e->options->path, one.data);
				return code;
			}
		}
	return code;
}

/* References of EMF have a direction and no attributes but their order. */
static gemp_code check_relation(const gemp_export_context *e, const gemp_relation *relation)
{
	const gemp_table *props = &relation->props;
	if (!relation->directed)
		return gemp_fail(GEMP_EDATA,
		                 "%s: edges of type '%s' are undirected, and references have a direction; write .graphml",
		                 e->options->path, relation->name);
	for (size_t c = 0; c < props->count; c++)
		if (strcmp(props->columns[c].name, "order") != 0 || props->columns[c].type != GEMP_INTEGER)
			return gemp_fail(GEMP_EDATA,
			                 "%s: edges of type '%s' have the attribute '%s', and references have none but "
			                 "their order; write .graphml",
			                 e->options->path, relation->name, props->columns[c].name);
	if (gemp_table_find(&e->graph->attributes, relation->name))
		return gemp_fail(GEMP_EDATA,
		                 "%s: '%s' is an attribute of vertices and a type of edges, and a class has one "
		                 "feature of a name; write .graphml",
		                 e->options->path, relation->name);
	return check_name(e, "type of edges", relation->name);
}

/* Names become names of XML elements and attributes, which hold fewer characters than ours. */
static gemp_code check(const gemp_export_context *e)
{
	for (size_t c = 0; c < e->graph->attributes.count; c++)
		GEMP_PROPAGATE(check_name(e, "attribute", e->graph->attributes.columns[c].name));
	for (size_t r = 0; r < e->graph->relation_count; r++)
		if (gemp_export_includes(e, r))
			GEMP_PROPAGATE(check_relation(e, &e->graph->relations[r]));
	return GEMP_OK;
}

/* THE METAMODEL */

static gemp_code add_class(const gemp_export_context *e, const gemp_label_set *set, gemp_text *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	GEMP_PROPAGATE(class_name(e->graph, set, "_", &name));
	gemp_text_print(out, "<eClassifiers xsi:type=\"ecore:EClass\" name=\"%s\" eSuperTypes=\"#//" BASE "\">\n",
	                name.data);
	GEMP_PROPAGATE(class_name(e->graph, set, ";", &name));
	gemp_text_print(out,
	                "<eAnnotations source=\"" GEMP_ECORE_ANNOTATION "\"><details key=\"labels\" value=\"%s\"/>"
	                "</eAnnotations>\n</eClassifiers>\n",
	                name.data ? name.data : "");
	return GEMP_OK;
}

/* All classes inherit from one that has every feature, since any vertex may have any attribute here. */
static gemp_code metamodel(const gemp_export_context *e, gemp_text *out)
{
	static const char *const types[] = {
		[GEMP_STRING] = "EString",
		[GEMP_INTEGER] = "ELongObject",
		[GEMP_FLOAT] = "EDoubleObject",
		[GEMP_BOOLEAN] = "EBooleanObject",
	};
	const gemp_shard *graph = e->graph;
	gemp_text_print(out,
	                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ecore:EPackage xmi:version=\"2.0\" "
	                "xmlns:xmi=\"http://www.omg.org/XMI\"\n\txmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
	                "xmlns:ecore=\"http://www.eclipse.org/emf/2002/Ecore\"\n\tname=\"graph\" nsURI=\"" NAMESPACE
	                "\" nsPrefix=\"g\">\n<eAnnotations source=\"" GEMP_ECORE_ANNOTATION "\">"
	                "<details key=\"references\" value=\"ids\"/>%s</eAnnotations>\n"
	                "<eClassifiers xsi:type=\"ecore:EClass\" name=\"" BASE "\" abstract=\"true\">\n",
	                e->string_keys ? "<details key=\"ids\" value=\"string\"/>" : "");
	for (size_t c = 0; c < graph->attributes.count; c++)
		gemp_text_print(out,
		                "<eStructuralFeatures xsi:type=\"ecore:EAttribute\" name=\"%s\" eType=\"ecore:EDataType "
		                "http://www.eclipse.org/emf/2002/Ecore#//%s\"/>\n",
		                graph->attributes.columns[c].name, types[graph->attributes.columns[c].type]);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (gemp_export_includes(e, r))
			gemp_text_print(out,
			                "<eStructuralFeatures xsi:type=\"ecore:EReference\" name=\"%s\" upperBound=\"-1\" "
			                "unique=\"false\"%s eType=\"#//" BASE "\"/>\n",
			                graph->relations[r].name, graph->relations[r].props.count ? "" : " ordered=\"false\"");
	gemp_text_print(out, "</eClassifiers>\n");
	for (size_t s = 0; s < graph->label_set_count; s++)
		GEMP_PROPAGATE(add_class(e, &graph->label_sets[s], out));
	gemp_text_print(out, "</ecore:EPackage>\n");
	return GEMP_OK;
}

/* THE MODEL */

/* Collective. Keys of all targets of this rank's edges. */
static gemp_code prepare(gemp_export_context *e)
{
	const gemp_shard *graph = e->graph;
	GEMP_PROPAGATE(gemp_comm_agree(e->comm, check_classes(e)));
	GEMP_PROPAGATE(gemp_comm_agree(e->comm, GEMP_NEW(e->targets, graph->relation_count)));
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_relation *relation = &graph->relations[r];
		if (!gemp_export_includes(e, r))
			continue;
		size_t count = relation->out_offsets[graph->rows];
		GEMP_PROPAGATE(gemp_comm_agree(e->comm, GEMP_NEW(e->targets[r].index, count)));
		GEMP_PROPAGATE(gemp_vertex_values(e->comm, graph, &graph->keys, relation->out_targets, count,
		                                  &e->targets[r].keys, e->targets[r].index));
	}
	return GEMP_OK;
}

/* One root element holds all objects, as a graph has no tree of containment. */
static gemp_code before_vertices(const gemp_export_context *e, gemp_text *out)
{
	(void)e;
	gemp_text_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xmi:XMI xmi:version=\"2.0\" "
	                     "xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:g=\"" NAMESPACE "\">\n");
	return GEMP_OK;
}

/* The edges of a row in their order: places[i] is the edge of number i. They must be numbered from 0. */
static gemp_code sort_row(const gemp_relation *relation, uint64_t begin, uint64_t count, uint64_t *places)
{
	const gemp_column *order = relation->props.count ? &relation->props.columns[0] : NULL;
	for (uint64_t i = 0; i < count; i++)
		places[i] = order ? UINT64_MAX : begin + i;
	for (uint64_t i = 0; i < count && order; i++) {
		gemp_value value = gemp_column_get(order, begin + i);
		if (value.null || value.integer < 0 || (uint64_t)value.integer >= count || places[value.integer] != UINT64_MAX)
			return gemp_fail(GEMP_EDATA,
			                 "its edges of type '%s' do not have the orders 0, 1, ..., each once; write .graphml",
			                 relation->name);
		places[value.integer] = begin + i;
	}
	return GEMP_OK;
}

/* Can the keys stand in a list, between blanks? */
static bool are_plain(const gemp_export_targets *targets, uint64_t begin, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		gemp_value key = gemp_column_get(&targets->keys, targets->index[begin + i]);
		for (size_t at = 0; key.type == GEMP_STRING && at < key.string.size; at++)
			if (strchr(" \t\r\n#", key.string.bytes[at]))
				return false;
		if (key.type == GEMP_STRING && key.string.size == 0)
			return false;
	}
	return true;
}

/* As an attribute of the object, or, what that cannot hold, as elements in it. */
static gemp_code add_references(const gemp_export_context *e, size_t row, size_t r, bool plain, gemp_text *out)
{
	const gemp_relation *relation = &e->graph->relations[r];
	const gemp_export_targets *targets = &e->targets[r];
	uint64_t begin = relation->out_offsets[row], count = relation->out_offsets[row + 1] - begin;
	GEMP_OWNED uint64_t *places = NULL;
	if (count == 0 || are_plain(targets, begin, count) != plain)
		return GEMP_OK;
	GEMP_PROPAGATE(GEMP_NEW(places, count));
	GEMP_PROPAGATE(sort_row(relation, begin, count, places));
	if (plain)
		gemp_text_print(out, " %s=\"", relation->name);
	for (uint64_t i = 0; i < count; i++) {
		gemp_value key = gemp_column_get(&targets->keys, targets->index[places[i]]);
		if (plain)
			gemp_text_print(out, "%s", i ? " " : "");
		else
			gemp_text_print(out, "<%s href=\"#", relation->name);
		GEMP_PROPAGATE(add_value(out, &key));
		gemp_text_print(out, "%s", plain ? "" : "\"/>");
	}
	gemp_text_print(out, "%s", plain ? "\"" : "");
	return GEMP_OK;
}

/* References that a list cannot hold become elements, which come behind the attributes. */
static gemp_code add_object(const gemp_export_context *e, size_t row, const char *class, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const char *column = NULL;
	gemp_value value = gemp_column_get(&e->graph->keys, row);
	gemp_text_print(out, "<g:%s xmi:id=\"", class);
	GEMP_TRY(add_value(out, &value));
	gemp_text_print(out, "\"");
	for (size_t c = 0; c < e->graph->attributes.count; c++) {
		column = e->graph->attributes.columns[c].name;
		value = gemp_column_get(&e->graph->attributes.columns[c], row);
		if (value.null)
			continue;
		gemp_text_print(out, " %s=\"", column);
		GEMP_TRY(add_value(out, &value));
		gemp_text_print(out, "\"");
	}
	column = NULL;
	for (size_t r = 0; r < e->graph->relation_count; r++)
		if (gemp_export_includes(e, r))
			GEMP_TRY(add_references(e, row, r, true, out));
	gemp_text_print(out, ">");
	for (size_t r = 0; r < e->graph->relation_count; r++)
		if (gemp_export_includes(e, r))
			GEMP_TRY(add_references(e, row, r, false, out));
	gemp_text_print(out, "</g:%s>\n", class);
done:
	return gemp_export_in_vertex(code, e, row, column);
}

/* The class is named by the set of labels. */
static gemp_code vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	gemp_text class = { 0 };
	gemp_code code = class_name(e->graph, &e->graph->label_sets[e->graph->label_set_of[row]], "_", &class);
	GEMP_THEN(add_object(e, row, class.data, out));
	gemp_text_free(&class);
	return code;
}

static gemp_code after_edges(const gemp_export_context *e, gemp_text *out)
{
	(void)e;
	gemp_text_print(out, "</xmi:XMI>\n");
	return GEMP_OK;
}

const gemp_export_writer gemp_export_xmi = {
	.name = "xmi",
	.ending = ".xmi",
	.beside_ending = ".metamodel.ecore",
	.labels = true,
	.attributes = true,
	.props = true,
	.check = check,
	.prepare = prepare,
	.beside = metamodel,
	.before_vertices = before_vertices,
	.vertex = vertex,
	.after_edges = after_edges,
};
