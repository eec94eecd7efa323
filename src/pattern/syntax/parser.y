%code requires {
/* The grammar of queries, a part of openCypher 9; docs/one-search.md describes it for users. */
#include "pattern/syntax/syntax_tree.h"
#include "pattern/model/expr.h"
}

%define api.pure full
%define api.prefix {query_yy}
%define api.location.type {gemp_ast_place}
%define parse.error custom
%define parse.lac full
%locations
%param {void *scanner}
%parse-param {gemp_ast *q}

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

#define YYLLOC_DEFAULT(current, right, count)                                                          \
	((current).begin = (count) ? YYRHSLOC(right, 1).begin : YYRHSLOC(right, 0).end,                 \
	 (current).end = (count) ? YYRHSLOC(right, count).end : YYRHSLOC(right, 0).end)

/* In an action: stops the parser after a failure. */
#define CHECK                          \
	do {                           \
		if (q->code != GEMP_OK) \
			YYABORT;       \
	} while (0)
#define REFUSE(place, what)                            \
	do {                                           \
		gemp_ast_refuse(q, (place).begin, (what)); \
		YYABORT;                               \
	} while (0)

static void query_yyerror(YYLTYPE *place, void *scanner, gemp_ast *q, const char *message)
{
	(void)scanner, (void)message; /* bison has only one message here: the stack is full */
	gemp_ast_fail(q, place->begin, "the query is nested too deeply here");
}
}

%union {
	gemp_ast_word word;
	uint64_t integer;
	double real;
	bool flag;
	gemp_expr_kind kind; gemp_ast_clause clause;
	gemp_ast_expr *expr;
	struct { gemp_ast_expr *whole, *last; } chain;
	gemp_ast_node *node; gemp_ast_edge *edge; gemp_ast_path *path; gemp_ast_hops trail;
	gemp_ast_match *match;
	gemp_ast_part *part; gemp_ast_item *item; gemp_ast_order *order; gemp_ast_projection *projection;
	gemp_ast_update *update; gemp_ast_control *control;
}

%token <word> NAME "a name" STRING "a string"
%token <word> MATCH OPTIONAL WHERE WITH RETURN DISTINCT ORDER BY ASC DESC SKIP LIMIT AS AND OR XOR NOT IN IS
%token <word> NULL_ "NULL" TRUE_ "true" FALSE_ "false" CONTAINS STARTS ENDS EXISTS COUNT_BLOCK "COUNT"
%token <word> RULE RUN ONE ALL TRY CREATE SET REMOVE DELETE DETACH MERGE INTO
%token <word> REFUSED "another clause"
%token <integer> INTEGER "an integer"
%token <real> FLOAT "a float"
%token PATH_BEGIN "the first vertex of a path" RULES_BEGIN
%token NE "'<>'" LE "'<='" GE "'>='" MATCHES "'=~'" RANGE "'..'" YYEOF 0 "the end"

%type <word> variable optional_name name callee optional_alias
%type <expr> optional_labels labels any_label all_labels label optional_types types optional_map map entries entry
%type <expr> expression exclusion conjunction negation comparison predicate sum product factor atom literal parameter
%type <expr> optional_list list optional_where optional_skip optional_limit amount
%type <chain> chain
%type <kind> comparator
%type <node> node
%type <edge> edge bracket
%type <trail> range
%type <path> path step
%type <match> paths match block
%type <clause> enter
%type <item> item
%type <order> order
%type <flag> optional_distinct
%type <part> part
%type <projection> projection body items sorted result
%type <control> sequence choice attempt repeated step_of_run
%type <integer> optional_bound
%type <word> rule_name

%expect 3 /* after a path in an expression, `-` and `<` continue the path; LIMIT after WITH belongs to WITH */

%%

text
	: query
	| RULES_BEGIN rules
	;

query
	: match parts tail optional_end { q->match = $1; }
	;

tail
	: %empty                        { gemp_ast_check_end(q, @$.end); CHECK; }
	| LIMIT { gemp_ast_check_end(q, @1.begin); CHECK; q->clause = GEMP_AST_LIMIT; } amount
	                                { q->result = GEMP_AST_NODE(q, gemp_ast_projection, .limit = $3); CHECK; }
	| result                        { q->result = $1; }
	;

match
	: MATCH paths optional_where    { $$ = $2; $$->where = $3; $$->place = @$; }
	;

