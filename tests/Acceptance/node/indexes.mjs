// Maintenance of indexes as the official client does it. Queries make them; operators look after them.
import {
  DeleteIndexErrorsOperation,
  DeleteIndexOperation,
  DisableIndexOperation,
  EnableIndexOperation,
  GetIndexErrorsOperation,
  GetIndexesOperation,
  GetIndexesStatisticsOperation,
  GetIndexingStatusOperation,
  GetIndexNamesOperation,
  GetIndexOperation,
  GetIndexStatisticsOperation,
  GetStatisticsOperation,
  GetTermsOperation,
  IndexDefinition,
  IndexHasChangedOperation,
  PutIndexesOperation,
  ResetIndexOperation,
  SetIndexesLockOperation,
  SetIndexesPriorityOperation,
  StartIndexingOperation,
  StartIndexOperation,
  StopIndexingOperation,
  StopIndexOperation,
} from "ravendb";
import { assert, onNewDatabase } from "./client.mjs";

class User {
  constructor(name, age) {
    Object.assign(this, { name, age });
  }
}

await onNewDatabase("indexes", async (store) => {
  const send = (operation) => store.maintenance.send(operation);
  const told = [];
  const changes = store.changes();
  changes.on("error", (error) => assert.fail(error));
  const all = changes.forAllIndexes();
  all.on("data", (change) => told.push(`${change.type} ${change.name}`));
  await all.ensureSubscribedNow();
  async function until(condition, what) {
    const end = Date.now() + 60_000;
    while (!(await condition())) {
      assert.ok(Date.now() < end, what ?? `${condition}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const isFresh = async () => (await send(new GetStatisticsOperation())).indexes.every((index) => !index.isStale);

  const session = store.openSession();
  for (let i = 0; i < 50; i++) await session.store(new User(i % 2 ? "Ada" : "Grace", i), `users/${i}`);
  await session.saveChanges();
  const found = await store.openSession().query({ collection: "Users" }).whereEquals("name", "Ada").waitForNonStaleResults().all();
  assert.equal(found.length, 25);

  const [name] = await send(new GetIndexNamesOperation(0, 10));
  assert.match(name, /^Auto\/Users\/By/i);
  await until(() => told.includes(`IndexAdded ${name}`) && told.includes(`BatchCompleted ${name}`));
  const [definition] = await send(new GetIndexesOperation(0, 10));
  assert.equal(definition.name, name);
  assert.equal(definition.type, "AutoMap");
  assert.equal((await send(new GetIndexOperation(name))).name, name);
  assert.equal((await send(new GetIndexOperation("none"))) ?? null, null);

  const statistics = await send(new GetStatisticsOperation());
  assert.equal(statistics.countOfIndexes, 1);
  assert.equal(statistics.indexes[0].name, name);
  assert.equal(statistics.indexes[0].isStale, false);
  assert.equal(statistics.indexes[0].state, "Normal");
  const stats = await send(new GetIndexStatisticsOperation(name));
  assert.equal(stats.entriesCount, 50);
  assert.equal(stats.isStale, false);
  assert.equal(stats.type, "AutoMap");
  assert.equal((await send(new GetIndexesStatisticsOperation())).length, 1);
  await assert.rejects(send(new GetIndexStatisticsOperation("none")), { name: "IndexDoesNotExistException" });

  assert.deepEqual(await send(new GetTermsOperation(name, "name", null, 128)), ["ada", "grace"]);
  assert.deepEqual(await send(new GetTermsOperation(name, "name", "ada", 128)), ["grace"]);

  // Pausing: one, then all.
  const status = async () => (await send(new GetIndexingStatusOperation())).indexes[0].status;
  await send(new StopIndexOperation(name));
  assert.equal(await status(), "Paused");
  await send(new StartIndexOperation(name));
  assert.equal(await status(), "Running");
  await send(new StopIndexingOperation());
  assert.equal((await send(new GetIndexingStatusOperation())).status, "Paused");
  await send(new StartIndexingOperation());
  assert.equal((await send(new GetIndexingStatusOperation())).status, "Running");

  await send(new DisableIndexOperation(name));
  assert.equal((await send(new GetIndexStatisticsOperation(name))).state, "Disabled");
  await send(new EnableIndexOperation(name));
  assert.equal((await send(new GetIndexStatisticsOperation(name))).state, "Normal");
  await until(() => told.includes(`IndexDemotedToDisabled ${name}`));

  await send(new SetIndexesPriorityOperation({ indexNames: [name], priority: "High" }));
  assert.equal((await send(new GetIndexStatisticsOperation(name))).priority, "High");
  // The client itself keeps locks from automatic indexes; what it asks of others reaches the server.
  const lock = new SetIndexesLockOperation({ indexNames: ["none"], mode: "LockedIgnore" });
  await assert.rejects(send(lock), { name: "IndexDoesNotExistException" });

  assert.deepEqual((await send(new GetIndexErrorsOperation([name])))[0], { name, errors: [] });
  await send(new DeleteIndexErrorsOperation([name]));
  await send(new DeleteIndexErrorsOperation());

  await send(new ResetIndexOperation(name));
  await until(isFresh);
  assert.equal((await send(new GetIndexStatisticsOperation(name))).entriesCount, 50);

  // A definition of one's own is refused by what it is.
  const own = Object.assign(new IndexDefinition(), { name: "Users/ByName", maps: new Set(["map('Users', u => ({ name: u.name }))"]) });
  await assert.rejects(send(new PutIndexesOperation(own)), /JavaScript.*Users\/ByName/s);
  assert.equal(await send(new IndexHasChangedOperation(own)), true);

  await send(new DeleteIndexOperation(name));
  assert.deepEqual(await send(new GetIndexNamesOperation(0, 10)), []);
  await until(() => told.includes(`IndexRemoved ${name}`));
});
console.log("indexes: ok");
