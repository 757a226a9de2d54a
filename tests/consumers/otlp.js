// otlp.js PACKAGE FILE: each line as OpenTelemetry's own types have it once it went over the wire, or, if PACKAGE is
// empty, as it is; prints the records.
const { isDeepStrictEqual } = require('util');
const types = process.argv[2];
const Request = types && require(`${types}/build/src/generated/root.js`).opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
const over_the_wire = (said) => Request.toObject(Request.decode(Request.encode(Request.fromObject(said)).finish()),
	{ longs: String, bytes: String, json: true });
const lines = require('fs').readFileSync(process.argv[3], 'utf8').split('\n');
let wrong = lines.pop() !== '';
for (const line of lines) {
	const said = JSON.parse(line);
	const read = types ? over_the_wire(said) : said;
	// A field that is not of these types, or of another one, would be left out, or differ.
	wrong ||= !isDeepStrictEqual(said, read);
	for (const { resource, scopeLogs } of read.resourceLogs)
		for (const record of scopeLogs.flatMap((scope) => scope.logRecords))
			console.log(JSON.stringify({ resource, ...record }, (key, value) => Object.is(value, -0) ? '-0' : value));
}
process.exit(wrong ? 1 : 0);