parts
	: %empty
	| parts part                    { GEMP_LIST_APPEND(q->parts, q->last_part, $2); }
	;

part
	: MATCH { gemp_ast_begin_part(q, GEMP_AST_MATCH, @1); CHECK; } paths optional_where
	                                { $3->where = $4;
	                                  $3->place = @$;
	                                  $$ = GEMP_AST_NODE(q, gemp_ast_part, .match = $3);
	                                  CHECK; }
	| OPTIONAL { gemp_ast_begin_part(q, GEMP_AST_OPTIONAL, @1); CHECK; } match
	                                { $$ = GEMP_AST_NODE(q, gemp_ast_part, .match = $3, .optional = true); CHECK; }
	| WITH { gemp_ast_begin_part(q, GEMP_AST_WITH, @1); CHECK; } projection optional_where
	                                { $3->where = $4;
	                                  $3->place = @1;
	                                  $$ = GEMP_AST_NODE(q, gemp_ast_part, .with = $3);
	                                  CHECK; }
	;

paths
	: path                          { $$ = GEMP_AST_NODE(q, gemp_ast_match, .place = @$, .first = $1, .last = $1); CHECK; }
	| paths ',' path                { GEMP_LIST_APPEND($1->first, $1->last, $3); $$ = $1; }
	;

path
	: node                          { $$ = GEMP_AST_NODE(q, gemp_ast_path, .from = $1); CHECK; }
	| path edge node                { gemp_ast_add_edge($1, $2, $3); $$ = $1; }
	| variable '='                  { REFUSE(@1, "a name for a whole path (p = ...)"); }
	| variable open                 { gemp_ast_fail(q, @1.begin, "%.60s() over a path is not supported; a path has a "
	                                             "greatest length, as in -[:T*1..5]->", $1.bytes);
	                                  YYABORT; }
	;

open
	: '(' | PATH_BEGIN
	;

node
	: open optional_name optional_labels optional_map ')'
	                                { $$ = gemp_ast_new_node(q, $2, $3, $4, @$); CHECK; }
	| open optional_name optional_labels optional_map WHERE
	                                { REFUSE(@5, "WHERE inside of a vertex; write it after all paths"); }
	| open open                     { REFUSE(@1, "a path in parentheses"); }
	;

edge
	: '-' bracket '-'               { $$ = $2; $$->place = @$; }
	| '-' bracket '-' '>'           { $$ = $2; $$->place = @$; $$->right = true; }
	| '<' '-' bracket '-'           { $$ = $3; $$->place = @$; $$->left = true; }
	| '<' '-' bracket '-' '>'       { $$ = $3; $$->place = @$; $$->left = $$->right = true; }
	;

bracket
	: %empty                        { $$ = gemp_ast_new_edge(q, (gemp_ast_word){ 0 }, NULL, NULL); CHECK; }
	| '[' optional_name optional_types optional_map ']'
	                                { $$ = gemp_ast_new_edge(q, $2, $3, $4); CHECK; }
	| '[' optional_name optional_types '*' range ']'
	                                { $$ = gemp_ast_new_hops(q, $2, $3, $5, @4); CHECK; }
	| '[' optional_name optional_types '*' range map
	                                { REFUSE(@6, "an attribute of a path of variable length"); }
	| '[' optional_name optional_types optional_map WHERE
	                                { REFUSE(@5, "WHERE inside of an edge; write it after all paths"); }
	;

range
	: %empty                        { $$ = (gemp_ast_hops){ .min_hops = 1 }; }
	| INTEGER                       { $$ = (gemp_ast_hops){ $1, $1, true }; }
	| RANGE                         { $$ = (gemp_ast_hops){ .min_hops = 1 }; }
	| INTEGER RANGE                 { $$ = (gemp_ast_hops){ .min_hops = $1 }; }
	| RANGE INTEGER                 { $$ = (gemp_ast_hops){ 1, $2, true }; }
	| INTEGER RANGE INTEGER         { $$ = (gemp_ast_hops){ $1, $3, true }; }
	;

variable
	: NAME | COUNT_BLOCK
	;

optional_name
	: %empty { $$ = (gemp_ast_word){ 0 }; } | variable
	;

