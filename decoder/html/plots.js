/*
 * Arguments that are numbers: each value at its time, and beside it how often
 * which values are met.  A statement is all sites with one place and format,
 * whoever has called it.
 */

const PLOT_STATEMENTS = 1000;
const PLOT_LEFT = 92; // pixels, for the values beside the axis
const PLOT_TOP = 10;
const PLOT_CELL = 2; // points that fall into one such square are drawn once
const BARS_HIGH = 11; // pixels of a bar of the histogram, about
const PLOT_READS = 'Reading\u2026';
const PLOTTED = [0, 1, 4]; // integer, unsigned, float

const plots = {
	visible: false,
	statements: null, // {sites, site, fields: [{name, index}]}; null: not looked for yet
	ofSite: new Map(),
	statement: null,
	field: null,
	series: null, // {rows, values} of the whole log
	rows: new Uint32Array(0), // of those that are asked for
	values: new Float64Array(0),
	odd: 0, // calls whose value is no finite number, or not known
	sorted: new Float64Array(0),
	bars: [], // {from, to, count}
	drawn: [], // what the histogram was drawn of
	logarithmic: false,
	stale: false, // others are asked for since these were chosen
	drawing: false,
};

function findStatements() {
	const known = new Map();

	log.index.sites.forEach((site, number) => {
		const [called, format, module, offset, location, , names, types] = site;
		const key = JSON.stringify([called, format, module, offset, location, names, types]);

		if (!known.has(key)) {
			const fields = names.map((name, index) => ({name, index})).filter(({index}) => PLOTTED.includes(types[index]));

			known.set(key, {sites: new Set(), site: number, fields});
		}
		known.get(key).sites.add(number);
		plots.ofSite.set(number, known.get(key));
	});
	plots.statements = [...known.values()].filter(statement => statement.fields.length > 0);
}

/* By shape: where among a line's values those of the field are. */
function valuePlaces(statement, field) {
	return log.index.shapes.map((shape, number) => {
		const begun = log.begun[number];
		const places = [];
		let at = 0;

		shape.slice(2).forEach((site, i) => {
			if (begun[i] && statement.sites.has(site))
				places.push(at + field.index);
			at += log.index.sites[site][6].length;
		});
		return places.length > 0 ? places : null;
	});
}

async function plot(statement, field) {
	plots.statement = statement;
	plots.field = field;
	plots.series = null;
	openTab('plots');
	const none = {rows: new Uint32Array(0), values: new Float64Array(0)};
	const answer = await askOfAll({kind: 'series', places: valuePlaces(statement, field)}).catch(error => {
		tell('trouble', 'values of this report cannot be read: ' + error.message);
		return none;
	});

	if (plots.statement !== statement || plots.field !== field)
		return;
	plots.series = answer;
	choosePlotted();
	element('plot-sum').textContent = plotSum();
	drawPlots();
}

/* A button that plots an argument of a site, or null where it is no number. */
function plotButton(site, index) {
	buildPlots();
	const statement = plots.ofSite.get(site);
	const field = statement.fields.find(one => one.index === index);

	if (!field)
		return null;
	const made = button(field.name, 'Plot its values', event => {
		event.stopPropagation();
		plot(statement, field);
	});

	made.classList.add('plot');
	return made;
}

/* Of the whole series what is asked for: both are in the order of the lines. */
function choosePlotted() {
	const {rows, values} = plots.series;
	const kept = new Uint32Array(rows.length);
	const numbers = new Float64Array(rows.length);
	const {view, found} = shown;
	let count = 0;
	let at = 0;

	plots.odd = 0;
	plots.stale = false;
	for (let i = 0; i < rows.length; i++) {
		while (at < view.length && view[at] < rows[i])
			at++;
		if (at === view.length)
			break;
		if (view[at] !== rows[i] || (found && !found[rows[i]]))
			continue;
		if (!Number.isFinite(values[i])) {
			plots.odd++;
			continue;
		}
		kept[count] = rows[i];
		numbers[count++] = values[i];
	}
	plots.rows = kept.subarray(0, count);
	plots.values = numbers.subarray(0, count);
	plots.sorted = plots.values.slice().sort();
}

/* ---- values to pixels ---- */

const isLogarithmic = () => plots.logarithmic && plots.sorted[0] > 0;
const onAxis = value => isLogarithmic() ? Math.log10(value) : value;
const ofAxis = place => isLogarithmic() ? 10 ** place : place;

