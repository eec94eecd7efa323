#include "euler/ranks_mail.h"

#include "core/memory.h"

enum { RECORDS_A_PIECE = 2048 };

gemp_code gemp_euler_mail_new(gemp_euler_mail *mail, gemp_euler_team *team, size_t size, bool replies)
{
	gemp_code code = GEMP_OK;
	*mail = (gemp_euler_mail){ .team = team, .size = size, .replies = replies };
	GEMP_TRY(GEMP_NEW(mail->count, GEMP_MAIL_PIECES * team->teams));
	GEMP_TRY(GEMP_NEW(mail->send_size, team->teams));
	GEMP_TRY(GEMP_NEW(mail->receive_size, team->teams));
done:
	return code;
}

static gemp_code reserve(gemp_euler_mail *mail, size_t count)
{
	gemp_code code = GEMP_OK;
	if (count <= mail->capacity)
		return GEMP_OK;
	void *array;
#define LARGER(pointer, size)                                                \
	if (!(array = gemp_realloc((pointer), count, (size))))               \
		return GEMP_ENOMEM;                                          \
	(pointer) = array
	LARGER(mail->stage, mail->size);
	LARGER(mail->send, mail->size);
	LARGER(mail->owner, sizeof *mail->owner);
	if (mail->encode) {
		LARGER(mail->encoded, mail->most);
	}
	if (mail->replies) {
		LARGER(mail->tag, sizeof *mail->tag);
		LARGER(mail->position, sizeof *mail->position);
	}
#undef LARGER
	mail->capacity = count;
	return code;
}

gemp_code gemp_euler_mail_open(gemp_euler_mail *mail, size_t count)
{
	size_t pieces = (count + RECORDS_A_PIECE - 1) / RECORDS_A_PIECE;
	mail->pieces = pieces < 1 ? 1 : pieces < GEMP_MAIL_PIECES ? pieces : GEMP_MAIL_PIECES;
	for (size_t p = 0; p <= mail->pieces; p++)
		mail->begin[p] = (size_t)((unsigned __int128)count * p / mail->pieces);
	memset(mail->put, 0, sizeof mail->put);
	memset(mail->count, 0, GEMP_MAIL_PIECES * mail->team->teams * sizeof *mail->count);
	return mail->team->teams > 1 ? reserve(mail, count) : GEMP_OK;
}

static void sort_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	gemp_euler_mail *mail = context;
	size_t *to = mail->count + piece * mail->team->teams;
	for (size_t i = mail->begin[piece]; i < mail->begin[piece] + mail->put[piece]; i++) {
		size_t at = to[mail->owner[i]]++;
		memcpy(mail->send + at * mail->size, mail->stage + i * mail->size, mail->size);
		if (mail->replies)
			mail->position[i] = (uint32_t)at;
	}
}

/* One reduction tells of failures and of what is left; where there are failures another tells which. */
static gemp_code agree(const gemp_euler_mail *mail, gemp_code code, uint64_t *left)
{
	uint64_t facts[2] = { code != GEMP_OK, left ? *left : 0 };
	for (size_t p = 0; p < mail->pieces; p++)
		facts[1] += mail->put[p];
	gemp_comm_sum(mail->team->comm, facts, 2);
	if (left)
		*left = facts[1];
	return facts[0] ? gemp_comm_agree(mail->team->comm, code) : GEMP_OK;
}

/* What is sent, each team's after the one before. */
static const char *encoded(gemp_euler_mail *mail)
{
	const char *from = mail->send;
	char *to = mail->encoded;
	if (!mail->encode)
		return mail->send;
	for (size_t t = 0; t < mail->team->teams; t++) {
		size_t bytes = mail->send_size[t];
		mail->send_size[t] = mail->encode(mail->context, from, bytes / mail->size, to);
		from += bytes;
		to += mail->send_size[t];
	}
	return mail->encoded;
}

gemp_code gemp_euler_mail_send(gemp_euler_mail *mail, gemp_code code, uint64_t *left)
{
	size_t teams = mail->team->teams, before = 0;
	mail->received = 0;
	GEMP_TRY(agree(mail, code, left));
	if (left && *left == 0)
		return GEMP_OK;
	for (size_t t = 0; t < teams; t++) {
		mail->send_size[t] = 0;
		for (size_t p = 0; p < mail->pieces; p++) {
			size_t count = mail->count[p * teams + t];
			mail->count[p * teams + t] = before;
			before += count;
			mail->send_size[t] += count * mail->size;
		}
	}
	gemp_parallel_for(mail->pieces, sort_piece, mail);
	GEMP_TRY(gemp_exchange(mail->team->comm, encoded(mail), mail->send_size, &mail->receive, &mail->receive_capacity,
	                       mail->receive_size, &mail->team->traffic));
	for (size_t t = 0; t < teams; t++)
		mail->received += mail->receive_size[t] / mail->size;
done:
	return code;
}

void gemp_euler_mail_free(gemp_euler_mail *mail)
{
	gemp_free(mail->stage);
	gemp_free(mail->owner);
	gemp_free(mail->tag);
	gemp_free(mail->position);
	gemp_free(mail->count);
	gemp_free(mail->send);
	gemp_free(mail->encoded);
	gemp_free(mail->send_size);
	gemp_free(mail->receive_size);
	gemp_free(mail->receive);
	*mail = (gemp_euler_mail){ 0 };
}
