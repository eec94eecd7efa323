#include "core/background.h"

#include "core/signals.h"

bool gemp_background_start(gemp_background *background, void *(*function)(void *), void *context)
{
	sigset_t before;
	gemp_signals_block(&before);
	background->running = pthread_create(&background->thread, NULL, function, context) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return background->running;
}

void gemp_background_wait(gemp_background *background)
{
	if (background->running)
		pthread_join(background->thread, NULL);
	background->running = false;
}
