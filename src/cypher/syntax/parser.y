%code requires {
/* The grammar of openCypher 9: queries, clauses and patterns; parser_expressions.y has the expressions. */
#include "cypher/syntax/build.h"
}

%define api.pure full
%define api.prefix {cypher_yy}
%define api.location.type {gemp_cypher_place}
%define parse.error custom
%define parse.lac full
%locations
%param {void *scanner}
%parse-param {gemp_cypher_builder *b}

%code top {
#include "core/memory.h"

/* bison does not say why its stacks could not grow: this flag tells a lack of memory from a text that is nested too
 * deeply. */
static _Thread_local bool out_of_memory;

static void *stack_memory(size_t size)
{
	void *memory = gemp_calloc(1, size);
	out_of_memory = !memory;
	return memory;
}

#define YYMAXDEPTH 10000
#define YYMALLOC stack_memory
#define YYFREE gemp_free
}

%code {
#include "cypher/lexer.h"

#include <stdio.h>
#include <string.h>

#define YYLLOC_DEFAULT(current, right, count)                                           \
	((current).begin = (count) ? YYRHSLOC(right, 1).begin : YYRHSLOC(right, 0).end, \
	 (current).end = (count) ? YYRHSLOC(right, count).end : YYRHSLOC(right, 0).end)

/* In an action: stops the parser after a failure. */
#define MAKE(node, value)                   \
	do {                                \
		if (!((node) = (value)))    \
			YYABORT;            \
	} while (0)
#define TRY_MAKE(value)                     \
	do {                                \
		if (!(value))               \
			YYABORT;            \
	} while (0)
#define REFUSE(place, what)                              \
	do {                                             \
		gemp_cy_refuse(b, (place).begin, (what)); \
		YYABORT;                                 \
	} while (0)
#define NO_WORD ((gemp_cypher_word){ 0 })

static void cypher_yyerror(YYLTYPE *place, void *scanner, gemp_cypher_builder *b, const char *message)
{
	(void)scanner, (void)message; /* bison has only one message here: the stack is full */
	if (!out_of_memory)
		gemp_cy_fail(b, place->begin, "the query is nested too deeply here");
	else if (b->code == GEMP_OK)
		b->code = GEMP_ENOMEM;
	out_of_memory = false;
}
}

%union {
	gemp_cypher_word word;
	uint64_t integer;
	double real;
	bool flag;
	unsigned depth;
	gemp_cypher_operator operator;
	gemp_cypher_expr *expr;
	gemp_cypher_label *label;
	struct { gemp_cypher_label *first, *last; } labels;
	gemp_cypher_hops hops;
	gemp_cypher_node *node; gemp_cypher_edge *edge; gemp_cypher_path *path; gemp_cypher_pattern *pattern;
	gemp_cypher_item *item; gemp_cypher_order *order; gemp_cypher_update *update;
	gemp_cypher_clause *clause; gemp_cypher_part *part; gemp_cypher_query *query;
	struct { gemp_cypher_item *first, *last; } items;
}

%token <word> NAME "a name" STRING "a string"
%token <word> MATCH OPTIONAL WHERE WITH RETURN DISTINCT ORDER BY ASC DESC SKIP LIMIT AS AND OR XOR NOT IN IS
%token <word> NULL_ "NULL" TRUE_ "true" FALSE_ "false" CONTAINS STARTS ENDS CREATE MERGE DELETE DETACH SET REMOVE
%token <word> UNWIND UNION ALL CASE WHEN THEN ELSE END ON CALL YIELD FOREACH
%token <word> QUANTIFIER EXTRACT REDUCE SHORTEST ALL_SHORTEST EXISTS_BLOCK COUNT_BLOCK COLLECT_BLOCK
%token <integer> INTEGER "an integer"
%token <real> FLOAT "a float"
%token PATH_BEGIN "the first vertex of a path" LIST_BEGIN PATHS_BEGIN
%token ALTERNATIVE "'|' between names" NE "'<>'" LE "'<='" GE "'>='" MATCHES "'=~'" ADDED "'+='" RANGE "'..'" YYEOF 0 "the end"

