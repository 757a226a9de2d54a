/*
 * Which lines are asked for.  `view` are those that the table shows, `marks`
 * those of the timeline: the same at all times.
 */

const NOTHING_ASKED = {
	text: '', regex: false, sensitive: false, where: '', around: false,
	level: null, stream: null, program: null, thread: null,
	site: null, frame: null, from: null, to: null,
};

const filter = {...NOTHING_ASKED};
const shown = {
	view: new Uint32Array(0),
	marks: new Uint32Array(0),
	counts: new Uint32Array(0), // by shape, of whatever site
	found: null, // by line, 1: the text and arguments are what was asked for
	sought: '', // that `found` is for
	hits: 0, // lines of the view that were found: all, but for `around`
	chosen: false, // they are what is asked for, not yet nothing
	whole: false, // of all lines, not of those that were read first
	refined: Promise.resolve(), // when what was asked for is shown
};

/* By shape: whether all but its sites is what was asked for, and its sites. */
function wantedShapes() {
	const mask = filter.frame === null ? null : sitesBelow(filter.frame);
	const shapes = new Uint8Array(log.index.shapes.length);
	const sites = new Uint8Array(log.index.shapes.length);

	log.index.shapes.forEach(([stream, level, ...made], i) => {
		shapes[i] = (filter.level === null || level <= filter.level) &&
			(filter.stream === null || stream === filter.stream);
		sites[i] = (filter.site === null || made.includes(filter.site)) &&
			(!mask || made.some(site => mask[site]));
	});
	return {shapes, sites};
}

function wantedThreads() {
	return Uint8Array.from(log.index.threads, ([program], thread) =>
		(filter.thread === null || thread === filter.thread) &&
		(filter.program === null || program === filter.program));
}

async function choose() {
	const {shapes, sites} = wantedShapes();
	const threads = wantedThreads();
	const {thread, shape, time, loaded} = log;
	const found = shown.found;
	const view = new Uint32Array(loaded);
	const marks = filter.from === null && !filter.around ? view : new Uint32Array(loaded);
	const counts = new Uint32Array(shapes.length);
	let inView = 0;
	let marked = 0;
	let hits = 0;

	for (let i = 0; i < loaded; i++) {
		const of = shape[i];

		const hit = !found || found[i] !== 0;

		if (!threads[thread[i]] || !shapes[of] || (!hit && !filter.around))
			continue;
		const timely = filter.from === null || (time[i] >= filter.from && time[i] <= filter.to);

		if (timely && hit)
			counts[of]++;
		if (!sites[of])
			continue;
		if (hit)
			marks[marked++] = i;
		if (!timely)
			continue;
		view[inView++] = i;
		hits += hit;
	}
	shown.view = view.subarray(0, inView);
	shown.marks = marks.subarray(0, marked);
	shown.counts = counts;
	shown.hits = hits;
	shown.chosen = true;
	shown.whole = loaded === log.rows;
	await tellInTurn('shown');
}

/* Asks the worker where texts or arguments are what was asked for. */
async function seek() {
	const query = {text: filter.text, regex: filter.regex, sensitive: filter.sensitive, where: filter.where};
	const sought = soughtOf(filter);
	const boxes = [element('search'), element('where')];

	boxes.forEach(box => box.classList.remove('wrong'));
	shown.sought = sought;
	if (!query.text && !query.where) {
		shown.found = null;
		return true;
	}
	const box = query.text ? boxes[0] : boxes[1];
	const progress = done => box.style.setProperty('--done', 100 * done + '%');

	box.classList.add('busy');
	try {
		const answer = await askOfAll({kind: 'search', rows: log.rows, ...query}, progress);

		if (shown.sought !== sought || !answer.found)
			return false;
		shown.found = answer.found;
	} catch (error) {
		if (shown.sought === sought)
			showWrong(query, error.message);
		return false;
	} finally {
		if (shown.sought === sought)
			boxes.forEach(one => one.classList.remove('busy'));
	}
	return true;
}

function showWrong(query, why) {
	let box = element('search');

	try {
		if (query.where)
			parseWhere(query.where);
	} catch (error) {
		box = element('where');
	}
	box.classList.add('wrong');
	element('count').textContent = why;
}

