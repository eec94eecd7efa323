#include "match/search/search_build.h"

#include "core/memory.h"
#include "core/text.h"
#include "match/codegen/emit.h"
#include "match/search/nested_search.h"

/* Nested loops on an NVIDIA GPU get at most 40 registers, so that 1,536 work-items fit on a compute unit. The registers
 * that spill belong to outer loops. */
static const char *options_of(const gemp_search *search)
{
	return search->nested && search->context->device->nvidia ? "-cl-nv-maxrregcount=40" : "";
}

/* Local. Generates the text of the kernel unless the search has it. */
static gemp_code write_source(gemp_search *search)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	GEMP_OWNED char *fixed = NULL;
	const gemp_nested_search *nested = search->nested;
	if (search->source)
		return GEMP_OK;
	GEMP_TRY(gemp_kernel_source(&fixed, nested ? "nested.clh" : "match.clh"));
	if (nested)
		gemp_nested_emit(&text, fixed, nested->plan, &nested->shape, &nested->options);
	else
		gemp_emit(&text, fixed, search->plan, &search->layout, &search->emit);
	GEMP_TRY(gemp_text_status(&text));
	search->source = text.data;
	text = (gemp_text){ 0 };
	return GEMP_OK;
}

static gemp_code write_sources(gemp_search *first)
{
	for (gemp_search *s = first; s; s = s->next)
		GEMP_TRY(write_source(s));
	return GEMP_OK;
}

/* Local. The program is there. */
static gemp_code make_kernel(gemp_search *search)
{
	gemp_free(search->source);
	search->source = NULL;
	return gemp_kernel_new(&search->kernel, &search->program, search->nested ? "nested" : "match");
}

/* Local. Tells which of several devices failed. */
static gemp_code name_device(const gemp_search *first, const gemp_search *search, gemp_code code)
{
	const gemp_device *device = search->context->device;
	if (code == GEMP_OK || search == first)
		return code;
	return gemp_fail_in(code, "device %d (%s), which can be left out of devices: ", device->index, device->name);
}

/* The ranks agree on the program of the first device. A further device has a communicator of its rank alone. */
gemp_code gemp_search_build(gemp_search *first)
{
	gemp_comm *comm = first->context->comm;
	if (first->kernel)
		return GEMP_OK;
	gemp_code code = gemp_comm_agree(comm, write_sources(first));
	for (gemp_search *s = first; s && code == GEMP_OK; s = s->next) {
		code = gemp_runtime_program(s->context, &s->program, s->source, options_of(s));
		GEMP_THEN(make_kernel(s));
		code = name_device(first, s, code);
	}
	return gemp_comm_agree(comm, code);
}

gemp_code gemp_search_is_known(gemp_search *first, bool *known)
{
	gemp_code code = write_sources(first);
	uint64_t missing = 0;
	for (const gemp_search *s = first; s && code == GEMP_OK; s = s->next) {
		bool here = false;
		code = gemp_program_is_known(&here, s->context->device, s->source, options_of(s));
		missing += !here;
	}
	GEMP_TRY(gemp_comm_agree(first->context->comm, code));
	*known = gemp_comm_sum1(first->context->comm, missing) == 0;
	return GEMP_OK;
}

static gemp_code begin(gemp_search *first)
{
	GEMP_TRY(write_sources(first));
	for (gemp_search *s = first; s; s = s->next)
		if (!s->compilation)
			GEMP_TRY(gemp_compilation_begin(&s->compilation, s->context->device, s->source, options_of(s)));
	return GEMP_OK;
}

gemp_code gemp_search_build_begin(gemp_search *first)
{
	return gemp_comm_agree(first->context->comm, begin(first));
}

bool gemp_search_build_has_ended(const gemp_search *first)
{
	bool ended = true;
	for (const gemp_search *s = first; s; s = s->next)
		ended &= !s->compilation || gemp_compilation_has_ended(s->compilation);
	return ended;
}

/* Local. */
static gemp_code end(gemp_search *first)
{
	gemp_code code = GEMP_OK;
	for (gemp_search *s = first; s && code == GEMP_OK; s = s->next) {
		gemp_compilation *compilation = s->compilation;
		if (!compilation)
			continue;
		s->compilation = NULL;
		code = gemp_compilation_end(compilation, &s->program);
		s->context->program_builds += code == GEMP_OK && !s->program.cached;
		GEMP_THEN(make_kernel(s));
		code = name_device(first, s, code);
	}
	return code;
}

/* The seconds count as building only from here on, since until now the caller did other work. */
gemp_code gemp_search_build_end(gemp_search *first)
{
	const double began = gemp_now();
	if (first->kernel)
		return GEMP_OK;
	gemp_code code = gemp_comm_agree(first->context->comm, end(first));
	gemp_timers_add(&first->context->timers, GEMP_PHASE_BUILD, began);
	return code;
}
