/* A lane for each thread: its name, which filters, and what it said when. */

const MARKS_HEIGHT = 26;

const lanes = {
	height: MARKS_HEIGHT, // with the spans above the marks
	threads: [], // that have said anything, by process
	ofThread: null, // lane of each thread
	sorted: null, // lines by lane and class: see sortLines()
};

function findLanes() {
	const counts = new Uint32Array(log.index.threads.length);

	for (let i = 0; i < log.loaded; i++)
		counts[log.thread[i]]++;
	lanes.counts = counts;
	lanes.threads = [...counts.keys()].filter(thread => counts[thread] > 0);
	lanes.threads.sort((a, b) => {
		const [one, other] = [log.index.threads[a], log.index.threads[b]];

		return one[0] - other[0] || one[1] - other[1];
	});
	lanes.ofThread = new Uint32Array(counts.length);
	lanes.threads.forEach((thread, lane) => { lanes.ofThread[thread] = lane; });
	element('lanes-size').style.height = lanes.threads.length * lanes.height + 'px';
}

function sortLanes() {
	const {thread, shape, classes} = log;
	const first = lanes.ofThread.map(lane => lane * 4);

	lanes.sorted = sortLines(shown.marks, lanes.threads.length * 4,
		row => first[thread[row]] + classes[shape[row]]);
}

const firstLane = () => Math.floor(element('lanes').scrollTop / lanes.height);
const laneAt = y => Math.floor((y + element('lanes').scrollTop) / lanes.height);

function nearestInLane(lane, x, near) {
	if (!lanes.sorted || lane >= lanes.threads.length)
		return null;
	return nearest(lanes.sorted, [0, 1, 2, 3].map(key => lane * 4 + key), x, near);
}

function laneName(lane, top) {
	const thread = lanes.threads[lane];
	const [program, tid, name] = log.index.threads[thread];
	const [executable] = log.index.programs[program];
	const made = make('button', {className: 'lane', title: threadName(thread) + ': click for its messages alone'},
		make('b', {textContent: name || executable || '?'}),
		make('i', {textContent: String(tid)}),
		make('u', {textContent: countText(lanes.sorted.starts[lane * 4 + 4] - lanes.sorted.starts[lane * 4])}));

	made.classList.toggle('none', lanes.sorted.starts[lane * 4 + 4] === lanes.sorted.starts[lane * 4]);
	made.style.top = top + 'px';
	made.style.height = lanes.height + 'px';
	made.dataset.thread = thread;
	made.setAttribute('aria-pressed', filter.thread === thread);
	made.onclick = () => refine({thread: filter.thread === thread ? null : thread});
	return made;
}

/* Higher the more it is, but one line can be seen, too. */
function laneBars(context, lane, top, log2) {
	const room = MARKS_HEIGHT - 7;
	const bottom = top + lanes.height - 3;
	const bins = [2, 3, 1, 0].map(key => binsOf(lanes.sorted, lane * 4 + key));

	for (let i = 0; i < bins[0].length; i++) {
		const sum = bins[0][i] + bins[1][i] + bins[2][i] + bins[3][i];
		const high = sum > 0 ? 5 + (room - 5) * Math.log2(sum) / log2 : 0;
		let below = 0;

		[2, 3, 1, 0].forEach((key, number) => {
			if (bins[number][i] === 0)
				return;
			const part = Math.min(high - below, Math.max(number > 0 ? 2.5 : 1, high * bins[number][i] / sum));

			context.fillStyle = timeline.classColors[key];
			context.fillRect(i * BAR, bottom - (number > 0 ? high - below : below + part), BAR - 0.5, part);
			if (number === 0)
				return;
			below += part;
		});
	}
}

function drawLanes() {
	const area = element('lanes');
	const height = area.clientHeight;
	const top = area.scrollTop;
	const view = element('lanes-view');
	const names = [];

	view.style.height = Math.min(height, Math.max(1, lanes.threads.length * lanes.height)) + 'px';
	element('marks').style.height = view.style.height;
	const context = prepareCanvas(element('marks'), scale.width, parseFloat(view.style.height));

	for (let lane = firstLane(); lane < lanes.threads.length && lane * lanes.height < top + height; lane++) {
		const at = lane * lanes.height - top;

		context.fillStyle = timeline.colors.line;
		context.globalAlpha = 0.5;
		context.fillRect(0, at + lanes.height - 1, scale.width, 1);
		context.globalAlpha = 1;
		if (!lanes.sorted)
			continue;
		laneBars(context, lane, at, Math.log2(2 + log.rows / 100));
		drawSpans(context, lane, at + 3);
		names.push(laneName(lane, at));
	}
	putNames(names);
	drawChoice(context, parseFloat(view.style.height));
	drawChosen(context, top);
}

/* Elements stay the same while nothing changes: they may have the focus. */
function putNames(names) {
	const area = element('names-of-lanes');
	const focused = document.activeElement && document.activeElement.dataset.thread;

	area.replaceChildren(...names);
	if (focused !== undefined)
		names.filter(name => name.dataset.thread === focused).forEach(name => name.focus());
}

function drawChosen(context, top) {
	const row = table.chosen;

	if (row === null || row >= log.loaded)
		return;
	const x = pixelOf(log.time[row]);
	const y = lanes.ofThread[log.thread[row]] * lanes.height - top;

	context.strokeStyle = timeline.colors.text;
	context.lineWidth = 1.5;
	context.strokeRect(Math.round(x) - 4, y + 2, 8, lanes.height - 5);
}

function listenToLanes() {
	element('lanes').addEventListener('scroll', drawTimeline);
}