const soughtOf = ({text, regex, sensitive, where}) => JSON.stringify({text, regex, sensitive, where});

/* Changes what is asked for; what stands in the boxes may be newer. */
function refine(changes) {
	const before = {...filter};

	Object.assign(filter, {text: element('search').value, where: element('where').value}, changes);
	showFilter();
	if (!link.opened || JSON.stringify(before) === JSON.stringify(filter))
		return shown.refined;
	shown.refined = show(soughtOf(before) === soughtOf(filter));
	return shown.refined;
}

async function show(isSought) {
	if (isSought || await seek())
		await choose();
}

const isFound = row => !shown.found || shown.found[row] !== 0;

const isSearched = () => filter.text !== '' || filter.where !== '';

const isFiltered = () => Object.keys(NOTHING_ASKED).some(key => key !== 'around' && filter[key] !== NOTHING_ASKED[key]);

function option(select, value, text) {
	select.append(make('option', {value, textContent: text}));
}

/* Levels, streams and processes that there are. */
function offerChoices() {
	const levels = new Set(log.index.shapes.map(shape => shape[1]));
	const streams = new Set(log.index.shapes.map(shape => shape[0]));
	const names = new Set(log.index.sites.flatMap(site => site[6]));

	option(element('level'), '', 'Every level');
	log.index.levels.forEach((name, level) => {
		if (levels.has(level))
			option(element('level'), level, name + (level > 0 ? ' and more' : ''));
	});
	option(element('stream'), '', 'Every stream');
	log.index.streams.forEach((name, stream) => {
		if (streams.has(stream) && stream > 0)
			option(element('stream'), stream, name);
	});
	option(element('program'), '', 'Every process');
	log.index.programs.forEach((program, number) => {
		if (number > 0)
			option(element('program'), number, programName(number));
	});
	[...names].slice(0, 500).forEach(name => option(element('names'), name, ''));
	for (const id of ['level', 'stream', 'program'])
		element(id).onchange = event =>
			refine({[id]: event.target.value === '' ? null : Number(event.target.value)});
}

function chip(text, changes) {
	const made = make('button', {type: 'button', className: 'chip', title: 'Let this filter go'},
		make('span', {textContent: text}));

	made.onclick = () => refine(changes);
	return made;
}

/* The filters that have no box of their own, each with a cross. */
function showFilter() {
	const chips = [];

	for (const id of ['level', 'stream', 'program'])
		element(id).value = filter[id] === null ? '' : filter[id];
	if (filter.thread !== null)
		chips.push(chip('thread ' + threadName(filter.thread), {thread: null}));
	if (filter.site !== null)
		chips.push(chip('site ' + siteName(filter.site), {site: null}));
	if (filter.frame !== null)
		chips.push(chip('in ' + frameName(filter.frame), {frame: null}));
	if (filter.from !== null)
		chips.push(chip('time: ' + spanText(filter.to - filter.from), {from: null, to: null}));
	element('chips').replaceChildren(...chips);
	for (const [id, key] of [['regex', 'regex'], ['case', 'sensitive'], ['around', 'around']])
		element(id).setAttribute('aria-pressed', filter[key]);
	if (element('search').value !== filter.text)
		element('search').value = filter.text;
	if (element('where').value !== filter.where)
		element('where').value = filter.where;
}

function showCount() {
	const all = isFiltered() ? ' of ' + countText(log.rows) : '';

	element('count').replaceChildren(make('b', {textContent: countText(shown.hits)}), all + ' lines');
}

function listenToFilters() {
	let later = 0;
	const typed = () => {
		clearTimeout(later);
		later = setTimeout(() => refine({}), 180);
	};

	element('search').oninput = typed;
	element('where').oninput = typed;
	element('regex').onclick = () => refine({regex: !filter.regex});
	element('around').onclick = () => refine({around: !filter.around});
	element('case').onclick = () => refine({sensitive: !filter.sensitive});
	element('filters').onsubmit = event => event.preventDefault();
	on('shown', showCount);
}
