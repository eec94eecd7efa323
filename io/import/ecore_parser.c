/* A single pass over the .ecore file collects packages, classifiers and features with the texts of their references.
 * gemp_ecore_resolve then resolves the references. */

#include "io/import/ecore_parser.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/text/xml.h"

#include <string.h>

#define ECORE "http://www.eclipse.org/emf/2002/Ecore"

/* The current place of the parser. Elements that have no place are skipped with all their inner elements. */
typedef enum place {
	OUTSIDE,
	IN_LIST,
	IN_PACKAGE,
	IN_CLASSIFIER,
	IN_FEATURE,
	IN_ANNOTATION,
	IN_CLASS_ANNOTATION
} place;

typedef struct ecore_parser {
	gemp_ecore *ecore;
	gemp_xml *xml;
	place place;
	bool list;           /* an element <xmi:XMI> encloses the packages */
	size_t roots, depth; /* number of top-level packages so far; number of open packages */
	gemp_text path;      /* path of the innermost package */
} ecore_parser;

static gemp_code copy(char **out, const char *text)
{
	*out = text ? gemp_strdup(text) : NULL;
	return text && !*out ? GEMP_ENOMEM : GEMP_OK;
}

/* A missing attribute means false. */
static bool is_true(const char **attributes, const char *name)
{
	const char *value = gemp_xml_attribute(attributes, name);
	return value && strcmp(value, "true") == 0;
}

static gemp_code name_of(const char **out, const char **attributes, const char *what)
{
	*out = gemp_xml_attribute(attributes, "name");
	return *out && **out ? GEMP_OK : gemp_fail(GEMP_EDATA, "<%s> has no name; give it one", what);
}

/* The local part of xsi:type. */
static const char *type_of(const char **attributes)
{
	const char *type = gemp_xml_attribute(attributes, "http://www.w3.org/2001/XMLSchema-instance type");
	const char *colon = type ? strrchr(type, ':') : NULL;
	return colon ? colon + 1 : type ? type : "";
}

/* STARTS OF ELEMENTS */

/* Packages nest, and references name classes by paths. A path is "//Class" in the first top-level package,
 * "//sub/Class" in a package inside it, and "/1/Class" in the second top-level package. */
static gemp_code begin_package(ecore_parser *r, const char **attributes)
{
	const char *name;
	gemp_ecore *ecore = r->ecore;
	GEMP_TRY(name_of(&name, attributes, "ecore:EPackage"));
	if (r->depth)
		gemp_text_print(&r->path, "/%s", name);
	else if (r->roots++)
		gemp_text_print(&r->path, "/%zu", r->roots - 1);
	else
		gemp_text_print(&r->path, "/");
	r->depth++;
	GEMP_TRY(gemp_text_status(&r->path));
	GEMP_TRY(GEMP_RESERVE(ecore->packages, ecore->package_capacity, ecore->package_count + 1));
	gemp_ecore_package *package = &ecore->packages[ecore->package_count++];
	*package = (gemp_ecore_package){ 0 };
	GEMP_TRY(copy(&package->name, name));
	GEMP_TRY(copy(&package->uri, gemp_xml_attribute(attributes, "nsURI")));
	GEMP_TRY(copy(&package->path, r->path.data));
	r->place = IN_PACKAGE;
	return GEMP_OK;
}

/* The index of the innermost open package. */
static size_t own_package(const ecore_parser *r)
{
	size_t p = r->ecore->package_count;
	while (strcmp(r->ecore->packages[--p].path, r->path.data) != 0)
		;
	return p;
}

/* The text is a list such as "#//A #//B". A kind may precede each reference, as in "ecore:EClass other.ecore#//A". */
static gemp_code add_supers(gemp_ecore_classifier *class, const char *texts)
{
	static const char blanks[] = " \t\r\n";
	for (size_t size; texts && *(texts += strspn(texts, blanks)); texts += size) {
		size = strcspn(texts, blanks);
		if (memchr(texts, '#', size))
			GEMP_TRY(gemp_bytes_add(&class->super_texts, texts, size));
	}
	return GEMP_OK;
}

