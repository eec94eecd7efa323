/* ranks_mail: records that threads address to teams, delivered in one exchange. */
#ifndef GEMP_EULER_RANKS_MAIL_H
#define GEMP_EULER_RANKS_MAIL_H

#include "euler/ranks_team.h"

#include <string.h>

enum { GEMP_MAIL_PIECES = 64 }; /* at most, of a round */

/* Writes records, in the order of pieces, in another form of at most `most` bytes each; how many bytes these are. */
typedef size_t gemp_euler_encode(const void *context, const char *records, size_t count, char *to);

typedef struct gemp_euler_mail {
	gemp_euler_team *team;
	size_t size;          /* of a record */
	bool replies;         /* records have tags, and positions once sent */
	gemp_euler_encode *encode; /* NULL: they are sent as they are; else `received` is not known */
	const void *context;
	size_t most;
	char *encoded;
	size_t pieces, capacity;
	char *stage;          /* [capacity] records in the order of pieces, each piece from its begin */
	uint32_t *owner, *tag, *position;
	size_t begin[GEMP_MAIL_PIECES + 1], put[GEMP_MAIL_PIECES];
	size_t *count;        /* [GEMP_MAIL_PIECES * teams] */
	char *send;
	size_t *send_size, *receive_size; /* [teams] bytes */
	void *receive;
	size_t receive_capacity, received; /* records */
} gemp_euler_mail;

/* Local. */
gemp_code gemp_euler_mail_new(gemp_euler_mail *mail, gemp_euler_team *team, size_t size, bool replies);
/* Local. For a round of `count` things, at most one record each: `pieces` of them, piece p from begin[p] to
 * begin[p + 1]. */
gemp_code gemp_euler_mail_open(gemp_euler_mail *mail, size_t count);
/* Collective; `code` is what became of mail_open and the round here. *left, if not NULL: what will be left to do
 * here without the records; with them, the sum over all teams. receive[] has `received` records, by teams. */
gemp_code gemp_euler_mail_send(gemp_euler_mail *mail, gemp_code code, uint64_t *left);
void gemp_euler_mail_free(gemp_euler_mail *mail);

/* The record to fill in. */
static inline char *gemp_euler_mail_put(gemp_euler_mail *mail, size_t piece, size_t owner, uint32_t tag)
{
	size_t i = mail->begin[piece] + mail->put[piece]++;
	mail->owner[i] = (uint32_t)owner;
	mail->count[piece * mail->team->teams + owner]++;
	if (mail->replies)
		mail->tag[i] = tag;
	return mail->stage + i * mail->size;
}

#endif
