
expression
	: exclusion
	| expression OR exclusion       { MAKE($$, gemp_cy_binary(b, GEMP_CY_OR, $1, $3, @$)); }
	;

exclusion
	: conjunction
	| exclusion XOR conjunction     { MAKE($$, gemp_cy_binary(b, GEMP_CY_XOR, $1, $3, @$)); }
	;

conjunction
	: negation
	| conjunction AND negation      { MAKE($$, gemp_cy_binary(b, GEMP_CY_AND, $1, $3, @$)); }
	;

negation
	: comparison
	| NOT negation                  { MAKE($$, gemp_cy_binary(b, GEMP_CY_NOT, $2, NULL, @$)); }
	;

comparison
	: predicate
	| chain
	;

chain
	: predicate comparator predicate
	                                { MAKE($$, gemp_cy_compare(b, $1, false, $2, $3, @$)); }
	| chain comparator predicate    { MAKE($$, gemp_cy_compare(b, $1, true, $2, $3, @$)); }
	;

comparator
	: '=' { $$ = GEMP_CY_EQ; } | NE { $$ = GEMP_CY_NE; } | '<' { $$ = GEMP_CY_LT; } | LE { $$ = GEMP_CY_LE; }
	| '>' { $$ = GEMP_CY_GT; } | GE { $$ = GEMP_CY_GE; }
	;

predicate
	: sum
	| predicate CONTAINS sum        { MAKE($$, gemp_cy_binary(b, GEMP_CY_CONTAINS, $1, $3, @$)); }
	| predicate STARTS WITH sum     { MAKE($$, gemp_cy_binary(b, GEMP_CY_STARTS_WITH, $1, $4, @$)); }
	| predicate ENDS WITH sum       { MAKE($$, gemp_cy_binary(b, GEMP_CY_ENDS_WITH, $1, $4, @$)); }
	| predicate MATCHES sum         { MAKE($$, gemp_cy_binary(b, GEMP_CY_REGEX, $1, $3, @$)); }
	| predicate IN sum              { MAKE($$, gemp_cy_binary(b, GEMP_CY_IN, $1, $3, @$)); }
	| predicate IS NULL_            { MAKE($$, gemp_cy_binary(b, GEMP_CY_IS_NULL, $1, NULL, @$)); }
	| predicate IS NOT NULL_        { MAKE($$, gemp_cy_binary(b, GEMP_CY_IS_NOT_NULL, $1, NULL, @$)); }
	;

sum
	: product
	| sum '+' product               { MAKE($$, gemp_cy_binary(b, GEMP_CY_ADD, $1, $3, @$)); }
	| sum '-' product               { MAKE($$, gemp_cy_binary(b, GEMP_CY_SUBTRACT, $1, $3, @$)); }
	;

product
	: power
	| product '*' power             { MAKE($$, gemp_cy_binary(b, GEMP_CY_MULTIPLY, $1, $3, @$)); }
	| product '/' power             { MAKE($$, gemp_cy_binary(b, GEMP_CY_DIVIDE, $1, $3, @$)); }
	| product '%' power             { MAKE($$, gemp_cy_binary(b, GEMP_CY_REMAINDER, $1, $3, @$)); }
	;

/* A sign binds more tightly than a power: -3 ^ 2 is 9. */
power
	: unary                         { MAKE($$, gemp_cy_in_range(b, $1)); }
	| power '^' unary               { MAKE($$, gemp_cy_binary(b, GEMP_CY_POWER, $1, $3, @$)); }
	;

unary
	: postfix
	| labelled
	| '-' unary                     { MAKE($$, gemp_cy_negative(b, $2, @$)); }
	| '+' unary                     { MAKE($$, gemp_cy_binary(b, GEMP_CY_PLUS, $2, NULL, @$)); }
	;

labelled
	: postfix labels                { MAKE($$, gemp_cy_binary(b, GEMP_CY_HAS_LABELS, $1, NULL, @$)); $$->labels = $2.first; }
	;