name
	: NAME | MATCH | OPTIONAL | WHERE | WITH | RETURN | DISTINCT | ORDER | BY | ASC | DESC | SKIP | LIMIT | AS | AND | OR
	| XOR | NOT | IN | IS | NULL_ | TRUE_ | FALSE_ | CONTAINS | STARTS | ENDS | EXISTS | COUNT_BLOCK | REFUSED
	| RULE | RUN | ONE | ALL | TRY | CREATE | SET | REMOVE | DELETE | DETACH | MERGE | INTO
	;

optional_labels
	: %empty                        { $$ = NULL; }
	| labels
	;

labels
	: ':' any_label                 { $$ = $2; }
	| labels ':' any_label          { $$ = gemp_ast_join(q, GEMP_AND, $1, $3, @$); CHECK; }
	;

any_label
	: all_labels
	| any_label '|' all_labels      { $$ = gemp_ast_join(q, GEMP_OR, $1, $3, @$); CHECK; }
	| any_label '|' ':' all_labels  { $$ = gemp_ast_join(q, GEMP_OR, $1, $4, @$); CHECK; }
	;

all_labels
	: label
	| all_labels '&' label          { $$ = gemp_ast_join(q, GEMP_AND, $1, $3, @$); CHECK; }
	;

label
	: name                          { $$ = gemp_ast_leaf(q, GEMP_HAS_LABEL, @$);
	                                  CHECK;
	                                  gemp_ast_expr *text = gemp_ast_string(q, $1);
	                                  CHECK;
	                                  gemp_ast_adopt(q, $$, text); }
	;

optional_types
	: %empty                        { $$ = NULL; }
	| types
	;

types
	: ':' label                     { $$ = $2; }
	| types '|' name                { $$ = $1; gemp_ast_expr *text = gemp_ast_string(q, $3); CHECK; gemp_ast_adopt(q, $$, text); }
	| types '|' ':' name            { $$ = $1; gemp_ast_expr *text = gemp_ast_string(q, $4); CHECK; gemp_ast_adopt(q, $$, text); }
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
	| entries ',' entry             { $$ = gemp_ast_join(q, GEMP_AND, $1, $3, @$); CHECK; }
	;

entry
	: name ':' expression           { gemp_ast_expr *left = gemp_ast_new_access(q, GEMP_ATTRIBUTE, (gemp_ast_word){ 0 }, $1, @1);
	                                  CHECK;
	                                  $$ = gemp_ast_binary(q, GEMP_EQ, left, $3, @$);
	                                  CHECK; }
	;

optional_where
	: %empty                        { $$ = NULL; }
	| WHERE { q->clause = GEMP_AST_WHERE; } expression
	                                { $$ = $3; }
	;

expression
	: exclusion
	| expression OR exclusion       { $$ = gemp_ast_join(q, GEMP_OR, $1, $3, @$); CHECK; }
	;

exclusion
	: conjunction
	| exclusion XOR conjunction     { $$ = gemp_ast_binary(q, GEMP_XOR, $1, $3, @$); CHECK; }
	;

conjunction
	: negation
	| conjunction AND negation      { $$ = gemp_ast_join(q, GEMP_AND, $1, $3, @$); CHECK; }
	;

negation
	: comparison
	| NOT negation                  { $$ = gemp_ast_binary(q, GEMP_NOT, $2, NULL, @$); CHECK; }
	;

comparison
	: predicate
	| chain                         { $$ = $1.whole; }
	;

chain
	: predicate comparator predicate
	                                { $$.whole = gemp_ast_binary(q, $2, $1, $3, @$); $$.last = $3; CHECK; }
	| chain comparator predicate    { $$.whole = gemp_ast_chain(q, $1.whole, $1.last, $2, $3, @$); $$.last = $3; CHECK; }
	;

comparator
	: '=' { $$ = GEMP_EQ; } | NE { $$ = GEMP_NE; } | '<' { $$ = GEMP_LT; } | LE { $$ = GEMP_LE; }
	| '>' { $$ = GEMP_GT; } | GE { $$ = GEMP_GE; }
	;

