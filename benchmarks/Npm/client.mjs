// The official npm client as a load generator.
//   node client.mjs put  URL DATABASE BODIES RUN SESSIONS SECONDS
//   node client.mjs bulk URL DATABASE BODIES RUN DOCUMENTS
// Prints "RESULT documents seconds p50 p99 p99.9 max" (milliseconds; zeros for bulk).
import { readFileSync } from "node:fs";
import { DocumentStore } from "ravendb";

const [mode, url, database, bodiesFile, run, amount, seconds] = process.argv.slice(2);
const bodies = readFileSync(bodiesFile, "utf8").trimEnd().split("\n");
const store = new DocumentStore(url, database);
store.initialize();

const latencies = [];
const start = performance.now();

async function putUntil(end, writer) {
  for (let n = 1; performance.now() < end; n++) {
    const document = JSON.parse(bodies[n % bodies.length]);
    const begun = performance.now();
    const session = store.openSession();
    await session.store(document, `items/npm-${run}-${writer}-${n}`);
    await session.saveChanges();
    session.dispose();
    latencies.push(performance.now() - begun);
  }
}

let documents;
if (mode === "put") {
  const end = start + 1000 * Number(seconds);
  await Promise.all(Array.from({ length: Number(amount) }, (_, writer) => putUntil(end, writer)));
  documents = latencies.length;
} else {
  documents = Number(amount);
  const bulk = store.bulkInsert();
  for (let n = 0; n < documents; n++)
    await bulk.store(JSON.parse(bodies[n % bodies.length]), `items/npm-${run}-${n}`);
  await bulk.finish();
}

const elapsed = (performance.now() - start) / 1000;
latencies.sort((a, b) => a - b);
const at = share => latencies.length === 0 ? 0 : latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
console.log(["RESULT", documents, elapsed, at(0.5), at(0.99), at(0.999), at(1)].join(" "));
store.dispose();