postfix
	: atom
	| postfix '.' name              { MAKE($$, gemp_cy_named(b, GEMP_CY_PROPERTY, $3, $1, @$)); }
	| postfix '[' expression ']'    { MAKE($$, gemp_cy_binary(b, GEMP_CY_INDEX, $1, $3, @$)); }
	| postfix '[' optional_expression RANGE optional_expression ']'
	                                { gemp_cypher_expr *const parts[] = { $1, $3, $5 };
	                                  MAKE($$, gemp_cy_ternary(b, GEMP_CY_SLICE, parts, @$)); }
	| postfix open optional_elements ')'
	                                { MAKE($$, gemp_cy_call(b, $1, false, $3, @$)); }
	| postfix open DISTINCT elements ')'
	                                { MAKE($$, gemp_cy_call(b, $1, true, $4, @$)); }
	| postfix open DISTINCT '*'     { gemp_cy_fail(b, @1.begin, "count(DISTINCT *) has no meaning; count(DISTINCT a) counts "
	                                               "different values");
	                                  YYABORT; }
	| postfix open '*' ')'          { MAKE($$, gemp_cy_count_star(b, $1, @$)); }
	;

optional_expression
	: %empty { $$ = NULL; } | expression
	;

atom
	: literal
	| parameter
	| variable                      { MAKE($$, gemp_cy_named(b, GEMP_CY_VARIABLE, $1, NULL, @$)); }
	| '(' expression ')'            { $$ = $2; $$->place = @$; }
	| list
	| map
	| variable '{' '}'              { gemp_cypher_expr *subject;
	                                  MAKE(subject, gemp_cy_named(b, GEMP_CY_VARIABLE, $1, NULL, @1));
	                                  MAKE($$, gemp_cy_binary(b, GEMP_CY_MAP_PROJECTION, subject, NULL, @$)); }
	| projections '}'               { $$ = $1; $$->place = @$; }
	| case END                      { $$ = $1;
	                                  gemp_cypher_expr *none;
	                                  MAKE(none, gemp_cy_expr(b, GEMP_CY_NONE, @2));
	                                  TRY_MAKE(gemp_cy_adopt(b, $$, none));
	                                  $$->place = @$; }
	| case ELSE expression END      { $$ = $1; TRY_MAKE(gemp_cy_adopt(b, $$, $3)); $$->place = @$; }
	| LIST_BEGIN variable IN expression optional_where ']'
	                                { gemp_cypher_expr *const parts[] = { $4, $5, NULL };
	                                  MAKE($$, gemp_cy_ternary(b, GEMP_CY_LIST_COMPREHENSION, parts, @$));
	                                  $$->name = $2; }
	| LIST_BEGIN variable IN expression optional_where '|' expression ']'
	                                { gemp_cypher_expr *const parts[] = { $4, $5, $7 };
	                                  MAKE($$, gemp_cy_ternary(b, GEMP_CY_LIST_COMPREHENSION, parts, @$));
	                                  $$->name = $2; }
	| PATHS_BEGIN step optional_where '|' expression ']'
	                                { MAKE($$, gemp_cy_path_list(b, $2, $3, $5, @$)); }
	| PATHS_BEGIN variable '=' step optional_where '|' expression ']'
	                                { $4->name = $2; MAKE($$, gemp_cy_path_list(b, $4, $5, $7, @$)); }
	| QUANTIFIER open variable IN expression where ')'
	                                { MAKE($$, gemp_cy_quantifier(b, $1, $3, $5, $6, @$)); }
	| EXTRACT open                  { gemp_cy_fail(b, @1.begin, "%s() is not openCypher; write [x IN list WHERE condition | "
	                                               "result]", $1.bytes);
	                                  YYABORT; }
	| REDUCE open variable '=' expression ',' variable IN expression '|' expression ')'
	                                { gemp_cypher_expr *const parts[] = { $5, $9, $11 };
	                                  MAKE($$, gemp_cy_ternary(b, GEMP_CY_REDUCE, parts, @$));
	                                  $$->name = $3;
	                                  $$->name2 = $7; }
	| SHORTEST open                 { REFUSE(@1, "shortestPath() in an expression; write MATCH p = shortestPath(...)"); }
	| ALL_SHORTEST open             { REFUSE(@1, "allShortestPaths() in an expression; write MATCH p = "
	                                             "allShortestPaths(...)"); }
	| EXISTS_BLOCK '{' enter block '}'
	                                { MAKE($$, gemp_cy_inner(b, GEMP_CY_EXISTS, $4, $3, @$)); }
	| COUNT_BLOCK '{' enter block '}'
	                                { MAKE($$, gemp_cy_inner(b, GEMP_CY_COUNT, $4, $3, @$)); }
	| COLLECT_BLOCK '{' enter query '}'
	                                { TRY_MAKE(gemp_cy_finish(b, $4, GEMP_CY_COLLECTION));
	                                  MAKE($$, gemp_cy_inner(b, GEMP_CY_COLLECT, $4, $3, @$)); }
	| step                          { MAKE($$, gemp_cy_pattern_expr(b, GEMP_CY_PATTERN, $1, @$)); }
	;

