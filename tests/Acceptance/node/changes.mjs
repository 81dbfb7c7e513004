// The Changes API as the official client uses it: store.changes().
import { PatchByQueryOperation } from "ravendb";
import { assert, onNewDatabase, openStore } from "./client.mjs";

class User {
  constructor(name) {
    this.name = name;
  }
}

class Order {
  constructor(total) {
    this.total = total;
  }
}

/** What an observable has told; `until(n)` waits for so much. */
async function listen(observable) {
  const heard = [];
  let wake = () => {};
  const handler = (change) => {
    heard.push(change);
    wake();
  };
  observable.on("error", () => {});
  observable.on("data", handler);
  await observable.ensureSubscribedNow();
  return {
    heard,
    async until(condition) {
      const end = Date.now() + 60_000;
      while (!condition(heard)) {
        assert.ok(Date.now() < end, `not heard: ${JSON.stringify(heard)}`);
        await new Promise((resolve) => {
          wake = resolve;
          setTimeout(resolve, 1000);
        });
      }
      return heard;
    },
    stop: () => observable.off("data", handler),
  };
}

async function save(store, work) {
  const session = store.openSession();
  await work(session);
  await session.saveChanges();
}

const brief = (changes) => changes.map((change) => `${change.type} ${change.id}`);

await onNewDatabase("changes", async (store) => {
  const errors = [];
  const changes = store.changes();
  changes.on("error", (error) => errors.push(error));
  await changes.ensureConnectedNow();

  // Documents: all, one, by prefix, by collection, each in any casing.
  const all = await listen(changes.forAllDocuments());
  const one = await listen(changes.forDocument("USERS/1"));
  const prefix = await listen(changes.forDocumentsStartingWith("Users/"));
  const collection = await listen(changes.forDocumentsInCollection("orders"));
  await save(store, (session) => session.store(new User("Ada"), "users/1"));
  await one.until((heard) => heard.length === 1);
  await save(store, (session) => session.store(new User("Grace"), "users/2"));
  await save(store, (session) => session.store(new Order(9), "orders/1"));
  await save(store, (session) => session.delete("users/1"));
  await all.until((heard) => heard.some((change) => change.type === "Delete"));
  await prefix.until((heard) => heard.some((change) => change.type === "Delete"));
  assert.deepEqual(brief(all.heard), ["Put users/1", "Put users/2", "Put orders/1", "Delete users/1"]);
  assert.deepEqual(brief(one.heard), ["Put users/1", "Delete users/1"]);
  assert.deepEqual(brief(prefix.heard), ["Put users/1", "Put users/2", "Delete users/1"]);
  assert.deepEqual(brief(collection.heard), ["Put orders/1"]);
  assert.equal(collection.heard[0].collectionName, "Orders");
  assert.match(collection.heard[0].changeVector, /^A:\d+-/);

  // Once a watch has ended, nothing follows.
  prefix.stop();
  const length = prefix.heard.length;
  await save(store, (session) => session.store(new User("Edsger"), "users/3"));
  await all.until((heard) => heard.length === 5);
  assert.equal(prefix.heard.length, length);

  // Operations: a patch by query, one and all.
  const operations = await listen(changes.forAllOperations());
  const operation = await store.operations.send(new PatchByQueryOperation("from Users update { this.seen = true; }"));
  const mine = await listen(changes.forOperationId(operation.id));
  await mine.until((heard) => heard.some((change) => change.state.status === "Completed"));
  await operations.until((heard) => heard.some((change) => change.operationId === operation.id && change.state.status === "Completed"));
  assert.equal(mine.heard.at(-1).state.result.total ?? mine.heard.at(-1).state.result.Total, 2);

  // This process is busy with the load, and would read the others late.
  for (const watch of [all, one, collection]) watch.stop();

  // A bulk insert tells its progress, which the client shows as events of its own.
  const progress = [];
  const bulk = store.bulkInsert();
  bulk.on("progress", (event) => progress.push(event.progress));
  for (let i = 0; i < 20_000; i++) await bulk.store(new Order(i), `bulk/${i}`);
  await bulk.finish();
  await operations.until((heard) =>
    heard.some((change) => change.state.status === "Completed" && change.state.result.documentsProcessed === 20_000),
  );
  assert.ok(progress.length > 2, `progress is told before the end: ${JSON.stringify(progress)}`);

  // Indexes can be watched.
  const indexes = await listen(changes.forAllIndexes());
  const index = await listen(changes.forIndex("Auto/Users/Byname"));
  indexes.stop();
  index.stop();
  assert.deepEqual(errors, []);
});

// Aggressive caching: an answer is taken from the cache without asking, until another client's write is told.
await onNewDatabase("caching", async (store) => {
  await save(store, (session) => session.store(new User("Ada"), "users/1"));
  const executor = store.getRequestExecutor();
  const changes = store.changes();
  changes.on("error", (error) => assert.fail(error));
  // What other clients do by themselves: any change of a document makes what is cached old.
  const told = await listen(changes.forAllDocuments());
  changes.forAllDocuments().on("data", () => executor.cache.clear());
  executor.aggressiveCaching = { duration: 60_000 };
  const name = async () => (await store.openSession().load("users/1")).name;
  assert.equal(await name(), "Ada");
  const requests = executor.numberOfServerRequests;
  assert.equal(await name(), "Ada");
  assert.equal(await name(), "Ada");
  assert.equal(executor.numberOfServerRequests, requests, "answered from the cache");

  const other = openStore("caching");
  await save(other, async (session) => {
    (await session.load("users/1")).name = "Countess";
  });
  await told.until((heard) => heard.length === 1);
  assert.equal(await name(), "Countess");
  other.dispose();
});
console.log("changes: ok");
