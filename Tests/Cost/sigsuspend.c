// Valgrind 3.19 writes into the mask of sigsuspend(2), which libdispatch keeps in read-only memory, and ends there. The program's
// main thread sleeps in this call while its tasks run: any other sleep does as well. Loaded before other libraries (scripts/cost).
#include <signal.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
  (void)mask;
  for (;;) pause();
}
