%code requires {
/* The grammar of queries, a part of openCypher 9; docs/query-language.md describes it for users. */
#include "pattern/query.h"
}

%define api.pure full
%define api.prefix {query_yy}
%define api.location.type {query_place}
%define parse.error custom
%define parse.lac full
%locations
%param {void *scanner}
%parse-param {query *q}

%code top {
#include "core/memory.h"

#define YYINITDEPTH 1000
#define YYMAXDEPTH YYINITDEPTH /* the stack never grows */
#define YYMALLOC(size) gemp_calloc(1, (size))
#define YYFREE gemp_free
}

%code {
#include "pattern/lexer.h"

#include <stdio.h>
#include <string.h>

#define YYLLOC_DEFAULT(current, right, count)                                                          \
	((current).begin = (count) ? YYRHSLOC(right, 1).begin : YYRHSLOC(right, 0).end,                 \
	 (current).end = (count) ? YYRHSLOC(right, count).end : YYRHSLOC(right, 0).end)

/* In an action: give up if something failed. */
#define CHECK                          \
	do {                           \
		if (q->code != GEMP_OK) \
			YYABORT;       \
	} while (0)
#define REFUSE(place, what)                            \
	do {                                           \
		query_refuse(q, (place).begin, (what)); \
		YYABORT;                               \
	} while (0)

static void query_yyerror(YYLTYPE *place, void *scanner, query *q, const char *message)
{
	(void)scanner;
	(void)message; /* there is only one: the stack is full */
	query_fail(q, place->begin, "the query is nested too deeply here");
}

static void add_path(query *q, query_path *path)
{
	if (q->last)
		q->last->next = path;
	else
		q->first = path;
	q->last = path;
}

static query_path *new_path(query *q, query_node *from)
{
	query_path *path = query_alloc(q, sizeof *path);
	if (path)
		path->from = from;
	return path;
}

static void add_edge(query_path *path, query_edge *edge, query_node *to)
{
	edge->to = to;
	if (path->last)
		path->last->next = edge;
	else
		path->first = edge;
	path->last = edge;
}

static query_node *new_node(query *q, query_word variable, query_expr *labels, query_expr *map, query_place place)
{
	query_node *node = query_alloc(q, sizeof *node);
	if (!node)
		return NULL;
	*node = (query_node){ .place = place, .variable = variable, .conditions = labels ? labels : map };
	if (labels && map)
		node->conditions = query_join(q, GEMP_AND, labels, map, place);
	return node;
}

static query_edge *new_edge(query *q, query_word variable, query_expr *types, query_expr *map)
{
	query_edge *edge = query_alloc(q, sizeof *edge);
	if (edge)
		*edge = (query_edge){ .variable = variable, .types = types, .conditions = map };
	return edge;
}

static void add_item(query *q, query_expr *expr, query_word alias, query_place place)
{
	query_item *item = query_alloc(q, sizeof *item);
	if (!item)
		return;
	*item = (query_item){ .place = place, .expr = expr, .alias = alias };
	if (q->last_item)
		q->last_item->next = item;
	else
		q->items = item;
	q->last_item = item;
}

/* variable.name or variable alone */
static query_expr *new_access(query *q, gemp_expr_kind kind, query_word variable, query_word name, query_place place)
{
	query_expr *expr = query_leaf(q, kind, place);
	if (expr) {
		expr->variable = variable;
		expr->name = name;
	}
	return expr;
}

/* Say of every label test in a tree which variable it is about. */
static void about(query_expr *expr, query_word variable)
{
	if (expr->kind == GEMP_HAS_LABEL)
		expr->variable = variable;
	else
		for (query_expr *child = expr->first; child; child = child->next)
			about(child, variable);
}
}

%union {
	query_word word;
	uint64_t integer;
	double real;
	gemp_expr_kind kind;
	query_expr *expr;
	query_node *node;
	query_edge *edge;
	query_path *path;
}

