#line 2 "src/pattern/syntax/parser_rules.y"
/* The grammar of rules, behind that of queries in parser.y, which has the declarations; docs/rules.md describes it for
 * users. */

rules
	: rule_or_run | rules rule_or_run
	;

rule_or_run
	: RULE { gemp_ast_begin_rule(q); } variable match parts updates optional_end
	                                { gemp_ast_end_rule(q, $3, $4); CHECK; }
	| RUN { q->clause = GEMP_AST_RUN; } sequence optional_bound
	                                { gemp_ast_run(q, $3, $4, @$); CHECK; }
	;

updates
	: update | updates update
	;

update
	: CREATE { q->clause = GEMP_AST_MATCH; q->updating = true; } paths
	                                { gemp_ast_update *made = gemp_ast_new_update(q, GEMP_CREATE_VERTEX, (gemp_ast_word){ 0 }, @$);
	                                  CHECK;
	                                  made->paths = $3; }
	| SET { q->clause = GEMP_AST_UPDATE; q->updating = true; } settings
	| REMOVE { q->clause = GEMP_AST_UPDATE; q->updating = true; } removals
	| DELETE { q->clause = GEMP_AST_UPDATE; q->updating = true; q->detaching = false; } deletions
	| DETACH DELETE { q->clause = GEMP_AST_UPDATE; q->updating = true; q->detaching = true; } deletions
	| MERGE variable INTO variable  { gemp_ast_update *made = gemp_ast_new_update(q, GEMP_MERGE, $2, @$);
	                                  CHECK;
	                                  q->clause = GEMP_AST_UPDATE;
	                                  q->updating = true;
	                                  made->into = $4; }
	| MERGE open                    { REFUSE(@1, "MERGE of a path; write WHERE NOT EXISTS { } and CREATE, or MERGE b INTO "
	                                             "a to join two vertices"); }
	;

settings
	: setting | settings ',' setting
	;

setting
	: variable '.' name '=' expression
	                                { gemp_ast_update *made = gemp_ast_new_update(q, GEMP_SET_ATTRIBUTE, $1, @$);
	                                  CHECK;
	                                  made->name = $3;
	                                  made->value = $5; }
	| variable labels               { gemp_ast_update *made = gemp_ast_new_update(q, GEMP_ADD_LABELS, $1, @$);
	                                  CHECK;
	                                  made->labels = $2; }
	| variable '='                  { REFUSE(@2, "SET of all attributes at once; name them, as in SET a.x = 1, a.y = 2"); }
	| variable '+'                  { REFUSE(@2, "SET of several attributes by +=; name them, as in SET a.x = 1, a.y "
	                                             "= 2"); }
	;

removals
	: removal | removals ',' removal
	;

removal
	: variable '.' name             { gemp_ast_update *made = gemp_ast_new_update(q, GEMP_REMOVE_ATTRIBUTE, $1, @$);
	                                  CHECK;
	                                  made->name = $3; }
	| variable labels               { gemp_ast_update *made = gemp_ast_new_update(q, GEMP_REMOVE_LABELS, $1, @$);
	                                  CHECK;
	                                  made->labels = $2; }
	;

deletions
	: deletion | deletions ',' deletion
	;

deletion
	: variable                      { gemp_ast_update *made = gemp_ast_new_update(q, GEMP_DELETE, $1, @$);
	                                  CHECK;
	                                  made->detach = q->detaching; }
	| variable '.'                  { REFUSE(@2, "DELETE of an attribute; write REMOVE"); }
	| variable ':'                  { REFUSE(@2, "DELETE of a label; write REMOVE"); }
	;

sequence
	: choice                        { $$ = gemp_ast_join_control(q, GEMP_RUN_SEQUENCE, NULL, $1, @$); CHECK; }
	| sequence ';' choice           { $$ = gemp_ast_join_control(q, GEMP_RUN_SEQUENCE, $1, $3, @$); CHECK; }
	;

choice
	: attempt                       { $$ = gemp_ast_join_control(q, GEMP_RUN_CHOICE, NULL, $1, @$); CHECK; }
	| choice '|' attempt            { $$ = gemp_ast_join_control(q, GEMP_RUN_CHOICE, $1, $3, @$); CHECK; }
	;