%type <word> variable optional_name name callable procedure optional_alias
%type <labels> optional_labels labels optional_types types
%type <label> any_label all_labels label
%type <expr> optional_properties where optional_where skip limit optional_skip optional_limit target
%type <expr> expression exclusion conjunction negation comparison chain predicate sum product power unary labelled postfix
%type <expr> atom literal parameter map entries list elements optional_elements optional_expression projections
%type <expr> projection_element case
%type <operator> comparator
%type <depth> enter
%type <node> node
%type <edge> edge bracket
%type <hops> hops
%type <path> path shape chain_of_edges shortest step
%type <pattern> pattern
%type <items> items yields
%type <item> item yield
%type <order> order
%type <update> update removal
%type <clause> clause reading match updating delete body body_items optional_order sorted merge updates removals call
%type <part> part foreach_body
%type <query> query block
%type <flag> optional_distinct

%expect 2 /* after a path in an expression, `-` and `<` continue the path */

%%

text
	: query optional_end            { MAKE(b->tree->query, gemp_cy_finish(b, $1, GEMP_CY_WHOLE)); }
	;

optional_end
	: %empty | ';'
	;

query
	: part                          { MAKE($$, gemp_cy_union(b, NULL, false, $1, @$)); }
	| query UNION part              { MAKE($$, gemp_cy_union(b, $1, false, $3, @$)); }
	| query UNION ALL part          { MAKE($$, gemp_cy_union(b, $1, true, $4, @$)); }
	;

part
	: clause                        { MAKE($$, gemp_cy_append(b, NULL, $1)); }
	| part clause                   { MAKE($$, gemp_cy_append(b, $1, $2)); }
	;

clause
	: reading | updating
	| WITH body optional_where      { MAKE($$, gemp_cy_project(b, $2, GEMP_CY_WITH, @$)); $$->where = $3; }
	| RETURN body                   { MAKE($$, gemp_cy_project(b, $2, GEMP_CY_RETURN, @$)); }
	;

reading
	: match                         { $$ = $1; $$->place = @$; }
	| OPTIONAL match                { $$ = $2; $$->place = @$; $$->optional = true; }
	| UNWIND expression AS name     { MAKE($$, gemp_cy_clause(b, GEMP_CY_UNWIND, @$)); $$->expr = $2; $$->name = $4; }
	| CALL '{' enter query '}'      { MAKE($$, gemp_cy_clause(b, GEMP_CY_CALL_SUBQUERY, @$));
	                                  MAKE($$->query, gemp_cy_finish(b, $4, GEMP_CY_CLAUSE));
	                                  gemp_cy_leave(b, $3); }
	| CALL open                     { REFUSE(@2, "CALL with a list of variables; write CALL { WITH ... } instead"); }
	| call                          { $$ = $1; $$->place = @$; }
	| call YIELD yields optional_where
	                                { $$ = $1; $$->place = @$; $$->yields = $3.first; $$->where = $4; }
	| call YIELD '*'                { $$ = $1; $$->place = @$; $$->all = true; }
	;

match
	: MATCH pattern optional_where  { MAKE($$, gemp_cy_clause(b, GEMP_CY_MATCH, @$)); $$->pattern = $2; $$->where = $3; }
	;

call
	: CALL procedure                { MAKE($$, gemp_cy_clause(b, GEMP_CY_CALL_PROCEDURE, @$)); $$->name = $2; }
	| CALL procedure open optional_elements ')'
	                                { MAKE($$, gemp_cy_clause(b, GEMP_CY_CALL_PROCEDURE, @$));
	                                  $$->name = $2;
	                                  $$->items = gemp_cy_items(b, $4);
	                                  $$->has_arguments = true; }
	;

procedure
	: callable
	| procedure '.' name            { $$ = gemp_cy_join(b, $1, $3, @$); TRY_MAKE($$.bytes); }
	;

