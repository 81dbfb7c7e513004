// Documents that expire or are refreshed, as the official client configures and writes them.
import { setTimeout as sleep } from "node:timers/promises";
import {
  ConfigureExpirationOperation, ConfigureRefreshOperation, CreateDatabaseOperation, DeleteDatabasesOperation, GetDatabaseRecordOperation, PatchOperation, PatchRequest,
} from "ravendb";
import { assert, onNewDatabase, openStore, rejectedAs } from "./client.mjs";

class User {
  constructor(name) {
    this.name = name;
  }
}

async function eventually(what, condition) {
  const until = Date.now() + 60_000;
  while (!(await condition())) {
    assert.ok(Date.now() < until, `it did not come about: ${what}`);
    await sleep(20);
  }
}

async function put(store, id, metadata, name = id) {
  const session = store.openSession();
  const user = new User(name);
  await session.store(user, id);
  Object.assign(session.advanced.getMetadataFor(user), metadata);
  await session.saveChanges();
  return user;
}

async function load(store, id) {
  const session = store.openSession();
  const user = await session.load(id);
  return user && { user, metadata: session.advanced.getMetadataFor(user), changeVector: session.advanced.getChangeVectorFor(user) };
}

const past = () => new Date(Date.now() - 3_600_000);
const future = () => new Date(Date.now() + 3_600_000);

await onNewDatabase("expiration", async store => {
  // Until it is configured nothing goes.
  await put(store, "users/before", { "@expires": past().toISOString() });
  const unconfigured = await store.maintenance.server.send(new GetDatabaseRecordOperation("expiration"));
  assert.equal(unconfigured.expiration ?? null, null);
  assert.equal(unconfigured.refresh ?? null, null);

  const result = await store.maintenance.send(new ConfigureExpirationOperation({ disabled: false, deleteFrequencyInSec: 1 }));
  assert.equal(typeof result.raftCommandIndex, "number");
  await eventually("the document from before goes", async () => (await load(store, "users/before")) === null);

  // A date in a session's metadata, as a text and as a Date.
  await put(store, "users/text", { "@expires": new Date(Date.now() + 1500).toISOString() });
  await put(store, "users/date", { "@expires": past() });
  await put(store, "users/later", { "@expires": future() });
  assert.ok(await load(store, "users/text"));
  await eventually("what is due goes", async () => (await load(store, "users/text")) === null && (await load(store, "users/date")) === null);
  assert.ok(await load(store, "users/later"));

  // Queries do not find what has gone.
  const found = await store.openSession().query({ collection: "Users" }).waitForNonStaleResults().all();
  assert.deepEqual(found.map(user => user.name), ["users/later"]);

  // A patch adds a date, and another one takes it away.
  await put(store, "users/patched", {});
  await store.operations.send(new PatchOperation("users/later", null, PatchRequest.forScript("delete this['@metadata']['@expires']")));
  const patch = PatchRequest.forScript("this['@metadata']['@expires'] = args.when");
  patch.values = { when: past().toISOString() };
  await store.operations.send(new PatchOperation("users/patched", null, patch));
  await eventually("the patched document goes", async () => (await load(store, "users/patched")) === null);
  assert.equal((await load(store, "users/later")).metadata["@expires"], undefined);

  // Bulk insert.
  const bulk = store.bulkInsert();
  for (let i = 0; i < 500; i++) {
    await bulk.store(new User("bulk"), `bulk/${i}`, Object.assign(Object.create(null), { "@collection": "Users", "@expires": past().toISOString() }));
  }
  await bulk.finish();
  await eventually("all that was inserted goes", async () => (await store.openSession().query({ collection: "Users" }).waitForNonStaleResults().all()).length === 1);

  // No date: refused with the reason, and the former version stays.
  const error = await put(store, "users/later", { "@expires": "tomorrow" }, "changed").then(() => assert.fail("it was stored"), e => e);
  assert.match(error.message, /@expires/);
  assert.match(error.message, /tomorrow/);
  assert.equal((await load(store, "users/later")).user.name, "users/later");

  // Once it is disabled nothing goes any more.
  await store.maintenance.send(new ConfigureExpirationOperation({ disabled: true, deleteFrequencyInSec: 1 }));
  await put(store, "users/stays", { "@expires": past() });
  await sleep(1500);
  assert.ok(await load(store, "users/stays"));

  // A refresh.
  const refreshing = await store.maintenance.send(new ConfigureRefreshOperation({ disabled: false, refreshFrequencyInSec: 1 }));
  assert.equal(typeof refreshing.raftCommandIndex, "number");
  await put(store, "users/fresh", { "@refresh": new Date(Date.now() + 1000).toISOString(), "@expires": future().toISOString() });
  const before = await load(store, "users/fresh");
  await eventually("the document is refreshed", async () => (await load(store, "users/fresh")).metadata["@refresh"] === undefined);
  const after = await load(store, "users/fresh");
  assert.notEqual(after.changeVector, before.changeVector);
  assert.equal(after.user.name, before.user.name);
  assert.equal(after.metadata["@expires"], before.metadata["@expires"]);

  const record = await store.maintenance.server.send(new GetDatabaseRecordOperation("expiration"));
  assert.equal(record.expiration.disabled, true);
  assert.equal(record.expiration.deleteFrequencyInSec, 1);
  assert.equal(record.refresh.disabled, false);
  assert.equal(record.refresh.refreshFrequencyInSec, 1);

  await rejectedAs("BadRequestException", store.maintenance.send(new ConfigureExpirationOperation({ disabled: false, deleteFrequencyInSec: 0 })));
  await rejectedAs("BadRequestException", store.maintenance.send(new ConfigureRefreshOperation({ disabled: false, refreshFrequencyInSec: "often" })));
});

// A record that creates a database brings its configuration along.
const store = openStore("expiration-record");
try {
  await store.maintenance.server.send(
    new CreateDatabaseOperation({ databaseName: "expiration-record", expiration: { disabled: false, deleteFrequencyInSec: 2 } })
  );
  const record = await store.maintenance.server.send(new GetDatabaseRecordOperation("expiration-record"));
  assert.equal(record.expiration.deleteFrequencyInSec, 2);
  await put(store, "users/1", { "@expires": past() });
  await eventually("the document goes", async () => (await load(store, "users/1")) === null);
  await store.maintenance.server.send(new DeleteDatabasesOperation({ databaseNames: ["expiration-record"], hardDelete: true }));
} finally {
  store.dispose();
}
