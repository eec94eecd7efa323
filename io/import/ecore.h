/* ecore: a metamodel, as EMF stores it in an .ecore file: classes, what they inherit, their features and defaults. */

#ifndef GEMP_IO_IMPORT_ECORE_H
#define GEMP_IO_IMPORT_ECORE_H

#include "partition/build/dictionary.h"

#define GEMP_ECORE_NONE SIZE_MAX
#define GEMP_ECORE_ANNOTATION "gemp-mpi" /* source of the annotations in metamodels that export makes */

typedef struct gemp_ecore_feature {
	char *name;
	size_t owner;   /* the class that declares it */
	bool reference; /* else an attribute */
	bool many, ordered;
	bool containment;    /* a reference whose targets lie in the object */
	bool container;      /* its opposite is a containment, so files do not have it */
	bool id;             /* an attribute whose value is the object's id */
	bool derived;        /* derived, transient or volatile, so no part of a model's file */
	size_t opposite;     /* index of the opposite feature; GEMP_ECORE_NONE */
	size_t classifier;   /* class of a reference's targets, or enum of an attribute; GEMP_ECORE_NONE: any, no enum */
	gemp_type type;      /* of an attribute */
	char *default_value; /* value of an attribute that is not set; NULL: none */
	char *type_text, *opposite_text; /* as in the file */
	uint64_t line;
} gemp_ecore_feature;

typedef enum gemp_ecore_kind { GEMP_ECORE_CLASS, GEMP_ECORE_ENUM, GEMP_ECORE_DATATYPE } gemp_ecore_kind;

typedef struct gemp_ecore_classifier {
	gemp_ecore_kind kind;
	char *name, *path; /* path: "//package/Name", as references in the file have it */
	size_t package;
	bool abstract;
	char *java;          /* of a data type: its Java type; NULL */
	gemp_bytes literals; /* of an enum */
	gemp_bytes super_texts;
	char *labels; /* of a class: "Name;Super;...", or the annotation that export makes */
	size_t super_count, super_capacity;
	size_t *supers; /* [super_count] all classes that it inherits from, each once */
	size_t feature_count, feature_capacity;
	size_t *features; /* [feature_count] its own features, then inherited ones */
	uint64_t line;
} gemp_ecore_classifier;

typedef struct gemp_ecore_package {
	char *name, *uri, *path;
} gemp_ecore_package;

typedef struct gemp_ecore {
	const char *path; /* of the file, borrowed */
	size_t package_count, package_capacity;
	gemp_ecore_package *packages;
	size_t classifier_count, classifier_capacity;
	gemp_ecore_classifier *classifiers;
	size_t feature_count, feature_capacity;
	gemp_ecore_feature *features;
	bool by_id;      /* references are ids, even if they look like positions; annotation of export */
	bool string_ids; /* ids are strings, even "7"; annotation of export */
} gemp_ecore;

void gemp_ecore_free(gemp_ecore *ecore); /* takes {0} */

/* The class of that name in the package with the namespace `uri` (NULL: in any package), or GEMP_ECORE_NONE. */
size_t gemp_ecore_class(const gemp_ecore *ecore, const char *uri, const char *name);
/* The index of the feature of that name in the class's list of features, or GEMP_ECORE_NONE. */
size_t gemp_ecore_slot(const gemp_ecore *ecore, size_t class, const char *name);
/* GEMP_EDATA, without file and line, unless the enum has the literal. */
gemp_code gemp_ecore_literal(const gemp_ecore *ecore, size_t enumeration, const char *literal, size_t size);

/* For the parser, after the whole file was read: names become indices, classes inherit, attributes get types and
 * defaults. Errors name file and line. */
gemp_code gemp_ecore_resolve(gemp_ecore *ecore);

#endif
