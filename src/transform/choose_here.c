#include "transform/choose_parts.h"
#include "transform/game.h"

gemp_code gemp_choose_here(const gemp_tokens *tokens, const uint64_t *priority, uint8_t *choice, uint64_t *rounds)
{
	gemp_code code = GEMP_OK;
	gemp_game game = { 0 };
	GEMP_TRY(gemp_game_new(&game, tokens, priority, choice));
	GEMP_TRY(gemp_game_play(&game, rounds));
	for (size_t m = 0; m < game.matches; m++)
		choice[game.rows[m]] = game.choice[m];
done:
	gemp_game_free(&game);
	return code;
}
