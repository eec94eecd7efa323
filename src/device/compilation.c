#include "device/compilation.h"

#include "core/memory.h"
#include "core/threads.h"
#include "core/timer.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct gemp_compilation {
	gemp_device *device;
	char *source, *options;
	bool keep; /* a binary is kept; decided by the caller, since limits may change while the thread runs */
	gemp_background thread;
	atomic_bool ended; /* the thread has written all below */
	gemp_program program;
	gemp_code code;
	char message[GEMP_MESSAGE_SIZE]; /* of a failure, since messages belong to threads */
	double until;                    /* gemp_now() at the end */
	gemp_compilation *next;          /* in the device's list of abandoned compilations */
};

static void *run(void *self)
{
	gemp_compilation *c = self;
	c->code = gemp_program_load(&c->program, c->device, c->source, c->options, c->keep);
	if (c->code != GEMP_OK)
		memcpy(c->message, gemp_message(), strlen(gemp_message()) + 1);
	c->until = gemp_now();
	atomic_store(&c->ended, true);
	return NULL;
}

static void free_compilation(gemp_compilation *c)
{
	gemp_program_free(&c->program);
	gemp_free_all(c->source, c->options, c);
}

/* Removes compilations that have ended from the list of abandoned ones, and one of this program, which is returned. */
static gemp_compilation *take_up(gemp_device *device, const char *source, const char *options)
{
	gemp_compilation *found = NULL, **at = &device->abandoned;
	while (*at) {
		gemp_compilation *c = *at;
		const bool same = strcmp(c->source, source) == 0 && strcmp(c->options, options) == 0;
		const bool wanted = same && !found;
		if (!wanted && !gemp_compilation_has_ended(c)) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		if (wanted)
			found = c;
		else
			gemp_compilation_abandon(c);
	}
	return found;
}

gemp_code gemp_compilation_begin(gemp_compilation **out, gemp_device *device, const char *source, const char *options)
{
	GEMP_OWNED_BY(gemp_compilation_abandon_at) gemp_compilation *c = take_up(device, source, options);
	if (!c) {
		GEMP_TRY(GEMP_NEW(c, 1));
		c->device = device;
		c->keep = gemp_program_keeps_binary(device);
		GEMP_TRY(GEMP_COPY(c->source, source, strlen(source) + 1));
		GEMP_TRY(GEMP_COPY(c->options, options, strlen(options) + 1));
		gemp_background_start(&c->thread, run, c); /* without a thread, join() compiles */
	}
	*out = c;
	c = NULL;
	return GEMP_OK;
}

bool gemp_compilation_has_ended(const gemp_compilation *c)
{
	return !c->thread.running || atomic_load(&c->ended);
}

static void join(gemp_compilation *c)
{
	if (c->thread.running)
		gemp_background_wait(&c->thread);
	else
		run(c);
}

/* The thread has recorded nothing, since the trace belongs to the caller's thread. */
gemp_code gemp_compilation_end(gemp_compilation *c, gemp_program *out)
{
	join(c);
	gemp_code code = c->code;
	*out = c->program;
	c->program = (gemp_program){ 0 };
	if (code == GEMP_OK) {
		gemp_program_remember(c->device, out);
		gemp_trace_between(out->cached ? "load kernels" : "compile", GEMP_LANE_COMPILER,
		                   llround((c->until - out->seconds) * 1e9), llround(c->until * 1e9));
	} else {
		gemp_fail(code, "%s", c->message);
	}
	free_compilation(c);
	return code;
}

void gemp_compilation_abandon(gemp_compilation *c)
{
	if (!c)
		return;
	if (!gemp_compilation_has_ended(c)) {
		c->next = c->device->abandoned;
		c->device->abandoned = c;
		return;
	}
	gemp_background_wait(&c->thread);
	free_compilation(c);
}

bool gemp_compilations_run(const gemp_device *device)
{
	for (const gemp_compilation *c = device->abandoned; c; c = c->next)
		if (!gemp_compilation_has_ended(c))
			return true;
	return false;
}

void gemp_compilations_await(gemp_device *device)
{
	while (device->abandoned) {
		gemp_compilation *c = device->abandoned;
		device->abandoned = c->next;
		join(c);
		free_compilation(c);
	}
}