/* xsi:type gives the kind of the classifier. A classifier without xsi:type is refused. */
static gemp_code begin_classifier(ecore_parser *r, const char **attributes)
{
	const char *name, *type = type_of(attributes), *java = gemp_xml_attribute(attributes, "instanceClassName");
	gemp_ecore *ecore = r->ecore;
	GEMP_OWNED_BY(gemp_text_free) gemp_text path = { 0 };
	gemp_ecore_kind kind = strcmp(type, "EEnum") == 0       ? GEMP_ECORE_ENUM
	                       : strcmp(type, "EDataType") == 0 ? GEMP_ECORE_DATATYPE
	                                                        : GEMP_ECORE_CLASS;
	GEMP_TRY(name_of(&name, attributes, "eClassifiers"));
	if (kind == GEMP_ECORE_CLASS && strcmp(type, "EClass") != 0)
		return gemp_fail(GEMP_EDATA, "'%s' is of the kind '%s'; there are ecore:EClass, EEnum and EDataType", name,
		                 type);
	GEMP_TRY(GEMP_RESERVE(ecore->classifiers, ecore->classifier_capacity, ecore->classifier_count + 1));
	gemp_ecore_classifier *classifier = &ecore->classifiers[ecore->classifier_count++];
	*classifier = (gemp_ecore_classifier){ .kind = kind, .line = gemp_xml_line(r->xml), .package = own_package(r) };
	classifier->abstract = is_true(attributes, "abstract") || is_true(attributes, "interface");
	gemp_text_print(&path, "%s/%s", r->path.data, name);
	GEMP_TRY(gemp_text_status(&path));
	GEMP_TRY(copy(&classifier->path, path.data));
	GEMP_TRY(copy(&classifier->name, name));
	GEMP_TRY(copy(&classifier->java, java ? java : gemp_xml_attribute(attributes, "instanceTypeName")));
	GEMP_TRY(add_supers(classifier, gemp_xml_attribute(attributes, "eSuperTypes")));
	r->place = IN_CLASSIFIER;
	return GEMP_OK;
}

/* EMF does not store derived, transient and volatile features in models, so all three count as derived. */
static gemp_code begin_feature(ecore_parser *r, const char **attributes)
{
	gemp_ecore *ecore = r->ecore;
	const char *name, *type = type_of(attributes), *upper = gemp_xml_attribute(attributes, "upperBound");
	const char *ordered = gemp_xml_attribute(attributes, "ordered");
	bool reference = strcmp(type, "EReference") == 0;
	GEMP_TRY(name_of(&name, attributes, "eStructuralFeatures"));
	if (!reference && strcmp(type, "EAttribute") != 0)
		return gemp_fail(GEMP_EDATA, "'%s' is of the kind '%s'; there are ecore:EAttribute and EReference", name, type);
	GEMP_TRY(GEMP_RESERVE(ecore->features, ecore->feature_capacity, ecore->feature_count + 1));
	gemp_ecore_feature *feature = &ecore->features[ecore->feature_count++];
	*feature = (gemp_ecore_feature){
		.owner = ecore->classifier_count - 1,
		.reference = reference,
		.line = gemp_xml_line(r->xml),
		.many = upper && strcmp(upper, "1") != 0,
		.ordered = !ordered || strcmp(ordered, "false") != 0,
		.containment = is_true(attributes, "containment"),
		.id = is_true(attributes, "iD"),
		.derived = is_true(attributes, "derived") || is_true(attributes, "transient") ||
		           is_true(attributes, "volatile"),
		.opposite = GEMP_ECORE_NONE,
		.classifier = GEMP_ECORE_NONE,
	};
	GEMP_TRY(copy(&feature->name, name));
	GEMP_TRY(copy(&feature->default_value, gemp_xml_attribute(attributes, "defaultValueLiteral")));
	GEMP_TRY(copy(&feature->type_text, gemp_xml_attribute(attributes, "eType")));
	GEMP_TRY(copy(&feature->opposite_text, gemp_xml_attribute(attributes, "eOpposite")));
	r->place = IN_FEATURE;
	return GEMP_OK;
}

static bool is_ours(const char *name, const char **attributes)
{
	const char *source = gemp_xml_attribute(attributes, "source");
	return strcmp(name, "eAnnotations") == 0 && source && strcmp(source, GEMP_ECORE_ANNOTATION) == 0;
}

/* Reads super types, literals and this program's annotation. Operations and other annotations are skipped. */
static gemp_code in_classifier(ecore_parser *r, const char *name, const char **attributes)
{
	gemp_ecore_classifier *classifier = &r->ecore->classifiers[r->ecore->classifier_count - 1];
	const char *literal = gemp_xml_attribute(attributes, "literal"), *own;
	if (is_ours(name, attributes)) {
		r->place = IN_CLASS_ANNOTATION;
		return GEMP_OK;
	}
	gemp_xml_skip(r->xml);
	if (strcmp(name, "eSuperTypes") == 0)
		return add_supers(classifier, gemp_xml_attribute(attributes, "href"));
	if (strcmp(name, "eGenericSuperTypes") == 0)
		return add_supers(classifier, gemp_xml_attribute(attributes, "eClassifier"));
	if (strcmp(name, "eLiterals") == 0) {
		GEMP_TRY(name_of(&own, attributes, name));
		literal = literal && *literal ? literal : own;
		return gemp_bytes_add(&classifier->literals, literal, strlen(literal));
	}
	return GEMP_OK;
}

