'use strict';

/* What binlog-show has put into a chunk: see html_index.c. */

const BILLION = 1000000000;

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	/* A number of seven bits in a byte, exact up to 2^53. */
	number() {
		let value = 0;
		let scale = 1;
		let byte;

		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte > 127);
		return value;
	}

	/* The same of up to 64 bits: a BigInt where that is needed. */
	exact() {
		let end = this.at;
		let value = 0n;

		while (this.bytes[end] > 127)
			end++;
		if (end - this.at < 7)
			return this.number();
		for (let i = end; i >= this.at; i--)
			value = value << 7n | BigInt(this.bytes[i] & 127);
		this.at = end + 1;
		return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
	}

	signed() {
		const value = this.exact();

		if (typeof value === 'bigint')
			return value & 1n ? -(value >> 1n) - 1n : value >> 1n;
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	float() {
		const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 8);

		this.at += 8;
		return view.getFloat64(0, true);
	}

	/* As many bytes as the number before them says. */
	part() {
		const size = this.number();

		this.at += size;
		return this.bytes.subarray(this.at - size, this.at);
	}
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* When, who and where: the first part of a chunk. */
function readColumns(bytes) {
	const reader = new Reader(bytes);
	const rows = reader.number();
	const walls = new Reader(reader.part());
	const threads = new Reader(reader.part());
	const shapes = new Reader(reader.part());
	const columns = {
		rows,
		second: new Float64Array(rows),
		nanosecond: new Uint32Array(rows),
		thread: new Uint16Array(rows),
		shape: new Uint16Array(rows),
	};
	let second = 0;
	let nanosecond = 0;

	for (let i = 0; i < rows; i++) {
		const step = walls.signed();

		if (typeof step === 'number' && Math.abs(step) < 2 ** 52) {
			nanosecond += step;
			if (nanosecond < 0 || nanosecond >= BILLION) {
				const carry = Math.floor(nanosecond / BILLION);

				second += carry;
				nanosecond -= carry * BILLION;
			}
		} else {
			const wall = BigInt.asUintN(64, BigInt(second) * BigInt(BILLION) +
				BigInt(nanosecond) + BigInt(step));

			second = Number(wall / BigInt(BILLION));
			nanosecond = Number(wall % BigInt(BILLION));
		}
		columns.second[i] = second;
		columns.nanosecond[i] = nanosecond;
		columns.thread[i] = threads.number();
		columns.shape[i] = shapes.number();
	}
	return columns;
}

/* A chunk of spans: [second, nanosecond, duration, rule, thread, key]. */
function readSpans(bytes) {
	const reader = new Reader(bytes);
	const spans = [];
	let wall = 0n;

	for (let count = reader.number(); count > 0; count--) {
		wall = BigInt.asUintN(64, wall + BigInt(reader.signed()));
		spans.push([Number(wall / BigInt(BILLION)), Number(wall % BigInt(BILLION)), Number(reader.exact()),
			reader.number(), reader.number(), new TextDecoder().decode(reader.part())]);
	}
	return spans;
}

/* The second part: texts[i] is all.slice(ends[i - 1], ends[i]). */
function readTexts(bytes, rows) {
	const reader = new Reader(bytes);
	const lengths = new Reader(reader.part());
	const all = new TextDecoder().decode(reader.part());
	const ends = new Uint32Array(rows + 1);

	for (let i = 0; i < rows; i++)
		ends[i + 1] = ends[i] + lengths.number();
	return {all, ends};
}

/*
 * Of one row of the third part the values at these places, as numbers: what is
 * none is left as it was.  Null: it is only passed.
 */
function readNumbers(reader, places, into, at) {
	const count = reader.number();

	for (let i = 0; i < count; i++) {
		const kind = reader.number();
		const place = places ? places.indexOf(i) : -1;

		if (kind === 4 || kind === 5) {
			reader.part();
			continue;
		}
		const value = kind === 1 ? reader.signed() : kind === 2 ? reader.exact() : kind === 3 ? reader.float() : NaN;

		if (place >= 0)
			into[at + place] = Number(value);
	}
}

/* One row of the third part: null is a value that is not known. */
function readValues(reader) {
	const values = [];
	let count = reader.number();

	for (; count > 0; count--) {
		switch (reader.number()) {
		case 1:
			values.push(reader.signed());
			break;
		case 2:
			values.push(reader.exact());
			break;
		case 3:
			values.push(reader.float());
			break;
		case 4:
			values.push(new TextDecoder().decode(reader.part()));
			break;
		case 5:
			values.push(new TextDecoder().decode(reader.part()) + '\u2026');
			break;
		default:
			values.push(null);
		}
	}
	return values;
}
