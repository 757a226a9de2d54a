/* How much was said over time, and what mouse and keys do to the timeline. */

const RATE_HEIGHT = 84;
const AXIS_HEIGHT = 20;
const BAR = 2; // pixels

const timeline = {
	all: null, // every line, sorted by class: see sortLines()
	asked: null, // likewise those that are asked for
	drawing: false,
	drag: null,
	colors: null,
};

function readColors() {
	const style = getComputedStyle(document.documentElement);

	timeline.colors = {};
	for (const name of ['panel', 'line', 'text', 'faint', 'accent', 'accent-soft', 'mark', 'mark-all', 'warn', 'error', 'end'])
		timeline.colors[name] = style.getPropertyValue('--' + name).trim();
	timeline.classColors = ['error', 'warn', 'mark', 'end'].map(name => timeline.colors[name]);
}

/* A canvas as sharp as the screen; its context counts in pixels of the page. */
function prepareCanvas(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const context = canvas.getContext('2d');

	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	return context;
}

function drawTimeline() {
	if (timeline.drawing)
		return;
	timeline.drawing = true;
	requestAnimationFrame(() => {
		timeline.drawing = false;
		scale.width = Math.max(1, element('rate').clientWidth);
		drawRate();
		drawLanes();
	});
}

function ticks() {
	const step = tickStep(110);
	const shift = step > 1e9 ? (log.base + zoneOf(0)) % (step / 1e9) * 1e9 : 0;
	const made = [];

	for (let time = Math.ceil((scale.from + shift) / step) * step - shift; time <= scale.to; time += step)
		made.push([pixelOf(time), tickText(time, step)]);
	return made;
}

function drawTicks(context, height) {
	context.fillStyle = timeline.colors.faint;
	context.strokeStyle = timeline.colors.line;
	context.font = '11px system-ui, "DejaVu Sans", sans-serif';
	context.textBaseline = 'middle';
	context.beginPath();
	for (const [x, text] of ticks()) {
		context.moveTo(Math.round(x) + 0.5, height - AXIS_HEIGHT);
		context.lineTo(Math.round(x) + 0.5, height - AXIS_HEIGHT + 5);
		if (x + 4 + context.measureText(text).width <= scale.width)
			context.fillText(text, x + 4, height - AXIS_HEIGHT / 2 + 2);
	}
	context.moveTo(0, height - AXIS_HEIGHT + 0.5);
	context.lineTo(scale.width, height - AXIS_HEIGHT + 0.5);
	context.stroke();
}

/* The sum of the pixels that make one bar. */
function binsOf(sorted, key) {
	const bins = new Uint32Array(Math.ceil(scale.width / BAR));
	const fine = {...scale};

	scale.width = bins.length;
	countInto(bins, sorted, key);
	Object.assign(scale, fine);
	return bins;
}

function drawBars(context, bins, below, per, color, bottom) {
	context.fillStyle = color;
	for (let i = 0; i < bins.length; i++) {
		if (bins[i] === 0)
			continue;
		const high = Math.max(1, bins[i] * per);

		context.fillRect(i * BAR, bottom - below[i] - high, BAR - 0.5, high);
		below[i] += high;
	}
}

function drawRate() {
	const context = prepareCanvas(element('rate'), scale.width, RATE_HEIGHT);
	const bottom = RATE_HEIGHT - AXIS_HEIGHT;
	const sums = new Float64Array(Math.ceil(scale.width / BAR));
	const all = [2, 3, 1, 0].map(key => timeline.all ? binsOf(timeline.all, key) : null);
	let most = 1;

	drawTicks(context, RATE_HEIGHT);
	if (!timeline.all || !timeline.asked)
		return;
	all.forEach(bins => bins.forEach((count, i) => { sums[i] += count; }));
	for (const sum of sums)
		most = Math.max(most, sum);
	const per = (bottom - 14) / most;

	drawBars(context, sums, new Float64Array(sums.length), per, timeline.colors['mark-all'], bottom);
	const below = new Float64Array(sums.length);

	for (const key of [2, 3, 1, 0])
		drawBars(context, binsOf(timeline.asked, key), below, per, timeline.classColors[key], bottom);
	drawMost(context, most);
	drawChoice(context, RATE_HEIGHT);
}

