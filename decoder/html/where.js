/*
 * Conditions on arguments: `size > 4096 && peer == "eth0" || arg2 != 0`, with
 * == != < <= > >=, ~ for texts that contain another, and && before ||.
 */

const WHERE_TOKEN = /\s*(?:(\|\||&&)|(==|!=|<=|>=|<|>|=|~)|"((?:[^"\\]|\\.)*)"|(0x[0-9a-f]+|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?![\w])|([A-Za-z_][\w.-]*))/iy;

function whereTokens(text) {
	const tokens = [];
	let at = 0;

	text = text.trim();
	while (at < text.length) {
		WHERE_TOKEN.lastIndex = at;
		const found = WHERE_TOKEN.exec(text);

		if (!found)
			throw new Error('not understood: ' + text.slice(at));
		at = WHERE_TOKEN.lastIndex;
		if (found[1])
			tokens.push({join: found[1]});
		else if (found[2])
			tokens.push({compare: found[2] === '=' ? '==' : found[2]});
		else if (found[3] !== undefined)
			tokens.push({value: found[3].replace(/\\(.)/g, '$1')});
		else if (found[4])
			tokens.push({value: /^-?\d+$|^0x/i.test(found[4]) ? wholeNumber(found[4]) : Number(found[4])});
		else
			tokens.push({name: found[5]});
	}
	return tokens;
}

function wholeNumber(text) {
	const number = Number(text);

	if (Number.isSafeInteger(number))
		return number;
	return text[0] === '-' ? -BigInt(text.slice(1)) : BigInt(text);
}

function whereCompare(compare, wanted, value) {
	if (value === null)
		return false;
	if (compare === '~')
		return String(value).includes(String(wanted));
	if (typeof wanted === 'string' || typeof value === 'string') {
		value = String(value);
		wanted = String(wanted);
	}
	switch (compare) {
	case '==':
		return value == wanted; // a Number or a BigInt
	case '!=':
		return value != wanted;
	case '<':
		return value < wanted;
	case '<=':
		return value <= wanted;
	case '>':
		return value > wanted;
	default:
		return value >= wanted;
	}
}

/* What a search finds: as in a log, ^ and $ are begin and end of each line of a message. */
function searchPattern({text, regex, sensitive}, flags) {
	return new RegExp(regex ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags + (sensitive ? 'm' : 'im'));
}

/* Any of these, of which all: [[{name, compare, value}]]. */
function parseWhere(text) {
	const tokens = whereTokens(text);
	const any = [[]];

	for (let i = 0; i < tokens.length; i += 4) {
		const [name, compare, value, join] = tokens.slice(i, i + 4);

		if (!name || name.name === undefined)
			throw new Error('a name of an argument is missing');
		if (!compare || !compare.compare)
			throw new Error('behind ' + name.name + ' a comparison is missing: == != < <= > >= ~');
		if (!value || (value.value === undefined && value.name === undefined))
			throw new Error('behind ' + compare.compare + ' a value is missing');
		any[any.length - 1].push({
			name: name.name,
			compare: compare.compare,
			value: value.value === undefined ? value.name : value.value,
		});
		if (join && !join.join)
			throw new Error('between conditions stands && or ||');
		if (join && i + 4 >= tokens.length)
			throw new Error('behind ' + join.join + ' a condition is missing');
		if (join && join.join === '||')
			any.push([]);
	}
	return any;
}

/* Which argument of the names that a shape has; -1: none. */
function whereIndex(name, names) {
	const found = names.indexOf(name);
	const number = /^arg(\d+)$/.exec(name);

	if (found >= 0 || !number || number[1] < 1 || number[1] > names.length)
		return found;
	return number[1] - 1;
}

function whereHolds(any, names, values) {
	return any.some(all => all.every(one => {
		const index = whereIndex(one.name, names);

		return index >= 0 && index < values.length &&
			whereCompare(one.compare, one.value, values[index]);
	}));
}
