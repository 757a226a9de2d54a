// chrome_trace.mjs PACKAGE FILE: the trace engine of Chrome's DevTools reads a trace; prints what it makes of processes and threads.
import fs from 'node:fs';

globalThis.DOMRect = class {
	constructor(x, y, width, height) {
		Object.assign(this, {x, y, width, height});
	}
};
const [directory, file] = process.argv.slice(2);
const {TraceModel} = await import(`${directory}/models/trace/trace.js`);
const model = TraceModel.Model.createWithAllHandlers();
await model.parse(JSON.parse(fs.readFileSync(file, 'utf8')).traceEvents, {metadata: {}});
const parsed = model.parsedTrace(0);
for (const [pid, threads] of parsed.data.Meta.threadsInProcess)
	for (const [tid, thread] of threads)
		console.log(parsed.data.Meta.processNames.get(pid).args.name, pid, tid, thread.args.name,
			parsed.traceEvents.filter((event) => event.ph === 'i' && event.pid === pid && event.tid === tid).length);
