/* Moments and spans as people read them; a moment is that of binlog-show. */

const pad = (number, digits) => String(number).padStart(digits, '0');

/* Seconds east of UTC, where the report was made. */
function zoneOf(row) {
	let zone = 0;

	for (const [from, seconds] of log.index.zones) {
		if (from > row)
			break;
		zone = seconds;
	}
	return zone;
}

function dateText(second) {
	const date = new Date(second * 1000);

	return pad(date.getUTCFullYear(), 4) + '-' + pad(date.getUTCMonth() + 1, 2) + '-' + pad(date.getUTCDate(), 2);
}

function clockText(second) {
	const date = new Date(second * 1000);

	return pad(date.getUTCHours(), 2) + ':' + pad(date.getUTCMinutes(), 2) + ':' + pad(date.getUTCSeconds(), 2);
}

function momentOf(row) {
	const second = log.second[row] + zoneOf(row);

	return dateText(second) + ' ' + clockText(second) + '.' + pad(log.nanosecond[row], 9);
}

function clockOf(row) {
	return clockText(log.second[row] + zoneOf(row)) + '.' + pad(log.nanosecond[row], 9);
}

/* Nanoseconds since the line `from`, as 1.000000002: exact up to 104 days. */
function secondsBetween(from, row) {
	let seconds = log.second[row] - log.second[from];
	let rest = log.nanosecond[row] - log.nanosecond[from];
	let sign = '';

	if (seconds < 0 || (seconds === 0 && rest < 0)) {
		seconds = -seconds;
		rest = -rest;
		sign = '-';
	}
	if (rest < 0) {
		seconds--;
		rest += 1e9;
	}
	return sign + seconds + '.' + pad(rest, 9);
}

const UNITS = [[86400e9, 'd'], [3600e9, 'h'], [60e9, 'min'], [1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']];

/* Nanoseconds with a unit, three digits or what is asked for. */
function spanText(span, digits = 3) {
	const [size, unit] = UNITS.find(([least]) => Math.abs(span) >= least) || UNITS[6];
	const value = span / size;

	return (unit === 'ns' ? Math.round(value) : Number(value.toPrecision(digits))) + ' ' + unit;
}

/* What the axis says of a moment, in steps of so many nanoseconds. */
function tickText(time, step) {
	const second = Math.floor(time / 1e9);
	const clock = clockText(log.base + second + zoneOf(0));
	const fraction = pad(Math.round(time - second * 1e9), 9);
	const digits = step >= 1e9 ? 0 : step >= 1e6 ? 3 : step >= 1e3 ? 6 : 9;

	if (step >= 86400e9)
		return dateText(log.base + second + zoneOf(0));
	if (step >= 60e9)
		return clock.slice(0, 5);
	return digits > 0 ? clock + '.' + fraction.slice(0, digits) : clock;
}

const countFormat = new Intl.NumberFormat('en-US');
const countText = number => countFormat.format(number);
