/* The XML formats: GraphML, and models of EMF (XMI). As in Neo4j's GraphML, the labels of a vertex are its data
 * `labels`, and the type of an edge is its data `label`. Several labels are written as "A;B", where Neo4j writes
 * ":A:B". */

#include "core/status.h"
#include "io/export/export.h"
#include "io/import/ecore.h"
#include "io/text/cells.h"
#include "partition/exchange/value_exchange.h"

#include <math.h>
#include <string.h>

static gemp_code add_xml_text(gemp_text *out, const char *text)
{
	return gemp_escape_xml(out, text, strlen(text));
}

/* An infinite number is written as in XML Schema, which other readers expect. */
static gemp_code add_xml_value(gemp_text *out, const gemp_value *value)
{
	if (gemp_is_text(value->type))
		return gemp_escape_xml(out, value->string.bytes, value->string.size);
	if (value->type == GEMP_FLOAT && isinf(value->real))
		gemp_text_print(out, "%s", value->real > 0 ? "INF" : "-INF");
	else
		gemp_value_print(value, out);
	return GEMP_OK;
}

/* The columns of vertices have the ids v0, v1, ..., and the columns of edges have the ids e0, e1, ... */
static gemp_code declare_key(const gemp_export_context *e, const gemp_export_column *column, gemp_text *out)
{
	static const char *const types[] = { [GEMP_STRING] = "string",
		                                 [GEMP_INTEGER] = "long",
		                                 [GEMP_FLOAT] = "double",
		                                 [GEMP_BOOLEAN] = "boolean",
		                                 [GEMP_LIST] = "string" };
	gemp_text_print(out, "<key id=\"%c%zu\" for=\"%s\" attr.name=\"", column->edge ? 'e' : 'v', column->number,
	                column->edge ? "edge" : "node");
	gemp_code code = add_xml_text(out, column->name);
	gemp_text_print(out, "\" attr.type=\"%s\"/>\n", types[column->type]);
	return code == GEMP_EDATA ? gemp_fail_in(code, "%s: a column's name: ", e->options->path) : code;
}

/* `labels` and `label` are the data that hold labels and types, so an attribute of the same name is refused. */
static gemp_code check_column_name(const gemp_export_context *e, const gemp_export_column *column, gemp_text *out)
{
	(void)out;
	if (strcmp(column->name, column->edge ? "label" : "labels") != 0)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "%s: column '%s' of %s cannot be told from the data of that name which holds %s; write .jsonl",
	                 e->options->path, column->name, column->edge ? "edges" : "vertices",
	                 column->edge ? "their type" : "their labels");
}

/* GraphML requires that all data are declared before the graph. */
static gemp_code graphml_before_vertices(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	                     "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"\n"
	                     "\txmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
	                     "\txsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
	                     "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n"
	                     "<key id=\"labels\" for=\"node\" attr.name=\"labels\" attr.type=\"string\"/>\n"
	                     "<key id=\"label\" for=\"edge\" attr.name=\"label\" attr.type=\"string\"/>\n");
	if (e->string_keys)
		gemp_text_print(out, "<key id=\"ids\" for=\"graph\" attr.name=\"gemp-ids\" attr.type=\"string\"/>\n");
	GEMP_TRY(gemp_export_columns(e, false, declare_key, out));
	GEMP_TRY(gemp_export_columns(e, true, declare_key, out));
	gemp_text_print(out, "<graph id=\"G\" edgedefault=\"%sdirected\">\n", e->directed ? "" : "un");
	if (e->string_keys)
		gemp_text_print(out, "<data key=\"ids\">string</data>\n");
	return GEMP_OK;
}

/* The labels are one text, separated by semicolons. */
static gemp_code add_labels(const gemp_export_context *e, size_t row, gemp_text *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text labels = { 0 };
	gemp_vertex_labels_text(e->graph, row, &labels);
	GEMP_TRY(gemp_text_status(&labels));
	if (labels.size == 0)
		return GEMP_OK;
	/* Import reads a text that begins with a colon as Neo4j's form ":A:B", so a semicolon is put in front. */
	gemp_text_print(out, "<data key=\"labels\">%s", labels.data[0] == ':' ? ";" : "");
	GEMP_TRY(gemp_escape_xml(out, labels.data, labels.size));
	gemp_text_print(out, "</data>");
	return GEMP_OK;
}

