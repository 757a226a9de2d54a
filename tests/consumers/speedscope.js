// speedscope.js PACKAGE FILE: the importer of speedscope reads folded stacks; prints each call path with what it weighs by itself.
// The package is an application for a browser: what draws it is left out, its importer runs as it is.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const [packageDirectory, file] = process.argv.slice(2);
const release = path.join(packageDirectory, 'dist/release');
const bundle = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
const source = fs.readFileSync(path.join(release, bundle), 'utf8');
const entry = /loadFileFromBase64:\((\w+),(\w+)\)=>\{this\.loadProfile\(\(\)=>(\w+)\(\1,\2\)\)/.exec(source);
const end = source.lastIndexOf('console.log(`speedscope v');
if (!entry || end < 0)
	throw new Error('another version of speedscope');

const element = () => new Proxy(function () {}, {
	get: (target, name) => name === Symbol.toPrimitive ? () => '' : name === 'length' ? 0 : target[name] ?? element(),
	apply: () => element(),
	construct: () => element(),
});
const window = {
	console: {log() {}, error: console.error, warn: console.error},
	addEventListener() {}, matchMedia: () => ({matches: false, addEventListener() {}, addListener() {}}),
	location: {hash: '', href: 'file:///', protocol: 'file:'}, navigator: {platform: 'Linux', userAgent: ''},
	localStorage: {getItem: () => null, setItem() {}}, document: element(), performance,
	requestAnimationFrame() {}, setTimeout, clearTimeout, TextDecoder, TextEncoder, atob, URL, fetch: undefined,
};
window.window = window.self = window.globalThis = window;
vm.createContext(window);
vm.runInContext(`${source.slice(0, end)};window.importProfile=${entry[3]}})();`, window);

window.importProfile('folded.collapsedstack.txt', fs.readFileSync(file).toString('base64')).then((group) => {
	const profile = group.profiles[0];
	const names = [];
	let weights = 0;
	const walk = (node) => {
		if (node.frame.name !== '(speedscope root)')
			names.push(node.frame.name);
		if (node.getSelfWeight() > 0)
			console.log(`${names.join(';')} ${node.getSelfWeight()}`);
		weights += node.getSelfWeight();
		node.children.forEach(walk);
		if (node.frame.name !== '(speedscope root)')
			names.pop();
	};
	walk(profile.getAppendOrderCalltreeRoot());
	if (weights !== profile.getTotalWeight())
		throw new Error(`${weights} of ${profile.getTotalWeight()}`);
});
