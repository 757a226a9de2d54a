/* Puts the parts together; keys. */

const TABS = ['messages', 'stacks', 'sites', 'losses', 'plots'];

const openedTab = () => TABS.find(tab => !element(tab).hidden);

function openTab(name) {
	for (const tab of TABS) {
		element(tab).hidden = tab !== name;
		element('tab-' + tab).setAttribute('aria-selected', tab === name);
		element('tab-' + tab).tabIndex = tab === name ? 0 : -1;
	}
	flame.visible = name === 'stacks';
	sites.visible = name === 'sites';
	plots.visible = name === 'plots';
	if (flame.visible)
		drawFlame();
	if (sites.visible)
		drawSites();
	if (plots.visible)
		openPlots();
	if (name === 'messages')
		moveTo(table.top);
	tell('tab');
}

function showSummary() {
	const {programs, threads, calls} = log.index;
	const names = [...new Set(programs.slice(1).map(program => program[0]))];
	const parts = [];
	const add = (number, one, many) => {
		if (parts.length > 0)
			parts.push('  \u00b7  ');
		parts.push(make('b', {textContent: countText(number)}), ' ' + (number === 1 ? one : many));
	};

	element('title').textContent = names.slice(0, 3).join(', ') + (names.length > 3 ? ' and ' + (names.length - 3) + ' more' : '') || 'binlog';
	document.title = element('title').textContent + ' \u2013 binlog';
	add(log.rows, 'line', 'lines');
	add(calls, 'call', 'calls');
	add(programs.length - 1, 'process', 'processes');
	add(threads.length - 1, 'thread', 'threads');
	if (log.rows > 1 && isWhole())
		parts.push('  \u00b7  ' + spanText(scale.last - scale.first, 4));
	if (log.rows > 0 && log.loaded > 0)
		parts.push('  \u00b7  ' + momentOf(0).slice(0, 19) + (log.index.utc ? ' UTC' : ''));
	if (!isWhole())
		parts.push('  \u00b7  reading ' + Math.floor(100 * log.loaded / log.rows) + ' %');
	element('summary').replaceChildren(...parts);
}

/* As wide as the longest name, if it is not too long. */
function fitThreads() {
	const longest = log.index.threads.reduce((most, _, thread) => Math.max(most, threadName(thread).length), 12);

	element('messages').style.setProperty('--thread-width', Math.min(34, longest) * 7.6 + 20 + 'px');
}

/* Let go of the innermost thing that is open or asked for. */
function escape() {
	if (document.activeElement && document.activeElement.matches('input, select'))
		document.activeElement.blur();
	else if (table.chosen !== null)
		chooseRow(null);
	else
		refine({...NOTHING_ASKED});
}

function ofChosen(change) {
	if (table.chosen !== null)
		refine(change(table.chosen));
}

const page = () => Math.max(1, Math.floor(rowsHigh() / ROW_HEIGHT) - 1);

const KEYS = {
	'/': () => element('search').select(),
	'?': () => element('help').showModal(),
	'ArrowDown': () => stepRow(1),
	'ArrowUp': () => stepRow(-1),
	'j': () => stepRow(1),
	'k': () => stepRow(-1),
	'n': () => stepFound(1),
	'N': () => stepFound(-1),
	'PageDown': () => stepRow(page()),
	'PageUp': () => stepRow(-page()),
	'Home': () => stepRow(-log.rows),
	'End': () => stepRow(log.rows),
	'ArrowLeft': () => pan(-scale.width / 8),
	'ArrowRight': () => pan(scale.width / 8),
	'+': () => zoom(0.5, scale.width / 2),
	'=': () => zoom(0.5, scale.width / 2),
	'-': () => zoom(2, scale.width / 2),
	'0': showAll,
	's': () => ofChosen(row => ({site: sitesOf(row)[0] ?? null})),
	't': () => ofChosen(row => ({thread: log.thread[row]})),
	'l': () => ofChosen(row => ({level: levelOf(row)})),
	'Escape': escape,
};