block
	: query                         { MAKE($$, gemp_cy_finish(b, $1, GEMP_CY_PREDICATE)); }
	| pattern optional_where        { MAKE($$, gemp_cy_match_query(b, $1, $2, @$)); }
	;

step
	: PATH_BEGIN optional_name optional_labels optional_properties ')' edge node
	                                { gemp_cypher_place place = { @1.begin, @5.end };
	                                  gemp_cypher_node *from;
	                                  MAKE(from, gemp_cy_node(b, $2, $3.first, $4, place));
	                                  MAKE($$, gemp_cy_path(b, from));
	                                  gemp_cy_extend($$, $6, $7); }
	| step edge node                { $$ = gemp_cy_extend($1, $2, $3); }
	;

case
	: CASE optional_expression WHEN expression THEN expression
	                                { gemp_cypher_expr *const parts[] = { $2, $4, $6 };
	                                  MAKE($$, gemp_cy_ternary(b, GEMP_CY_CASE, parts, @$)); }
	| case WHEN expression THEN expression
	                                { $$ = $1; TRY_MAKE(gemp_cy_adopt(b, $$, $3) && gemp_cy_adopt(b, $$, $5)); }
	;

list
	: '[' optional_elements ']'     { $$ = $2;
	                                  if (!$$)
	                                          MAKE($$, gemp_cy_expr(b, GEMP_CY_LIST, @$));
	                                  $$->place = @$; }
	;

optional_elements
	: %empty { $$ = NULL; } | elements
	;

elements
	: expression                    { MAKE($$, gemp_cy_binary(b, GEMP_CY_LIST, $1, NULL, @$)); }
	| elements ',' expression       { MAKE($$, gemp_cy_adopt(b, $1, $3)); $$->place = @$; }
	;

map
	: '{' '}'                       { MAKE($$, gemp_cy_expr(b, GEMP_CY_MAP, @$)); }
	| '{' entries '}'               { $$ = $2; $$->place = @$; }
	;

entries
	: name ':' expression           { gemp_cypher_expr *entry;
	                                  MAKE(entry, gemp_cy_named(b, GEMP_CY_ENTRY, $1, $3, @$));
	                                  MAKE($$, gemp_cy_binary(b, GEMP_CY_MAP, entry, NULL, @$)); }
	| entries ',' name ':' expression
	                                { gemp_cypher_place place = { @3.begin, @5.end };
	                                  gemp_cypher_expr *entry;
	                                  MAKE(entry, gemp_cy_named(b, GEMP_CY_ENTRY, $3, $5, place));
	                                  MAKE($$, gemp_cy_adopt(b, $1, entry)); }
	;

projections
	: variable '{' projection_element
	                                { gemp_cypher_expr *subject;
	                                  MAKE(subject, gemp_cy_named(b, GEMP_CY_VARIABLE, $1, NULL, @1));
	                                  MAKE($$, gemp_cy_binary(b, GEMP_CY_MAP_PROJECTION, subject, $3, @$)); }
	| projections ',' projection_element
	                                { MAKE($$, gemp_cy_adopt(b, $1, $3)); }
	;

projection_element
	: '.' name                      { MAKE($$, gemp_cy_named(b, GEMP_CY_PROPERTY, $2, NULL, @$)); }
	| '.' '*'                       { MAKE($$, gemp_cy_expr(b, GEMP_CY_NONE, @$)); }
	| name ':' expression           { MAKE($$, gemp_cy_named(b, GEMP_CY_ENTRY, $1, $3, @$)); }
	| variable                      { MAKE($$, gemp_cy_named(b, GEMP_CY_VARIABLE, $1, NULL, @$)); }
	;

literal
	: INTEGER                       { MAKE($$, gemp_cy_integer(b, $1, @$)); }
	| FLOAT                         { MAKE($$, gemp_cy_literal(b, gemp_datum_float($1), @$)); }
	| STRING                        { gemp_datum text = { .kind = GEMP_DATUM_STRING, .size = (uint32_t)$1.size, .text = $1.bytes };
	                                  MAKE($$, gemp_cy_literal(b, text, @$)); }
	| TRUE_                         { MAKE($$, gemp_cy_literal(b, gemp_datum_boolean(true), @$)); }
	| FALSE_                        { MAKE($$, gemp_cy_literal(b, gemp_datum_boolean(false), @$)); }
	| NULL_                         { MAKE($$, gemp_cy_literal(b, gemp_datum_null(), @$)); }
	;