%token <word> NAME "a name" STRING "a string"
%token <word> MATCH WHERE RETURN LIMIT AS AND OR NOT IN IS NULL_ "NULL" TRUE_ "true" FALSE_ "false"
%token <word> CONTAINS STARTS ENDS WITH REFUSED "another clause"
%token <integer> INTEGER "an integer"
%token <real> FLOAT "a float"
%token NE "'<>'" LE "'<='" GE "'>='" MATCHES "'=~'" RANGE "'..'" YYEOF 0 "the end"

%type <word> name optional_name optional_alias callee
%type <expr> optional_labels labels any_label all_labels label optional_types types optional_map map entries entry
%type <expr> literal disjunction conjunction negation test operand literals
%type <kind> comparison
%type <node> node
%type <edge> edge bracket
%type <path> path

%%

query
	: MATCH paths optional_where optional_return optional_limit optional_end
	;

paths
	: path                          { add_path(q, $1); }
	| paths ',' path                { add_path(q, $3); }
	;

path
	: node                          { $$ = new_path(q, $1); CHECK; }
	| path edge node                { add_edge($1, $2, $3); $$ = $1; }
	| NAME '='                      { REFUSE(@1, "a name for a whole path (p = ...)"); }
	| NAME '('                      { query_fail(q, @1.begin, "%s() over a path is not supported yet", $1.bytes);
	                                  YYABORT; }
	;

node
	: '(' optional_name optional_labels optional_map ')'
	                                { $$ = new_node(q, $2, $3, $4, @$); CHECK; }
	| '(' optional_name optional_labels optional_map WHERE
	                                { REFUSE(@5, "WHERE inside of a vertex; write it after all paths"); }
	| '(' '('                       { REFUSE(@1, "a path in parentheses"); }
	;

edge
	: '-' bracket '-'               { $$ = $2; $$->place = @$; }
	| '-' bracket '-' '>'           { $$ = $2; $$->place = @$; $$->right = true; }
	| '<' '-' bracket '-'           { $$ = $3; $$->place = @$; $$->left = true; }
	| '<' '-' bracket '-' '>'       { $$ = $3; $$->place = @$; $$->left = $$->right = true; }
	;

bracket
	: %empty                        { $$ = new_edge(q, (query_word){ 0 }, NULL, NULL); CHECK; }
	| '[' optional_name optional_types optional_map ']'
	                                { $$ = new_edge(q, $2, $3, $4); CHECK; }
	| '[' optional_name optional_types '*'
	                                { REFUSE(@4, "a path of variable length (*)"); }
	| '[' optional_name optional_types optional_map WHERE
	                                { REFUSE(@5, "WHERE inside of an edge; write it after all paths"); }
	;

optional_name
	: %empty                        { $$ = (query_word){ 0 }; }
	| NAME
	;

name
	: NAME | MATCH | WHERE | RETURN | LIMIT | AS | AND | OR | NOT | IN | IS | NULL_ | TRUE_ | FALSE_ | CONTAINS | STARTS
	| ENDS | WITH | REFUSED
	;

optional_labels
	: %empty                        { $$ = NULL; }
	| labels
	;

labels
	: ':' any_label                 { $$ = $2; }
	| labels ':' any_label          { $$ = query_join(q, GEMP_AND, $1, $3, @$); CHECK; }
	;

any_label
	: all_labels
	| any_label '|' all_labels      { $$ = query_join(q, GEMP_OR, $1, $3, @$); CHECK; }
	| any_label '|' ':' all_labels  { $$ = query_join(q, GEMP_OR, $1, $4, @$); CHECK; }
	;

all_labels
	: label
	| all_labels '&' label          { $$ = query_join(q, GEMP_AND, $1, $3, @$); CHECK; }
	;

label
	: name                          { $$ = query_leaf(q, GEMP_HAS_LABEL, @$);
	                                  CHECK;
	                                  query_expr *text = query_string(q, $1);
	                                  CHECK;
	                                  query_adopt($$, text); }
	;

