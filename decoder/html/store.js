'use strict';

/*
 * All that is known of the log: the index, the columns of its lines, and what
 * the worker is asked for.  Lines have numbers from 0 on, in the order in
 * which binlog-show shows them.
 */

const element = id => document.getElementById(id);

const TEXT_CHUNKS_KEPT = 48;

const log = {
	index: null,
	rows: 0,
	loaded: 0, // lines whose columns are there
	second: null,
	nanosecond: null,
	time: null, // nanoseconds since the first second
	base: 0, // that second
	thread: null,
	shape: null,
	classes: null, // by shape
	calls: null, // by shape: the sites of the calls that began in such a line
	begun: null, // by shape and place in it: whether the call began there
	first: [], // line of each chunk
	worker: null,
	texts: new Map(), // by chunk; null: it was asked for
	waiting: new Map(), // requests of the worker
	requests: 0,
	listeners: {}, // of what happens, by name
	whole: null, // promises that all lines are there
};

const isWhole = () => log.loaded === log.rows;

function on(what, listener) {
	(log.listeners[what] ||= []).push(listener);
}

function tell(what, ...about) {
	for (const listener of log.listeners[what] || [])
		listener(...about);
}

/* The same with time for everything else in between. */
async function tellInTurn(what) {
	for (const listener of log.listeners[what] || []) {
		listener();
		await new Promise(resolve => setTimeout(resolve));
	}
}

log.whole = new Promise(resolve => on('progress', () => isWhole() && resolve()));

/* Elements are made of text alone: nothing out of a log becomes markup. */
function make(tag, properties, ...children) {
	const made = document.createElement(tag);

	for (const [name, value] of Object.entries(properties || {}))
		if (name in made)
			made[name] = value;
		else
			made.setAttribute(name, value);
	made.append(...children.filter(child => child !== null && child !== undefined));
	return made;
}

function bytesOf(base64) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(base64);
	const binary = atob(base64);
	const bytes = new Uint8Array(binary.length);

	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

