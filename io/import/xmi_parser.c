/* The parser has a stack of frames, one for each open object. It keeps the path of the innermost object in the form in
 * which EMF writes positions (//@feature.number), since references may name an object by its path. Frames are reused,
 * so memory grows with the depth of the model and not with the number of objects. */

#include "io/import/xmi_parser.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/text/cells.h"
#include "io/text/xml.h"

#include <string.h>

#define INSTANCE "http://www.w3.org/2001/XMLSchema-instance"

static const char blanks[] = " \t\r\n";

/* The state of an open object. */
typedef struct frame {
	gemp_xmi_object object;
	uint64_t *next; /* [slots] number of references of each feature so far */
} frame;

typedef struct xmi_parser {
	const char *file;
	const gemp_ecore *ecore;
	const gemp_xmi_visitor *visitor;
	void *self;
	gemp_xml *xml;
	size_t slots; /* maximal number of features of a class */
	size_t depth, frame_count, frame_capacity;
	frame *frames;  /* [frame_count]; the first `depth` are in use */
	gemp_text path; /* path of the innermost object */
	bool list;      /* an element <xmi:XMI> encloses the objects */
	uint64_t roots; /* number of top-level objects so far */
	size_t leaf;    /* slot of the attribute whose element is open; GEMP_ECORE_NONE: none is open */
	gemp_text target;
} xmi_parser;

/* NAMES */

/* Tests whether the name is in XMI's namespace, as "http://www.omg.org/XMI id" is. */
static bool of_xmi(const char *name)
{
	const char *blank = strrchr(name, ' '), *xmi = strstr(name, "/XMI");
	return blank && xmi && xmi < blank;
}

/* The versions of XMI have different namespaces, so the exact namespace is not compared. */
static const char *xmi_attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (of_xmi(attributes[0]) && strcmp(gemp_xml_local(attributes[0]), name) == 0)
			return attributes[1];
	return NULL;
}

/* An element with xsi:nil="true" stands for a missing value. */
static bool is_nil(const char **attributes)
{
	const char *nil = gemp_xml_attribute(attributes, INSTANCE " nil");
	return nil && strcmp(nil, "true") == 0;
}

static const gemp_ecore_feature *feature_at(const xmi_parser *r, size_t class, size_t slot)
{
	return &r->ecore->features[r->ecore->classifiers[class].features[slot]];
}

static frame *top(const xmi_parser *r)
{
	return &r->frames[r->depth - 1];
}

/* A missing class usually means that the metamodel is the wrong one, so the message names the metamodel. */
static gemp_code find_class(const xmi_parser *r, const char *uri, const char *name, size_t *out)
{
	*out = gemp_ecore_class(r->ecore, uri, name);
	if (*out != GEMP_ECORE_NONE)
		return GEMP_OK;
	if (uri)
		return gemp_fail(GEMP_EDATA,
		                 "%s has no class '%.80s' in the package of the namespace %.120s; is it the metamodel "
		                 "of this model?",
		                 r->ecore->path, name, uri);
	return gemp_fail(GEMP_EDATA, "%s has no class '%.80s'; is it the metamodel of this model?", r->ecore->path, name);
}

/* Finds the class of a type such as "railway:Segment". */
static gemp_code class_of_type(const xmi_parser *r, const char *type, size_t *out)
{
	const char *colon = strchr(type, ':');
	const char *uri = gemp_xml_uri(r->xml, type, colon ? (size_t)(colon - type) : 0);
	if (colon && !uri)
		return gemp_fail(GEMP_EDATA, "xsi:type is '%.80s', and no xmlns:%.*s declares its prefix; declare it", type,
		                 (int)(colon - type > 40 ? 40 : colon - type), type);
	return find_class(r, uri && *uri ? uri : NULL, colon ? colon + 1 : type, out);
}

/* An object names its class in the attribute `type` of XML Schema or of XMI. */
static const char *type_of(const char **attributes)
{
	const char *type = gemp_xml_attribute(attributes, INSTANCE " type");
	return type ? type : xmi_attribute(attributes, "type");
}