/* Of all values: places of onAxis(). */
function dataRange() {
	const {sorted} = plots;
	const low = onAxis(sorted[0]);
	const high = onAxis(sorted[sorted.length - 1]);

	return high > low && Number.isFinite(high - low) ? [low, high] : [low - 0.5, low + 0.5];
}

/* What the axis of values goes from and to. */
function valueRange() {
	const [low, high] = dataRange();
	const edge = (high - low) / 30;

	return [low - edge, high + edge];
}

const numberFormat = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 12});

function numberText(value) {
	const size = Math.abs(value);

	return size !== 0 && (size >= 1e12 || size < 1e-4) ? String(Number(value.toPrecision(6))) : numberFormat.format(value);
}

/* Round values, about so many. */
function valueTicks([low, high], many) {
	const size = 10 ** Math.floor(Math.log10((high - low) / many));
	const step = [1, 2, 5, 10].map(n => n * size).find(one => (high - low) / one <= many) || 10 * size;
	const made = [];

	if (isLogarithmic() && high - low > 2) {
		for (let power = Math.ceil(low); power <= high; power += Math.ceil((high - low) / many))
			made.push([power, numberText(Number((10 ** power).toPrecision(12)))]);
		return made;
	}
	for (let i = Math.ceil(low / step); i * step <= high && made.length < 100; i++)
		made.push([i * step, numberText(Number(ofAxis(i * step).toPrecision(isLogarithmic() ? 3 : 12)))]);
	return made;
}

/* ---- points ---- */

/* The places of the timeline, for a canvas of another width. */
function atWidth(width, act) {
	const before = scale.width;

	scale.width = width;
	const result = act();

	scale.width = before;
	return result;
}

function plotArea(canvas) {
	return {width: Math.max(1, canvas.clientWidth - PLOT_LEFT), height: Math.max(1, canvas.clientHeight - AXIS_HEIGHT - PLOT_TOP)};
}

function drawPlotAxes(context, area, range) {
	drawTicks(context, area.height + AXIS_HEIGHT);
	context.textAlign = 'right';
	for (const [place, text] of valueTicks(range, Math.max(2, area.height / 36))) {
		const y = Math.round((range[1] - place) / (range[1] - range[0]) * area.height) + 0.5;

		context.beginPath();
		context.moveTo(-4, y);
		context.lineTo(area.width, y);
		context.stroke();
		context.fillText(text, -8, y);
	}
	context.textAlign = 'left';
}

/* More important lines are drawn over others. */
function drawPlotPoints(context, area, range) {
	const wide = Math.ceil(area.width / PLOT_CELL) + 1;
	const high = Math.ceil(area.height / PLOT_CELL) + 1;
	const cells = new Uint8Array(wide * high);
	const per = area.height / (range[1] - range[0]);

	plots.rows.forEach((row, i) => {
		const x = pixelOf(log.time[row]);

		if (x < 0 || x > area.width)
			return;
		const at = Math.floor((range[1] - onAxis(plots.values[i])) * per / PLOT_CELL) * wide + Math.floor(x / PLOT_CELL);
		const kind = 4 - classOf(row);

		if (kind > cells[at])
			cells[at] = kind;
	});
	for (let kind = 1; kind <= 4; kind++) {
		context.fillStyle = timeline.classColors[4 - kind];
		for (let at = cells.indexOf(kind); at >= 0; at = cells.indexOf(kind, at + 1))
			context.fillRect(at % wide * PLOT_CELL - 0.5, Math.floor(at / wide) * PLOT_CELL - 0.5, PLOT_CELL + 1, PLOT_CELL + 1);
	}
}

function drawPlotChosen(context, area, range) {
	context.strokeStyle = timeline.colors.text;
	context.lineWidth = 1.5;
	for (let i = lowerBound(plots.rows, 0, plots.rows.length, table.chosen); plots.rows[i] === table.chosen; i++) {
		context.beginPath();
		context.arc(pixelOf(log.time[table.chosen]), (range[1] - onAxis(plots.values[i])) / (range[1] - range[0]) * area.height,
			6, 0, 2 * Math.PI);
		context.stroke();
	}
	context.lineWidth = 1;
}

function drawPoints() {
	const canvas = element('points');
	const area = plotArea(canvas);
	const context = prepareCanvas(canvas, canvas.clientWidth, canvas.clientHeight);
	const range = valueRange();

	context.translate(PLOT_LEFT, PLOT_TOP);
	atWidth(area.width, () => {
		drawPlotAxes(context, area, range);
		drawPlotPoints(context, area, range);
		if (table.chosen !== null)
			drawPlotChosen(context, area, range);
	});
}

