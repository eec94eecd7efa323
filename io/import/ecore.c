/* Resolves the names in a metamodel: types, opposites, inheritance and defaults. The result is the same on all
 * ranks. */

#include "io/import/ecore.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/text/cells.h"

#include <inttypes.h>
#include <string.h>

static void free_classifier(gemp_ecore_classifier *classifier)
{
	gemp_free_all(classifier->name, classifier->path, classifier->java, classifier->labels, classifier->supers,
	              classifier->features);
	gemp_bytes_free(&classifier->literals);
	gemp_bytes_free(&classifier->super_texts);
}

/* The metamodel may be read only in part, after a failure. */
void gemp_ecore_free(gemp_ecore *ecore)
{
	for (size_t i = 0; i < ecore->package_count; i++)
		gemp_free_all(ecore->packages[i].name, ecore->packages[i].uri, ecore->packages[i].path);
	for (size_t i = 0; i < ecore->classifier_count; i++)
		free_classifier(&ecore->classifiers[i]);
	for (size_t i = 0; i < ecore->feature_count; i++)
		gemp_free_all(ecore->features[i].name, ecore->features[i].default_value, ecore->features[i].type_text,
		              ecore->features[i].opposite_text);
	gemp_free_all(ecore->packages, ecore->classifiers, ecore->features);
	*ecore = (gemp_ecore){ 0 };
}

/* A model without namespace prefixes has one package. So without a namespace the first class with the name is the right
 * one. */
size_t gemp_ecore_class(const gemp_ecore *ecore, const char *uri, const char *name)
{
	for (size_t i = 0; i < ecore->classifier_count; i++) {
		const gemp_ecore_classifier *classifier = &ecore->classifiers[i];
		const char *own = ecore->packages[classifier->package].uri;
		if (classifier->kind == GEMP_ECORE_CLASS && strcmp(classifier->name, name) == 0 &&
		    (!uri || (own && strcmp(own, uri) == 0)))
			return i;
	}
	return GEMP_ECORE_NONE;
}

/* A slot is an index in the class's list of features, which includes inherited features. */
size_t gemp_ecore_slot(const gemp_ecore *ecore, size_t class, const char *name)
{
	const gemp_ecore_classifier *classifier = &ecore->classifiers[class];
	for (size_t i = 0; i < classifier->feature_count; i++)
		if (strcmp(ecore->features[classifier->features[i]].name, name) == 0)
			return i;
	return GEMP_ECORE_NONE;
}

/* An attribute of an enum becomes a string, so only this check finds a wrong literal. */
gemp_code gemp_ecore_literal(const gemp_ecore *ecore, size_t enumeration, const char *literal, size_t size)
{
	const gemp_ecore_classifier *classifier = &ecore->classifiers[enumeration];
	for (size_t i = 0; i < classifier->literals.count; i++) {
		const gemp_string own = gemp_bytes_at(&classifier->literals, i);
		if (own.size == size && memcmp(own.bytes, literal, size) == 0)
			return GEMP_OK;
	}
	return gemp_fail(GEMP_EDATA, "'%.*s' is no literal of the enum %s of %s; correct it, or give the model's metamodel",
	                 (int)(size > 60 ? 60 : size), literal, classifier->name, ecore->path);
}

/* Finds the type for the name of a type of Ecore or of its XMLType. Any other type becomes string, which holds every
 * value as written. *set: the type is primitive, so an attribute without a value is 0 or false. An attribute of an
 * object type without a value is NULL. */
static void find_type(const char *name, gemp_type *type, bool *set)
{
	static const char *const primitive[GEMP_LIST] = {
		[GEMP_INTEGER] = "EInt ELong EShort EByte Int Long Short Byte int long short byte",
		[GEMP_FLOAT] = "EFloat EDouble Float Double float double",
		[GEMP_BOOLEAN] = "EBoolean Boolean boolean",
		[GEMP_STRING] = "",
	};
	static const char *const object[GEMP_LIST] = {
		[GEMP_INTEGER] = "EIntegerObject ELongObject EShortObject EByteObject EBigInteger Integer java.lang.Integer "
						 "java.lang.Long java.lang.Short java.lang.Byte",
		[GEMP_FLOAT] = "EFloatObject EDoubleObject java.lang.Float java.lang.Double",
		[GEMP_BOOLEAN] = "EBooleanObject java.lang.Boolean",
		[GEMP_STRING] = "",
	};
	*type = GEMP_STRING;
	*set = gemp_type_named(type, primitive, false, name, strlen(name));
	gemp_type_named(type, object, false, name, strlen(name));
}