/* REFERENCES */

/* The references of an object and feature are numbered in the order of the file. */
static gemp_code visit_reference(xmi_parser *r, size_t slot, const char *target, bool by_position, uint64_t line)
{
	frame *from = top(r);
	gemp_xmi_reference reference = {
		.feature = r->ecore->classifiers[from->object.class].features[slot],
		.source = from->object.key.data,
		.target = target,
		.by_position = by_position,
		.order = from->next[slot]++,
		.line = line,
	};
	return r->visitor->reference ? r->visitor->reference(r->self, &reference) : GEMP_OK;
}

/* Tests whether file[size] is empty or the name of the current file. */
static bool is_own(const xmi_parser *r, const char *file, size_t size)
{
	const char *slash = strrchr(r->file, '/'), *own = slash ? slash + 1 : r->file;
	return size == 0 || (strlen(own) == size && memcmp(own, file, size) == 0);
}

/* A reference has one of the forms "id", "#id", "//@a.0", "#//@a.0" and "/0/@a.0". */
static gemp_code add_reference(xmi_parser *r, size_t slot, const char *text, size_t size, uint64_t line)
{
	const char *hash = memchr(text, '#', size);
	const gemp_ecore_feature *feature = feature_at(r, top(r)->object.class, slot);
	if (hash && !is_own(r, text, (size_t)(hash - text)))
		return gemp_fail(GEMP_EDATA,
		                 "'%s' refers to '%.*s' in another file, and a model in several files is not "
		                 "supported; put it into one file",
		                 feature->name, (int)(size > 80 ? 80 : size), text);
	if (hash) {
		size -= (size_t)(hash + 1 - text);
		text = hash + 1;
	}
	bool path = size && text[0] == '/' && !r->ecore->by_id;
	if (path && memchr(text, '[', size))
		return gemp_fail(GEMP_EDATA,
		                 "'%s' refers to '%.*s' by a key (eKeys), which is not supported; save the model with "
		                 "references by position or xmi:id",
		                 feature->name, (int)(size > 80 ? 80 : size), text);
	gemp_text_clear(&r->target);
	if (path && size >= 2 && memcmp(text, "/0", 2) == 0 && (size == 2 || text[2] == '/')) {
		gemp_text_add(&r->target, "/", 1);
		text += 2;
		size -= 2;
	}
	gemp_text_add(&r->target, text, size);
	GEMP_TRY(gemp_text_status(&r->target));
	if (!feature->many && top(r)->next[slot] > 0)
		return gemp_fail(GEMP_EDATA, "'%s' has several targets, and the metamodel allows one", feature->name);
	return visit_reference(r, slot, r->target.data, path, line);
}

/* Blanks separate the references of a list. The type of the target may precede a reference. */
static gemp_code add_references(xmi_parser *r, size_t slot, const char *texts, uint64_t line)
{
	const gemp_ecore_feature *feature = feature_at(r, top(r)->object.class, slot);
	if (feature->containment)
		return gemp_fail(GEMP_EDATA, "'%s' contains objects, which must be elements and no references", feature->name);
	for (size_t size; *(texts += strspn(texts, blanks)); texts += size) {
		size = strcspn(texts, blanks);
		/* a type such as "railway:Sensor" in front of "other.xmi#//@sensors.0" */
		bool kind = !memchr(texts, '#', size) && memchr(texts, ':', size) && strchr(texts + size, '#');
		if (!kind)
			GEMP_TRY(add_reference(r, slot, texts, size, line));
	}
	return GEMP_OK;
}

/* ATTRIBUTES */

/* A value is checked here, where its line is known. The importer converts it later. */
static gemp_code check_value(const xmi_parser *r, const gemp_ecore_feature *feature, const char *text, size_t size)
{
	gemp_value value;
	gemp_code code = feature->classifier != GEMP_ECORE_NONE
	                     ? gemp_ecore_literal(r->ecore, feature->classifier, text, size)
	                     : gemp_scalar_read(&value, feature->type, text, size);
	return code == GEMP_EDATA ? gemp_fail_in(code, "attribute '%s': ", feature->name) : code;
}