callable
	: NAME | CALL | YIELD | FOREACH | ON
	;

yields
	: yield                         { $$.first = $$.last = $1; }
	| yields ',' yield              { $$ = $1; GEMP_LIST_APPEND($$.first, $$.last, $3); }
	;

yield
	: name optional_alias           { gemp_cypher_expr *field;
	                                  MAKE(field, gemp_cy_named(b, GEMP_CY_VARIABLE, $1, NULL, @1));
	                                  MAKE($$, gemp_cy_item(b, field, $2.bytes ? $2 : $1, @$));
	                                  $$->named = $2.bytes; }
	;

updating
	: CREATE { b->creating = true; } pattern
	                                { b->creating = false;
	                                  MAKE($$, gemp_cy_clause(b, GEMP_CY_CREATE, @$));
	                                  $$->pattern = $3; }
	| merge                         { $$ = $1; $$->place = @$; }
	| SET updates                   { $$ = $2; $$->place = @$; }
	| REMOVE removals               { $$ = $2; $$->place = @$; }
	| delete                        { $$ = $1; $$->place = @$; }
	| DETACH delete                 { $$ = $2; $$->place = @$; $$->detach = true; }
	| FOREACH open name IN expression '|' enter foreach_body ')'
	                                { MAKE($$, gemp_cy_clause(b, GEMP_CY_FOREACH, @$));
	                                  $$->name = $3;
	                                  $$->expr = $5;
	                                  $$->body = $8->first;
	                                  gemp_cy_leave(b, $7); }
	;

delete
	: DELETE elements               { MAKE($$, gemp_cy_clause(b, GEMP_CY_DELETE, @$)); MAKE($$->items, gemp_cy_items(b, $2)); }
	;

merge
	: MERGE path                    { MAKE($$, gemp_cy_clause(b, GEMP_CY_MERGE, @$));
	                                  MAKE($$->pattern, gemp_cy_pattern(b, NULL, $2, @2)); }
	| merge ON CREATE SET updates   { $$ = $1; gemp_cy_on($$, $5, true); }
	| merge ON MATCH SET updates    { $$ = $1; gemp_cy_on($$, $5, false); }
	;

updates
	: update                        { MAKE($$, gemp_cy_clause(b, GEMP_CY_SET, @$));
	                                  GEMP_LIST_APPEND($$->updates, $$->last_update, $1); }
	| updates ',' update            { $$ = $1; GEMP_LIST_APPEND($$->updates, $$->last_update, $3); }
	;

update
	: postfix '=' expression        { MAKE($$, gemp_cy_update(b, GEMP_CY_SET_PROPERTY, $1, $3, @$)); }
	| postfix ADDED expression      { MAKE($$, gemp_cy_update(b, GEMP_CY_ADD_ALL, $1, $3, @$)); }
	| labelled                      { MAKE($$, gemp_cy_update(b, GEMP_CY_SET_LABELS, $1, NULL, @$)); }
	;

removals
	: removal                       { MAKE($$, gemp_cy_clause(b, GEMP_CY_REMOVE, @$));
	                                  GEMP_LIST_APPEND($$->updates, $$->last_update, $1); }
	| removals ',' removal          { $$ = $1; GEMP_LIST_APPEND($$->updates, $$->last_update, $3); }
	;

removal
	: target                        { MAKE($$, gemp_cy_update(b, GEMP_CY_REMOVE_PROPERTY, $1, NULL, @$)); }
	;

target
	: postfix | labelled
	;

foreach_body
	: updating                      { MAKE($$, gemp_cy_append(b, NULL, $1)); }
	| foreach_body updating         { MAKE($$, gemp_cy_append(b, $1, $2)); }
	;

body
	: optional_distinct optional_order optional_skip optional_limit
	                                { $$ = $2; $$->distinct = $1; $$->skip = $3; $$->limit = $4; }
	;