parameter
	: '$' name                      { MAKE($$, gemp_cy_parameter(b, $2, @$)); }
	| '$' INTEGER                   { gemp_cypher_word number = gemp_cy_text(b, @2);
	                                  TRY_MAKE(number.bytes);
	                                  MAKE($$, gemp_cy_parameter(b, number, @$)); }
	;

%%

/* Tokens that the lexer inserts, which people do not write, and words of openCypher where any name may stand. */
static bool is_hidden(yysymbol_kind_t symbol, bool any_word)
{
	bool word = symbol >= YYSYMBOL_MATCH && symbol <= YYSYMBOL_COLLECT_BLOCK;
	bool inserted = symbol == YYSYMBOL_PATH_BEGIN || symbol == YYSYMBOL_LIST_BEGIN || symbol == YYSYMBOL_PATHS_BEGIN ||
	                (symbol >= YYSYMBOL_QUANTIFIER && symbol <= YYSYMBOL_COLLECT_BLOCK);
	return inserted || (word && any_word);
}

/* Operators, which may stand behind every value. */
static bool is_operator(yysymbol_kind_t symbol)
{
	static const yysymbol_kind_t words[] = { YYSYMBOL_AND, YYSYMBOL_OR, YYSYMBOL_XOR, YYSYMBOL_IN, YYSYMBOL_IS,
		YYSYMBOL_CONTAINS, YYSYMBOL_STARTS, YYSYMBOL_ENDS, YYSYMBOL_NE, YYSYMBOL_LE, YYSYMBOL_GE, YYSYMBOL_MATCHES };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i] == symbol)
			return true;
	const char *name = yysymbol_name(symbol);
	return name[0] == '\'' && name[2] == '\'' && strchr("=<>+-*/%^.[:({", name[1]);
}

/* Tokens that end what encloses a value. */
static bool is_closing(yysymbol_kind_t symbol)
{
	const char *name = yysymbol_name(symbol);
	return symbol == YYSYMBOL_THEN || symbol == YYSYMBOL_ELSE || symbol == YYSYMBOL_END || symbol == YYSYMBOL_WHEN ||
	       (name[0] == '\'' && name[2] == '\'' && strchr(")]}|", name[1]));
}

static bool is_among(const yysymbol_kind_t *expected, int count, yysymbol_kind_t symbol)
{
	for (int i = 0; i < count; i++)
		if (expected[i] == symbol)
			return true;
	return false;
}

static bool is_char_among(const yysymbol_kind_t *expected, int count, char symbol)
{
	for (int i = 0; i < count; i++) {
		const char *name = yysymbol_name(expected[i]);
		if (name[0] == '\'' && name[1] == symbol && name[2] == '\'')
			return true;
	}
	return false;
}

/* Copies the tokens that a reader would call missing to kept[], and returns their number. If a bracket is open, these are
 * the tokens that close it. */
static int keep_useful(const yysymbol_kind_t *expected, int all, bool *closing, yysymbol_kind_t *kept)
{
	bool behind_value = is_char_among(expected, all, '^'), any_word = is_among(expected, all, YYSYMBOL_NAME);
	int count = 0;
	*closing = false;
	for (int i = 0; i < all; i++)
		*closing = *closing || is_closing(expected[i]);
	for (int i = 0; i < all; i++) {
		bool fits = is_closing(expected[i]) || expected[i] == YYSYMBOL_NAME || is_char_among(expected + i, 1, ',');
		if (!is_hidden(expected[i], any_word) && !(behind_value && is_operator(expected[i])) && (!*closing || fits))
			kept[count++] = expected[i];
	}
	return count;
}

/* Returns what may stand next in a few words, or NULL if the list of expected tokens is plainer. */
static const char *phrase(const yysymbol_kind_t *expected, int all, const gemp_cypher_expected *flags, bool path)
{
	if (flags->value)
		return "a value";
	if (path)
		return flags->clause ? "a path or a clause" : flags->node ? "a vertex, as in (a)" : "a path, as in (a)-->(b)";
	if (flags->clause && !is_among(expected, all, YYSYMBOL_UNION))
		return "a clause, such as MATCH";
	if (flags->clause)
		return flags->comma || flags->closing ? NULL : "another clause";
	if (is_among(expected, all, YYSYMBOL_SET) && !flags->name)
		return "CREATE, MERGE, SET, REMOVE, DELETE or FOREACH";
	return is_among(expected, all, YYSYMBOL_ADDED) ? "=, += or a label" : NULL;
}