/* NULL has no data element. */
static gemp_code add_data(const gemp_export_context *e, const gemp_export_column *column, const gemp_value *value,
                          gemp_text *out)
{
	(void)e;
	if (value->null)
		return GEMP_OK;
	gemp_text_print(out, "<data key=\"%c%zu\">", column->edge ? 'e' : 'v', column->number);
	GEMP_TRY(add_xml_value(out, value));
	gemp_text_print(out, "</data>");
	return GEMP_OK;
}

/* The vertex's key is the node's id, which is always a text in GraphML. If string keys look like integers, the graph's
 * data gemp-ids state that keys are strings. */
static gemp_code graphml_vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	const gemp_value key = gemp_column_get(&e->graph->keys, row);
	gemp_text_print(out, "<node id=\"");
	GEMP_TRY(add_xml_value(out, &key));
	gemp_text_print(out, "\">");
	GEMP_TRY(add_labels(e, row, out));
	GEMP_TRY(gemp_export_vertex_values(e, row, add_data, out));
	gemp_text_print(out, "</node>\n");
	return GEMP_OK;
}

/* GraphML edges have no types, so the type is written as data. */
static gemp_code graphml_edge(const gemp_export_context *e, const gemp_export_edge *edge, gemp_text *out)
{
	const gemp_relation *relation = &e->graph->relations[edge->relation];
	gemp_text_print(out, "<edge source=\"");
	GEMP_TRY(add_xml_value(out, &edge->source));
	gemp_text_print(out, "\" target=\"");
	GEMP_TRY(add_xml_value(out, &edge->target));
	gemp_text_print(out, "\"%s><data key=\"label\">", e->directed && !relation->directed ? " directed=\"false\"" : "");
	GEMP_TRY(add_xml_text(out, relation->name));
	gemp_text_print(out, "</data>");
	GEMP_TRY(gemp_export_edge_values(e, edge, add_data, out));
	gemp_text_print(out, "</edge>\n");
	return GEMP_OK;
}

static gemp_code graphml_after_edges(const gemp_export_context *e, gemp_text *out)
{
	(void)e;
	gemp_text_print(out, "</graph>\n</graphml>\n");
	return GEMP_OK;
}

const gemp_export_writer gemp_export_graphml = {
	.name = "graphml",
	.ending = ".graphml",
	.labels = true,
	.attributes = true,
	.props = true,
	.check_column = check_column_name,
	.before_vertices = graphml_before_vertices,
	.vertex = graphml_vertex,
	.edge = graphml_edge,
	.after_edges = graphml_after_edges,
};

/* XMI: each vertex is an object at the top level, and its xmi:id is its key. Import needs the metamodel
 * F.metamodel.ecore. The metamodel has one class for each set of labels, and all classes inherit their features from
 * the class BASE. */

#define NAMESPACE "http://gemp-mpi/graph"
#define BASE "Vertex__" /* no label ends in '_', so no other class has this name */

/* Refuses a name that XML does not allow. Only ASCII characters are checked. */
static gemp_code check_xml_name(const gemp_export_context *e, const char *what, const char *name)
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

/* Joins the labels of a set by `between`: '_' makes the name of the class, and ';' makes the text of the annotation.
 * '.' could not join labels, since EMF's paths (//@feature.0) have a number after a point. */
static gemp_code class_name(const gemp_shard *graph, const gemp_label_set *set, const char *between, gemp_text *out)
{
	gemp_text_clear(out);
	for (size_t i = 0; i < set->count; i++)
		gemp_text_print(out, "%s%s", i ? between : "", graph->labels[set->labels[i]]);
	if (set->count == 0 && *between == '_')
		gemp_text_print(out, "Vertex_");
	return gemp_text_status(out);
}