/* A column holds one value for each vertex, so a second value of an attribute is refused. */
static gemp_code set_value(xmi_parser *r, size_t slot, const char *text, size_t size)
{
	gemp_xmi_object *object = &top(r)->object;
	const gemp_ecore_feature *feature = feature_at(r, object->class, slot);
	if (object->present[slot])
		return gemp_fail(GEMP_EDATA,
		                 "attribute '%s' has several values, and a vertex has one of each attribute; make them "
		                 "objects of a class, or leave them out",
		                 feature->name);
	const gemp_slice part = feature->type == GEMP_STRING ? (gemp_slice){ text, size } : gemp_trimmed(text, text + size);
	GEMP_TRY(check_value(r, feature, part.bytes, part.size));
	object->present[slot] = true;
	gemp_text_clear(&object->values[slot]);
	gemp_text_add(&object->values[slot], part.bytes, part.size);
	gemp_text_add(&object->values[slot], "", 0);
	return gemp_text_status(&object->values[slot]);
}

static gemp_code unknown_feature(const xmi_parser *r, size_t class, const char *name)
{
	return gemp_fail(GEMP_EDATA, "class %s has no '%.80s' in %s; is it the metamodel of this model?",
	                 r->ecore->classifiers[class].name, name, r->ecore->path);
}

/* XML attributes in the namespaces of XMI and XML Schema are not features of the object, so they are skipped. */
static gemp_code read_attributes(xmi_parser *r, const char **attributes, uint64_t line)
{
	size_t class = top(r)->object.class;
	for (; *attributes; attributes += 2) {
		const char *name = gemp_xml_local(attributes[0]);
		if (of_xmi(attributes[0]) || gemp_xml_in(attributes[0], INSTANCE))
			continue;
		size_t slot = gemp_ecore_slot(r->ecore, class, name);
		if (slot == GEMP_ECORE_NONE)
			return unknown_feature(r, class, name);
		if (feature_at(r, class, slot)->reference)
			GEMP_TRY(add_references(r, slot, attributes[1], line));
		else
			GEMP_TRY(set_value(r, slot, attributes[1], strlen(attributes[1])));
	}
	return GEMP_OK;
}

/* OBJECTS */

/* The frame is counted before its arrays are allocated, so gemp_xmi_read frees it even after a failure. */
static gemp_code new_frame(xmi_parser *r)
{
	GEMP_TRY(GEMP_RESERVE(r->frames, r->frame_capacity, r->frame_count + 1));
	frame *made = &r->frames[r->frame_count++];
	*made = (frame){ 0 };
	GEMP_TRY(GEMP_NEW(made->next, r->slots));
	GEMP_TRY(GEMP_NEW(made->object.values, r->slots));
	return GEMP_NEW(made->object.present, r->slots);
}

/* xmi:id and xmi:uuid take precedence over an attribute that the metamodel declares as the id. */
static const char *id_of(const xmi_parser *r, size_t class, const char **attributes)
{
	const char *id = xmi_attribute(attributes, "id");
	if (!id)
		id = xmi_attribute(attributes, "uuid");
	for (; !id && *attributes; attributes += 2) {
		size_t slot = gemp_ecore_slot(r->ecore, class, attributes[0]);
		if (slot != GEMP_ECORE_NONE && feature_at(r, class, slot)->id)
			id = attributes[1];
	}
	return id;
}

