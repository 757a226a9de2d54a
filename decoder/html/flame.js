/*
 * What logs how much: the callers of all sites as one tree, each as wide as
 * what was said through it.  A click asks for the lines of a frame alone.
 */

const FRAME_HEIGHT = 21;
const FRAME_LEAST = 3; // pixels; what is narrower is not drawn

const flame = {
	nodes: [], // {number, parent, name, where, site, children, count, depth}
	ofSite: [], // the leaf of each site
	visible: false,
	path: new Set(), // nodes of the chosen line's stacks
};

function addNode(parent, name, where, site) {
	const node = {number: flame.nodes.length, parent, name, where, site, children: [], count: 0};

	flame.nodes.push(node);
	if (parent)
		parent.children.push(node);
	return node;
}

/* Without stacks: what is known of each site at once. */
function pathOf(site) {
	const [called, , module] = log.index.sites[site];

	return [module || '?', called || '?'];
}

function buildFlame() {
	const root = addNode(null, 'everything', '', null);
	const frames = [root];
	const byPath = new Map();

	log.index.frames.forEach(([parent, name, where, handed], i) => {
		if (i > 0) {
			frames[i] = addNode(frames[parent], name, where, null);
			frames[i].handed = handed !== 0;
		}
	});
	log.index.sites.forEach((site, number) => {
		let under = frames[site[5]] || root;

		if (under === root)
			pathOf(number).reduce((path, name) => {
				path += '\n' + name;
				if (!byPath.has(path))
					byPath.set(path, addNode(under, name, '', null));
				under = byPath.get(path);
				return path;
			}, '');
		flame.ofSite[number] = addNode(under, siteName(number), site[4] || '', number);
	});
	/* Callers come before what they call. */
	for (const node of flame.nodes)
		node.depth = node.parent ? node.parent.depth + 1 : 0;
}

function countFlame() {
	for (const node of flame.nodes)
		node.count = 0;
	shown.counts.forEach((count, shape) => {
		if (count > 0)
			for (const site of log.calls[shape])
				flame.ofSite[site].count += count;
	});
	for (let i = flame.nodes.length - 1; i > 0; i--)
		flame.nodes[i].parent.count += flame.nodes[i].count;
}

/* By site: whether it is called through this frame. */
function sitesBelow(number) {
	const wanted = flame.nodes[number];

	return Uint8Array.from(flame.ofSite, leaf => {
		let node = leaf;

		while (node && node !== wanted)
			node = node.parent;
		return node === wanted;
	});
}

const frameName = number => flame.nodes[number].name;

/* A colour that a name always has: warm for code, cool for what is said. */
function frameColor(node) {
	let hash = 7;

	for (let i = 0; i < node.name.length; i++)
		hash = hash * 31 + node.name.charCodeAt(i) >>> 0;
	if (node.site !== null)
		return 'hsl(' + (190 + hash % 30) + ' 58% ' + (66 + hash % 9) + '%)';
	return 'hsl(' + (18 + hash % 34) + ' 82% ' + (64 + hash % 10) + '%)';
}

function frameElement(node, left, width, above) {
	const share = flame.nodes[0].count > 0 ? 100 * node.count / flame.nodes[0].count : 0;
	const made = make('button', {
		className: 'frame' + (above ? ' above' : '') + (node.handed ? ' handed' : '') + (node.number === filter.frame || flame.path.has(node) ? ' chosen' : ''),
		title: node.name + (node.where ? '\n' + node.where : '') + '\n' + countText(node.count) + ' calls, ' + share.toFixed(2) + ' %',
		textContent: width > 24 ? node.name : '',
	});

	made.dataset.frame = node.number;
	made.style.left = left + 'px';
	made.style.width = Math.max(1, width - 1) + 'px';
	made.style.top = node.depth * FRAME_HEIGHT + 'px';
	made.style.background = frameColor(node);
	made.onclick = () => refine({frame: node.parent === null || node.number === filter.frame ? null : node.number});
	return made;
}

/* The node and what it calls, the most first. */
function layOut(node, left, width, into) {
	const stack = [[node, left, width]];

	while (stack.length > 0) {
		const [one, x, wide] = stack.pop();

		into.push(frameElement(one, x, wide, false));
		let at = x;

		for (const child of one.children.filter(c => c.count > 0).sort((a, b) => b.count - a.count)) {
			const part = wide * child.count / one.count;

			if (part < FRAME_LEAST)
				break;
			stack.push([child, at, part]);
			at += part;
		}
	}
}

function markPath() {
	flame.path.clear();
	if (table.chosen === null)
		return;
	for (const site of sitesOf(table.chosen))
		for (let node = flame.ofSite[site]; node.parent; node = node.parent)
			flame.path.add(node);
}

function drawFlame() {
	const area = element('stacks');
	const width = area.clientWidth - 24;
	const focus = flame.nodes[filter.frame === null ? 0 : filter.frame];
	const made = [];

	if (!flame.visible || width <= 0)
		return;
	markPath();
	for (let node = focus.parent; node; node = node.parent)
		made.unshift(frameElement(node, 0, width, true));
	if (focus.count > 0 || focus.parent === null)
		layOut(focus, 0, width, made);
	const deepest = Math.max(...made.map(frame => parseFloat(frame.style.top)));
	const drawn = make('div', {id: 'flame'}, ...made);

	drawn.style.height = deepest + FRAME_HEIGHT + 'px';
	area.replaceChildren(make('div', {className: 'tools'},
		make('span', {textContent: countText(flame.nodes[0].count) + ' calls' + (log.index.stacks ? ''
			: ', by module and function: with --stacks the report knows the callers, too')})), drawn);
}

function listenToFlame() {
	on('shown', () => {
		countFlame();
		drawFlame();
	});
	on('chosen', drawFlame);
	new ResizeObserver(drawFlame).observe(element('stacks'));
}