attempt
	: repeated
	| TRY attempt                   { $$ = gemp_ast_new_control(q, GEMP_RUN_TRY, $2, @$); CHECK; }
	;

repeated
	: step_of_run
	| repeated '*'                  { $$ = gemp_ast_repeat(q, $1, 0, @$); CHECK; }
	| repeated '{' INTEGER '}'      { if ($3 == 0)
	                                          REFUSE(@3, "{0}; write how many times, from 1 on");
	                                  $$ = gemp_ast_repeat(q, $1, $3, @$);
	                                  CHECK; }
	;

step_of_run
	: rule_name                     { $$ = gemp_ast_new_control(q, GEMP_RUN_RULE, NULL, @$); CHECK; $$->rule = $1; }
	| ALL rule_name                 { $$ = gemp_ast_new_control(q, GEMP_RUN_RULE, NULL, @2); CHECK; $$->rule = $2; }
	| ONE rule_name                 { $$ = gemp_ast_new_control(q, GEMP_RUN_RULE, NULL, @2);
	                                  CHECK;
	                                  $$->rule = $2;
	                                  $$->one = true; }
	| ONE '('                       { REFUSE(@1, "ONE before a group; write it before each rule in it"); }
	| ALL '('                       { REFUSE(@1, "ALL before a group; it is what a rule does without it"); }
	| '(' sequence ')'              { $$ = $2; }
	;

rule_name
	: variable
	;

optional_bound
	: %empty                        { $$ = 0; }
	| ';'                           { $$ = 0; }
	| LIMIT INTEGER optional_end    { if ($2 == 0)
	                                          REFUSE(@2, "LIMIT 0; write how many steps there may be, from 1 on");
	                                  $$ = $2; }
	;

%%

static bool is_among(const yysymbol_kind_t *expected, int count, yysymbol_kind_t symbol)
{
	for (int i = 0; i < count; i++)
		if (expected[i] == symbol)
			return true;
	return false;
}

/* Returns what may stand next in a rule or after RUN, in a few words; NULL if the list of expected tokens is
 * plainer. */
static const char *expected_of_rules(const gemp_ast *q, const yysymbol_kind_t *expected, int count)
{
	if (q->clause == GEMP_AST_RUN && is_among(expected, count, YYSYMBOL_TRY))
		return "a rule, TRY or a group";
	if (q->clause == GEMP_AST_RUN && is_among(expected, count, YYSYMBOL_LIMIT))
		return "one of * {n} | ; LIMIT";
	if (q->clause == GEMP_AST_RUN && count > 4) /* within a group */
		return "one of * {n} | ; )";
	if (is_among(expected, count, YYSYMBOL_CREATE) && !q->updating)
		return "an update: CREATE, SET, REMOVE, DELETE or MERGE";
	return NULL;
}

static int yyreport_syntax_error(const yypcontext_t *context, void *scanner, gemp_ast *q)
{
	(void)scanner;
	enum { MOST = 4 };
	yysymbol_kind_t expected[YYNTOKENS];
	int all = yypcontext_expected_tokens(context, expected, YYNTOKENS), count = 0;
	const char *rule = q->is_rules ? expected_of_rules(q, expected, all) : NULL;
	/* any_word: words of the language are left out; operand: "a value" replaces the list */
	bool any_word = false, operand = false;
	for (int i = 0; i < all; i++) {
		any_word = any_word || expected[i] == YYSYMBOL_REFUSED;
		operand = operand || expected[i] == YYSYMBOL_STRING;
	}
	for (int i = 0; i < all; i++) {
		bool word = expected[i] >= YYSYMBOL_MATCH && expected[i] <= YYSYMBOL_REFUSED;
		bool own = expected[i] == YYSYMBOL_PATH_BEGIN || expected[i] == YYSYMBOL_COUNT_BLOCK
		        || expected[i] == YYSYMBOL_RULES_BEGIN; /* tokens that the lexer inserts, which people do not write */
		if (!own && !(any_word && word))
			expected[count++] = expected[i];
	}
	char list[256] = "";
	for (int i = 0; i < count && count <= MOST; i++) {
		const char *between = i == 0 ? "" : i + 1 < count ? ", " : " or ";
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", between, yysymbol_name(expected[i]));
	}
	gemp_ast_unexpected(q, *yypcontext_location(context), rule ? rule : operand ? "a value" : *list ? list : NULL);
	return 0;
}
