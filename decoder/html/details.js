/* The chosen line: all of it, and the ways from it to everything else. */

const TEXT_SHOWN = 200000;
const FIELD_NAMES = ['integer', 'unsigned', 'character', 'pointer', 'float', 'text'];
const FIELD_CHARACTER = 2;
const FIELD_POINTER = 3;

const details = {row: null, values: null};

function button(text, title, action) {
	const made = make('button', {textContent: text, title});

	made.onclick = action;
	return made;
}

function valueText(value, type) {
	if (value === null)
		return '(not known)';
	if (type === FIELD_POINTER)
		return '0x' + value.toString(16);
	if (type === FIELD_CHARACTER)
		return value > 32 && value < 127 ? "'" + String.fromCharCode(Number(value)) + "'" : '\\x' + value.toString(16);
	return String(value);
}

function conditionOf(name, value) {
	if (typeof value === 'string')
		return name + ' == "' + value.replace(/["\\]/g, '\\$&') + '"';
	return name + ' == ' + value;
}

function fieldsOf(row) {
	return sitesOf(row).flatMap(site => {
		const [, , , , , , names, types] = log.index.sites[site];

		return names.map((name, i) => ({name, type: types[i], site, index: i}));
	});
}

function argumentTable(row, values) {
	const fields = fieldsOf(row);

	return make('table', {}, make('tbody', {}, ...values.map((value, i) => {
		const {name, type, site, index} = fields[i] || {name: 'arg' + (i + 1), type: 5};
		const shownValue = value === null ? valueText(value, type) : button(valueText(value, type),
			'Only lines with this value', () => refine({where: conditionOf(name, value)}));

		return make('tr', {}, make('td', {}, (site === undefined ? null : plotButton(site, index)) || name),
			make('td', {}, make('small', {textContent: FIELD_NAMES[type]})), make('td', {}, shownValue));
	})));
}

function stackList(site) {
	const frames = [];

	for (let node = flame.ofSite[site].parent; node && node.parent; node = node.parent) {
		const number = node.number;

		frames.push(make('li', node.handed ? {className: 'handed', title: 'The text was handed through'} : {}, button(node.name, 'Only what was said through this', () => refine({frame: number})),
			node.where ? make('small', {textContent: node.where}) : null));
	}
	return make('ol', {start: 0}, ...frames);
}

function pair(name, ...value) {
	return [make('dt', {textContent: name}), make('dd', {}, ...value)];
}

function sitePart(site) {
	const [called, format, module, offset, location] = log.index.sites[site];

	return make('div', {},
		make('dl', {},
			...pair('Format', button(format === null ? '(none)' : format, 'All lines of this site', () => refine({site}))),
			...pair('Function', called || ''),
			...pair('Place', location || (module || '?') + (offset === null ? '' : '+0x' + offset.toString(16)))),
		stackList(site));
}

function textPart(said) {
	const made = make('pre');

	if (said === undefined)
		made.append('\u2026');
	else
		putMarked(made, said, markPattern(), 0, Math.min(TEXT_SHOWN, said.length));
	if (said !== undefined && said.length > TEXT_SHOWN)
		made.append('\n\u2026 ' + countText(said.length - TEXT_SHOWN) + ' more');
	return made;
}

function headPart(row, said) {
	const [program, tid, name] = log.index.threads[log.thread[row]];
	const thread = log.thread[row];
	const level = streamOf(row) === STREAM_END ? 'end of a process' : log.index.levels[levelOf(row)];
	const place = placeOf(row);
	const since = place > 0 && shown.view[place] === row ? secondsBetween(shown.view[place - 1], row) + ' s' : '';

	return [
		make('div', {className: 'when', textContent: momentOf(row)}),
		textPart(said),
		make('dl', {},
			...pair('Line', countText(row + 1)),
			...pair('Gap', since),
			...pair('Process', button(programName(program), 'Only this process', () => refine({program}))),
			...pair('Thread', button((name ? name + ' ' : '') + tid, 'Only this thread', () => refine({thread}))),
			...pair('Level', level),
			...pair('Stream', button(log.index.streams[streamOf(row)], 'Only this stream', () => refine({stream: streamOf(row)})))),
	];
}

/* Marked in the flame graph: in a part of it, if it is too narrow in all. */
async function goToStack(site) {
	const leaf = flame.ofSite[site];

	openTab('stacks');
	if (!element('flame').querySelector('[data-frame="' + leaf.number + '"]'))
		await refine({frame: leaf.parent.number});
	element('flame').querySelector('.chosen:last-child')?.scrollIntoView({block: 'nearest'});
}

function actions(row) {
	const [site] = sitesOf(row);
	const made = [button('In the timeline', 'Where it is in time', () => {
		const span = (scale.last - scale.first) / 50;

		setScale(log.time[row] - span / 2, log.time[row] + span / 2);
		element('lanes').scrollTop = (lanes.ofThread[log.thread[row]] - 1) * lanes.height;
	})];

	if (site !== undefined)
		made.push(button('Its site', 'All lines of this site (s)', () => refine({site})),
			button('Its stack', 'Where it is in the flame graph', () => goToStack(site)));
	made.push(button('Its thread', 'All lines of this thread (t)', () => refine({thread: log.thread[row]})));
	return make('div', {className: 'actions'}, ...made);
}

function drawDetails() {
	const row = details.row;
	const area = element('details');
	const close = button('\u00d7', 'Close (Esc)', () => chooseRow(null));

	area.hidden = row === null;
	if (row === null)
		return;
	close.className = 'close';
	close.setAttribute('aria-label', 'Close');
	const made = sitesOf(row);
	const parts = [close, ...headPart(row, textOf(row)), actions(row)];

	if (details.values && details.values.length > 0)
		parts.push(make('h3', {textContent: 'Arguments'}), argumentTable(row, details.values));
	if (made.length > 0)
		parts.push(make('h3', {textContent: made.length > 1 ? made.length + ' calls made this line' : 'Call'}));
	[...new Set(made)].slice(0, 12).forEach(site => parts.push(sitePart(site)));
	area.replaceChildren(...parts);
}

async function chosen(row) {
	details.row = row;
	details.values = null;
	drawDetails();
	if (row === null)
		return;
	const values = await valuesOf(row);

	if (details.row !== row)
		return;
	details.values = values;
	drawDetails();
}

function listenToDetails() {
	on('chosen', chosen);
	on('shown', drawDetails);
	on('texts', () => {
		if (details.row !== null && element('details').querySelector('pre').textContent === '\u2026')
			drawDetails();
	});
}
