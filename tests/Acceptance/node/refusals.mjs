// What this server cannot do, or has no longer: the client raises an error that says so. It takes any 404 for "nothing there", and a command without an answer then for done.
import { assert, onNewDatabase, openStore, rejectedAs } from "./client.mjs";
import {
  ConfigureDataArchivalOperation, CreateDatabaseOperation, DeleteByQueryOperation, DeleteDatabasesOperation, DeleteDocumentCommand, DeleteSorterOperation, GetLogsConfigurationOperation,
  GetReplicationHubAccessOperation, GetServerWideBackupConfigurationsOperation, GetStatisticsOperation, NextIdentityForOperation, PatchOperation, PatchRequest,
  PutAnalyzersOperation, ReorderDatabaseMembersOperation, SetDatabasesLockOperation, StopTransactionsRecordingOperation, UpdateDocumentsCompressionConfigurationOperation,
} from "ravendb";

await onNewDatabase("refusals", async store => {
  const { maintenance } = store;
  const refused = (work, message = /not supported/i) => assert.rejects(work, message);
  for (const operation of [
    new ConfigureDataArchivalOperation({ disabled: false }), new PutAnalyzersOperation({ name: "a", code: "x" }), new DeleteSorterOperation("s"),
    new StopTransactionsRecordingOperation(), new UpdateDocumentsCompressionConfigurationOperation({ collections: [] }), new GetReplicationHubAccessOperation("hub", 0, 5),
  ]) await refused(() => maintenance.send(operation));
  for (const operation of [
    new SetDatabasesLockOperation(store.database, "PreventDeletesError"), new ReorderDatabaseMembersOperation(store.database, ["A"]), new GetLogsConfigurationOperation(),
    new GetServerWideBackupConfigurationsOperation(),
  ]) await refused(() => maintenance.server.send(operation));
  await refused(() => store.subscriptions.disable("orders"));
  await refused(() => store.openSession().countersFor("users/1").getAll());
  assert.equal(await store.openSession().advanced.attachments.exists("users/1", "photo"), false);
  await rejectedAs("IndexDoesNotExistException", store.openSession().advanced.rawQuery("from index 'Users/ByName'").all());
  await rejectedAs("IndexDoesNotExistException", store.openSession().advanced.rawQuery("from index 'Users/ByName'").lazily().getValue());
  const streaming = store.openSession();
  await rejectedAs("IndexDoesNotExistException", streaming.advanced.stream(streaming.advanced.rawQuery("from index 'Users/ByName'")));
  await rejectedAs("IndexDoesNotExistException", store.operations.send(new DeleteByQueryOperation("from index 'Users/ByName'")));

  // A route of a later version.
  const executor = store.getRequestExecutor();
  class Later extends DeleteDocumentCommand {
    createRequest(node) {
      return { uri: `${node.url}/databases/${node.database}/of/a/later/version`, method: "DELETE" };
    }
  }
  await rejectedAs("RouteNotFoundException", executor.execute(new Later("users/1")));
});

// The database goes while its clients are at work.
const gone = openStore("going");
await gone.maintenance.server.send(new CreateDatabaseOperation({ databaseName: "going" }));
await gone.openSession().load("users/1");
await gone.maintenance.server.send(new DeleteDatabasesOperation({ databaseNames: ["going"], hardDelete: true }));
// What is gone already is deleted.
await gone.maintenance.server.send(new DeleteDatabasesOperation({ databaseNames: ["going"], hardDelete: true }));
for (const work of [
  () => gone.openSession().load("users/1"),
  () => gone.openSession().load(["users/1", "users/2"]),
  () => gone.openSession().advanced.lazily.load("users/1").getValue(),
  () => gone.openSession().query({ collection: "Users" }).all(),
  () => gone.openSession().advanced.stream("users/"),
  () => gone.getRequestExecutor().execute(new DeleteDocumentCommand("users/1")),
  () => gone.operations.send(new PatchOperation("users/1", null, PatchRequest.forScript("this.a = 1"))),
  () => gone.maintenance.send(new GetStatisticsOperation()),
  () => gone.maintenance.send(new NextIdentityForOperation("users")),
  async () => {
    const session = gone.openSession();
    await session.store({ name: "late" }, "users/1");
    await session.saveChanges();
  },
  async () => {
    const load = gone.bulkInsert();
    await load.store({ name: "late" }, "users/1");
    await load.finish();
  },
]) await rejectedAs("DatabaseDoesNotExistException", work());
gone.dispose();
console.log("ok");
// The client leaves its heartbeat's timer running where the refusal is noticed by store() already.
process.exit(0);
