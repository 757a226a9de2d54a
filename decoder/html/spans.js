/*
 * How long things took: a bar above the marks of the thread in which each has
 * begun, below each other where they overlap.
 */

const SPAN_HEIGHT = 7;
const SPAN_DEPTH = 4; // what is deeper lies over the last

const spans = {
	all: [], // {time, duration, rule, thread, key, depth, end}: the latest end of it and those before
	ofLane: [], // likewise, by time
	depth: 0,
};

const spanRule = span => log.index.spans[span.rule][0];

/* Ends when they are laid out, or cannot be read, which is told. */
async function loadSpans() {
	const parts = [...document.querySelectorAll('script.spans')].map(script => {
		const part = bytesOf(script.textContent);

		script.remove();
		return ask({kind: 'spans', part});
	});

	if (parts.length === 0)
		return;
	try {
		for (const {spans: read} of await Promise.all(parts))
			for (const [second, nanosecond, duration, rule, thread, key] of read)
				spans.all.push({time: (second - log.base) * 1e9 + nanosecond, duration, rule, thread, key});
		layOutSpans();
	} catch (error) {
		tell('trouble', 'spans of this report cannot be read: ' + error.message);
	}
}

/* So many above each other, above the marks. */
function giveRoom(depth) {
	lanes.height = MARKS_HEIGHT + depth * SPAN_HEIGHT + (depth > 0 ? 2 : 0);
}

function layOutSpans() {
	spans.ofLane = lanes.threads.map(() => []);
	spans.all.sort((a, b) => a.time - b.time);
	for (const span of spans.all)
		spans.ofLane[lanes.ofThread[span.thread]]?.push(span);
	for (const lane of spans.ofLane) {
		const ends = [];
		let latest = -Infinity;

		for (const span of lane) {
			let depth = ends.findIndex(end => end <= span.time);

			if (depth < 0)
				depth = Math.min(ends.length, SPAN_DEPTH - 1);
			ends[depth] = span.time + span.duration;
			latest = Math.max(latest, ends[depth]);
			span.depth = depth;
			span.end = latest;
			spans.depth = Math.max(spans.depth, depth + 1);
		}
	}
	giveRoom(spans.depth);
	element('lanes-size').style.height = lanes.threads.length * lanes.height + 'px';
	drawTimeline();
}

/* The first one of a lane that may be seen. */
function firstSpan(lane, time) {
	let low = 0;
	let high = lane.length;

	while (low < high) {
		const middle = low + high >> 1;

		if (lane[middle].end < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const SPAN_COLORS = ['#4cb782', '#d9822b', '#8f7ee7', '#d6589f', '#3aa7b5', '#b5a13a'];

/* Those that fall on one pixel are drawn once. */
function drawSpans(context, lane, top) {
	const all = spans.ofLane[lane] || [];
	const last = new Float64Array(SPAN_DEPTH).fill(-1);

	for (let i = firstSpan(all, scale.from); i < all.length && all[i].time <= scale.to; i++) {
		const span = all[i];
		const left = Math.max(0, pixelOf(span.time));
		const right = Math.min(scale.width, Math.max(left + 1, pixelOf(span.time + span.duration)));

		if (right <= last[span.depth] + 0.7)
			continue;
		context.fillStyle = SPAN_COLORS[span.rule % SPAN_COLORS.length];
		context.fillRect(left, top + span.depth * SPAN_HEIGHT, Math.max(1, right - left - 0.5), SPAN_HEIGHT - 2);
		last[span.depth] = right;
	}
}

/* The span that is there in a lane, or null. */
function spanAt(lane, x, y) {
	const all = spans.ofLane[lane] || [];
	const depth = Math.floor((y + element('lanes').scrollTop - lane * lanes.height - 3) / SPAN_HEIGHT);
	const time = timeAt(x);
	const near = 2 * (timeAt(1) - timeAt(0));
	let best = null;

	for (let i = firstSpan(all, time - near); i < all.length && all[i].time <= time + near; i++)
		if (all[i].depth === depth && all[i].time + all[i].duration >= time - near)
			best = all[i];
	return best;
}

/* The line that has begun it, if it is shown. */
function beginOf(span, lane) {
	for (let key = lane * 4; key < lane * 4 + 4; key++) {
		const at = lowerBound(lanes.sorted.times, lanes.sorted.starts[key], lanes.sorted.starts[key + 1], span.time);

		if (at < lanes.sorted.starts[key + 1] && lanes.sorted.times[at] === span.time)
			return lanes.sorted.rows[at];
	}
	return null;
}