/* Different sets of labels must have different class names. */
static gemp_code check_classes(const gemp_export_context *e)
{
	const gemp_shard *graph = e->graph;
	GEMP_OWNED_BY(gemp_text_free) gemp_text one = { 0 }, other = { 0 };
	for (size_t l = 0; l < graph->label_count; l++) {
		GEMP_TRY(check_xml_name(e, "label", graph->labels[l]));
		if (graph->labels[l][strlen(graph->labels[l]) - 1] == '_')
			return gemp_fail(GEMP_EDATA, "%s: label '%.80s' ends in '_'; write .graphml", e->options->path,
			                 graph->labels[l]);
	}
	for (size_t s = 0; s < graph->label_set_count; s++)
		for (size_t t = 0; t < s; t++) {
			GEMP_TRY(class_name(graph, &graph->label_sets[s], "_", &one));
			GEMP_TRY(class_name(graph, &graph->label_sets[t], "_", &other));
			if (strcmp(one.data, other.data) == 0)
				return gemp_fail(GEMP_EDATA,
				                 "%s: two sets of labels are both '%.80s' with '_' between them; write .graphml",
				                 e->options->path, one.data);
		}
	return GEMP_OK;
}

/* An EMF reference has a direction and, apart from its order, no attributes. */
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
	return check_xml_name(e, "type of edges", relation->name);
}

/* Attributes and types become names of XML attributes and elements, which allow fewer characters than our names. */
static gemp_code xmi_check(const gemp_export_context *e)
{
	for (size_t c = 0; c < e->graph->attributes.count; c++)
		GEMP_TRY(check_xml_name(e, "attribute", e->graph->attributes.columns[c].name));
	for (size_t r = 0; r < e->graph->relation_count; r++)
		if (gemp_export_includes(e, r))
			GEMP_TRY(check_relation(e, &e->graph->relations[r]));
	return GEMP_OK;
}

/* THE METAMODEL */

/* Writes the class of a set of labels. Import reads the labels from the annotation. */
static gemp_code add_class(const gemp_export_context *e, const gemp_label_set *set, gemp_text *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 };
	GEMP_TRY(class_name(e->graph, set, "_", &name));
	gemp_text_print(out, "<eClassifiers xsi:type=\"ecore:EClass\" name=\"%s\" eSuperTypes=\"#//" BASE "\">\n",
	                name.data);
	GEMP_TRY(class_name(e->graph, set, ";", &name));
	gemp_text_print(out,
	                "<eAnnotations source=\"" GEMP_ECORE_ANNOTATION "\"><details key=\"labels\" value=\"%s\"/>"
	                "</eAnnotations>\n</eClassifiers>\n",
	                name.data ? name.data : "");
	return GEMP_OK;
}

/* Any vertex may have any attribute and edge, so the class BASE has every feature and all other classes inherit from
 * it. */
static gemp_code metamodel(const gemp_export_context *e, gemp_text *out)
{
	static const char *const types[] = { [GEMP_STRING] = "EString",
		                                 [GEMP_INTEGER] = "ELongObject",
		                                 [GEMP_FLOAT] = "EDoubleObject",
		                                 [GEMP_BOOLEAN] = "EBooleanObject",
		                                 [GEMP_LIST] = "EString" };
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
		GEMP_TRY(add_class(e, &graph->label_sets[s], out));
	gemp_text_print(out, "</ecore:EPackage>\n");
	return GEMP_OK;
}

/* THE MODEL */

/* Collective. Fetches the keys of the targets of all this rank's edges, since an object contains its references. */
static gemp_code fetch_targets(gemp_export_context *e)
{
	const gemp_shard *graph = e->graph;
	gemp_code code = check_classes(e);
	GEMP_THEN(GEMP_NEW(e->targets, graph->relation_count));
	GEMP_TRY(gemp_comm_agree(e->comm, code));
	for (size_t r = 0; r < graph->relation_count; r++) {
		const gemp_relation *relation = &graph->relations[r];
		const size_t count = relation->out_offsets[graph->rows];
		if (!gemp_export_includes(e, r))
			continue;
		code = GEMP_NEW(e->targets[r].index, count);
		GEMP_TRY(gemp_vertex_values(e->comm, code, graph, &graph->keys, relation->out_targets, count,
		                            &e->targets[r].keys, e->targets[r].index));
	}
	return GEMP_OK;
}