static bool is_reserved(yysymbol_kind_t symbol)
{
	return symbol >= YYSYMBOL_MATCH && symbol <= YYSYMBOL_FOREACH;
}

/* Lists the words of openCypher that may stand there. */
static size_t list_words(const yysymbol_kind_t *expected, int all, const char **words)
{
	size_t count = 0;
	for (int i = 0; i < all; i++)
		if (is_reserved(expected[i]))
			words[count++] = yysymbol_name(expected[i]);
	return count;
}

/* The place of the innermost open bracket, if its end may stand here. The lexer has counted the unexpected token. */
static size_t find_open(const gemp_cypher_builder *b, yysymbol_kind_t token, const yysymbol_kind_t *expected, int all)
{
	static const char brackets[] = "()[]{}";
	const char *name = yysymbol_name(token), *bracket = strchr(brackets, name[1]);
	const bool single = name[0] == '\'' && name[2] == '\'' && bracket;
	const bool opens = token == YYSYMBOL_PATH_BEGIN || token == YYSYMBOL_LIST_BEGIN || token == YYSYMBOL_PATHS_BEGIN ||
	                   (single && (bracket - brackets) % 2 == 0);
	const size_t depth = b->open + (single && !opens) - opens;
	if (depth == 0 || depth > GEMP_CY_MAX_BRACKETS)
		return SIZE_MAX;
	const size_t at = b->opened[depth - 1];
	const char *open = strchr(brackets, b->tree->source.text[at]); /* NULL: the token closes a bracket, but none is open */
	return open && is_char_among(expected, all, open[1]) ? at : SIZE_MAX;
}

/* What the rules about frequent mistakes ask (syntax/mistakes.h). */
static void describe(gemp_cypher_expected *flags, const gemp_cypher_builder *b, yysymbol_kind_t token,
                     const yysymbol_kind_t *expected, int all)
{
	const bool between = is_among(expected, all, YYSYMBOL_ALTERNATIVE) && flags->element;
	flags->operator = is_char_among(expected, all, '^');
	flags->edge_types = between && is_char_among(expected, all, ']');
	flags->labels = between && is_char_among(expected, all, ')');
	flags->edge = all <= 2 && is_char_among(expected, all, '-');
	flags->path_name = all == 1 && is_char_among(expected, all, '=');
	flags->colon = all == 1 && is_char_among(expected, all, ':');
	flags->alias = is_among(expected, all, YYSYMBOL_AS);
	flags->null_only = is_among(expected, all, YYSYMBOL_NULL_) && !flags->value;
	flags->reserved = is_reserved(token);
	flags->open_at = find_open(b, token, expected, all);
}

static int yyreport_syntax_error(const yypcontext_t *context, void *scanner, gemp_cypher_builder *b)
{
	(void)scanner;
	enum { MOST = 4 };
	yysymbol_kind_t expected[YYNTOKENS], kept[YYNTOKENS];
	const char *words[YYNTOKENS];
	int all = yypcontext_expected_tokens(context, expected, YYNTOKENS);
	if (all < 0)
		return all; /* out of memory */
	bool word = is_among(expected, all, YYSYMBOL_NAME), value = is_among(expected, all, YYSYMBOL_STRING);
	bool behind_value = is_char_among(expected, all, '^');
	bool element = is_char_among(expected, all, '{') && !behind_value && !value;
	bool path = is_among(expected, all, YYSYMBOL_PATH_BEGIN) && !element && !behind_value && !value;
	gemp_cypher_expected flags = {
		.name = word && !value && !path,
		.value = value,
		.clause = is_among(expected, all, YYSYMBOL_UNWIND) && (!word || path) && !value,
		.comma = is_char_among(expected, all, ','),
		.end = is_among(expected, all, YYSYMBOL_YYEOF),
		.element = element,
		.node = path && !word,
		.words = words,
		.word_count = list_words(expected, all, words),
	};
	describe(&flags, b, yypcontext_token(context), expected, all);
	int useful = keep_useful(expected, all, &flags.closing, kept);
	char list[256] = "";
	for (int i = 0; i < useful && useful <= MOST; i++) {
		const char *between = i == 0 ? "" : i + 1 < useful ? ", " : " or ";
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", between, yysymbol_name(kept[i]));
	}
	flags.list = phrase(expected, all, &flags, path);
	if (!flags.list && *list && (!flags.clause || flags.closing))
		flags.list = list;
	gemp_cy_unexpected(b, *yypcontext_location(context), &flags);
	return 0;
}