predicate
	: sum
	| predicate CONTAINS sum        { $$ = gemp_ast_binary(q, GEMP_CONTAINS, $1, $3, @$); CHECK; }
	| predicate STARTS WITH sum     { $$ = gemp_ast_binary(q, GEMP_STARTS_WITH, $1, $4, @$); CHECK; }
	| predicate ENDS WITH sum       { $$ = gemp_ast_binary(q, GEMP_ENDS_WITH, $1, $4, @$); CHECK; }
	| predicate MATCHES sum         { $$ = gemp_ast_binary(q, GEMP_MATCHES, $1, $3, @$); CHECK; }
	| predicate IS NULL_            { $$ = gemp_ast_binary(q, GEMP_IS_NULL, $1, NULL, @$); CHECK; }
	| predicate IS NOT NULL_        { $$ = gemp_ast_binary(q, GEMP_IS_NOT_NULL, $1, NULL, @$); CHECK; }
	| predicate IN '[' optional_list ']'
	                                { $$ = gemp_ast_in(q, $1, $4, @$); CHECK; }
	| predicate IN sum              { $$ = gemp_ast_in_labels(q, $1, $3, @$); CHECK; }
	;

optional_list
	: %empty                        { $$ = NULL; }
	| list
	;

list
	: expression                    { $$ = gemp_ast_binary(q, GEMP_IN, $1, NULL, @$); CHECK; }
	| list ',' expression           { gemp_ast_adopt(q, $1, $3); $$ = $1; CHECK; }
	;

sum
	: product
	| sum '+' product               { $$ = gemp_ast_binary(q, GEMP_ADD, $1, $3, @$); CHECK; }
	| sum '-' product               { $$ = gemp_ast_binary(q, GEMP_SUBTRACT, $1, $3, @$); CHECK; }
	;

product
	: factor
	| product '*' factor            { $$ = gemp_ast_binary(q, GEMP_MULTIPLY, $1, $3, @$); CHECK; }
	| product '/' factor            { $$ = gemp_ast_binary(q, GEMP_DIVIDE, $1, $3, @$); CHECK; }
	| product '%' factor            { $$ = gemp_ast_binary(q, GEMP_REMAINDER, $1, $3, @$); CHECK; }
	;

factor
	: atom
	| '-' factor                    { $$ = gemp_ast_negative(q, $2, @$); CHECK; }
	| '+' factor                    { REFUSE(@1, "a plus sign before a value; leave it out"); }
	;

atom
	: literal
	| parameter
	| NAME                          { $$ = gemp_ast_new_access(q, GEMP_VERTEX, $1, (gemp_ast_word){ 0 }, @$); CHECK; }
	| NAME '.' name                 { $$ = gemp_ast_new_access(q, GEMP_ATTRIBUTE, $1, $3, @$); CHECK; }
	| NAME labels                   { gemp_ast_set_variable($2, $1); $$ = $2; }
	| callee optional_distinct '*' ')'
	                                { $$ = gemp_ast_call(q, $1, $2, NULL, @$); CHECK; }
	| callee optional_distinct expression ')'
	                                { $$ = gemp_ast_call(q, $1, $2, $3, @$); CHECK; }
	| '(' expression ')'            { $$ = $2; $$->place = @$; }
	| EXISTS block                  { $$ = gemp_ast_new_pattern(q, GEMP_EXISTS, $2, false, @$); CHECK; }
	| COUNT_BLOCK block             { $$ = gemp_ast_new_pattern(q, GEMP_COUNT_OF, $2, false, @$); CHECK; }
	| EXISTS '('                    { REFUSE(@1, "exists(); write a.x IS NOT NULL, or EXISTS { } around a path"); }
	| EXISTS PATH_BEGIN             { REFUSE(@1, "exists(); write EXISTS { } around the path, or the path alone"); }
	| step                          { gemp_ast_match *match = GEMP_AST_NODE(q, gemp_ast_match, .first = $1, .last = $1);
	                                  CHECK;
	                                  $$ = gemp_ast_new_pattern(q, GEMP_EXISTS, match, true, @$);
	                                  CHECK; }
	;

step
	: PATH_BEGIN optional_name optional_labels optional_map ')' edge node
	                                { gemp_ast_place place = { @1.begin, @5.end };
	                                  gemp_ast_node *from = gemp_ast_new_node(q, $2, $3, $4, place);
	                                  CHECK;
	                                  $$ = GEMP_AST_NODE(q, gemp_ast_path, .from = from);
	                                  CHECK;
	                                  gemp_ast_add_edge($$, $6, $7); }
	| step edge node                { gemp_ast_add_edge($1, $2, $3); $$ = $1; }
	;