optional_distinct
	: %empty { $$ = false; } | DISTINCT { $$ = true; }
	;

optional_order
	: body_items | sorted
	;

sorted
	: body_items ORDER BY order     { $$ = $1; $$->orders = $$->last_order = $4; }
	| sorted ',' order              { $$ = $1; GEMP_LIST_APPEND($$->orders, $$->last_order, $3); }
	;

body_items
	: items                         { MAKE($$, gemp_cy_clause(b, GEMP_CY_WITH, @$));
	                                  $$->items = $1.first;
	                                  $$->last_item = $1.last; }
	| '*'                           { MAKE($$, gemp_cy_clause(b, GEMP_CY_WITH, @$)); $$->all = true; }
	| '*' ',' items                 { MAKE($$, gemp_cy_clause(b, GEMP_CY_WITH, @$));
	                                  $$->all = true;
	                                  $$->items = $3.first;
	                                  $$->last_item = $3.last; }
	;

items
	: item                          { $$.first = $$.last = $1; }
	| items ',' item                { $$ = $1; GEMP_LIST_APPEND($$.first, $$.last, $3); }
	;

item
	: expression optional_alias     { MAKE($$, gemp_cy_item(b, $1, $2, @1)); }
	;

optional_alias
	: %empty                        { $$ = NO_WORD; }
	| AS name                       { $$ = $2; }
	;

order
	: expression                    { MAKE($$, GEMP_CY_NODE(b, gemp_cypher_order, .expr = $1)); }
	| expression ASC                { MAKE($$, GEMP_CY_NODE(b, gemp_cypher_order, .expr = $1)); }
	| expression DESC               { MAKE($$, GEMP_CY_NODE(b, gemp_cypher_order, .expr = $1, .descending = true)); }
	;

optional_skip
	: %empty { $$ = NULL; } | skip
	;

skip
	: SKIP expression               { $$ = $2; }
	;

optional_limit
	: %empty { $$ = NULL; } | limit
	;

limit
	: LIMIT expression              { $$ = $2; }
	;

optional_where
	: %empty { $$ = NULL; } | where
	;

where
	: WHERE expression              { $$ = $2; }
	;

enter
	: %empty                        { $$ = b->deepest; TRY_MAKE(gemp_cy_enter(b, @$)); }
	;

pattern
	: path                          { MAKE($$, gemp_cy_pattern(b, NULL, $1, @$)); }
	| pattern ',' path              { MAKE($$, gemp_cy_pattern(b, $1, $3, @$)); }
	;

path
	: shape
	| variable '=' shape              { $$ = $3; $$->name = $1; $$->place = @$; }
	;

shape
	: chain_of_edges
	| open shape ')'                { $$ = $2; $$->place = @$; }
	| shortest
	;

shortest
	: SHORTEST open chain_of_edges ')'
	                                { $$ = $3; $$->kind = GEMP_CY_SHORTEST; $$->place = @$; }
	| ALL_SHORTEST open chain_of_edges ')'
	                                { $$ = $3; $$->kind = GEMP_CY_ALL_SHORTEST; $$->place = @$; }
	;

chain_of_edges
	: node                          { MAKE($$, gemp_cy_path(b, $1)); }
	| chain_of_edges edge node      { $$ = gemp_cy_extend($1, $2, $3); }
	;

open
	: '(' | PATH_BEGIN
	;

node
	: open optional_name optional_labels optional_properties ')'
	                                { MAKE($$, gemp_cy_node(b, $2, $3.first, $4, @$)); }
	| open optional_name optional_labels optional_properties WHERE
	                                { REFUSE(@5, "WHERE inside of a vertex; write it after all paths"); }
	;

edge
	: '-' bracket '-'               { $$ = $2; $$->place = @$; }
	| '-' bracket '-' '>'           { $$ = $2; $$->place = @$; $$->right = true; }
	| '<' '-' bracket '-'           { $$ = $3; $$->place = @$; $$->left = true; }
	| '<' '-' bracket '-' '>'       { $$ = $3; $$->place = @$; $$->left = $$->right = true; }
	;