/* Which point is there, or null. */
function pointNear(event) {
	const canvas = element('points');
	const area = plotArea(canvas);
	const [low, high] = valueRange();
	const box = canvas.getBoundingClientRect();
	const [x, y] = [event.clientX - box.left - PLOT_LEFT, event.clientY - box.top - PLOT_TOP];
	let best = null;
	let least = 10 ** 2;

	atWidth(area.width, () => plots.rows.forEach((row, i) => {
		const far = (pixelOf(log.time[row]) - x) ** 2 + ((high - onAxis(plots.values[i])) / (high - low) * area.height - y) ** 2;

		if (far < least) {
			least = far;
			best = i;
		}
	}));
	return best;
}

/* ---- histogram ---- */

/* No bar is narrower than 1 where all values are whole numbers. */
function findBars(range, height) {
	const whole = !isLogarithmic() && plots.sorted.every(Number.isInteger);
	const [low, high] = range;
	const many = Math.max(1, Math.floor(height / BARS_HIGH));
	const step = whole ? Math.max(1, Math.ceil((high - low + 1) / many)) : (high - low) / many;
	const start = whole ? Math.floor(low) : low;
	const count = Math.max(1, whole ? Math.ceil((high - start + 1) / step) : many);
	const bars = [];

	for (let i = 0; i < count; i++)
		bars.push({low: start + i * step, high: start + (i + 1) * step, from: ofAxis(start + i * step), to: ofAxis(start + (i + 1) * step), count: 0});
	for (const value of plots.sorted)
		bars[Math.max(0, Math.min(count - 1, Math.floor((onAxis(value) - start) / step)))].count++;
	bars[count - 1].last = true;
	return bars;
}

function makeSvg(tag, properties, ...children) {
	const made = document.createElementNS('http://www.w3.org/2000/svg', tag);

	for (const [name, value] of Object.entries(properties))
		made.setAttribute(name, value);
	made.append(...children);
	return made;
}

/* Only the lines whose value is in a bar. */
function chooseBar(bar) {
	const {name} = plots.field;
	const {statement} = plots;

	if (!/^[A-Za-z_][\w.-]*$/.test(name))
		return;
	refine({where: name + ' >= ' + bar.from + ' && ' + name + (bar.last ? ' <= ' : ' < ') + bar.to,
		...statement.sites.size === 1 ? {site: statement.site} : {}});
}

function drawHistogram() {
	const drawn = element('histogram');
	const width = drawn.clientWidth;
	const of = [plots.sorted, isLogarithmic(), width, drawn.clientHeight];

	if (of.every((one, i) => one === plots.drawn[i]))
		return;
	plots.drawn = of;
	const height = Math.max(1, drawn.clientHeight - AXIS_HEIGHT - PLOT_TOP);
	const range = valueRange();
	const bars = findBars(dataRange(), height);
	const most = Math.max(...bars.map(bar => bar.count));
	const place = value => PLOT_TOP + (range[1] - value) / (range[1] - range[0]) * height;

	plots.bars = bars;
	drawn.replaceChildren(...bars.filter(bar => bar.count > 0).map(bar => {
		const top = Math.max(PLOT_TOP, Math.min(PLOT_TOP + height - 2, place(bar.high)));
		const bottom = Math.max(top + 2, Math.min(PLOT_TOP + height, place(bar.low)));
		const text = numberText(bar.from) + (bar.to - bar.from === 1 && Number.isInteger(bar.from) ? '' : ' to ' + numberText(bar.to)) +
			': ' + countText(bar.count) + (bar.count === 1 ? ' call' : ' calls');
		const made = makeSvg('g', {'class': 'value-bar', 'data-count': bar.count},
			makeSvg('title', {}, text),
			makeSvg('rect', {'class': 'room', x: 0, y: top, width, height: bottom - top}),
			makeSvg('rect', {x: 0, y: top, width: Math.max(1.5, (width - 70) * bar.count / most), height: Math.max(1.5, bottom - top - 1)}));

		if (bottom - top >= 8 || bar.count === most)
			made.append(makeSvg('text', {x: Math.max(1.5, (width - 70) * bar.count / most) + 5, y: (top + bottom) / 2 + 3.5}, countText(bar.count)));
		made.onclick = () => chooseBar(bar);
		return made;
	}));
}

