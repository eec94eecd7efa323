/* Each rank has a datagram socket, to which Linux gives an unused address in its abstract name space. In round k the
 * rank n sends its file to the rank n + k. An agreement after each round keeps the queues of sockets short, so no
 * sender waits. Messages have a random number that only the ranks of the node know, since other processes may write to
 * the address, too. */

#include "comm/node_files.h"

#include "core/memory.h"
#include "core/timer.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAIT_SECONDS = 5 };

typedef struct socket_address {
	struct sockaddr_un name;
	socklen_t size; /* bytes */
} socket_address;

typedef struct file_message {
	uint64_t secret;
	int sender; /* number on the node */
} file_message;

/* The ancillary data of a message, aligned as its header needs. */
typedef union file_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
} file_control;

static gemp_code failed(const char *what)
{
	return gemp_fail(GEMP_EINTERNAL, "files between the ranks of a node: %s: %s", what, strerror(errno));
}

/* A lower code than that of the failure itself, so that the ranks agree on the message of the failure. */
static gemp_code other_failed(void)
{
	return gemp_fail(GEMP_ENODEVICE, "files between the ranks of a node: another rank failed");
}

/* An address without a name asks for an unused one. */
static gemp_code open_socket(int *out, socket_address *own)
{
	const struct timeval wait = { .tv_sec = WAIT_SECONDS };
	const sa_family_t family = AF_UNIX;
	own->size = sizeof own->name;
	*out = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (*out >= 0 && setsockopt(*out, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) == 0 &&
	    setsockopt(*out, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) == 0 &&
	    bind(*out, (const struct sockaddr *)&family, sizeof family) == 0 &&
	    getsockname(*out, (struct sockaddr *)&own->name, &own->size) == 0)
		return GEMP_OK;
	return failed("no socket");
}

static gemp_code send_file(int socket, const socket_address *to, file_message message, int file)
{
	file_control control = { .bytes = { 0 } };
	struct sockaddr_un name = to->name;
	struct iovec content = { &message, sizeof message };
	struct msghdr header = { .msg_name = &name,
		                     .msg_namelen = to->size,
		                     .msg_iov = &content,
		                     .msg_iovlen = 1,
		                     .msg_control = control.bytes,
		                     .msg_controllen = sizeof control.bytes };
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof file);
	memcpy(CMSG_DATA(rights), &file, sizeof file);
	return sendmsg(socket, &header, MSG_NOSIGNAL) == (ssize_t)sizeof message ? GEMP_OK : failed("sendmsg");
}

/* Receives one message. *file becomes -1 if it has none. */
static gemp_code receive_message(int socket, file_message *message, int *file)
{
	file_control control;
	struct iovec content = { message, sizeof *message };
	struct msghdr header = {
		.msg_iov = &content, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes
	};
	*file = -1;
	*message = (file_message){ 0 };
	if (recvmsg(socket, &header, MSG_CMSG_CLOEXEC) < 0)
		return failed("recvmsg");
	const struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
	if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS &&
	    rights->cmsg_len == CMSG_LEN(sizeof *file))
		memcpy(file, CMSG_DATA(rights), sizeof *file);
	return GEMP_OK;
}

/* Receives one file of a rank of this node, and drops messages of other processes. */
static gemp_code receive_file(int socket, uint64_t secret, int ranks, int *files)
{
	const double since = gemp_now();
	while (gemp_now() - since < WAIT_SECONDS) {
		file_message message;
		int file;
		GEMP_TRY(receive_message(socket, &message, &file));
		if (message.secret == secret && message.sender >= 0 && message.sender < ranks && files[message.sender] < 0) {
			files[message.sender] = file;
			errno = EMFILE;
			return file < 0 ? failed("no descriptor") : GEMP_OK;
		}
		if (file >= 0)
			close(file);
	}
	errno = ETIMEDOUT;
	return failed("recvmsg");
}

/* Returns whether all ranks of the node have succeeded. */
static bool node_agrees(const gemp_comm *comm, gemp_code code)
{
	int ready = code == GEMP_OK;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, comm->node));
	return ready;
}

/* After a failure of any rank there are no further rounds. */
static gemp_code exchange_in_rounds(const gemp_comm *comm, int socket, const socket_address *all, uint64_t secret,
                                    int file, int *files)
{
	const file_message message = { .secret = secret, .sender = comm->node_rank };
	gemp_code code = GEMP_OK;
	bool all_well = true;
	for (int round = 1; round < comm->node_size && all_well; round++) {
		GEMP_THEN(send_file(socket, &all[(comm->node_rank + round) % comm->node_size], message, file));
		GEMP_THEN(receive_file(socket, secret, comm->node_size, files));
		all_well = node_agrees(comm, code);
	}
	return all_well || code != GEMP_OK ? code : other_failed();
}

/* Collective over the node. Addresses are exchanged only if every rank has memory for all of them. */
static gemp_code exchange_files(const gemp_comm *comm, int socket, const socket_address *own, gemp_code code, int file,
                                int *files)
{
	GEMP_OWNED socket_address *all = NULL;
	uint64_t secret = 0;
	GEMP_THEN(GEMP_NEW(all, (size_t)comm->node_size));
	if (comm->node_rank == 0 && getrandom(&secret, sizeof secret, 0) != (ssize_t)sizeof secret)
		GEMP_THEN(failed("getrandom"));
	if (!node_agrees(comm, code))
		return code != GEMP_OK ? code : other_failed();
	GEMP_MPI(MPI_Bcast(&secret, 1, MPI_UINT64_T, 0, comm->node));
	GEMP_MPI(MPI_Allgather(own, sizeof *own, MPI_BYTE, all, sizeof *own, MPI_BYTE, comm->node));
	return exchange_in_rounds(comm, socket, all, secret, file, files);
}

gemp_code gemp_node_files_exchange(const gemp_comm *comm, int file, int *files)
{
	socket_address own = { 0 };
	int socket = -1;
	for (int n = 0; n < comm->node_size; n++)
		files[n] = -1;
	gemp_code code = open_socket(&socket, &own);
	code = exchange_files(comm, socket, &own, code, file, files);
	if (socket >= 0)
		close(socket);
	for (int n = 0; code != GEMP_OK && n < comm->node_size; n++) {
		if (files[n] >= 0)
			close(files[n]);
		files[n] = -1;
	}
	return code;
}