/* A graph has no tree of containment, so one root element holds all objects. */
static gemp_code xmi_before_vertices(const gemp_export_context *e, gemp_text *out)
{
	(void)e;
	gemp_text_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xmi:XMI xmi:version=\"2.0\" "
	                     "xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:g=\"" NAMESPACE "\">\n");
	return GEMP_OK;
}

/* Orders the edges of a row. places[i] becomes the edge whose attribute `order` is i or, without this attribute, the
 * i-th edge of the row. */
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

/* Tests whether the keys of the targets can be written as a list that is separated by blanks. An empty key, or a key
 * with a blank or '#', cannot be in such a list. */
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

/* The references of a row have one of two forms. The plain form is an attribute of the object. If the keys cannot be a
 * list, the references are inner elements instead. This function writes the references only if the row has the form
 * that `plain` requests. */
static gemp_code add_references(const gemp_export_context *e, size_t row, size_t r, bool plain, gemp_text *out)
{
	const gemp_relation *relation = &e->graph->relations[r];
	const gemp_export_targets *targets = &e->targets[r];
	uint64_t begin = relation->out_offsets[row], count = relation->out_offsets[row + 1] - begin;
	GEMP_OWNED uint64_t *places = NULL;
	if (count == 0 || are_plain(targets, begin, count) != plain)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(places, count));
	GEMP_TRY(sort_row(relation, begin, count, places));
	if (plain)
		gemp_text_print(out, " %s=\"", relation->name);
	for (uint64_t i = 0; i < count; i++) {
		gemp_value key = gemp_column_get(&targets->keys, targets->index[places[i]]);
		if (plain)
			gemp_text_print(out, "%s", i ? " " : "");
		else
			gemp_text_print(out, "<%s href=\"#", relation->name);
		GEMP_TRY(add_xml_value(out, &key));
		gemp_text_print(out, "%s", plain ? "" : "\"/>");
	}
	gemp_text_print(out, "%s", plain ? "\"" : "");
	return GEMP_OK;
}

/* NULL has no attribute, which EMF reads as a feature that is not set. */
static gemp_code add_attribute(const gemp_export_context *e, const gemp_export_column *column, const gemp_value *value,
                               gemp_text *out)
{
	(void)e;
	if (value->null)
		return GEMP_OK;
	gemp_text_print(out, " %s=\"", column->name);
	GEMP_TRY(add_xml_value(out, value));
	gemp_text_print(out, "\"");
	return GEMP_OK;
}

/* The element is named by the class of the vertex's labels. References in the plain form are attributes; the inner
 * elements for the other references follow. */
static gemp_code xmi_vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text class = { 0 };
	const gemp_value key = gemp_column_get(&e->graph->keys, row);
	GEMP_TRY(class_name(e->graph, &e->graph->label_sets[e->graph->label_set_of[row]], "_", &class));
	gemp_text_print(out, "<g:%s xmi:id=\"", class.data);
	GEMP_TRY(add_xml_value(out, &key));
	gemp_text_print(out, "\"");
	GEMP_TRY(gemp_export_vertex_values(e, row, add_attribute, out));
	for (int plain = 1; plain >= 0; plain--) {
		for (size_t r = 0; r < e->graph->relation_count; r++)
			if (gemp_export_includes(e, r))
				GEMP_TRY(add_references(e, row, r, plain, out));
		gemp_text_print(out, "%s", plain ? ">" : "");
	}
	gemp_text_print(out, "</g:%s>\n", class.data);
	return GEMP_OK;
}

static gemp_code xmi_after_edges(const gemp_export_context *e, gemp_text *out)
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
	.check = xmi_check,
	.prepare = fetch_targets,
	.beside = metamodel,
	.before_vertices = xmi_before_vertices,
	.vertex = xmi_vertex,
	.after_edges = xmi_after_edges,
};
