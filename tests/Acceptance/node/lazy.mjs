// Several reads in one request.
import { assert, onNewDatabase } from "./client.mjs";

await onNewDatabase("lazy", async store => {
  const writer = store.openSession();
  for (let i = 1; i <= 5; i++) await writer.store({ i, friend: `people/${(i % 5) + 1}` }, `people/${i}`);
  await writer.saveChanges();

  const session = store.openSession();
  const one = session.advanced.lazily.load("people/1");
  const several = session.advanced.lazily.load(["people/2", "people/3", "people/404"]);
  const missing = session.advanced.lazily.load("people/405");
  const under = session.advanced.lazily.loadStartingWith("people/", { matches: "4|5" });
  const query = session.advanced.rawQuery("from @all_docs where startsWith(id(), 'people/') order by id() desc limit 2").lazily();
  await session.advanced.eagerly.executeAllPendingLazyOperations();
  assert.equal(session.advanced.numberOfRequests, 1);
  assert.equal((await one.getValue()).i, 1);
  const three = await several.getValue();
  assert.deepEqual([three["people/2"].i, three["people/3"].i, three["people/404"]], [2, 3, null]);
  assert.equal(await missing.getValue(), null);
  assert.deepEqual(Object.keys(await under.getValue()).sort(), ["people/4", "people/5"]);
  assert.deepEqual((await query.getValue()).map(p => p.i), [5, 4]);
});
console.log("ok");
