/* From times to pixels: what part of the log the timeline shows. */

const SPAN_LEAST = 100; // nanoseconds

const scale = {
	from: 0,
	to: 1,
	first: 0, // of all lines
	last: 1,
	width: 1,
};

const pixelOf = time => (time - scale.from) / (scale.to - scale.from) * scale.width;
const timeAt = pixel => scale.from + pixel / scale.width * (scale.to - scale.from);

function lowerBound(times, low, high, time) {
	while (low < high) {
		const middle = low + high >>> 1;

		if (times[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function setScale(from, to) {
	const all = (scale.last - scale.first) * 1.04;
	let span = Math.max(SPAN_LEAST, Math.min(to - from, all));
	const least = scale.first - all * 0.02;
	const most = scale.last + all * 0.02;

	from = (from + to) / 2 - span / 2;
	from = Math.max(least, Math.min(most - span, from));
	scale.from = from;
	scale.to = from + span;
	tell('scaled');
}

function fitScale() {
	let first = Infinity;
	let last = -Infinity;

	for (let i = 0; i < log.loaded; i++) {
		if (log.time[i] < first)
			first = log.time[i];
		if (log.time[i] > last)
			last = log.time[i];
	}
	if (!(last > first)) {
		first = (log.rows > 0 ? first : 0) - 5e5;
		last = first + 1e6;
	}
	scale.first = first;
	scale.last = last;
	showAll();
}

const showAll = () => setScale(scale.first - (scale.last - scale.first), scale.last + (scale.last - scale.first));

/* Around a pixel. */
function zoom(factor, pixel) {
	const time = timeAt(pixel);

	setScale(time - (time - scale.from) * factor, time + (scale.to - time) * factor);
}

function pan(pixels) {
	const step = pixels / scale.width * (scale.to - scale.from);

	setScale(scale.from + step, scale.to + step);
}

/* So that a moment can be seen. */
function showTime(time) {
	const span = scale.to - scale.from;

	if (time < scale.from || time > scale.to)
		setScale(time - span / 2, time + span / 2);
}

/*
 * Lines sorted by what they belong to, then by time: those of key k are from
 * starts[k] to starts[k + 1].
 */
function sortLines(lines, keys, keyOf) {
	const starts = new Uint32Array(keys + 1);
	const rows = new Uint32Array(lines.length);
	const times = new Float64Array(lines.length);

	const keyed = new Uint32Array(lines.length);

	for (let i = 0; i < lines.length; i++) {
		keyed[i] = keyOf(lines[i]);
		starts[keyed[i] + 1]++;
	}
	for (let k = 0; k < keys; k++)
		starts[k + 1] += starts[k];
	const next = starts.slice();

	for (let i = 0; i < lines.length; i++)
		rows[next[keyed[i]]++] = lines[i];
	for (let k = 0; k < keys; k++)
		sortPart(rows.subarray(starts[k], starts[k + 1]));
	for (let i = 0; i < rows.length; i++)
		times[i] = log.time[rows[i]];
	return {starts, rows, times};
}

/* Nearly all are in the order of their times: the few that are not go between. */
function sortPart(rows) {
	const time = log.time;
	const late = [];
	let kept = 0;
	let latest = -Infinity;

	for (const row of rows)
		if (time[row] < latest) {
			late.push(row);
		} else {
			latest = time[row];
			rows[kept++] = row;
		}
	late.sort((a, b) => time[a] - time[b]);
	for (let to = rows.length - 1; late.length > 0; to--)
		if (kept > 0 && time[rows[kept - 1]] > time[late[late.length - 1]])
			rows[to] = rows[--kept];
		else
			rows[to] = late.pop();
}

/* How many of a key fall on each pixel of the scale. */
function countInto(bins, sorted, key) {
	const {starts, times} = sorted;
	const per = scale.width / (scale.to - scale.from);
	let at = lowerBound(times, starts[key], starts[key + 1], scale.from);
	const end = lowerBound(times, at, starts[key + 1], scale.to);

	if (end - at < 8 * bins.length) {
		for (; at < end; at++)
			bins[Math.min(bins.length - 1, Math.floor((times[at] - scale.from) * per))]++;
		return;
	}
	for (let pixel = 0; pixel < bins.length && at < end; pixel++) {
		const next = lowerBound(times, at, end, scale.from + (pixel + 1) / per);

		bins[pixel] += next - at;
		at = next;
	}
}

const STEPS = [1, 2, 5];

/* A round number of nanoseconds for ticks about so many pixels apart. */
function tickStep(pixels) {
	const least = (scale.to - scale.from) / scale.width * pixels;

	for (const [unit, of] of [[1, [...Array(9).keys()].flatMap(i => STEPS.map(n => n * 10 ** i))],
		[1e9, [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400]]])
		for (const n of of)
			if (n * unit >= least)
				return n * unit;
	return Math.ceil(least / 86400e9) * 86400e9;
}