/* slot: the parent's feature that contains the object; GEMP_ECORE_NONE for a top-level object. */
static gemp_code begin_object(xmi_parser *r, size_t class, size_t slot, const char **attributes)
{
	const uint64_t line = gemp_xml_line(r->xml);
	if (r->ecore->classifiers[class].abstract)
		return gemp_fail(GEMP_EDATA, "class %s is abstract; xsi:type must say of which class the object is",
		                 r->ecore->classifiers[class].name);
	size_t outer = r->path.size;
	if (slot == GEMP_ECORE_NONE) {
		gemp_text_print(&r->path, "/");
		if (r->roots++)
			gemp_text_print(&r->path, "%zu", (size_t)r->roots - 1);
	} else {
		const gemp_ecore_feature *feature = feature_at(r, top(r)->object.class, slot);
		gemp_text_print(&r->path, "/@%s", feature->name);
		if (feature->many)
			gemp_text_print(&r->path, ".%zu", (size_t)top(r)->next[slot]);
	}
	GEMP_TRY(gemp_text_status(&r->path));
	if (r->depth == r->frame_count)
		GEMP_TRY(new_frame(r));
	frame *f = &r->frames[r->depth];
	const char *id = id_of(r, class, attributes);
	if (id && !*id)
		return gemp_fail(GEMP_EDATA, "the object's id is empty; give it one");
	f->object.class = class;
	f->object.line = line;
	f->object.path_size = outer;
	memset(f->next, 0, r->slots * sizeof *f->next);
	memset(f->object.present, 0, r->slots * sizeof *f->object.present);
	gemp_text_clear(&f->object.key);
	gemp_text_print(&f->object.key, "%s", id ? id : r->path.data);
	GEMP_TRY(gemp_text_status(&f->object.key));
	if (slot != GEMP_ECORE_NONE)
		GEMP_TRY(visit_reference(r, slot, f->object.key.data, false, line));
	r->depth++;
	return read_attributes(r, attributes, line);
}

/* Visits the complete object. The key was needed earlier, when the references of the object were visited. */
static gemp_code end_object(xmi_parser *r)
{
	gemp_xmi_object object = top(r)->object;
	size_t outer = object.path_size; /* path_size held the size of the surrounding path */
	object.path = r->path.data;
	object.path_size = r->path.size;
	gemp_code code = r->visitor->object(r->self, &object);
	r->path.size = outer;
	r->path.data[outer] = '\0';
	r->depth--;
	return code;
}

/* ELEMENTS */

/* The root is an object, or an xmi:XMI that lists objects. In such a list, other elements of XMI are skipped. */
static gemp_code begin_top(xmi_parser *r, const char *name, const char **attributes)
{
	size_t class;
	GEMP_OWNED_BY(gemp_text_free) gemp_text uri = { 0 };
	if (of_xmi(name)) {
		if (r->list)
			gemp_xml_skip(r->xml);
		else if (strcmp(gemp_xml_local(name), "XMI") != 0)
			return gemp_fail(GEMP_EDATA, "the file begins with <%s>, which is neither an object nor xmi:XMI",
			                 gemp_xml_local(name));
		r->list = true;
		return GEMP_OK;
	}
	const char *local = gemp_xml_local(name);
	if (local > name)
		gemp_text_add(&uri, name, (size_t)(local - name) - 1);
	GEMP_TRY(gemp_text_status(&uri));
	GEMP_TRY(find_class(r, uri.data, local, &class));
	return begin_object(r, class, GEMP_ECORE_NONE, attributes);
}

/* The class of a contained object is given by xsi:type or, if this is missing, by the reference. */
static gemp_code begin_child(xmi_parser *r, size_t slot, const char **attributes)
{
	const gemp_ecore_feature *feature = feature_at(r, top(r)->object.class, slot);
	const char *type = type_of(attributes);
	size_t class = feature->classifier;
	if (type)
		GEMP_TRY(class_of_type(r, type, &class));
	if (class == GEMP_ECORE_NONE)
		return gemp_fail(GEMP_EDATA, "'%s' may contain objects of any class; name the class of this one by xsi:type",
		                 feature->name);
	if (!feature->many && top(r)->next[slot] > 0)
		return gemp_fail(GEMP_EDATA, "'%s' contains several objects, and the metamodel allows one", feature->name);
	return begin_object(r, class, slot, attributes);
}

