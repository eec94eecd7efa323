#include "cypher/function/procedure.h"

#include <string.h>
#include <strings.h>

#define STRING GEMP_CY_BIT(STRING)
#define STRINGS (GEMP_CY_BIT(STRING) | GEMP_CY_BIT(LIST))
#define NODE GEMP_CY_BIT(NODE)
#define NODES (GEMP_CY_BIT(NODE) | GEMP_CY_BIT(LIST))
#define INTEGER GEMP_CY_BIT(INTEGER)
#define MAP GEMP_CY_BIT(MAP)
#define KEY (GEMP_CY_BIT(INTEGER) | GEMP_CY_BIT(STRING))

static const gemp_cypher_procedure procedures[GEMP_CY_PROCEDURES] = {
	{ GEMP_CY_DB_LABELS, "db.labels", .columns = { { "label", STRING } } },
	{ GEMP_CY_DB_TYPES, "db.relationshipTypes", .columns = { { "relationshipType", STRING } } },
	{ GEMP_CY_DB_KEYS, "db.propertyKeys", .columns = { { "propertyKey", STRING } } },
	{ GEMP_CY_GEMP_PAGERANK, "gemp.pagerank", .arguments = { { "options", MAP } },
	  .options = { { "damping", GEMP_CY_NUMBER },
	               { "tolerance", GEMP_CY_NUMBER },
	               { "iterations", INTEGER },
	               { "precision", STRING },
	               { "types", STRINGS },
	               { "direction", STRING },
	               { "weight", STRING },
	               { "sources", NODES } },
	  .columns = { { "node", NODE }, { "score", GEMP_CY_BIT(FLOAT) } } },
	{ GEMP_CY_GEMP_BFS, "gemp.bfs", 1, .arguments = { { "source", NODES }, { "options", MAP } },
	  .options = { { "types", STRINGS }, { "direction", STRING } },
	  .columns = { { "node", NODE }, { "distance", INTEGER }, { "parent", NODE }, { "source", NODE } } },
	{ GEMP_CY_GEMP_SSSP, "gemp.sssp", 2, .arguments = { { "source", NODES }, { "weight", STRING }, { "options", MAP } },
	  .options = { { "types", STRINGS }, { "direction", STRING } },
	  .columns = { { "node", NODE }, { "distance", GEMP_CY_NUMBER }, { "predecessor", NODE }, { "source", NODE } } },
	{ GEMP_CY_GEMP_COMPONENTS, "gemp.components", .arguments = { { "options", MAP } },
	  .options = { { "types", STRINGS } }, .columns = { { "node", NODE }, { "component", KEY } } },
};

const gemp_cypher_procedure *gemp_cypher_procedure_find(const char *name)
{
	for (size_t i = 0; i < GEMP_CY_PROCEDURES; i++)
		if (strcasecmp(procedures[i].name, name) == 0)
			return &procedures[i];
	return NULL;
}

void gemp_cypher_procedure_list(gemp_text *out)
{
	for (size_t i = 0; i < GEMP_CY_PROCEDURES; i++)
		gemp_text_print(out, "%s%s()", i ? ", " : "", procedures[i].name);
}

size_t gemp_cypher_parameter_count(const gemp_cypher_parameter *parameters, size_t count)
{
	size_t named = 0;
	while (named < count && parameters[named].name)
		named++;
	return named;
}

size_t gemp_cypher_parameter_find(const gemp_cypher_parameter *parameters, size_t count, const char *name)
{
	for (size_t i = 0; i < count && parameters[i].name; i++)
		if (strcmp(parameters[i].name, name) == 0)
			return i;
	return count;
}

void gemp_cypher_parameter_list(const gemp_cypher_parameter *parameters, size_t count, gemp_text *out)
{
	for (size_t i = 0; i < count && parameters[i].name; i++)
		gemp_text_print(out, "%s%s", i ? ", " : "", parameters[i].name);
}
