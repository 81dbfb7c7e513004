// Databases come, are looked at, disabled, enabled and go.
import { assert, openStore, rejectedAs } from "./client.mjs";
import {
  CreateDatabaseOperation, DeleteDatabasesOperation, GetDatabaseNamesOperation, GetDatabaseRecordOperation, GetStatisticsOperation, ToggleDatabasesStateOperation,
} from "ravendb";

const store = openStore("Northern");
const server = store.maintenance.server;
const create = name => server.send(new CreateDatabaseOperation({ databaseName: name, settings: { "Some.Setting": "kept" } }));

const created = await create("Northern");
assert.equal(created.name, "Northern");
assert.ok(created.raftCommandIndex > 0);
await rejectedAs("ConcurrencyException", create("northern"));
await rejectedAs("BadRequestException", create("bad/name"));
await create("Other");
assert.deepEqual(await server.send(new GetDatabaseNamesOperation(0, 10)), ["Northern", "Other"]);
const record = await server.send(new GetDatabaseRecordOperation("NORTHERN"));
assert.equal(record.databaseName, "Northern");
assert.equal(record.settings["some.Setting"], "kept", "the client lower-cases first letters");
assert.equal((await server.send(new GetDatabaseRecordOperation("Missing"))) ?? null, null);

const session = store.openSession();
await session.store({ name: "x" }, "things/1");
await session.saveChanges();
const statistics = await store.maintenance.send(new GetStatisticsOperation());
assert.equal(statistics.countOfDocuments, 1);
assert.equal(statistics.indexes.length, 0);
assert.ok(statistics.lastDatabaseEtag >= 1);

// Writers and readers are at work while the database is disabled: each of them ends, with an answer or an error.
let writing = true;
const outcomes = { written: 0, refused: 0 };
const writers = Array.from({ length: 8 }, async (_, w) => {
  for (let i = 0; writing; i++) {
    const s = store.openSession();
    try {
      await s.store({ w, i }, `busy/${w}-${i}`);
      await s.saveChanges();
      outcomes.written++;
    } catch {
      outcomes.refused++;
      await new Promise(r => setTimeout(r, 5));
    }
  }
});
for (let i = 0; i < 24_000 && outcomes.written === 0; i++) await new Promise(r => setTimeout(r, 5));
await new Promise(r => setTimeout(r, 300));
const disabled = await server.send(new ToggleDatabasesStateOperation("Northern", true));
assert.equal(disabled.disabled, true);
const answer = await fetch(`${store.urls[0]}/databases/Northern/docs?id=things/1`);
assert.equal(answer.status, 503);
assert.match((await answer.json()).Type, /DatabaseDisabledException/);
await server.send(new ToggleDatabasesStateOperation("Northern", false));
assert.equal((await fetch(`${store.urls[0]}/databases/Northern/docs?id=things/1`)).status, 200);
await new Promise(r => setTimeout(r, 300));
writing = false;
await Promise.all(writers);
assert.ok(outcomes.written > 0, JSON.stringify(outcomes));
const counted = await (await fetch(`${store.urls[0]}/databases/Northern/collections/stats`)).json();
assert.ok(counted.CountOfDocuments >= outcomes.written + 1, `${counted.CountOfDocuments} of ${outcomes.written + 1}`);

await server.send(new DeleteDatabasesOperation({ databaseNames: ["Northern", "Other"], hardDelete: true }));
assert.deepEqual(await server.send(new GetDatabaseNamesOperation(0, 10)), []);
const gone = openStore("Northern");
await rejectedAs("DatabaseDoesNotExistException", gone.openSession().load("things/1"));
gone.dispose();

// The same name again is an empty database.
await create("Northern");
assert.equal(await store.openSession().load("things/1"), null);
await server.send(new DeleteDatabasesOperation({ databaseNames: ["Northern"], hardDelete: true }));
store.dispose();
console.log("ok");
