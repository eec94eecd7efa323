#include "choice/game_device.h"

#include "choice/choose.h"
#include "core/memory.h"
#include "device/laps.h"
#include "kernels/choose_abi.h"

_Static_assert((int)GEMP_READS == CHOOSE_READS && (int)GEMP_ADDS == CHOOSE_ADDS && (int)GEMP_WRITES == CHOOSE_WRITES &&
               (int)GEMP_TOUCHES == CHOOSE_TOUCHES, "kernels know the touches by these numbers");
_Static_assert((int)GEMP_UNDECIDED == CHOOSE_UNDECIDED && (int)GEMP_CHOSEN == CHOOSE_CHOSEN &&
               (int)GEMP_LEFT_OUT == CHOOSE_LEFT_OUT, "kernels know the choices by these numbers");

enum { GROUP = 256, ITEMS_OF_UNIT = 2048 }; /* work-items of a GPU; a CPU has one a core */

enum { BEGIN, TOKENS, PRIORITY, CHOICE, BEST, CHOSEN, LIVE, NEXT, COUNT, BUFFERS };
enum { ENTER, JUDGE, LEAVE, KERNELS };

typedef struct playing {
	gemp_game *game;
	gemp_context *context;
	gemp_device *device;
	gemp_program program;
	cl_kernel kernels[KERNELS];
	gemp_buffer buffers[BUFFERS];
	gemp_laps laps;
} playing;

static void sizes_of(const gemp_game *g, size_t sizes[BUFFERS])
{
	sizes[BEGIN] = (g->matches + 1) * sizeof *g->begin;
	sizes[TOKENS] = g->begin[g->matches] * sizeof *g->tokens;
	sizes[PRIORITY] = g->matches * sizeof *g->priority;
	sizes[CHOICE] = g->matches * sizeof *g->choice;
	sizes[BEST] = g->slots * CHOOSE_TOUCHES * sizeof(uint64_t);
	sizes[CHOSEN] = g->slots * sizeof(uint32_t);
	sizes[LIVE] = sizes[NEXT] = g->matches * sizeof(uint32_t);
	sizes[COUNT] = sizeof(uint32_t);
}

bool gemp_game_fits(const gemp_game *game, const gemp_device *device)
{
	size_t sizes[BUFFERS], all = 0;
	sizes_of(game, sizes);
	for (int b = 0; b < BUFFERS; b++) {
		if (sizes[b] > device->largest)
			return false;
		all += sizes[b];
	}
	return game->matches < UINT32_MAX && all <= device->memory - device->held;
}

/* The live matches are all, in their order. */
static gemp_code make_buffers(playing *p)
{
	gemp_code code = GEMP_OK;
	gemp_game *g = p->game;
	size_t sizes[BUFFERS];
	const void *from[BUFFERS] = { [BEGIN] = g->begin, [TOKENS] = g->tokens, [PRIORITY] = g->priority };
	uint32_t *live = NULL;
	GEMP_TRY(GEMP_NEW(live, g->matches));
	for (size_t m = 0; m < g->matches; m++)
		live[m] = (uint32_t)m;
	from[LIVE] = live;
	sizes_of(g, sizes);
	for (int b = 0; b < BUFFERS; b++) /* there are no empty buffers */
		GEMP_TRY(gemp_buffer_new(&p->buffers[b], p->device, sizes[b] ? sizes[b] : 1, sizes[b] ? from[b] : NULL));
	GEMP_TRY(gemp_buffer_zero(p->device, &p->buffers[BEST], 0, sizes[BEST]));
	code = gemp_buffer_zero(p->device, &p->buffers[CHOSEN], 0, sizes[CHOSEN]);
done:
	gemp_free(live);
	return code;
}

static gemp_code open_playing(playing *p)
{
	static const char *const names[KERNELS] = { "choose_enter", "choose_judge", "choose_leave" };
	gemp_code code = GEMP_OK;
	char *source = NULL;
	GEMP_TRY(gemp_kernel_source(&source, "choose.cl"));
	GEMP_TRY(gemp_context_program(p->context, &p->program, source, NULL));
	for (int k = 0; k < KERNELS; k++)
		GEMP_TRY(gemp_kernel_new(&p->kernels[k], &p->program, names[k]));
	code = make_buffers(p);
done:
	gemp_free(source);
	return code;
}

