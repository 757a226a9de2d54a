// otlp.js PACKAGE FILE: each line as OpenTelemetry's own types have it once it went over the wire; prints the records.
const { isDeepStrictEqual } = require('util');
const { opentelemetry } = require(`${process.argv[2]}/build/src/generated/root.js`);
const Request = opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
const lines = require('fs').readFileSync(process.argv[3], 'utf8').split('\n');
let wrong = lines.pop() !== '';
for (const line of lines) {
	const said = JSON.parse(line);
	const sent = Request.encode(Request.fromObject(said)).finish();
	const read = Request.toObject(Request.decode(sent), { longs: String, bytes: String, json: true });
	// A field that is not of these types, or of another one, would be left out, or differ.
	wrong ||= !isDeepStrictEqual(said, read);
	for (const { resource, scopeLogs } of read.resourceLogs)
		for (const record of scopeLogs.flatMap((scope) => scope.logRecords))
			console.log(JSON.stringify({ resource, ...record }, (key, value) => Object.is(value, -0) ? '-0' : value));
}
process.exit(wrong ? 1 : 0);