/* NAMES */

static gemp_code in_line(gemp_code code, const gemp_ecore *ecore, uint64_t line)
{
	return code == GEMP_EDATA ? gemp_fail_in(code, "%s:%" PRIu64 ": ", ecore->path, line) : code;
}

/* text[size] is the part of a reference before #. Tests whether the text is empty, the name of this file, or the URI of
 * one of its packages. */
static bool is_own(const gemp_ecore *ecore, const char *text, size_t size)
{
	const char *slash = strrchr(ecore->path, '/'), *name = slash ? slash + 1 : ecore->path;
	if (size == 0 || (strlen(name) == size && memcmp(name, text, size) == 0))
		return true;
	for (size_t i = 0; i < ecore->package_count; i++) {
		const char *uri = ecore->packages[i].uri;
		if (uri && strlen(uri) == size && memcmp(uri, text, size) == 0)
			return true;
	}
	return false;
}

/* A reference is such as "#//A" or "ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EInt". For the first form,
 * *path becomes "//A" and *built_in becomes NULL. For the second form, *built_in becomes "EInt". */
static gemp_code split_reference(const gemp_ecore *ecore, const char *text, gemp_text *path, const char **built_in)
{
	const char *blank = strrchr(text, ' '), *file = blank ? blank + 1 : text, *hash = strchr(file, '#');
	*built_in = NULL;
	gemp_text_clear(path);
	if (!hash || hash[1] != '/')
		return gemp_fail(GEMP_EDATA, "'%.80s' is no reference as EMF writes them in an .ecore file (#//Name)", text);
	if (strncmp(file, "http://www.eclipse.org/emf/200", 30) == 0) {
		*built_in = strrchr(hash, '/') + 1;
		return GEMP_OK;
	}
	if (!is_own(ecore, file, (size_t)(hash - file)))
		return gemp_fail(GEMP_EDATA,
		                 "'%.80s' is in another file, and one metamodel file is read; put its packages into one .ecore",
		                 text);
	hash += strncmp(hash, "#/0/", 4) == 0 ? 3 : 1;
	gemp_text_print(path, "%s%s", hash[-1] == '#' ? "" : "/", hash);
	return gemp_text_status(path);
}

/* The classifier with the path that references use, such as //Class; GEMP_ECORE_NONE if there is none. */
static size_t find_path(const gemp_ecore *ecore, const char *path, size_t size)
{
	size_t i = 0;
	while (i < ecore->classifier_count &&
	       !(strncmp(ecore->classifiers[i].path, path, size) == 0 && ecore->classifiers[i].path[size] == '\0'))
		i++;
	return i < ecore->classifier_count ? i : GEMP_ECORE_NONE;
}

/* CLASSES */

/* Appends an index to a list, unless the list already has it. */
static gemp_code add_index(size_t **list, size_t *count, size_t *capacity, size_t index)
{
	for (size_t i = 0; i < *count; i++)
		if ((*list)[i] == index)
			return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(*list, *capacity, *count + 1));
	(*list)[(*count)++] = index;
	return GEMP_OK;
}

/* *out becomes the class that super text i of `class` names. For EObject, which every class inherits from and which has
 * no features, *out becomes GEMP_ECORE_NONE. */
static gemp_code find_super(const gemp_ecore *ecore, const gemp_ecore_classifier *class, size_t i, gemp_text *text,
                            gemp_text *path, size_t *out)
{
	const char *built_in;
	const gemp_string own = gemp_bytes_at(&class->super_texts, i);
	gemp_text_clear(text);
	gemp_text_add(text, own.bytes, own.size);
	GEMP_TRY(gemp_text_status(text));
	GEMP_TRY(split_reference(ecore, text->data, path, &built_in));
	*out = GEMP_ECORE_NONE;
	if (built_in && strcmp(built_in, "EObject") == 0)
		return GEMP_OK;
	*out = built_in ? GEMP_ECORE_NONE : find_path(ecore, path->data, path->size);
	if (*out == GEMP_ECORE_NONE || ecore->classifiers[*out].kind != GEMP_ECORE_CLASS)
		return gemp_fail(GEMP_EDATA, "'%.80s', which class %s inherits from, is no class of the file", text->data,
		                 class->name);
	return GEMP_OK;
}

