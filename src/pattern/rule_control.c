/* The control of rules: names are resolved, and what no RUN names is told. */
#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"
#include "pattern/rule_build.h"

#include <string.h>

typedef struct building {
	parse *p;
	const gemp_rules *rules;
	bool *named; /* [rules->count] */
} building;

void rule_free_control(gemp_control *control)
{
	for (size_t i = 0; control && i < control->count; i++)
		rule_free_control(control->children[i]);
	if (control)
		gemp_free(control->children);
	gemp_free(control);
}

static gemp_code unknown(const building *b, query_word word)
{
	const char **names = query_alloc(b->p->q, b->rules->count * sizeof *names);
	if (!names)
		return GEMP_ENOMEM;
	for (size_t i = 0; i < b->rules->count; i++)
		names[i] = b->rules->rules[i].name;
	const char *near = gemp_nearest(word.bytes, names, b->rules->count);
	return parse_fail(b->p, word.place.begin, "RUN names the rule '%s', and there is none of that name%s%s%s", word.bytes,
	                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static gemp_code resolve(const building *b, query_word word, size_t *out)
{
	for (size_t i = 0; i < b->rules->count; i++)
		if (strcmp(b->rules->rules[i].name, word.bytes) == 0) {
			*out = i;
			b->named[i] = true;
			return GEMP_OK;
		}
	return unknown(b, word);
}

static gemp_code new_control(gemp_control **out, gemp_control_kind kind, int line, int column, size_t children)
{
	gemp_code code = GEMP_NEW(*out, 1);
	if (code != GEMP_OK)
		return code;
	**out = (gemp_control){ .kind = kind, .line = line, .column = column, .count = children };
	code = children ? GEMP_NEW((*out)->children, children) : GEMP_OK;
	if (code != GEMP_OK)
		(*out)->count = 0;
	return code;
}

/* In any case the caller frees *out. */
static gemp_code build(const building *b, const query_control *from, gemp_control **out)
{
	gemp_code code = GEMP_OK;
	size_t count = 0;
	for (const query_control *child = from->first; child; child = child->next)
		count++;
	parse_move(b->p, from->place.begin);
	GEMP_TRY(new_control(out, from->kind, b->p->cursor.line, b->p->cursor.column, count));
	(*out)->one = from->one;
	(*out)->times = from->times;
	(*out)->limit = from->limit;
	if (from->kind == GEMP_RUN_RULE)
		GEMP_TRY(resolve(b, from->rule, &(*out)->rule));
	count = 0;
	for (const query_control *child = from->first; child; child = child->next)
		GEMP_TRY(build(b, child, &(*out)->children[count++]));
done:
	return code;
}

/* No RUN: every rule once, in order, whether it applies or not. */
static gemp_code build_all(gemp_rules *rules)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(new_control(&rules->control, GEMP_RUN_SEQUENCE, 1, 1, rules->count));
	for (size_t i = 0; i < rules->count; i++) {
		const gemp_rule *rule = &rules->rules[i];
		gemp_control **attempt = &rules->control->children[i];
		GEMP_TRY(new_control(attempt, GEMP_RUN_TRY, rule->line, rule->column, 1));
		GEMP_TRY(new_control(&(*attempt)->children[0], GEMP_RUN_RULE, rule->line, rule->column, 0));
		(*attempt)->children[0]->rule = i;
	}
done:
	return code;
}

gemp_code rule_control(parse *p, gemp_rules *rules)
{
	building b = { .p = p, .rules = rules };
	gemp_code code = GEMP_OK;
	if (!p->q->run)
		return build_all(rules);
	b.named = query_alloc(p->q, rules->count * sizeof *b.named);
	if (!b.named)
		return GEMP_ENOMEM;
	GEMP_TRY(build(&b, p->q->run, &rules->control));
	for (size_t i = 0; i < rules->count; i++)
		if (!b.named[i])
			gemp_warn("%s:%d:%d: no RUN names the rule '%s': it is never applied", p->q->source.file, rules->rules[i].line,
			          rules->rules[i].column, rules->rules[i].name);
done:
	return code;
}