optional_types
	: %empty                        { $$ = NULL; }
	| types
	;

types
	: ':' label                     { $$ = $2; }
	| types '|' name                { $$ = $1; query_expr *text = query_string(q, $3); CHECK; query_adopt($$, text); }
	| types '|' ':' name            { $$ = $1; query_expr *text = query_string(q, $4); CHECK; query_adopt($$, text); }
	;

optional_map
	: %empty                        { $$ = NULL; }
	| map
	;

map
	: '{' '}'                       { $$ = NULL; }
	| '{' entries '}'               { $$ = $2; }
	;

entries
	: entry
	| entries ',' entry             { $$ = query_join(q, GEMP_AND, $1, $3, @$); CHECK; }
	;

entry
	: name ':' literal              { query_expr *left = new_access(q, GEMP_ATTRIBUTE, (query_word){ 0 }, $1, @1);
	                                  CHECK;
	                                  $$ = query_binary(q, GEMP_EQ, left, $3, @$);
	                                  CHECK; }
	;

literal
	: INTEGER                       { $$ = query_integer(q, $1, false, @$); CHECK; }
	| '-' INTEGER                   { $$ = query_integer(q, $2, true, @$); CHECK; }
	| FLOAT                         { $$ = query_real(q, $1, @$); CHECK; }
	| '-' FLOAT                     { $$ = query_real(q, -$2, @$); CHECK; }
	| STRING                        { $$ = query_string(q, $1); CHECK; }
	| TRUE_                         { $$ = query_leaf(q, GEMP_LITERAL, @$); CHECK;
	                                  $$->value = (gemp_value){ .type = GEMP_BOOLEAN, .truth = true }; }
	| FALSE_                        { $$ = query_leaf(q, GEMP_LITERAL, @$); CHECK;
	                                  $$->value = (gemp_value){ .type = GEMP_BOOLEAN }; }
	| NULL_                         { $$ = query_leaf(q, GEMP_LITERAL, @$); CHECK;
	                                  $$->value = (gemp_value){ .type = GEMP_BOOLEAN, .null = true }; }
	;

optional_where
	: %empty
	| WHERE { q->clause = QUERY_WHERE; } disjunction
	                                { q->where = $3; }
	;

disjunction
	: conjunction
	| disjunction OR conjunction    { $$ = query_join(q, GEMP_OR, $1, $3, @$); CHECK; }
	;

conjunction
	: negation
	| conjunction AND negation      { $$ = query_join(q, GEMP_AND, $1, $3, @$); CHECK; }
	;

negation
	: test
	| NOT negation                  { $$ = query_binary(q, GEMP_NOT, $2, NULL, @$); CHECK; }
	;

test
	: operand
	| operand comparison operand    { $$ = query_binary(q, $2, $1, $3, @$); CHECK; }
	| operand CONTAINS operand      { $$ = query_binary(q, GEMP_CONTAINS, $1, $3, @$); CHECK; }
	| operand STARTS WITH operand   { $$ = query_binary(q, GEMP_STARTS_WITH, $1, $4, @$); CHECK; }
	| operand ENDS WITH operand     { $$ = query_binary(q, GEMP_ENDS_WITH, $1, $4, @$); CHECK; }
	| operand IS NULL_              { $$ = query_binary(q, GEMP_IS_NULL, $1, NULL, @$); CHECK; }
	| operand IS NOT NULL_          { $$ = query_binary(q, GEMP_IS_NOT_NULL, $1, NULL, @$); CHECK; }
	| operand IN '[' ']'            { $$ = query_binary(q, GEMP_IN, $1, NULL, @$); CHECK; }
	| operand IN '[' literals ']'   { query_expr *list = $4;
	                                  $1->next = list->first; /* in front of the literals */
	                                  list->first = $1;
	                                  list->place = @$;
	                                  $$ = list; }
	| NAME labels                   { about($2, $1); $$ = $2; }
	;