/* Lists the direct super classes of a class, then the super classes of these, and so on. Each class is listed once, so
 * the loop ends even if the inheritance has a cycle. */
static gemp_code inherit_classes(gemp_ecore *ecore, size_t index, gemp_text *text, gemp_text *path)
{
	gemp_ecore_classifier *class = &ecore->classifiers[index];
	for (size_t s = 0; s <= class->super_count; s++) {
		const gemp_ecore_classifier *from = s ? &ecore->classifiers[class->supers[s - 1]] : class;
		for (size_t i = 0; i < from->super_texts.count; i++) {
			size_t super;
			GEMP_TRY(find_super(ecore, from, i, text, path, &super));
			if (super == index)
				return gemp_fail(GEMP_EDATA, "class %s inherits from itself; correct the metamodel", class->name);
			if (super != GEMP_ECORE_NONE)
				GEMP_TRY(add_index(&class->supers, &class->super_count, &class->super_capacity, super));
		}
	}
	if (class->labels)
		return GEMP_OK;
	gemp_text_clear(text);
	gemp_text_print(text, "%s", class->name);
	for (size_t s = 0; s < class->super_count; s++)
		gemp_text_print(text, ";%s", ecore->classifiers[class->supers[s]].name);
	GEMP_TRY(gemp_text_status(text));
	class->labels = gemp_strdup(text->data);
	return class->labels ? GEMP_OK : GEMP_ENOMEM;
}

/* A class's own features come first, and inherited features follow. */
static gemp_code list_features(gemp_ecore *ecore, size_t index)
{
	gemp_ecore_classifier *class = &ecore->classifiers[index];
	for (size_t s = 0; s <= class->super_count; s++)
		for (size_t f = 0; f < ecore->feature_count; f++)
			if (ecore->features[f].owner == (s ? class->supers[s - 1] : index))
				GEMP_TRY(add_index(&class->features, &class->feature_count, &class->feature_capacity, f));
	return GEMP_OK;
}

/* FEATURES */

/* The default of an enum must be a literal, and any other default must be a value of the attribute's type. */
static gemp_code check_default(const gemp_ecore *ecore, const gemp_ecore_feature *feature)
{
	gemp_value value;
	size_t size = strlen(feature->default_value);
	gemp_code code = feature->classifier != GEMP_ECORE_NONE
	                     ? gemp_ecore_literal(ecore, feature->classifier, feature->default_value, size)
	                     : gemp_scalar_read(&value, feature->type, feature->default_value, size);
	return code == GEMP_EDATA ? gemp_fail_in(code, "default of '%s': ", feature->name) : code;
}

/* Finds the value that an attribute has in a new object. EMF does not write a value that equals the default. */
static gemp_code find_default(const gemp_ecore *ecore, gemp_ecore_feature *feature, bool set)
{
	if (feature->default_value &&
	    (feature->many ||
	     (!*feature->default_value && (feature->type != GEMP_STRING || feature->classifier != GEMP_ECORE_NONE)))) {
		gemp_free(feature->default_value);
		feature->default_value = NULL;
	}
	if (feature->default_value)
		return check_default(ecore, feature);
	if (feature->many)
		return GEMP_OK;
	if (set)
		feature->default_value = gemp_strdup(feature->type == GEMP_BOOLEAN ? "false" : "0");
	else if (feature->classifier != GEMP_ECORE_NONE && ecore->classifiers[feature->classifier].literals.count) {
		const gemp_string first = gemp_bytes_at(&ecore->classifiers[feature->classifier].literals, 0);
		feature->default_value = gemp_strndup(first.bytes, first.size);
		set = true;
	}
	return set && !feature->default_value ? GEMP_ENOMEM : GEMP_OK;
}

