/* How tools that read captures end. */
#ifndef BASE_EXIT_STATUS_H
#define BASE_EXIT_STATUS_H

enum exit_status {
	EXIT_ALL_READ = 0,
	EXIT_DAMAGE = 1,  /* or loss; what could be read was shown */
	EXIT_NOTHING = 2, /* to read, or wrong usage, or no way to write */
};

#endif