function drawMost(context, most) {
	const rate = most / ((scale.to - scale.from) / scale.width * BAR / 1e9);
	const unit = [[1e9, ' G'], [1e6, ' M'], [1e3, ' k'], [0, ' ']].find(([least]) => rate >= least);
	const text = log.rows > 1 ? Number((rate / (unit[0] || 1)).toPrecision(3)) + unit[1] + 'lines/s at most here' : '';

	context.fillStyle = timeline.colors.faint;
	context.textAlign = 'right';
	context.fillText(text, scale.width - 8, 9);
	context.textAlign = 'left';
}

/* The time that is asked for, the one being drawn, and the chosen line. */
function drawChoice(context, height) {
	const drag = timeline.drag && timeline.drag.brush ? timeline.drag : null;
	const [from, to] = drag ? [Math.min(drag.start, drag.now), Math.max(drag.start, drag.now)]
		: filter.from !== null ? [pixelOf(filter.from), pixelOf(filter.to)] : [0, 0];

	if (to > from) {
		context.fillStyle = timeline.colors['accent-soft'];
		context.fillRect(from, 0, to - from, height);
		context.fillStyle = timeline.colors.accent;
		context.fillRect(from, 0, 1, height);
		context.fillRect(to - 1, 0, 1, height);
	}
	if (table.chosen === null || table.chosen >= log.loaded)
		return;
	const x = pixelOf(log.time[table.chosen]);

	if (x < 0 || x > scale.width)
		return;
	context.fillStyle = timeline.colors.text;
	context.fillRect(Math.round(x) - 0.5, 0, 1, height);
}

function showSpan() {
	element('span').textContent = spanText(scale.to - scale.from, 4) + ' shown';
}

/* ---- mouse ---- */

const offsetIn = (event, canvas) => event.clientX - canvas.getBoundingClientRect().left;

function turnWheel(event) {
	const canvas = event.currentTarget;

	event.preventDefault();
	hideTip();
	if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
		pan(event.deltaX || event.deltaY);
	else
		zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))), offsetIn(event, canvas));
}

function startDrag(event) {
	const canvas = event.currentTarget;

	if (event.button !== 0)
		return;
	const at = offsetIn(event, canvas);

	canvas.setPointerCapture(event.pointerId);
	timeline.drag = {brush: canvas.id === 'rate', start: at, now: at, last: at, far: 0};
	hideTip();
}

function goOn(event) {
	const drag = timeline.drag;
	const at = offsetIn(event, event.currentTarget);

	if (!drag) {
		pointAt(event, at);
		return;
	}
	drag.far = Math.max(drag.far, Math.abs(at - drag.start));
	drag.now = at;
	if (!drag.brush && drag.far > 3)
		pan(drag.last - at);
	drag.last = at;
	if (drag.brush)
		drawTimeline();
}

function endDrag(event) {
	const drag = timeline.drag;
	const canvas = event.currentTarget;

	timeline.drag = null;
	if (!drag)
		return;
	if (drag.brush && drag.far > 3) {
		const [from, to] = [Math.min(drag.start, drag.now), Math.max(drag.start, drag.now)];

		refine({from: timeAt(from), to: timeAt(to)});
	} else if (drag.far <= 3) {
		chooseAt(canvas, drag.now, event.clientY - canvas.getBoundingClientRect().top);
	}
	drawTimeline();
}