/* An element inside an object is a contained object, a reference or a value. */
static gemp_code begin_inside(xmi_parser *r, const char *name, const char **attributes)
{
	size_t class = top(r)->object.class, slot = gemp_ecore_slot(r->ecore, class, gemp_xml_local(name));
	const char *href = gemp_xml_attribute(attributes, "href"),
			   *target = href ? href : xmi_attribute(attributes, "idref");
	if (of_xmi(name) || is_nil(attributes)) { /* tools write elements such as <xmi:Extension> */
		gemp_xml_skip(r->xml);
		return GEMP_OK;
	}
	if (slot == GEMP_ECORE_NONE)
		return unknown_feature(r, class, gemp_xml_local(name));
	const gemp_ecore_feature *feature = feature_at(r, class, slot);
	if (!feature->reference) {
		r->leaf = slot;
		return GEMP_OK;
	}
	if (feature->containment && href &&
	    gemp_ecore_slot(r->ecore, feature->classifier == GEMP_ECORE_NONE ? class : feature->classifier, "href") ==
	        GEMP_ECORE_NONE)
		return gemp_fail(GEMP_EDATA,
		                 "'%s' contains '%.80s', which is in another file, and a model in several files is not "
		                 "supported; put it into one file",
		                 feature->name, href);
	if (feature->containment)
		return begin_child(r, slot, attributes);
	if (!target)
		return gemp_fail(GEMP_EDATA, "the element of reference '%s' has neither href nor xmi:idref; add one",
		                 feature->name);
	gemp_xml_skip(r->xml);
	return add_reference(r, slot, target, strlen(target), gemp_xml_line(r->xml));
}

/* An attribute's element holds only text, so no other element may begin in it. */
static gemp_code start(void *self, gemp_xml *xml, const char *name, const char **attributes)
{
	xmi_parser *r = self;
	r->xml = xml;
	if (r->leaf != GEMP_ECORE_NONE)
		return gemp_fail(GEMP_EDATA, "<%s> inside the value of attribute '%s'; values are plain text",
		                 gemp_xml_local(name), feature_at(r, top(r)->object.class, r->leaf)->name);
	return r->depth ? begin_inside(r, name, attributes) : begin_top(r, name, attributes);
}

/* If an attribute's element is open, its value ends. Otherwise the innermost object ends. */
static gemp_code end(void *self, const char *text, size_t size)
{
	xmi_parser *r = self;
	if (r->leaf != GEMP_ECORE_NONE) {
		size_t slot = r->leaf;
		r->leaf = GEMP_ECORE_NONE;
		return set_value(r, slot, text, size);
	}
	return r->depth ? end_object(r) : GEMP_OK;
}

/* THE FILE */

static void free_frame(frame *f, size_t slots)
{
	for (size_t s = 0; s < slots && f->object.values; s++)
		gemp_text_free(&f->object.values[s]);
	gemp_free_all(f->object.values, f->object.present, f->next);
	gemp_text_free(&f->object.key);
}

/* A frame has as many slots as the class with the most features, so any object can reuse it. */
gemp_code gemp_xmi_read(const char *path, const gemp_ecore *ecore, const gemp_xmi_visitor *visitor, void *self)
{
	static const gemp_xml_visitor elements = { "XMI", start, end, NULL };
	xmi_parser r = { .file = path, .ecore = ecore, .visitor = visitor, .self = self, .leaf = GEMP_ECORE_NONE };
	for (size_t i = 0; i < ecore->classifier_count; i++)
		r.slots = gemp_max(r.slots, ecore->classifiers[i].feature_count);
	gemp_code code = gemp_xml_read(path, &elements, &r);
	for (size_t i = 0; i < r.frame_count; i++)
		free_frame(&r.frames[i], r.slots);
	gemp_free(r.frames);
	gemp_text_free(&r.path);
	gemp_text_free(&r.target);
	return code;
}
