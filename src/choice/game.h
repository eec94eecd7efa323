/* game: matches of one rank that contend with one another, as flat arrays, and the rounds that decide about them. */
#ifndef GEMP_CHOICE_GAME_H
#define GEMP_CHOICE_GAME_H

#include "choice/tokens.h"

typedef struct gemp_game {
	size_t matches;
	size_t *rows;       /* [matches] which they are for the caller */
	uint64_t *begin;    /* [matches + 1] */
	uint64_t *tokens;   /* [begin[matches]] of slots: gemp_token */
	uint64_t *priority; /* [matches] distinct; the least comes first */
	uint8_t *choice;    /* [matches] gemp_choice, undecided before */
	size_t slots;
} gemp_game;

/* Of the matches that are undecided. */
gemp_code gemp_game_new(gemp_game *out, const gemp_tokens *tokens, const uint64_t *priority, const uint8_t *choice);
void gemp_game_free(gemp_game *game);
/* Decides about all, by the threads of this rank. */
gemp_code gemp_game_play(gemp_game *game, uint64_t *rounds);

#endif