function chunkOf(row) {
	let low = 0;
	let high = log.first.length - 1;

	while (low < high) {
		const middle = low + high + 1 >> 1;

		if (log.first[middle] <= row)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* The text of a line; undefined: not yet, `texts` will be told. */
function textOf(row) {
	const number = chunkOf(row);
	const texts = log.texts.get(number);

	if (texts)
		return texts[row - log.first[number]];
	if (texts === undefined) {
		log.texts.set(number, null);
		log.worker.postMessage({kind: 'texts', number});
	}
	return undefined;
}

function keepTexts(number, texts) {
	log.texts.delete(number);
	log.texts.set(number, texts);
	for (const [oldest, kept] of log.texts) {
		if (log.texts.size <= TEXT_CHUNKS_KEPT)
			break;
		if (kept)
			log.texts.delete(oldest);
	}
	tell('texts');
}

function ask(message, progress) {
	const request = ++log.requests;

	return new Promise((resolve, reject) => {
		log.waiting.set(request, {resolve, reject, progress});
		log.worker.postMessage({...message, request});
	});
}

/* Of all lines: the worker answers of those that it has, so it is not asked before. */
async function askOfAll(message, progress) {
	await log.whole;
	return ask(message, progress);
}

function valuesOf(row) {
	const number = chunkOf(row);

	return ask({kind: 'values', number, row: row - log.first[number]}).then(answer => answer.values);
}

const fromWorker = {
	columns(read) {
		takeColumns(read);
	},
	spans(answer) {
		fromWorker.values(answer);
	},
	texts({number, texts}) {
		keepTexts(number, texts);
	},
	values(answer) {
		log.waiting.get(answer.request).resolve(answer);
		log.waiting.delete(answer.request);
	},
	found(answer) {
		fromWorker.values(answer);
	},
	series(answer) {
		fromWorker.values(answer);
	},
	searching({request, done}) {
		const waiting = log.waiting.get(request);

		if (waiting && waiting.progress)
			waiting.progress(done);
	},
	failed({of, request, why}) {
		const waiting = log.waiting.get(request);

		log.waiting.delete(request);
		if (waiting)
			waiting.reject(new Error(why));
		else
			tell('trouble', 'a part of this report cannot be read (' + of + '): ' + why);
	},
};

/* Chunks come in their order: the worker may answer in another. */
const early = new Map();

function takeColumns(read) {
	early.set(read.number, read);
	while (early.has(log.first.length)) {
		const next = early.get(log.first.length);
		const at = log.loaded;

		early.delete(log.first.length);
		if (at === 0)
			log.base = next.second[0];
		log.first.push(at);
		log.second.set(next.second, at);
		log.nanosecond.set(next.nanosecond, at);
		log.thread.set(next.thread, at);
		log.shape.set(next.shape, at);
		for (let i = 0; i < next.rows; i++)
			log.time[at + i] = (next.second[i] - log.base) * 1e9 + next.nanosecond[i];
		log.loaded += next.rows;
		tell('progress');
	}
}

function startWorker() {
	const source = new Blob([element('worker').textContent], {type: 'text/javascript'});
	const address = URL.createObjectURL(source);

	log.worker = new Worker(address);
	URL.revokeObjectURL(address);
	log.worker.onmessage = ({data}) => fromWorker[data.kind](data);
	log.worker.onerror = event => tell('trouble', 'this browser cannot read the report: ' + event.message);
}

/* Data moves from the page to the worker, so that it is there once. */
async function sendChunks() {
	const scripts = document.querySelectorAll('script.lines');
	let number = 0;
	let since = performance.now();

	for (const script of scripts) {
		const [columns, text, values] = script.textContent.split(',').map(bytesOf);

		script.remove();
		log.worker.postMessage({kind: 'chunk', number: number++, columns, text, values},
			[columns.buffer, text.buffer, values.buffer]);
		if (performance.now() - since > 12) {
			await new Promise(resolve => setTimeout(resolve));
			since = performance.now();
		}
	}
}

function load() {
	const index = JSON.parse(element('index').textContent);
	const rows = index.rows;

	/* A call that has ended the line before is ~site here. */
	log.begun = index.shapes.map(shape => shape.slice(2).map(site => site >= 0));
	log.calls = index.shapes.map(shape => shape.slice(2).filter(site => site >= 0));
	index.shapes = index.shapes.map(shape => shape.map(site => site < 0 ? ~site : site));
	element('index').remove();
	Object.assign(log, {
		index,
		rows,
		second: new Float64Array(rows),
		nanosecond: new Uint32Array(rows),
		time: new Float64Array(rows),
		thread: new Uint16Array(rows),
		shape: new Uint16Array(rows),
		classes: Uint8Array.from(index.shapes, classOfShape),
	});
	startWorker();
	log.worker.postMessage({kind: 'index', shapes: index.shapes, sites: index.sites});
	return sendChunks();
}

/* What a shape says, which all of its lines share. */
const streamOf = row => log.index.shapes[log.shape[row]][0];
const levelOf = row => log.index.shapes[log.shape[row]][1];
const sitesOf = row => log.index.shapes[log.shape[row]].slice(2);

const STREAM_END = 1;

/* How important: 0 an error, 1 a warning, 2 anything else, 3 an end. */
const classOf = row => log.classes[log.shape[row]];

function classOfShape([stream, level]) {
	if (stream === STREAM_END)
		return 3;
	return level <= 3 ? 0 : level === 4 ? 1 : 2;
}

const CLASS_NAMES = ['error', 'warning', '', 'end'];

function programName(number) {
	const program = log.index.programs[number];

	return program[1] ? program[0] + '[' + program[1] + ']' : program[0];
}

/* program[pid:tid], as in the lines of binlog-show. */
function threadName(number) {
	const [program, tid, name] = log.index.threads[number];
	const [executable, pid] = log.index.programs[program];

	return number === 0 ? name : executable + '[' + pid + ':' + tid + ']';
}

function siteName(number) {
	const [called, format, module] = log.index.sites[number];

	return format || called || module || '?';
}
