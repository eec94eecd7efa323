/* Regular expressions by PCRE2. This file alone knows it. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/memory.h"
#include "pattern/text_function.h"

#include <pcre2.h>

enum {
	MOST_STEPS = 10000000, /* of one match: some seconds at most */
	MOST_MEMORY = 65536,   /* KiB, of one match */
};

struct gemp_regex {
	size_t users;
	pcre2_general_context *memory;
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

static void *take_memory(size_t size, void *context)
{
	(void)context;
	return gemp_calloc(1, size);
}

static void give_memory(void *block, void *context)
{
	(void)context;
	gemp_free(block);
}

/* GEMP_EUSAGE, without a message, if it is no regular expression; *number says why. */
static gemp_code compile(gemp_regex *regex, const gemp_value *pattern, int *number, size_t *at)
{
	static const uint32_t options =
		PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_NEVER_BACKSLASH_C;
	gemp_code code = GEMP_ENOMEM;
	pcre2_compile_context *context = pcre2_compile_context_create(regex->memory);
	if (!context)
		return code;
	regex->code = pcre2_compile((PCRE2_SPTR)pattern->string.bytes, pattern->string.size, options, number, at, context);
	if (regex->code)
		code = GEMP_OK;
	else if (*number != PCRE2_ERROR_HEAP_FAILED)
		code = GEMP_EUSAGE;
	pcre2_compile_context_free(context);
	return code;
}

gemp_code gemp_regex_new(gemp_regex **out, const gemp_value *pattern, char *error, size_t error_size, size_t *at)
{
	gemp_code code = GEMP_OK;
	gemp_regex *regex = NULL;
	int number = 0;
	GEMP_TRY(GEMP_NEW(regex, 1));
	regex->users = 1;
	regex->memory = pcre2_general_context_create(take_memory, give_memory, NULL);
	if (!regex->memory) {
		code = GEMP_ENOMEM;
		goto done;
	}
	code = compile(regex, pattern, &number, at);
	if (code == GEMP_EUSAGE)
		pcre2_get_error_message(number, (PCRE2_UCHAR *)error, error_size);
	if (code != GEMP_OK)
		goto done;
	regex->data = pcre2_match_data_create_from_pattern(regex->code, regex->memory);
	regex->limits = pcre2_match_context_create(regex->memory);
	if (!regex->data || !regex->limits) {
		code = GEMP_ENOMEM;
		goto done;
	}
	pcre2_set_match_limit(regex->limits, MOST_STEPS);
	pcre2_set_heap_limit(regex->limits, MOST_MEMORY);
	pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE); /* without it matching is slower, no more */
	*out = regex;
	regex = NULL;
done:
	gemp_regex_free(regex);
	return code;
}

gemp_regex *gemp_regex_share(gemp_regex *regex)
{
	if (regex)
		regex->users++;
	return regex;
}

void gemp_regex_free(gemp_regex *regex)
{
	if (!regex || --regex->users > 0)
		return;
	pcre2_match_context_free(regex->limits);
	pcre2_match_data_free(regex->data);
	pcre2_code_free(regex->code);
	pcre2_general_context_free(regex->memory);
	gemp_free(regex);
}

gemp_code gemp_regex_test(const gemp_regex *regex, const gemp_value *text, int line, int column, bool *match)
{
	static const char nothing[1];
	PCRE2_SPTR bytes = (PCRE2_SPTR)(text->string.size ? text->string.bytes : nothing);
	int result = pcre2_match(regex->code, bytes, text->string.size, 0, 0, regex->data, regex->limits);
	if (result == PCRE2_ERROR_JIT_STACKLIMIT) /* the interpreter takes its stack from the heap */
		result = pcre2_match(regex->code, bytes, text->string.size, 0, PCRE2_NO_JIT, regex->data, regex->limits);
	*match = result >= 0;
	if (result >= 0 || result == PCRE2_ERROR_NOMATCH)
		return GEMP_OK;
	if (result == PCRE2_ERROR_NOMEMORY)
		return GEMP_ENOMEM;
	PCRE2_UCHAR why[128];
	pcre2_get_error_message(result, why, sizeof why);
	return gemp_fail(GEMP_EDATA, "query:%d:%d: =~ gave up on a string of %zu bytes: %s; write the expression with less to "
	                 "try", line, column, text->string.size, (const char *)why);
}