static void close_playing(playing *p)
{
	gemp_laps_free(&p->laps);
	for (int k = 0; k < KERNELS; k++)
		if (p->kernels[k])
			clReleaseKernel(p->kernels[k]);
	for (int b = 0; b < BUFFERS; b++)
		gemp_buffer_free(&p->buffers[b], p->device);
	gemp_program_free(&p->program);
}

#define LAUNCH(p, kernel, count, ...)                                         \
	launch((p), (kernel), (count), (const gemp_argument[]){ __VA_ARGS__ }, \
	       sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))

static gemp_code launch(playing *p, int kernel, uint32_t count, const gemp_argument *arguments, size_t argument_count)
{
	gemp_code code = GEMP_OK;
	size_t most = p->device->gpu ? p->device->units * (size_t)ITEMS_OF_UNIT : p->device->units;
	size_t group = p->device->gpu ? GROUP : 1;
	GEMP_TRY(gemp_launch_with(p->device, p->kernels[kernel], count < most ? count : most, group, arguments,
	                          argument_count));
	code = gemp_laps_add(&p->laps, p->device);
done:
	return code;
}

/* *count live matches, which become those of the next round. */
static gemp_code play_round(playing *p, uint32_t *count)
{
	gemp_code code = GEMP_OK;
	gemp_buffer *b = p->buffers, swap;
	GEMP_TRY(gemp_buffer_zero(p->device, &b[COUNT], 0, sizeof *count));
	GEMP_TRY(LAUNCH(p, ENTER, *count, GEMP_ARG(&b[LIVE].mem), GEMP_ARG(count), GEMP_ARG(&b[BEGIN].mem),
	                GEMP_ARG(&b[TOKENS].mem), GEMP_ARG(&b[PRIORITY].mem), GEMP_ARG(&b[BEST].mem)));
	GEMP_TRY(LAUNCH(p, JUDGE, *count, GEMP_ARG(&b[LIVE].mem), GEMP_ARG(count), GEMP_ARG(&b[BEGIN].mem),
	                GEMP_ARG(&b[TOKENS].mem), GEMP_ARG(&b[PRIORITY].mem), GEMP_ARG(&b[BEST].mem),
	                GEMP_ARG(&b[CHOSEN].mem), GEMP_ARG(&b[CHOICE].mem)));
	GEMP_TRY(LAUNCH(p, LEAVE, *count, GEMP_ARG(&b[LIVE].mem), GEMP_ARG(count), GEMP_ARG(&b[BEGIN].mem),
	                GEMP_ARG(&b[TOKENS].mem), GEMP_ARG(&b[CHOICE].mem), GEMP_ARG(&b[BEST].mem),
	                GEMP_ARG(&b[CHOSEN].mem), GEMP_ARG(&b[NEXT].mem), GEMP_ARG(&b[COUNT].mem)));
	GEMP_TRY(gemp_buffer_read(p->device, &b[COUNT], 0, sizeof *count, count));
	swap = b[LIVE];
	b[LIVE] = b[NEXT];
	b[NEXT] = swap;
done:
	return code;
}

gemp_code gemp_game_play_on(gemp_game *game, gemp_context *context, uint64_t *rounds)
{
	gemp_code code = GEMP_OK;
	playing p = { .game = game, .context = context, .device = context->device };
	uint32_t count = (uint32_t)game->matches;
	double seconds;
	GEMP_TRY(open_playing(&p));
	for (*rounds = 0; count; ++*rounds)
		GEMP_TRY(play_round(&p, &count));
	GEMP_TRY(gemp_buffer_read(p.device, &p.buffers[CHOICE], 0, game->matches * sizeof *game->choice, game->choice));
	GEMP_TRY(gemp_laps_seconds(&p.laps, &seconds));
	context->timers.seconds[GEMP_KERNEL] += seconds;
	code = gemp_program_store(p.device, &p.program);
done:
	close_playing(&p);
	return code;
}
