// What is particular about bulk insert: heartbeats, compression, abort, errors.
import { assert, onNewDatabase } from "./client.mjs";
import { GetCollectionStatisticsOperation } from "ravendb";

class Thing { constructor(i, text) { this.i = i; this.text = text; } }

await onNewDatabase("bulk", async store => {
  const count = async () => (await store.maintenance.send(new GetCollectionStatisticsOperation())).collections.Things ?? 0;

  const compressed = store.bulkInsert({ useCompression: true });
  for (let i = 0; i < 2000; i++) await compressed.store(new Thing(i, "x".repeat(500)), `zipped/${i}`);
  await compressed.finish();
  assert.equal(await count(), 2000);

  // A slow writer: what it sent is stored while it is silent, and heartbeats are no documents.
  const slow = store.bulkInsert();
  await slow.store(new Thing(0, "slow"), "slow/0");
  for (let i = 0; i < 2400 && (await store.openSession().load("slow/0")) === null; i++) {
    await new Promise(r => setTimeout(r, 50));
    await slow.sendHeartBeat?.();
  }
  assert.notEqual(await store.openSession().load("slow/0"), null, "a document of a bulk insert in progress can be read once it is stored");
  await slow.store(new Thing(1, "slow"), "slow/1");
  await slow.finish();
  assert.equal(await count(), 2002);

  // Ids of its own.
  const own = store.bulkInsert();
  const thing = new Thing(1, "own");
  await own.store(thing);
  await own.finish();
  assert.equal(thing.id, "things/1-A");
  assert.equal((await store.openSession().load(thing.id)).text, "own");

  // What is stored already as it is sent is left alone, when that is asked for.
  const versions = async () => {
    const session = store.openSession();
    const loaded = await session.load(["same/0", "same/1"]);
    return Object.values(loaded).map(entity => session.advanced.getChangeVectorFor(entity));
  };
  const again = async (options, text) => {
    const load = store.bulkInsert(options);
    await load.store(new Thing(0, "same"), "same/0");
    await load.store(new Thing(1, text), "SAME/1");
    await load.finish();
    return await versions();
  };
  const first = await again({}, "before");
  const second = await again({ skipOverwriteIfUnchanged: true, useCompression: true }, "after");
  assert.equal(second[0], first[0]);
  assert.notEqual(second[1], first[1]);
  assert.equal((await store.openSession().load("same/1")).text, "after");
  assert.notEqual((await again({}, "after"))[0], first[0]);

  // Killed in the middle: an error, not silence.
  const killed = store.bulkInsert();
  await killed.store(new Thing(0, "killed"), "killed/0");
  await new Promise(r => setTimeout(r, 300));
  await killed.abort();
  await assert.rejects(killed.store(new Thing(1, "killed"), "killed/1").then(() => killed.finish()));
});
console.log("ok");
// The client leaves its heartbeat's timer running where the kill is noticed by store() already, before finish() is called.
process.exit(0);
