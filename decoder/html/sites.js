/* The places that call, with how often each does: a click asks for its lines. */

const SITES_SHOWN = 400;
const SPARKS = 60;

const sites = {
	visible: false,
	order: 'count',
};

function countSites() {
	const counts = new Float64Array(log.index.sites.length);
	const classes = new Uint8Array(log.index.sites.length).fill(9);

	shown.counts.forEach((count, shape) => {
		if (count > 0)
			for (const site of log.calls[shape]) {
				counts[site] += count;
				classes[site] = Math.min(classes[site], log.classes[shape]);
			}
	});
	return {counts, classes};
}

/* How often each of these sites is met, over all of the time. */
function sparksOf(numbers) {
	const known = new Int32Array(log.index.sites.length).fill(-1);
	const sparks = numbers.map(() => new Uint32Array(SPARKS));
	const per = SPARKS / (scale.last - scale.first);

	numbers.forEach((site, i) => { known[site] = i; });
	const ofShape = log.index.shapes.map(shape => shape.slice(2).map(site => known[site]).filter(spark => spark >= 0));

	for (const row of shown.view) {
		const at = Math.max(0, Math.min(SPARKS - 1, Math.floor((log.time[row] - scale.first) * per)));

		for (const spark of ofShape[log.shape[row]])
			sparks[spark][at]++;
	}
	return sparks;
}

function drawSpark(canvas, spark) {
	const context = prepareCanvas(canvas, 120, 20);
	const most = Math.max(1, ...spark);

	context.fillStyle = timeline.colors.mark;
	spark.forEach((count, i) => {
		if (count > 0)
			context.fillRect(i * 2, 20 - Math.max(1.5, 19 * count / most), 1.6, 20);
	});
}

function siteRow(number, count, most, kind) {
	const [called, , module, offset, location] = log.index.sites[number];
	const bar = make('span', {className: 'bar'});
	const canvas = make('canvas');
	const place = location || (module ? module + (offset === null ? '' : '+0x' + offset.toString(16)) : '');
	const made = make('tr', {tabIndex: 0, className: number === filter.site ? 'chosen' : ''},
		make('td', {className: 'number'}, countText(count), bar),
		make('td', {}, canvas),
		make('td', {textContent: called || ''}),
		make('td', {className: CLASS_NAMES[kind] || '', textContent: siteName(number)}),
		make('td', {className: 'place', title: place, textContent: place.slice(place.lastIndexOf('/') + 1)}),
		make('td', {className: 'plots'}, ...log.index.sites[number][6].map((_, i) => plotButton(number, i))));

	bar.style.width = 100 * count / most + '%';
	made.dataset.site = number;
	made.onclick = () => refine({site: number === filter.site ? null : number});
	made.onkeydown = event => {
		if (event.key === 'Enter' && event.target === made)
			made.onclick();
	};
	return [made, canvas];
}

function drawSites() {
	const {counts, classes} = countSites();
	const numbers = [...counts.keys()].filter(site => counts[site] > 0).sort((a, b) => counts[b] - counts[a]);
	const top = numbers.slice(0, SITES_SHOWN);
	const sparks = sparksOf(top);
	const body = make('tbody');
	const canvases = [];

	if (!sites.visible)
		return;
	top.forEach(site => {
		const [row, canvas] = siteRow(site, counts[site], counts[top[0]], classes[site]);

		body.append(row);
		canvases.push(canvas);
	});
	element('sites').replaceChildren(
		make('table', {}, make('thead', {}, make('tr', {},
			...['Calls', 'Over time', 'Function', 'Format', 'Place', 'Plot'].map(name => make('th', {textContent: name})))), body),
		numbers.length > top.length ? make('p', {textContent: 'and ' + countText(numbers.length - top.length) + ' more'}) : '');
	canvases.forEach((canvas, i) => drawSpark(canvas, sparks[i]));
}

function listenToSites() {
	on('shown', () => {
		if (sites.visible)
			drawSites();
	});
}
