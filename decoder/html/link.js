/*
 * What is shown stands in the address: the filters, the part of the timeline,
 * the chosen line, the panel.  So an address can be kept and sent, and opened
 * anew shows the same.  What an address says is checked: anybody may write one.
 */

const LINK_DELAY = 250; // milliseconds: browsers refuse an address that changes all the time
const LINK_WORDS = {text: 'search', where: 'where'};
const LINK_FLAGS = {regex: 'regex', sensitive: 'case', around: 'around'};

const link = {
	written: '',
	later: 0,
	opened: false, // its filters are read
	ready: false, // what it said when the page was opened is shown
};

/* By name in the address: how many there are of what a filter counts. */
const LINK_NUMBERS = {
	level: () => log.index.levels.length,
	stream: () => log.index.streams.length,
	program: () => log.index.programs.length,
	thread: () => log.index.threads.length,
	site: () => log.index.sites.length,
	frame: () => flame.nodes.length,
};

/* Seconds since 1970 with nine digits, of nanoseconds since the first second. */
function linkMoment(time) {
	const second = Math.floor(time / 1e9);

	return log.base + second + '.' + pad(Math.min(999999999, Math.round(time - second * 1e9)), 9);
}

/* Null: it is none. */
function momentOfLink(text) {
	const found = /^(\d{1,12})\.(\d{9})$/.exec(text || '');

	return found ? (found[1] - log.base) * 1e9 + Number(found[2]) : null;
}

/* FROM-TO; null: there is none. */
function rangeOfLink(text) {
	const [from, to] = (text || '').split('-').map(momentOfLink);

	return from !== null && from !== undefined && to !== null && to !== undefined && from <= to ? [from, to] : null;
}

function numberOfLink(text, count) {
	return /^\d{1,9}$/.test(text || '') && Number(text) < count ? Number(text) : null;
}

const isZoomed = () => scale.to - scale.from < (scale.last - scale.first) * 1.039;

function linkText() {
	const parts = new URLSearchParams();

	for (const [key, name] of Object.entries(LINK_WORDS))
		if (filter[key])
			parts.set(name, filter[key]);
	for (const [key, name] of Object.entries(LINK_FLAGS))
		if (filter[key])
			parts.set(name, 1);
	for (const key of Object.keys(LINK_NUMBERS))
		if (filter[key] !== null)
			parts.set(key, filter[key]);
	if (filter.from !== null)
		parts.set('time', linkMoment(Math.floor(filter.from)) + '-' + linkMoment(Math.ceil(filter.to)));
	if (table.chosen !== null)
		parts.set('line', table.chosen + 1);
	if (isZoomed())
		parts.set('view', linkMoment(Math.max(-log.base * 1e9, scale.from)) + '-' + linkMoment(scale.to));
	if (table.times !== 'clock')
		parts.set('times', table.times);
	if (openedTab() !== 'messages')
		parts.set('tab', openedTab());
	if (plots.statement && plots.visible)
		parts.set('plot', plots.statements.indexOf(plots.statement) + '.' + plots.statement.fields.indexOf(plots.field));
	if (plots.statement && plots.visible && plots.logarithmic)
		parts.set('log', 1);
	return parts.toString();
}

function filterOfLink(parts) {
	const read = {...NOTHING_ASKED};
	const time = rangeOfLink(parts.get('time'));

	for (const [key, name] of Object.entries(LINK_WORDS))
		read[key] = parts.get(name) || '';
	for (const [key, name] of Object.entries(LINK_FLAGS))
		read[key] = parts.get(name) === '1';
	for (const [key, count] of Object.entries(LINK_NUMBERS))
		read[key] = numberOfLink(parts.get(key), count());
	if (time)
		[read.from, read.to] = time;
	return read;
}

const readLink = () => new URLSearchParams(location.hash.slice(1));

/*
 * What of the address is no filter: when its lines are there.  At first
 * somebody may have begun to use the page while it was read: that stays.
 */
function followLink(isFirst) {
	const parts = readLink();
	const isUsed = isFirst && openedTab() !== 'messages';
	const line = numberOfLink(parts.get('line'), log.rows + 1);
	const view = rangeOfLink(parts.get('view'));
	const [, number, field] = /^(\d{1,9})\.(\d{1,9})$/.exec(parts.get('plot') || '') || [];
	if (number !== undefined)
		buildPlots();
	const statement = number === undefined ? null : plots.statements[number];

	if (!isFirst || parts.has('times'))
		setTimes(parts.get('times') || 'clock');
	if (!isFirst || table.chosen === null)
		chooseRow(line > 0 ? line - 1 : null);
	if (view)
		setScale(...view);
	else if (line === null)
		showAll();
	if (!isUsed)
		plots.logarithmic = parts.get('log') === '1';
	if (isUsed)
		tell('tab');
	else if (statement && statement.fields[field])
		plot(statement, statement.fields[field]);
	else
		openTab(TABS.includes(parts.get('tab')) ? parts.get('tab') : 'messages');
	link.written = location.hash.slice(1);
	link.ready = true;
}

function writeLink() {
	const text = linkText();

	link.later = 0;
	if (!link.ready || text === link.written)
		return;
	link.written = text;
	try {
		history.replaceState(null, '', '#' + text);
	} catch (error) {
		location.replace('#' + text);
	}
	link.written = location.hash.slice(1);
}

function changeLink() {
	if (link.ready && link.later === 0)
		link.later = setTimeout(writeLink, LINK_DELAY);
}

/* The address was changed by hand, or by a link in the same page. */
async function linkChanged() {
	if (!link.ready || location.hash.slice(1) === link.written)
		return;
	link.ready = false;
	await refine(filterOfLink(readLink()));
	followLink(false);
}

function listenToLink() {
	for (const what of ['shown', 'chosen', 'scaled', 'tab', 'times', 'plot'])
		on(what, changeLink);
	window.addEventListener('hashchange', linkChanged);
}