function keyPressed(event) {
	const target = event.target;
	const typing = target.matches('input, select, textarea');

	if (event.ctrlKey || event.altKey || event.metaKey || element('help').open)
		return;
	if (typing && event.key === 'Enter') {
		refine({}).then(() => stepFound(event.shiftKey ? -1 : 1));
		event.preventDefault();
		return;
	}
	if (typing && event.key !== 'Escape')
		return;
	if (event.key >= '1' && event.key <= '5')
		openTab(TABS[event.key - 1]);
	else if (target.role === 'tab' && event.key.startsWith('Arrow'))
		moveTab(event.key === 'ArrowRight' ? 1 : -1);
	else if (target.id === 'divider' && event.key.startsWith('Arrow'))
		moveDivider(element('timeline').clientHeight + (event.key === 'ArrowDown' ? 20 : -20), true);
	else if (Object.hasOwn(KEYS, event.key))
		KEYS[event.key]();
	else
		return;
	event.preventDefault();
}

function moveTab(step) {
	const now = TABS.findIndex(tab => !element(tab).hidden);
	const next = TABS[(now + step + TABS.length) % TABS.length];

	openTab(next);
	element('tab-' + next).focus();
}

let isDividerMoved = false; // by somebody

function moveDivider(height, bySomebody) {
	const most = document.querySelector('main').clientHeight - 160;

	isDividerMoved ||= bySomebody;
	document.querySelector('main').style.setProperty('--timeline', Math.max(110, Math.min(most, height)) + 'px');
}

function listenToDivider() {
	const divider = element('divider');

	divider.onpointerdown = event => divider.setPointerCapture(event.pointerId);
	divider.onpointermove = event => {
		if (divider.hasPointerCapture(event.pointerId))
			moveDivider(event.clientY - element('timeline').getBoundingClientRect().top, true);
	};
}

/*
 * No more than it needs for its lanes.  Before lines are there they are
 * guessed, so that what is below seldom moves away from under a mouse.
 */
function fitDivider() {
	const count = isWhole() ? lanes.threads.length : log.index.threads.length - 1;
	const wanted = RATE_HEIGHT + 4 + Math.max(2, count) * lanes.height;
	const most = document.querySelector('main').clientHeight * 0.42;

	if (!isDividerMoved)
		moveDivider(Math.min(wanted, most), false);
}

function showTrouble(sentence) {
	element('warning').hidden = false;
	element('warning').textContent = sentence;
}

/* The first lines are shown at once, all of them when they are there. */
function progressed() {
	if (!isWhole() && log.first.length > 1) {
		if (log.first.length % 16 === 0)
			showSummary();
		return;
	}
	if (!link.opened)
		openLink();
	timeline.all = null;
	findLanes();
	fitScale();
	showSummary();
	if (isWhole())
		setTimeout(finish);
	else if (!isSearched())
		choose();
}

/* Which filters the address asks for; a moment needs the first line. */
function openLink() {
	Object.assign(filter, filterOfLink(readLink()));
	link.opened = true;
	showFilter();
}

async function finish() {
	await loadSpans();
	fitDivider();
	if (isSearched())
		await seek();
	await choose();
	followLink(true);
	document.documentElement.dataset.ready = Math.round(performance.now());
}

function start() {
	readColors();
	on('progress', progressed);
	on('trouble', showTrouble);
	listenToFilters();
	listenToTable();
	listenToTimeline();
	listenToLanes();
	listenToFlame();
	listenToSites();
	listenToDetails();
	listenToPlots();
	listenToLink();
	listenToDivider();
	for (const tab of TABS)
		element('tab-' + tab).onclick = () => openTab(tab);
	element('help-button').onclick = () => element('help').showModal();
	element('help-close').onclick = () => element('help').close();
	element('before').onclick = () => stepFound(-1);
	element('after').onclick = () => stepFound(1);
	document.addEventListener('keydown', keyPressed);
	load();
	buildFlame();
	offerChoices();
	showFilter();
	drawLosses();
	showSummary();
	fitThreads();
	giveRoom(log.index.spans.length > 0 ? 1 : 0);
	fitDivider();
	if (log.rows === 0)
		tell('progress');
}

start();
