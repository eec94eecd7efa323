/* Reads a text: runs lexer and grammar, which build the tree. */

#include "cypher/syntax/tree.h"

#include "core/memory.h"
#include "core/status.h"
#include "cypher/parser.h"
#include "cypher/syntax/build.h"

#define YYSTYPE CYPHER_YYSTYPE
#define YYLTYPE CYPHER_YYLTYPE
#include "cypher/lexer.h"

#include <stddef.h>
#include <string.h>

/* Reads the text by lexer and grammar. The lexer writes zeros behind tokens, so it works on a copy. */
static gemp_code read_text(gemp_cypher_builder *b)
{
	b->code = gemp_source_check(&b->tree->source);
	if (b->code != GEMP_OK)
		return b->code;
	size_t size = strlen(b->tree->source.text);
	char *copy = gemp_cy_alloc(b, size + 2); /* flex wants two zeros at the end */
	if (!copy)
		return b->code;
	memcpy(copy, b->tree->source.text, size);
	void *scanner;
	GEMP_CHECK(cypher_yylex_init_extra(b, &scanner) == 0);
	GEMP_CHECK(cypher_yy_scan_buffer(copy, size + 2, scanner));
	int failed = cypher_yyparse(scanner, b);
	GEMP_CHECK(!failed || b->code != GEMP_OK);
	cypher_yylex_destroy(scanner);
	return b->code;
}

gemp_code gemp_cypher_parse(gemp_cypher_tree *out, const gemp_source *source)
{
	*out = (gemp_cypher_tree){ .source = *source };
	gemp_cypher_builder builder;
	memset(&builder, 0, offsetof(gemp_cypher_builder, has_bar));
	builder.tree = out;
	return read_text(&builder);
}

void gemp_cypher_tree_free(gemp_cypher_tree *tree)
{
	gemp_arena_free(&tree->arena);
	*tree = (gemp_cypher_tree){ 0 };
}
