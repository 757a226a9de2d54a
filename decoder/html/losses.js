/* What is not in this report, and why. */

function sumOf(captures, column) {
	return captures.reduce((sum, capture) => sum + capture[column], 0);
}

function lossRow(capture) {
	const [path, bytes, passed, dropped, overwritten] = capture;
	const number = (value, bad) => make('td', {className: 'number' + (bad && value > 0 ? ' bad' : ''), textContent: countText(value)});

	return make('tr', {}, make('td', {textContent: path}), number(bytes), number(passed), number(dropped, true),
		number(overwritten, true));
}

function drawLosses() {
	const {captures, problems, calls} = log.index;
	const dropped = sumOf(captures, 3);
	const passed = sumOf(captures, 2);
	const overwritten = sumOf(captures, 4);
	const bad = dropped > 0 || overwritten > 0 || problems.length > 0;
	const head = make('tr', {}, make('th', {textContent: 'Capture'}),
		...['Bytes', 'Passed', 'Dropped', 'Overwritten'].map(name => make('th', {className: 'number', textContent: name})));

	element('losses').replaceChildren(
		make('p', {className: bad ? 'bad' : 'good', textContent: bad ? 'Something is missing here.' : 'Nothing was lost: all that was recorded is here.'}),
		make('p', {textContent: countText(calls) + ' calls shown, ' + countText(passed) +
			' passed: made by the program itself, not recorded; ' + countText(dropped) + ' dropped: lost; ' +
			countText(overwritten) + ' bytes overwritten by a ring'}),
		...problems.map(problem => make('p', {className: 'bad', textContent: problem})),
		make('table', {}, make('thead', {}, head), make('tbody', {}, ...captures.map(lossRow))));
	if (!bad)
		return;
	element('warning').hidden = false;
	element('warning').textContent = dropped > 0 ? countText(dropped) + ' dropped'
		: problems.length > 0 ? 'damaged' : 'overwritten';
	element('warning').onclick = () => openTab('losses');
}
