/* Regular expressions by PCRE2. This file alone knows it. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/memory.h"
#include "pattern/text_function.h"

#include <pcre2.h>

enum { MOST_STEPS = 10000000 }; /* of one match: some seconds at most */

struct gemp_regex {
	size_t users;
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

gemp_code gemp_regex_new(gemp_regex **out, const gemp_value *pattern, char *error, size_t error_size, size_t *at)
{
	gemp_code code = GEMP_OK;
	gemp_regex *regex = NULL;
	int number;
	GEMP_TRY(GEMP_NEW(regex, 1));
	regex->users = 1;
	regex->code = pcre2_compile((PCRE2_SPTR)pattern->string.bytes, pattern->string.size,
	                            PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_ENDANCHORED, &number, at, NULL);
	if (!regex->code) {
		pcre2_get_error_message(number, (PCRE2_UCHAR *)error, error_size);
		code = GEMP_EUSAGE;
		goto done;
	}
	pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE); /* without it matching is slower, no more */
	regex->data = pcre2_match_data_create_from_pattern(regex->code, NULL);
	regex->context = pcre2_match_context_create(NULL);
	if (!regex->data || !regex->context) {
		code = gemp_fail(GEMP_ENOMEM, "out of memory for a regular expression");
		goto done;
	}
	pcre2_set_match_limit(regex->context, MOST_STEPS);
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
	pcre2_match_context_free(regex->context);
	pcre2_match_data_free(regex->data);
	pcre2_code_free(regex->code);
	gemp_free(regex);
}

gemp_code gemp_regex_test(const gemp_regex *regex, const gemp_value *text, int line, int column, bool *match)
{
	static const char nothing[1];
	const char *bytes = text->string.size ? text->string.bytes : nothing;
	int result = pcre2_match(regex->code, (PCRE2_SPTR)bytes, text->string.size, 0, 0, regex->data, regex->context);
	*match = result >= 0;
	if (result >= 0 || result == PCRE2_ERROR_NOMATCH)
		return GEMP_OK;
	PCRE2_UCHAR why[128];
	pcre2_get_error_message(result, why, sizeof why);
	return gemp_fail(GEMP_EDATA, "query:%d:%d: =~ gave up on a string of %zu bytes: %s; write the expression with less to try",
	                 line, column, text->string.size, (const char *)why);
}
