#include "euler/ranks_bits.h"

#include "euler/ranks_list.h"
#include "euler/ranks_mail.h"

typedef struct delivering {
	const gemp_euler_team *team;
	const uint64_t *numbers, *bounds;
	gemp_euler_mail mail;
} delivering;

static void post_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	delivering *d = context;
	size_t teams = d->team->teams;
	for (size_t i = d->mail.begin[piece]; i < d->mail.begin[piece + 1]; i++) {
		uint64_t x = d->numbers[i];
		size_t owner = d->bounds ? gemp_team_of(d->bounds, teams, x) : x % teams;
		gemp_number_put(gemp_euler_mail_put(&d->mail, piece, owner, 0), 0,
		                d->bounds ? x - d->bounds[owner] : x / teams, d->team->wide);
	}
}

gemp_code gemp_euler_bits_deliver(gemp_euler_team *team, const uint64_t *numbers, size_t count, const uint64_t *bounds,
                                  uint64_t *bits)
{
	gemp_code code = GEMP_OK;
	delivering d = { .team = team, .bounds = bounds, .numbers = numbers };
	uint64_t rounds = (count + team->in_flight - 1) / team->in_flight;
	GEMP_TRY(gemp_comm_agree(team->comm, gemp_euler_mail_new(&d.mail, team, gemp_number_size(team->wide), false)));
	gemp_comm_max(team->comm, &rounds, 1);
	for (; rounds > 0; rounds--) {
		size_t now = count < team->in_flight ? count : team->in_flight;
		code = gemp_euler_mail_open(&d.mail, now);
		if (code == GEMP_OK)
			gemp_parallel_for(d.mail.pieces, post_piece, &d);
		GEMP_TRY(gemp_euler_mail_send(&d.mail, code, NULL));
		for (size_t i = 0; i < d.mail.received; i++)
			gemp_bit_set(bits, gemp_number_at(d.mail.receive, i, team->wide));
		d.numbers += now;
		count -= now;
	}
done:
	gemp_euler_mail_free(&d.mail);
	return code;
}