block
	: '{' enter optional_match paths optional_where '}'
	                                { $$ = $4; $$->where = $5; q->clause = $2; q->nested--; }
	;

enter
	: %empty                        { $$ = q->clause;
	                                  q->clause = GEMP_AST_MATCH;
	                                  if (++q->nested > GEMP_AST_MAX_NESTED)
	                                          gemp_ast_fail(q, @$.begin, "patterns are nested more than %d deep here",
	                                                     GEMP_AST_MAX_NESTED);
	                                  CHECK; }
	;

optional_match
	: %empty | MATCH
	;

callee
	: NAME open                     { gemp_ast_check_callee(q, $1); CHECK; }
	;

optional_distinct
	: %empty { $$ = false; } | DISTINCT { $$ = true; }
	;

literal
	: INTEGER                       { $$ = gemp_ast_integer(q, $1, @$); CHECK; }
	| FLOAT                         { $$ = gemp_ast_literal(q, (gemp_value){ .type = GEMP_FLOAT, .real = $1 }, @$); CHECK; }
	| STRING                        { $$ = gemp_ast_string(q, $1); CHECK; }
	| TRUE_                         { $$ = gemp_ast_literal(q, (gemp_value){ .type = GEMP_BOOLEAN, .truth = true }, @$); CHECK; }
	| FALSE_                        { $$ = gemp_ast_literal(q, (gemp_value){ .type = GEMP_BOOLEAN }, @$); CHECK; }
	| NULL_                         { $$ = gemp_ast_literal(q, (gemp_value){ .type = GEMP_BOOLEAN, .null = true }, @$); CHECK; }
	;

parameter
	: '$' name                      { $$ = gemp_ast_parameter(q, $2, @$); CHECK; }
	| '$' INTEGER                   { REFUSE(@2, "a parameter that is a number; give it a name"); }
	;

result
	: RETURN { q->clause = GEMP_AST_RETURN; } projection
	                                { $$ = $3; $$->place = @1; }
	;

projection
	: optional_distinct body optional_skip optional_limit
	                                { $$ = $2; $$->distinct = $1; $$->skip = $3; $$->limit = $4; }
	;

body
	: items | sorted
	;

items
	: '*'                           { gemp_ast_item *all = GEMP_AST_NODE(q, gemp_ast_item, .place = @$);
	                                  CHECK;
	                                  $$ = GEMP_AST_NODE(q, gemp_ast_projection, .items = all, .last_item = all);
	                                  CHECK; }
	| item                          { $$ = GEMP_AST_NODE(q, gemp_ast_projection, .items = $1, .last_item = $1); CHECK; }
	| items ',' item                { $$ = $1; $$->last_item->next = $3; $$->last_item = $3; }
	;

item
	: expression optional_alias     { $$ = GEMP_AST_NODE(q, gemp_ast_item, .place = @1, .expr = $1, .alias = $2); CHECK; }
	;

optional_alias
	: %empty                        { $$ = (gemp_ast_word){ 0 }; }
	| AS name                       { $$ = $2; }
	;

sorted
	: items ORDER BY order          { $$ = $1; $$->orders = $$->last_order = $4; }
	| sorted ',' order              { $$ = $1; $$->last_order->next = $3; $$->last_order = $3; }
	;

order
	: expression                    { $$ = GEMP_AST_NODE(q, gemp_ast_order, .expr = $1); CHECK; }
	| expression ASC                { $$ = GEMP_AST_NODE(q, gemp_ast_order, .expr = $1); CHECK; }
	| expression DESC               { $$ = GEMP_AST_NODE(q, gemp_ast_order, .expr = $1, .descending = true); CHECK; }
	;

optional_skip
	: %empty                        { $$ = NULL; }
	| SKIP { q->clause = GEMP_AST_LIMIT; } amount
	                                { $$ = $3; }
	;

optional_limit
	: %empty                        { $$ = NULL; }
	| LIMIT { q->clause = GEMP_AST_LIMIT; } amount
	                                { $$ = $3; }
	;

amount
	: INTEGER                       { $$ = gemp_ast_literal(q, (gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)$1 }, @$);
	                                  CHECK; }
	| parameter                     { gemp_ast_check_amount(q, $1); $$ = $1; CHECK; }
	;

optional_end
	: %empty | ';'
	;

