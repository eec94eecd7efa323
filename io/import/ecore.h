/* ecore: a metamodel that EMF stores in an .ecore file: its classes with their inheritance, features and defaults. */

#ifndef GEMP_IO_IMPORT_ECORE_H
#define GEMP_IO_IMPORT_ECORE_H

#include "partition/build/dictionary.h"

#define GEMP_ECORE_NONE SIZE_MAX
#define GEMP_ECORE_ANNOTATION "gemp-mpi" /* source of the annotations that export writes into metamodels */

typedef struct gemp_ecore_feature {
	char *name;
	size_t owner;   /* index of the class that declares the feature */
	bool reference; /* true: a reference; false: an attribute */
	bool many, ordered;
	bool containment; /* a reference whose targets are inside the object */
	bool container;   /* the opposite is a containment, so models do not store the reference */
	bool id;          /* an attribute whose value is the object's id */
	bool derived;     /* derived, transient or volatile: models do not store the feature */
	size_t opposite;  /* index of the opposite feature, or GEMP_ECORE_NONE */
	/* class of a reference's targets (GEMP_ECORE_NONE: any), or enum of an attribute (GEMP_ECORE_NONE: no enum) */
	size_t classifier;
	gemp_type type;                  /* type of an attribute */
	char *default_value;             /* value of an attribute that a model does not set; NULL: none */
	char *type_text, *opposite_text; /* texts in the file */
	uint64_t line;
} gemp_ecore_feature;

typedef enum gemp_ecore_kind { GEMP_ECORE_CLASS, GEMP_ECORE_ENUM, GEMP_ECORE_DATATYPE } gemp_ecore_kind;

typedef struct gemp_ecore_classifier {
	gemp_ecore_kind kind;
	char *name, *path; /* path: "//package/Name", as in references */
	size_t package;
	bool abstract;
	char *java;          /* Java type of a data type, or NULL */
	gemp_bytes literals; /* literals of an enum */
	gemp_bytes super_texts;
	char *labels; /* labels of a class: "Name;Super;...", or the labels that export's annotation gives */
	size_t super_count, super_capacity;
	size_t *supers; /* [super_count] all classes that the class inherits from, each once */
	size_t feature_count, feature_capacity;
	size_t *features; /* [feature_count] own features first, then inherited features */
	uint64_t line;
} gemp_ecore_classifier;

typedef struct gemp_ecore_package {
	char *name, *uri, *path;
} gemp_ecore_package;

typedef struct gemp_ecore {
	const char *path; /* path of the file, borrowed */
	size_t package_count, package_capacity;
	gemp_ecore_package *packages;
	size_t classifier_count, classifier_capacity;
	gemp_ecore_classifier *classifiers;
	size_t feature_count, feature_capacity;
	gemp_ecore_feature *features;
	bool by_id;      /* references are ids, even if they look like positions (an annotation that export writes) */
	bool string_ids; /* ids are strings, even if they look like integers (an annotation that export writes) */
} gemp_ecore;

void gemp_ecore_free(gemp_ecore *ecore); /* *ecore may be {0} */

/* The index of the class `name` in the package with the namespace `uri`, or in any package if uri is NULL.
 * GEMP_ECORE_NONE if there is none. */
size_t gemp_ecore_class(const gemp_ecore *ecore, const char *uri, const char *name);
/* The index of the feature `name` in the class's list of features; GEMP_ECORE_NONE if there is none. */
size_t gemp_ecore_slot(const gemp_ecore *ecore, size_t class, const char *name);
/* GEMP_EDATA: the enum does not have the literal. The caller adds file and line to the message. */
gemp_code gemp_ecore_literal(const gemp_ecore *ecore, size_t enumeration, const char *literal, size_t size);

/* The parser calls this after it has read the whole file. Names become indices, classes get their inherited features,
 * and attributes get types and defaults. Errors name file and line. */
gemp_code gemp_ecore_resolve(gemp_ecore *ecore);

#endif