/* A type or an opposite is an attribute or an element. If both exist, the attribute counts. */
static gemp_code in_feature(ecore_parser *r, const char *name, const char **attributes)
{
	gemp_ecore_feature *feature = &r->ecore->features[r->ecore->feature_count - 1];
	gemp_xml_skip(r->xml);
	if (strcmp(name, "eType") == 0 && !feature->type_text)
		return copy(&feature->type_text, gemp_xml_attribute(attributes, "href"));
	if (strcmp(name, "eGenericType") == 0 && !feature->type_text)
		return copy(&feature->type_text, gemp_xml_attribute(attributes, "eClassifier"));
	if (strcmp(name, "eOpposite") == 0 && !feature->opposite_text)
		return copy(&feature->opposite_text, gemp_xml_attribute(attributes, "href"));
	return GEMP_OK;
}

/* Reads the details that export writes into its metamodels: the labels of a class, and how ids are read. */
static gemp_code in_annotation(ecore_parser *r, const char **attributes)
{
	const char *key = gemp_xml_attribute(attributes, "key"), *value = gemp_xml_attribute(attributes, "value");
	gemp_xml_skip(r->xml);
	if (!key || !value)
		return GEMP_OK;
	if (r->place == IN_CLASS_ANNOTATION) {
		char **labels = &r->ecore->classifiers[r->ecore->classifier_count - 1].labels;
		return strcmp(key, "labels") == 0 && !*labels ? copy(labels, value) : GEMP_OK;
	}
	r->ecore->by_id |= strcmp(key, "references") == 0 && strcmp(value, "ids") == 0;
	r->ecore->string_ids |= strcmp(key, "ids") == 0 && strcmp(value, "string") == 0;
	return GEMP_OK;
}

/* A package holds packages, classifiers and annotations. Annotations of other programs are skipped. */
static gemp_code in_package(ecore_parser *r, const char *name, const char **attributes)
{
	if (strcmp(name, "eSubpackages") == 0)
		return begin_package(r, attributes);
	if (strcmp(name, "eClassifiers") == 0)
		return begin_classifier(r, attributes);
	if (is_ours(name, attributes))
		r->place = IN_ANNOTATION;
	else
		gemp_xml_skip(r->xml);
	return GEMP_OK;
}

/* The place determines the elements that may begin. A file has one package at its root, or several packages in an
 * <xmi:XMI>. */
static gemp_code start(void *self, gemp_xml *xml, const char *name, const char **attributes)
{
	ecore_parser *r = self;
	const char *local = gemp_xml_local(name);
	r->xml = xml;
	switch (r->place) {
	case OUTSIDE:
		if (!r->list && strcmp(local, "XMI") == 0) {
			r->list = true;
			r->place = IN_LIST;
			return GEMP_OK;
		}
		/* fallthrough */
	case IN_LIST:
		if (strcmp(name, ECORE " EPackage") == 0)
			return begin_package(r, attributes);
		return gemp_fail(GEMP_EDATA,
		                 "<%s> is no ecore:EPackage of " ECORE "; the metamodel is the .ecore file that "
		                 "belongs to the model",
		                 local);
	case IN_PACKAGE: return in_package(r, local, attributes);
	case IN_CLASSIFIER:
		return strcmp(local, "eStructuralFeatures") == 0 ? begin_feature(r, attributes)
		                                                 : in_classifier(r, local, attributes);
	case IN_FEATURE: return in_feature(r, local, attributes);
	default: return in_annotation(r, attributes);
	}
}

/* Removes the name that begin_package has added from the path. */
static void end_package(ecore_parser *r)
{
	char *slash = strrchr(r->path.data, '/');
	r->depth--;
	r->path.size = r->depth ? (size_t)(slash - r->path.data) : 0;
	r->path.data[r->path.size] = '\0';
	r->place = r->depth ? IN_PACKAGE : r->list ? IN_LIST : OUTSIDE;
}

/* `place` gives the element that ends. */
static gemp_code end(void *self, const char *text, size_t size)
{
	ecore_parser *r = self;
	(void)text, (void)size;
	if (r->place == IN_PACKAGE)
		end_package(r);
	else if (r->place == IN_FEATURE || r->place == IN_CLASS_ANNOTATION)
		r->place = IN_CLASSIFIER;
	else
		r->place = r->place == IN_LIST ? OUTSIDE : IN_PACKAGE;
	return GEMP_OK;
}

/* THE FILE */

/* A file may use a name before it defines the name, so names are resolved after the whole file was read. */
gemp_code gemp_ecore_read(gemp_ecore *out, const char *path)
{
	static const gemp_xml_visitor visitor = { "Ecore", start, end, NULL };
	ecore_parser r = { .ecore = out };
	*out = (gemp_ecore){ .path = path };
	gemp_code code = gemp_xml_read(path, &visitor, &r);
	gemp_text_free(&r.path);
	GEMP_TRY(code);
	if (out->classifier_count == 0)
		return gemp_fail(GEMP_EDATA, "%s: there are no eClassifiers in it; give the .ecore file of the model", path);
	return gemp_ecore_resolve(out);
}
