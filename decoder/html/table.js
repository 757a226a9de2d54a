/*
 * The lines one below the other.  Only those that can be seen are elements;
 * what the browser scrolls is never higher than it can be, so in a long log a
 * pixel of the bar is several lines, while the wheel moves as always.
 */

const ROW_HEIGHT = 22;
const SCROLL_MAX = 8e6;
const CHARACTER_WIDTH = 7.6; // pixels, about

const table = {
	top: 0, // pixels of all lines above
	chosen: null, // line
	times: 'clock', // or 'since', 'delta'
	drawing: false,
	fits: 80, // characters of a text that can be seen
	moved: null, // the last place that the bar was put to
};

const rowsHigh = () => element('scroll').clientHeight;
const fullHeight = () => shown.view.length * ROW_HEIGHT;
const barHeight = () => Math.min(fullHeight(), SCROLL_MAX);

/* Where a line is in the view, or where it would be. */
function placeOf(row) {
	let low = 0;
	let high = shown.view.length;

	while (low < high) {
		const middle = low + high >> 1;

		if (shown.view[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function moveTo(top) {
	const scroll = element('scroll');
	const room = Math.max(0, fullHeight() - rowsHigh());
	const bar = Math.max(0, barHeight() - rowsHigh());

	table.top = Math.max(0, Math.min(room, top));
	scroll.scrollTop = room > 0 ? table.top / room * bar : 0;
	table.moved = scroll.scrollTop;
	drawTable();
}

function barMoved() {
	const scroll = element('scroll');
	const room = Math.max(0, fullHeight() - rowsHigh());
	const bar = Math.max(1, barHeight() - rowsHigh());

	if (table.moved !== null && Math.abs(scroll.scrollTop - table.moved) < 1)
		return;
	table.moved = null;
	table.top = Math.min(room, scroll.scrollTop / bar * room);
	drawTable();
}

function wheelTurned(event) {
	if (fullHeight() <= SCROLL_MAX || event.ctrlKey)
		return; // the browser does it
	event.preventDefault();
	moveTo(table.top + event.deltaY * (event.deltaMode === 1 ? ROW_HEIGHT : event.deltaMode === 2 ? rowsHigh() : 1));
}

function drawTable() {
	if (table.drawing)
		return;
	table.drawing = true;
	requestAnimationFrame(() => {
		table.drawing = false;
		drawRows();
	});
}

function timeOf(row, place) {
	if (table.times === 'clock')
		return clockOf(row);
	if (table.times === 'since')
		return secondsBetween(0, row);
	return place > 0 ? '+' + secondsBetween(shown.view[place - 1], row) : '';
}

/* The pattern of the search, to mark what it finds; null: there is none. */
function markPattern() {
	try {
		return filter.text ? searchPattern(filter, 'g') : null;
	} catch (error) {
		return null;
	}
}

const MARK_WITHIN = 200000; // characters of a text that are looked at

/* What a search finds in a text that can be marked, one after the other. */
function* marksOf(text, pattern) {
	if (pattern)
		for (const found of text.slice(0, MARK_WITHIN).matchAll(pattern))
			if (found[0] !== '')
				yield [found.index, found.index + found[0].length];
}

/* Part of a text, with what was searched for marked in it. */
function putMarked(into, text, pattern, from = 0, to = text.length, shownAs = part => part) {
	let at = from;

	for (const [begin, end] of marksOf(text, pattern)) {
		if (begin >= to)
			break;
		if (end <= at)
			continue;
		into.append(shownAs(text.slice(at, Math.max(at, begin))),
			make('mark', {textContent: shownAs(text.slice(Math.max(at, begin), Math.min(to, end)))}));
		at = Math.min(to, end);
	}
	into.append(shownAs(text.slice(at, to)));
}

/* The first line of a text, or the part of the text that was found if that could not be seen. */
function putText(into, text, pattern) {
	const [line] = text.split('\n', 1);
	const more = text.length > line.length ? text.split('\n').length - 1 : 0;
	const [found] = marksOf(text, pattern).next().value || [0];
	const seen = found < table.fits && found <= line.length;
	const begin = seen ? 0 : Math.max(0, found - 24);

	into.replaceChildren();
	if (begin > 0)
		into.append(make('em', {textContent: '\u2026 '}));
	putMarked(into, text, pattern, begin, seen ? Math.min(1200, line.length) : Math.min(begin + 1200, text.length),
		part => part.replaceAll('\n', '\u21b5'));
	if (seen && more > 0)
		into.append(make('em', {textContent: ' \u21b5 ' + more + ' more'}));
}

function newRow() {
	const made = make('div', {className: 'row', role: 'row'});

	for (const name of ['time', 'thread', 'level', 'stream', 'text'])
		made.append(make('span', {className: name, role: 'gridcell'}));
	return made;
}

function fillRow(line, place, pattern) {
	const row = shown.view[place];
	const [time, thread, level, stream, text] = line.children;
	const said = textOf(row);

	line.dataset.row = row;
	line.className = 'row ' + CLASS_NAMES[classOf(row)] + (row === table.chosen ? ' chosen' : '') +
		(isFound(row) ? '' : ' around');
	line.setAttribute('aria-rowindex', place + 1);
	line.setAttribute('aria-selected', row === table.chosen);
	time.textContent = timeOf(row, place);
	thread.textContent = threadName(log.thread[row]);
	level.textContent = streamOf(row) === STREAM_END ? 'end' : log.index.levels[levelOf(row)];
	stream.textContent = streamOf(row) === STREAM_END ? '' : log.index.streams[streamOf(row)];
	if (said === undefined)
		text.replaceChildren(make('span', {className: 'waits', textContent: '\u2026'}));
	else
		putText(text, said, pattern);
}

function drawRows() {
	const rows = element('rows');
	const high = rowsHigh();
	const first = Math.floor(table.top / ROW_HEIGHT);
	const count = Math.max(0, Math.min(Math.ceil(high / ROW_HEIGHT) + 1, shown.view.length - first));
	const pattern = markPattern();

	element('scroll-size').style.height = Math.max(barHeight(), high) + 'px';
	rows.style.height = high + 'px';
	if (shown.view.length === 0) {
		rows.replaceChildren(make('div', {className: 'empty',
			textContent: log.rows === 0 ? 'There are no messages in this report.' : !shown.chosen ? 'Reading\u2026'
				: 'No message matches these filters.'}));
		return;
	}
	if (rows.firstChild && rows.firstChild.className === 'empty')
		rows.firstChild.remove();
	while (rows.children.length < count)
		rows.append(newRow());
	while (rows.children.length > count)
		rows.lastChild.remove();
	table.fits = (rows.querySelector('.text')?.clientWidth || 600) / CHARACTER_WIDTH - 2;
	for (let i = 0; i < count; i++) {
		rows.children[i].style.transform = 'translateY(' + (first * ROW_HEIGHT - table.top) + 'px)';
		fillRow(rows.children[i], first + i, pattern);
	}
	element('scroll').setAttribute('aria-rowcount', shown.view.length);
}

/* So that it can be seen, in the middle if it could not be. */
function showRow(row) {
	const at = placeOf(row) * ROW_HEIGHT;

	if (at < table.top || at + ROW_HEIGHT > table.top + rowsHigh())
		moveTo(at - rowsHigh() / 2);
	else
		drawTable();
}

function chooseRow(row) {
	table.chosen = row;
	if (row !== null && shown.view[placeOf(row)] === row)
		showRow(row);
	else
		drawTable();
	tell('chosen', row);
}

/* So many lines further down the view. */
function stepRow(step) {
	const last = shown.view.length - 1;
	const at = table.chosen === null ? (step > 0 ? -1 : 0) : placeOf(table.chosen);

	if (last >= 0)
		chooseRow(shown.view[Math.max(0, Math.min(last, at + step))]);
}

/* To the next line that was found, which others may stand between. */
function stepFound(step) {
	const last = shown.view.length - 1;
	let at = table.chosen === null ? (step > 0 ? -1 : last + 1) : placeOf(table.chosen);

	if (step < 0 || shown.view[at] === table.chosen || at < 0)
		at += step;
	while (at >= 0 && at <= last && !isFound(shown.view[at]))
		at += step;
	if (at >= 0 && at <= last)
		chooseRow(shown.view[at]);
}

const TIMES = {clock: 'Time', since: 'Since the first', delta: 'Since the one above'};

function setTimes(kind) {
	table.times = Object.hasOwn(TIMES, kind) ? kind : 'clock';
	element('time-kind').textContent = TIMES[table.times];
	drawTable();
	tell('times');
}

function changeTimes() {
	const kinds = Object.keys(TIMES);

	setTimes(kinds[(kinds.indexOf(table.times) + 1) % kinds.length]);
}

function listenToTable() {
	const scroll = element('scroll');

	scroll.addEventListener('scroll', barMoved);
	scroll.addEventListener('wheel', wheelTurned, {passive: false});
	element('rows').onclick = event => {
		const line = event.target.closest('[data-row]');

		if (line)
			chooseRow(Number(line.dataset.row));
	};
	element('time-kind').onclick = changeTimes;
	new ResizeObserver(() => moveTo(table.top)).observe(scroll);
	on('texts', drawTable);
	on('shown', () => {
		const keep = table.chosen !== null && shown.view[placeOf(table.chosen)] === table.chosen;

		element('scroll-size').style.height = barHeight() + 'px';
		if (keep)
			moveTo(placeOf(table.chosen) * ROW_HEIGHT - rowsHigh() / 2);
		else
			moveTo(isFiltered() ? 0 : table.top);
	});
}