/* ---- the panel ---- */

function plotSum() {
	const {sorted, odd} = plots;
	const at = part => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

	if (!plots.series)
		return PLOT_READS;
	if (sorted.length === 0)
		return 'No call that is shown has a value of this argument.';
	return countText(sorted.length) + (sorted.length === 1 ? ' value' : ' values') + ': least ' + numberText(sorted[0]) +
		', median ' + numberText(at(0.5)) + ', 99 % below ' + numberText(at(0.99)) + ', most ' + numberText(sorted[sorted.length - 1]) +
		(odd > 0 ? '; ' + countText(odd) + ' more that cannot be drawn' : '');
}

function plotPlace(statement) {
	const [called, , module, offset, location] = log.index.sites[statement.site];

	return location || called + ' in ' + (module || '?') + (offset === null ? '' : '+0x' + offset.toString(16));
}

/* Selects of the statement and of its argument. */
function drawPlotChoice() {
	const {statements, statement, field} = plots;
	const which = element('plot-statement');
	const what = element('plot-argument');

	which.value = statements.indexOf(statement);
	what.replaceChildren();
	statement.fields.forEach((one, i) => option(what, i, one.name));
	what.value = statement.fields.indexOf(field);
	element('plot-place').textContent = plotPlace(statement);
}

function drawPlots() {
	if (!plots.visible || !plots.statement || plots.drawing)
		return;
	plots.drawing = true;
	requestAnimationFrame(() => {
		plots.drawing = false;
		if (plots.series && plots.stale) {
			choosePlotted();
			setTimeout(drawPlots);
			return;
		}
		const any = plots.series && plots.sorted.length > 0;

		drawPlotChoice();
		element('plot-sum').textContent = plotSum();
		element('points').style.visibility = element('histogram').style.visibility = any ? 'visible' : 'hidden';
		element('plot-log').setAttribute('aria-pressed', plots.logarithmic);
		element('plot-log').disabled = any && plots.sorted[0] <= 0;
		if (!any || !plots.visible || element('points').clientWidth === 0)
			return;
		drawPoints();
		drawHistogram();
	});
}

/* What is plotted when the panel is opened and nothing was chosen: what is called most. */
function openPlots() {
	buildPlots();
	if (plots.statements.length === 0 || plots.statement)
		return drawPlots();
	if (!shown.whole) {
		element('plot-sum').textContent = PLOT_READS;
		return undefined; // it is known when all lines are shown
	}
	const {counts} = countSites();
	const calls = statement => [...statement.sites].reduce((sum, site) => sum + counts[site], 0);
	const most = plots.statements.reduce((best, one) => calls(one) > calls(best) ? one : best);

	return plot(most, most.fields[0]);
}

/* When it is first needed: there may be very many sites. */
function buildPlots() {
	if (plots.statements)
		return;
	findStatements();
	if (plots.statements.length === 0) {
		element('plots').replaceChildren(make('div', {className: 'empty', textContent: 'No message has an argument that is a number.'}));
		return;
	}
	plots.statements.slice(0, PLOT_STATEMENTS).forEach((statement, i) =>
		option(element('plot-statement'), i, siteName(statement.site).slice(0, 160)));
}

function pointedAt(event) {
	const i = pointNear(event);

	element('points').title = i === null ? '' : clockOf(plots.rows[i]) + '\n' + plots.field.name + ' ' + numberText(plots.values[i]);
	element('points').style.cursor = i === null ? 'default' : 'pointer';
}

function listenToPlots() {
	element('plot-statement').onchange = event => {
		const statement = plots.statements[event.target.value];

		plot(statement, statement.fields[0]);
	};
	element('plot-argument').onchange = event => plot(plots.statement, plots.statement.fields[event.target.value]);
	element('plot-log').onclick = () => {
		plots.logarithmic = !plots.logarithmic;
		drawPlots();
	};
	element('points').onmousemove = pointedAt;
	element('points').onclick = event => {
		const i = pointNear(event);

		if (i !== null)
			chooseRow(plots.rows[i]);
	};
	on('shown', () => {
		plots.stale = true;
		if (plots.visible)
			openPlots();
	});
	on('scaled', drawPlots);
	on('chosen', drawPlots);
	on('colors', drawPlots);
	new ResizeObserver(drawPlots).observe(element('plots'));
}
