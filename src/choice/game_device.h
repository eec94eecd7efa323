/* game_device: the rounds of a game on this rank's device. */
#ifndef GEMP_CHOICE_GAME_DEVICE_H
#define GEMP_CHOICE_GAME_DEVICE_H

#include "choice/game.h"
#include "partition/context.h"

/* Does all of it fit on the device? */
bool gemp_game_fits(const gemp_game *game, const gemp_device *device);
/* As gemp_game_play, with the same choices and rounds. The context is of this rank alone. */
gemp_code gemp_game_play_on(gemp_game *game, gemp_context *context, uint64_t *rounds);

#endif
