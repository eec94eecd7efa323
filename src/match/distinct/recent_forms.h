/* recent_forms: a cache of packed forms for each thread, which drops forms that the thread has met shortly before.
 *
 * A search finds many embeddings of one class soon after one another, from the same pivot. In a graph of translations,
 * 48 % of the embeddings of cycle:4 and 32 % of those of cycle:5 have a form that the cache still has. A hub has too
 * many embeddings for that: 7 % of those of cycle:4 in wiki-vote. Without the cache such a form would be sorted and
 * looked up in the whole set. A thread's cache fits into the cache of a core.
 *
 * A thread has entry[entries][width], and an entry whose first word is 0 is free. The hash of a form chooses its entry,
 * which has the last form with this entry. All words of a form are compared, so a form is dropped only if it was
 * passed on before. The caller forgets all forms where it forgets those that were passed on. A thread that drops few
 * forms passes on the next forms unseen, and tries again later. Local. */

#ifndef GEMP_MATCH_DISTINCT_RECENT_FORMS_H
#define GEMP_MATCH_DISTINCT_RECENT_FORMS_H

#include "core/status.h"
#include "core/types.h"

typedef struct gemp_recent_thread {
	size_t tried, dropped; /* forms since the thread began to try */
	size_t unseen;         /* forms that are still passed on unseen */
} gemp_recent_thread;

typedef struct gemp_recent_forms {
	size_t width;               /* words of 64 bits of a form: 1 or 2 */
	size_t entries;             /* of a thread, a power of two; 0: there is no cache */
	unsigned threads;           /* maximum number of threads */
	uint64_t *entry;            /* [threads][entries][width] */
	gemp_recent_thread *thread; /* [threads] */
} gemp_recent_forms;

/* `bytes` is the maximum size of all caches. */
gemp_code gemp_recent_forms_init(gemp_recent_forms *recent, size_t width, size_t bytes);
void gemp_recent_forms_free(gemp_recent_forms *recent);
void gemp_recent_forms_forget(gemp_recent_forms *recent);
/* Removes known forms from forms[count][width] and keeps the order of the others. Returns their number. Threads may
 * call this concurrently, each with its own number. */
size_t gemp_recent_forms_drop(gemp_recent_forms *recent, unsigned thread, uint64_t *forms, size_t count);

#endif
