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

  // An expected change vector of a document that is gone.
  const gone = store.openSession();
  await gone.store({ name: "F" }, "users/404", { changeVector: "A:1-AAAAAAAAAAAAAAAAAAAAAA" });
  await rejectedAs("ConcurrencyException", gone.saveChanges());
});
console.log("ok");
