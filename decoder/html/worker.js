/*
 * Behind the page: unpacks chunks when they are asked for, and searches in
 * all of them.  So the page itself never waits.
 */

const TEXTS_KEPT = 160e6; // characters of all texts that are kept unpacked

const chunks = []; // {text, values: packed; rows, shape}
const kept = new Map(); // number of a chunk to its texts, oldest first
let keptSize = 0;
let index = null;
let newest = 0; // search

async function textsOf(number) {
	let texts = kept.get(number);

	if (texts) {
		kept.delete(number);
		kept.set(number, texts);
		return texts;
	}
	texts = readTexts(await inflate(chunks[number].text), chunks[number].rows);
	if (!kept.has(number)) {
		kept.set(number, texts);
		keptSize += texts.all.length;
	}
	for (const [oldest, other] of kept) {
		if (keptSize <= TEXTS_KEPT || oldest === number)
			break;
		kept.delete(oldest);
		keptSize -= other.all.length;
	}
	return texts;
}

function namesOf(shape) {
	const known = index.shapes[shape];

	if (!known.names)
		known.names = known.slice(2).flatMap(site => index.sites[site][6]);
	return known.names;
}

/* A function that tells whether a text is what was asked for. */
function matcherOf(query) {
	if (!query.text)
		return null;
	if (!query.regex && query.sensitive)
		return text => text.includes(query.text);
	const pattern = searchPattern(query, '');

	return text => pattern.test(text);
}

async function searchTexts(number, matches, found, first) {
	const {all, ends} = await textsOf(number);

	for (let i = 0; i + 1 < ends.length; i++)
		if (!matches(all.slice(ends[i], ends[i + 1])))
			found[first + i] = 0;
}

async function searchValues(number, any, found, first) {
	const {values, rows, shape} = chunks[number];
	const reader = new Reader(new Reader(await inflate(values)).part());

	for (let i = 0; i < rows; i++) {
		const row = readValues(reader);

		if (!whereHolds(any, namesOf(shape[i]), row))
			found[first + i] = 0;
	}
}

const answers = {
	/* The page goes on with other things between chunks. */
	async chunk({number, columns, text, values}) {
		const read = readColumns(await inflate(columns));

		chunks[number] = {text, values, rows: read.rows, shape: read.shape.slice()};
		postMessage({kind: 'columns', number, ...read},
			[read.second.buffer, read.nanosecond.buffer, read.thread.buffer, read.shape.buffer]);
	},

	async spans({part, request}) {
		postMessage({kind: 'spans', request, spans: readSpans(await inflate(part))});
	},

	index(message) {
		index = message;
	},

	async texts({number}) {
		const {all, ends} = await textsOf(number);
		const texts = [];

		for (let i = 0; i + 1 < ends.length; i++)
			texts.push(all.slice(ends[i], ends[i + 1]));
		postMessage({kind: 'texts', number, texts});
	},

	async values({number, row, request}) {
		const bytes = await inflate(chunks[number].values);
		const reader = new Reader(new Reader(bytes).part());

		for (let i = 0; i < row; i++)
			readValues(reader);
		postMessage({kind: 'values', request, values: readValues(reader)});
	},

	/* All values of an argument, in the order of the lines. */
	async series({places, request}) {
		const sizes = places.map(some => some ? some.length : 0);
		const count = chunks.reduce((sum, {shape}) => shape.reduce((all, of) => all + sizes[of], sum), 0);
		const rows = new Uint32Array(count);
		const values = new Float64Array(count).fill(NaN);
		let first = 0;
		let at = 0;

		for (const chunk of chunks) {
			if (chunk.shape.some(of => sizes[of] > 0)) {
				const reader = new Reader(new Reader(await inflate(chunk.values)).part());

				for (let i = 0; i < chunk.rows; i++) {
					const of = chunk.shape[i];

					readNumbers(reader, places[of], values, at);
					rows.fill(first + i, at, at + sizes[of]);
					at += sizes[of];
				}
			}
			first += chunk.rows;
		}
		postMessage({kind: 'series', request, rows, values}, [rows.buffer, values.buffer]);
	},

	async search(query) {
		const any = query.where ? parseWhere(query.where) : null;
		const matches = matcherOf(query);
		const found = new Uint8Array(query.rows).fill(1);
		let first = 0;

		newest = query.request;
		for (let i = 0; i < chunks.length; i++) {
			if (matches)
				await searchTexts(i, matches, found, first);
			if (any)
				await searchValues(i, any, found, first);
			first += chunks[i].rows;
			if (i % 8 === 7) {
				postMessage({kind: 'searching', request: query.request, done: first / query.rows});
				await new Promise(resolve => setTimeout(resolve));
			}
			if (newest !== query.request)
				break;
		}
		/* Null: another was begun.  An answer comes in any case: somebody waits for it. */
		if (newest === query.request)
			postMessage({kind: 'found', request: query.request, found}, [found.buffer]);
		else
			postMessage({kind: 'found', request: query.request, found: null});
	},
};

onmessage = async ({data}) => {
	try {
		await answers[data.kind](data);
	} catch (error) {
		postMessage({kind: 'failed', of: data.kind, request: data.request, why: error.message});
	}
};