literals
	: literal                       { $$ = query_binary(q, GEMP_IN, $1, NULL, @$); CHECK; }
	| literals ',' literal          { query_adopt($1, $3); $$ = $1; }
	;

comparison
	: '=' { $$ = GEMP_EQ; } | NE { $$ = GEMP_NE; } | '<' { $$ = GEMP_LT; } | LE { $$ = GEMP_LE; }
	| '>' { $$ = GEMP_GT; } | GE { $$ = GEMP_GE; }
	;

operand
	: literal
	| NAME                          { $$ = new_access(q, GEMP_VERTEX, $1, (query_word){ 0 }, @$); CHECK; }
	| NAME '.' name                 { $$ = new_access(q, GEMP_ATTRIBUTE, $1, $3, @$); CHECK; }
	| callee '*' ')'                { $$ = query_call(q, $1, NULL, @$); CHECK; }
	| callee disjunction ')'        { $$ = query_call(q, $1, $2, @$); CHECK; }
	| '(' disjunction ')'           { $$ = $2; $$->place = @$; }
	;

callee
	: NAME '('                      { query_check_callee(q, $1); CHECK; }
	;

optional_return
	: %empty
	| RETURN { q->clause = QUERY_RETURN; } items
	;

items
	: '*'                           { add_item(q, NULL, (query_word){ 0 }, @$); CHECK; }
	| item
	| items ',' item
	;

item
	: disjunction optional_alias    { add_item(q, $1, $2, @1); CHECK; }
	;

optional_alias
	: %empty                        { $$ = (query_word){ 0 }; }
	| AS name                       { $$ = $2; }
	;

optional_limit
	: %empty
	| LIMIT { q->clause = QUERY_LIMIT; } INTEGER
	                                { q->has_limit = true; q->limit = $3; }
	;

optional_end
	: %empty
	| ';'
	;

%%

static int yyreport_syntax_error(const yypcontext_t *context, void *scanner, query *q)
{
	(void)scanner;
	enum { MOST = 4 };
	yysymbol_kind_t expected[YYNTOKENS];
	int all = yypcontext_expected_tokens(context, expected, YYNTOKENS), count = 0;
	bool any_word = false, operand = false; /* then "a name" or "a value" is what to say */
	for (int i = 0; i < all; i++) {
		any_word = any_word || expected[i] == YYSYMBOL_REFUSED;
		operand = operand || expected[i] == YYSYMBOL_STRING;
	}
	for (int i = 0; i < all; i++)
		if (!any_word || expected[i] < YYSYMBOL_MATCH || expected[i] > YYSYMBOL_REFUSED)
			expected[count++] = expected[i];
	char list[256] = "";
	for (int i = 0; i < count && count <= MOST; i++) {
		const char *between = i == 0 ? "" : i + 1 < count ? ", " : " or ";
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", between, yysymbol_name(expected[i]));
	}
	query_unexpected(q, *yypcontext_location(context), operand ? "a value" : *list ? list : NULL);
	return 0;
}

gemp_code query_parse(query *q, const gemp_source *source)
{
	*q = (query){ .source = *source };
	q->code = gemp_source_check(source);
	if (q->code != GEMP_OK)
		return q->code;
	size_t size = strlen(source->text);
	char *copy = query_alloc(q, size + 2); /* flex wants two zeros at the end */
	if (!copy)
		return q->code;
	memcpy(copy, source->text, size);
	void *scanner;
	GEMP_CHECK(query_yylex_init_extra(q, &scanner) == 0);
	GEMP_CHECK(query_yy_scan_buffer(copy, size + 2, scanner));
	int failed = query_yyparse(scanner, q);
	GEMP_CHECK(!failed || q->code != GEMP_OK);
	query_yylex_destroy(scanner);
	return q->code;
}
