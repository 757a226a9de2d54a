#include "symbolizer/code/machine.h"

#include <elf.h>

#include "symbolizer/code/armdecode.h"
#include "symbolizer/code/x86decode.h"

static const struct machine machines[] = {
	{
		.number = EM_X86_64,
		.decode = x86decode,
		.arguments = {7, 6, 2, 1, 8, 9}, /* di si dx cx r8 r9 */
		.result = 0,
		.stack = 4,
		.frame = 5,
		.clobbered = 0x0fc7, /* ax cx dx si di r8 to r11 */
	},
	{
		.number = EM_AARCH64,
		.decode = armdecode,
		.arguments = {0, 1, 2, 3, 4, 5},
		.result = 0,
		.stack = 31,
		.frame = 29,
		.clobbered = 0x4007ffff, /* x0 to x18, x30 */
	},
};

const struct machine *machine_find(uint16_t number)
{
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].number == number)
			return &machines[i];
	return NULL;
}