/* An attribute without a type is a string. */
static gemp_code type_attribute(const gemp_ecore *ecore, gemp_ecore_feature *feature, gemp_text *path)
{
	const char *name = NULL;
	bool set = false;
	feature->type = GEMP_STRING;
	if (feature->type_text) {
		GEMP_TRY(split_reference(ecore, feature->type_text, path, &name));
		size_t index = name ? GEMP_ECORE_NONE : find_path(ecore, path->data, path->size);
		if (!name && (index == GEMP_ECORE_NONE || ecore->classifiers[index].kind == GEMP_ECORE_CLASS))
			return gemp_fail(GEMP_EDATA, "'%.80s', the type of attribute '%s', is no data type or enum of the file",
			                 feature->type_text, feature->name);
		if (!name && ecore->classifiers[index].kind == GEMP_ECORE_ENUM)
			feature->classifier = index;
		else
			find_type(name                             ? name
			          : ecore->classifiers[index].java ? ecore->classifiers[index].java
			                                           : "",
			          &feature->type, &set);
	}
	return find_default(ecore, feature, set);
}

/* The text of an opposite is such as "#//Class/feature". */
static gemp_code find_opposite(const gemp_ecore *ecore, gemp_ecore_feature *feature, gemp_text *path)
{
	const char *built_in;
	GEMP_TRY(split_reference(ecore, feature->opposite_text, path, &built_in));
	char *slash = built_in ? NULL : strrchr(path->data, '/');
	size_t class = slash ? find_path(ecore, path->data, (size_t)(slash - path->data)) : GEMP_ECORE_NONE;
	for (size_t f = 0; f < ecore->feature_count && class != GEMP_ECORE_NONE; f++)
		if (ecore->features[f].owner == class && ecore->features[f].reference &&
		    strcmp(ecore->features[f].name, slash + 1) == 0)
			feature->opposite = f;
	if (feature->opposite == GEMP_ECORE_NONE)
		return gemp_fail(GEMP_EDATA, "'%.80s' is not in the file; correct the opposite of '%s'", feature->opposite_text,
		                 feature->name);
	feature->container = ecore->features[feature->opposite].containment;
	return GEMP_OK;
}

/* A reference without a class may refer to any object. */
static gemp_code type_reference(const gemp_ecore *ecore, gemp_ecore_feature *feature, gemp_text *path)
{
	const char *built_in = NULL;
	if (feature->type_text) {
		GEMP_TRY(split_reference(ecore, feature->type_text, path, &built_in));
		feature->classifier = built_in ? GEMP_ECORE_NONE : find_path(ecore, path->data, path->size);
		if (!built_in && (feature->classifier == GEMP_ECORE_NONE ||
		                  ecore->classifiers[feature->classifier].kind != GEMP_ECORE_CLASS))
			return gemp_fail(GEMP_EDATA, "'%.80s', the type of reference '%s', is no class of the file",
			                 feature->type_text, feature->name);
	}
	if (feature->opposite_text)
		return find_opposite(ecore, feature, path);
	return GEMP_OK;
}

/* Features are resolved first. If only one of two opposite references names the other in the file, the other one then
 * gets its opposite. At last, classes list their features. */
gemp_code gemp_ecore_resolve(gemp_ecore *ecore)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 }, path = { 0 };
	for (size_t f = 0; f < ecore->feature_count; f++) {
		gemp_ecore_feature *feature = &ecore->features[f];
		gemp_code code = (feature->reference ? type_reference : type_attribute)(ecore, feature, &path);
		if (code != GEMP_OK)
			return in_line(code, ecore, feature->line);
	}
	for (size_t f = 0; f < ecore->feature_count; f++) /* a file may name the opposite at only one end */
		if (ecore->features[f].opposite != GEMP_ECORE_NONE) {
			gemp_ecore_feature *other = &ecore->features[ecore->features[f].opposite];
			other->opposite = f;
			other->container = ecore->features[f].containment;
		}
	for (size_t i = 0; i < ecore->classifier_count; i++) {
		if (ecore->classifiers[i].kind != GEMP_ECORE_CLASS)
			continue;
		gemp_code code = inherit_classes(ecore, i, &text, &path);
		GEMP_THEN(list_features(ecore, i));
		if (code != GEMP_OK)
			return in_line(code, ecore, ecore->classifiers[i].line);
	}
	return GEMP_OK;
}
