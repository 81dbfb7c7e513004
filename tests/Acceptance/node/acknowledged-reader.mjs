// Compares what the server holds with the log of what it acknowledged: all of it is there, and of a batch that was not acknowledged all or nothing.
// usage: acknowledged-reader.mjs LOG
import { readFileSync } from "node:fs";
import { assert, openStore } from "./client.mjs";

const acknowledged = new Map();
for (const line of readFileSync(process.argv[2], "utf8").split("\n").filter(Boolean)) {
  const [round, w, i] = line.split(" ").map(Number);
  acknowledged.set(`${round}-${w}`, Math.max(acknowledged.get(`${round}-${w}`) ?? -1, i));
}
const store = openStore("acknowledged");
const session = store.openSession();
const found = new Map();
for await (const item of await session.advanced.stream("acknowledged/")) {
  const [, writer, batch, part] = item.id.match(/^acknowledged\/(\d+-\d+)-(\d+)-(\d)$/);
  assert.equal(item.document.id, item.id);
  const key = `${writer}-${batch}`;
  found.set(key, [...(found.get(key) ?? []), Number(part)].sort());
}
let batches = 0;
for (const [writer, last] of acknowledged) {
  const counter = await store.openSession().load(`counters/${writer}`);
  assert.ok(counter, `counters/${writer} is gone`);
  // The batch after the last acknowledged one may have become durable before its answer was lost; never one further.
  assert.ok(counter.i === last || counter.i === last + 1, `writer ${writer}: acknowledged ${last}, stored ${counter.i}`);
  for (let i = 0; i <= counter.i; i++) {
    const expected = i + 4 <= counter.i ? [1, 2] : [0, 1, 2];
    assert.deepEqual(found.get(`${writer}-${i}`), expected, `batch ${writer}-${i} of ${counter.i}`);
    batches++;
  }
  assert.equal(found.get(`${writer}-${counter.i + 1}`), undefined, `writer ${writer}: a batch beyond its counter is half there`);
}
console.log(JSON.stringify({ batches }));
store.dispose();
