#include "choice/choose_parts.h"
#include "choice/game_device.h"
#include "core/log.h"

/* Of fewer tokens the host has decided in the time that moving them to a GPU and the launches of some ten rounds
 * take. */
enum { TOKENS_FOR_DEVICE = 1 << 20 };

static bool on_device(const gemp_chooser *chooser, const gemp_game *game)
{
	const gemp_device *device = chooser->context ? chooser->context->device : NULL;
	if (!device || chooser->on == GEMP_CHOOSE_HOST || !gemp_game_fits(game, device))
		return false;
	return chooser->on == GEMP_CHOOSE_DEVICE || (device->gpu && game->begin[game->matches] >= TOKENS_FOR_DEVICE);
}

gemp_code gemp_choose_here(const gemp_chooser *chooser, const gemp_tokens *tokens, const uint64_t *priority,
                           uint8_t *choice, uint64_t *rounds)
{
	gemp_code code = GEMP_OK;
	gemp_game game = { 0 };
	double began;
	GEMP_TRY(gemp_game_new(&game, tokens, priority, choice));
	bool there = on_device(chooser, &game);
	began = gemp_now();
	GEMP_TRY(there ? gemp_game_play_on(&game, chooser->context, rounds) : gemp_game_play(&game, rounds));
	gemp_log(GEMP_VERBOSE, "%zu matches contending, %llu tokens: decided on the %s in %.3f s", game.matches,
	         (unsigned long long)game.begin[game.matches], there ? "device" : "host", gemp_now() - began);
	for (size_t m = 0; m < game.matches; m++)
		choice[game.rows[m]] = game.choice[m];
done:
	gemp_game_free(&game);
	return code;
}