/* The line of these keys that is next to a pixel, if it is near; or null. */
function nearest(sorted, keys, pixel, near) {
	const time = timeAt(pixel);
	let best = null;
	let least = near / scale.width * (scale.to - scale.from);

	for (const key of keys) {
		const at = lowerBound(sorted.times, sorted.starts[key], sorted.starts[key + 1], time);

		for (const i of [at - 1, at]) {
			const far = Math.abs(sorted.times[i] - time);

			if (i < sorted.starts[key] || i >= sorted.starts[key + 1] || far > least)
				continue;
			least = far;
			best = sorted.rows[i];
		}
	}
	return best;
}

function chooseAt(canvas, x, y) {
	const span = canvas.id === 'marks' ? spanAt(laneAt(y), x, y) : null;
	const row = span ? beginOf(span, laneAt(y)) : canvas.id === 'rate'
		? nearest(timeline.asked, [0, 1, 2, 3], x, 6)
		: nearestInLane(laneAt(y), x, 8);

	if (row === null)
		return;
	if (element('messages').hidden)
		openTab('messages');
	chooseRow(row);
}

function pointAt(event, x) {
	const canvas = event.currentTarget;
	const y = event.clientY - canvas.getBoundingClientRect().top;
	const row = canvas.id === 'rate' ? null : nearestInLane(laneAt(y), x, 8);
	const second = Math.floor(timeAt(x) / 1e9);
	const time = clockText(log.base + second + zoneOf(0)) + '.' +
		pad(Math.max(0, Math.floor(timeAt(x) - second * 1e9)), 9);

	const span = canvas.id === 'marks' ? spanAt(laneAt(y), x, y) : null;

	if (log.rows === 0)
		return;
	if (span) {
		placeTip(event, spanText(span.duration, 6), make('small', {textContent: '  ' + span.key}),
			make('code', {textContent: spanRule(span)}));
		return;
	}
	showTip(event, row === null ? time : clockOf(row), row);
}

function showTip(event, time, row) {
	const parts = [time];

	if (row !== null) {
		const said = textOf(row);

		parts.push(make('small', {textContent: '  ' + threadName(log.thread[row])}));
		parts.push(make('code', {textContent: (said === undefined ? '\u2026' : said.split('\n', 1)[0].slice(0, 200))}));
	}
	placeTip(event, ...parts);
}

function placeTip(event, ...parts) {
	const tip = element('tip');
	const area = element('timeline').getBoundingClientRect();

	tip.replaceChildren(...parts);
	tip.hidden = false;
	tip.style.left = Math.max(0, Math.min(event.clientX - area.left + 14, area.width - tip.offsetWidth - 8)) + 'px';
	tip.style.top = Math.max(0, Math.min(event.clientY - area.top + 16, area.height - tip.offsetHeight - 4)) + 'px';
}

function hideTip() {
	element('tip').hidden = true;
}

function listenToTimeline() {
	for (const id of ['rate', 'marks']) {
		const canvas = element(id);

		canvas.addEventListener('wheel', turnWheel, {passive: false});
		canvas.onpointerdown = startDrag;
		canvas.onpointermove = goOn;
		canvas.onpointerup = endDrag;
		canvas.onpointerleave = hideTip;
		canvas.ondblclick = showAll;
	}
	element('zoom-in').onclick = () => zoom(0.5, scale.width / 2);
	element('zoom-out').onclick = () => zoom(2, scale.width / 2);
	element('zoom-fit').onclick = showAll;
	on('scaled', drawTimeline);
	on('scaled', showSpan);
	on('chosen', row => {
		if (row !== null)
			showTime(log.time[row]);
		drawTimeline();
	});
	on('shown', () => {
		timeline.asked = sortLines(shown.marks, 4, classOf);
		timeline.all ||= timeline.asked;
	});
	on('shown', () => {
		sortLanes();
		drawTimeline();
	});
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
		readColors();
		drawTimeline();
		tell('colors');
	});
	new ResizeObserver(drawTimeline).observe(element('timeline'));
}
