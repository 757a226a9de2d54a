/*
 * What Linux has and the headers of a machine on which this is built may not
 * know yet: numbers of system calls, and the interface of Landlock.  Included
 * by whoever makes or meets these calls.  From Linux 5.3 on a new call has the
 * same number on all architectures (include/uapi/asm-generic/unistd.h of
 * Linux).
 */
#ifndef RECORD_LINUX_H
#define RECORD_LINUX_H

#include <stdint.h>
#include <sys/syscall.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* Linux 5.3 */
#endif
#ifndef SYS_close_range
#define SYS_close_range 436 /* Linux 5.9 */
#endif
#ifndef SYS_openat2
#define SYS_openat2 437 /* Linux 5.6 */
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438 /* Linux 5.6 */
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439 /* Linux 5.8 */
#endif
#ifndef SYS_landlock_create_ruleset /* Linux 5.13 */
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#endif