bracket
	: %empty                        { MAKE($$, gemp_cy_edge(b, NO_WORD, NULL, NULL, NULL)); }
	| '[' optional_name optional_types optional_properties ']'
	                                { MAKE($$, gemp_cy_edge(b, $2, $3.first, NULL, $4)); }
	| '[' optional_name optional_types '*' hops optional_properties ']'
	                                { MAKE($$, gemp_cy_edge(b, $2, $3.first, &$5, $6)); }
	| '[' optional_name optional_types optional_properties WHERE
	                                { REFUSE(@5, "WHERE inside of an edge; write it after all paths"); }
	;

hops
	: %empty                        { $$ = (gemp_cypher_hops){ 1, UINT64_MAX, false }; }
	| INTEGER                       { $$ = (gemp_cypher_hops){ $1, $1, true }; }
	| RANGE                         { $$ = (gemp_cypher_hops){ 1, UINT64_MAX, false }; }
	| INTEGER RANGE                 { $$ = (gemp_cypher_hops){ $1, UINT64_MAX, false }; }
	| RANGE INTEGER                 { $$ = (gemp_cypher_hops){ 1, $2, true }; }
	| INTEGER RANGE INTEGER         { $$ = (gemp_cypher_hops){ $1, $3, true }; }
	;

optional_name
	: %empty                        { $$ = NO_WORD; }
	| variable | EXISTS_BLOCK | COUNT_BLOCK | COLLECT_BLOCK
	;

optional_labels
	: %empty { $$.first = $$.last = NULL; } | labels
	;

labels
	: ':' any_label                 { $$.first = $$.last = $2; }
	| labels ':' any_label          { $$ = $1; $$.last = $$.last->next = $3; }
	;

/* `&` binds more tightly than `|`, and `|` than `:`. */
any_label
	: all_labels
	| any_label ALTERNATIVE all_labels
	                                { MAKE($$, gemp_cy_label_group(b, true, $1, $3)); }
	| any_label ALTERNATIVE ':' all_labels
	                                { MAKE($$, gemp_cy_label_group(b, true, $1, $4)); }
	;

all_labels
	: label
	| all_labels '&' label          { MAKE($$, gemp_cy_label_group(b, false, $1, $3)); }
	;

label
	: name                          { MAKE($$, gemp_cy_label(b, $1)); }
	;

optional_types
	: %empty { $$.first = $$.last = NULL; } | types
	;

types
	: ':' name                      { MAKE($$.first, gemp_cy_label(b, $2)); $$.last = $$.first; }
	| types ALTERNATIVE name        { $$ = $1; MAKE($$.last->next, gemp_cy_label(b, $3)); $$.last = $$.last->next; }
	| types ALTERNATIVE ':' name    { $$ = $1; MAKE($$.last->next, gemp_cy_label(b, $4)); $$.last = $$.last->next; }
	;

optional_properties
	: %empty                        { $$ = NULL; }
	| map
	| parameter                     { $$ = $1;
	                                  if (!b->creating)
	                                          REFUSE(@1, "a parameter instead of a map in MATCH and MERGE; write "
	                                                     "{key: $parameter.key}"); }
	;

variable
	: callable
	;

name
	: callable | MATCH | OPTIONAL | WHERE | WITH | RETURN | DISTINCT | ORDER | BY | ASC | DESC | SKIP | LIMIT | AS | AND
	| OR | XOR | NOT | IN | IS | NULL_ | TRUE_ | FALSE_ | CONTAINS | STARTS | ENDS | CREATE | MERGE | DELETE | DETACH | SET
	| REMOVE | UNWIND | UNION | ALL | CASE | WHEN | THEN | ELSE | END | QUANTIFIER | EXTRACT | REDUCE | SHORTEST
	| ALL_SHORTEST | EXISTS_BLOCK | COUNT_BLOCK | COLLECT_BLOCK
	;
