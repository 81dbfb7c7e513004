// Optimistic concurrency: who comes second is told so, and nothing of the batch is kept.
import { assert, onNewDatabase, rejectedAs } from "./client.mjs";

await onNewDatabase("concurrency", async store => {
  const first = store.openSession();
  await first.store({ name: "A" }, "users/1");
  await first.saveChanges();

  const one = store.openSession();
  const two = store.openSession();
  one.advanced.useOptimisticConcurrency = true;
  two.advanced.useOptimisticConcurrency = true;
  const mine = await one.load("users/1");
  const yours = await two.load("users/1");
  mine.name = "B";
  await one.saveChanges();
  yours.name = "C";
  await two.store({ name: "beside" }, "users/2");
  const refusal = await rejectedAs("ConcurrencyException", two.saveChanges());
  assert.match(refusal.message, /has change vector/);

  const check = store.openSession();
  assert.equal((await check.load("users/1")).name, "B");
  assert.equal(await check.load("users/2"), null, "a refused batch leaves nothing behind");

  // A new document where one is already.
  const fresh = store.openSession();
  fresh.advanced.useOptimisticConcurrency = true;
  await fresh.store({ name: "D" }, "users/1");
  await rejectedAs("ConcurrencyException", fresh.saveChanges());

  // A delete that expects what is no longer so.
  const stale = store.openSession();
  const old = await stale.load("users/1");
  const vector = stale.advanced.getChangeVectorFor(old);
  const mover = store.openSession();
  (await mover.load("users/1")).name = "E";
  await mover.saveChanges();
  const deleter = store.openSession();
  await deleter.delete("users/1", vector);
  await rejectedAs("ConcurrencyException", deleter.saveChanges());
  assert.equal((await store.openSession().load("users/1")).name, "E");

  // What was read only must not have changed either, when a session asks for that.
  const careful = () => {
    const session = store.openSession();
    session.advanced.optimisticConcurrencyMode = "WritesAndReads";
    return session;
  };
  const setup = store.openSession();
  await setup.store({ limit: 10 }, "rules/1");
  await setup.store({ n: 0 }, "counts/1");
  await setup.saveChanges();
  const reader = careful();
  await reader.load("rules/1");
  (await reader.load("counts/1")).n = 1;
  await reader.saveChanges();
  (await reader.load("counts/1")).n = 2;
  const ruler = store.openSession();
  (await ruler.load("rules/1")).limit = 1;
  await ruler.saveChanges();
  assert.match((await rejectedAs("ConcurrencyException", reader.saveChanges())).message, /rules\/1.*has change vector/);
  assert.equal((await store.openSession().load("counts/1")).n, 1);

  // A conditional load again and again.
  const watcher = store.openSession();
  const kept = watcher.advanced.getChangeVectorFor(await watcher.load("counts/1"));
  const unchanged = await store.openSession().advanced.conditionalLoad("counts/1", kept, Object);
  assert.deepEqual([unchanged.entity, unchanged.changeVector], [null, kept]);
  const newer = await store.openSession().advanced.conditionalLoad("counts/1", "A:1-AAAAAAAAAAAAAAAAAAAAAA", Object);
  assert.equal(newer.entity.n, 1);
  assert.equal((await store.openSession().advanced.conditionalLoad("counts/1", newer.changeVector, Object)).entity, null, "what the client keeps has the header's quotes");

  // An expected change vector of a document that is gone.
  const gone = store.openSession();
  await gone.store({ name: "F" }, "users/404", { changeVector: "A:1-AAAAAAAAAAAAAAAAAAAAAA" });
  await rejectedAs("ConcurrencyException", gone.saveChanges());
});
console.log("ok");
