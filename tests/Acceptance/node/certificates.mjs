// Certificates over TLS: an administrator makes, uploads, lists, edits and deletes them, and their holders connect.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, rejectedAs, url } from "./client.mjs";
import {
  CreateClientCertificateOperation, CreateDatabaseOperation, DeleteCertificateOperation, DocumentStore, EditClientCertificateOperation,
  GetCertificateMetadataOperation, GetCertificateOperation, GetCertificatesMetadataOperation, GetCertificatesOperation,
  GetDatabaseNamesOperation, PutClientCertificateOperation, ReplaceClusterCertificateOperation,
} from "ravendb";

const file = name => readFileSync(join(process.env.JACKDAW_FOLDER, name));
const ca = file("server.crt").toString();
const open = (authOptions, database = "shop") => {
  const store = new DocumentStore(url, database, { ca, ...authOptions });
  store.conventions.disableTopologyUpdates = false;
  return store.initialize();
};

/** The files of an archive whose entries are stored as they are. */
function unzip(archive) {
  const files = {};
  for (let at = archive.indexOf("PK\x01\x02", 0, "latin1"); archive.readUInt32LE(at) === 0x02014b50; ) {
    assert.equal(archive.readUInt16LE(at + 10), 0, "an entry is compressed");
    const [size, nameLength, extra, comment] = [archive.readUInt32LE(at + 24), archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30), archive.readUInt16LE(at + 32)];
    const local = archive.readUInt32LE(at + 42);
    const content = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    files[archive.toString("utf8", at + 46, at + 46 + nameLength)] = archive.subarray(content, content + size);
    at += 46 + nameLength + extra + comment;
  }
  return files;
}

const write = async (store, id) => {
  const session = store.openSession();
  await session.store({ text: "kept" }, id);
  await session.saveChanges();
};

/** Each attempt is refused. One on a connection that the server has just ended fails without an answer. */
async function losesAccess(attempt) {
  for (let left = 20; left > 0; left--) {
    const error = await attempt().then(() => null, error => error);
    assert.ok(error, "it was let in");
    if (error.name === "AuthorizationException") return;
    await new Promise(resolve => setTimeout(resolve, 250));
  }
  assert.fail("no attempt was answered");
}

/** A right that was given is there with the next connection. */
async function gainsAccess(attempt) {
  for (let left = 20; ; left--) {
    const error = await attempt().then(() => null, error => error);
    if (!error) return;
    assert.ok(left > 0 && error.name !== "AuthorizationException", `${error.name}: ${error.message}`);
    await new Promise(resolve => setTimeout(resolve, 250));
  }
}

const ops = open({ type: "pfx", certificate: file("ops.pfx"), password: "secret" });
const server = ops.maintenance.server;
for (const databaseName of ["shop", "hidden"]) await server.send(new CreateDatabaseOperation({ databaseName }));

// Made by the server: each form of the file lets in.
const zip = await server.send(new CreateClientCertificateOperation("app", { shop: "ReadWrite" }, "ValidUser", undefined));
const files = unzip(Buffer.from(zip.rawData));
assert.deepEqual(Object.keys(files), ["app.pfx", "app.crt", "app.key", "app.pem"]);
const app = open({ type: "pfx", certificate: files["app.pfx"] });
await write(app, "things/1");
assert.deepEqual(await app.maintenance.server.send(new GetDatabaseNamesOperation(0, 10)), ["shop"]);
const byPem = open({ type: "pem", certificate: files["app.pem"].toString() });
assert.equal((await byPem.openSession().load("things/1")).text, "kept");
await rejectedAs("AuthorizationException", write(open({ type: "pfx", certificate: files["app.pfx"] }, "hidden"), "things/1"));
await rejectedAs("AuthorizationException", app.maintenance.server.send(new GetCertificatesOperation(0, 10)));
const locked = unzip(Buffer.from((await server.send(new CreateClientCertificateOperation("locked", { shop: "Read" }, "ValidUser", "pass word"))).rawData));
const reader = open({ type: "pfx", certificate: locked["locked.pfx"], password: "pass word" });
assert.equal((await reader.openSession().load("things/1")).text, "kept");
await rejectedAs("AuthorizationException", write(reader, "things/2"));

// Uploaded, with its key by mistake: the key is thrown away.
const partnerFile = file("partner.pfx");
await server.send(new PutClientCertificateOperation("partner", partnerFile.toString("base64"), { shop: "Admin" }, "ValidUser"));
const partner = open({ type: "pfx", certificate: partnerFile });
await write(partner, "things/3");
await rejectedAs("BadRequestException", server.send(new PutClientCertificateOperation("x", "AAAA", {}, "ValidUser")));
await rejectedAs("BadRequestException", server.send(new PutClientCertificateOperation("x", partnerFile.toString("base64"), {}, "ClusterNode")));
await rejectedAs("BadRequestException", server.send(new PutClientCertificateOperation("x", partnerFile.toString("base64"), {}, "UnauthenticatedClients")));

// Listed.
const all = await server.send(new GetCertificatesOperation(0, 10));
assert.deepEqual(all.map(one => one.name), ["app", "locked", "ops", "partner"]);
assert.deepEqual((await server.send(new GetCertificatesOperation(1, 2))).map(one => one.name), ["locked", "ops"]);
const [record] = all;
assert.equal(record.securityClearance, "ValidUser");
assert.deepEqual({ ...record.permissions }, { shop: "ReadWrite" });
assert.match(record.thumbprint, /^[0-9A-F]{40}$/);
assert.ok(record.notAfter instanceof Date && record.notAfter > new Date() && record.notBefore < new Date());
assert.equal(Buffer.from(record.publicKeyPinningHash, "base64").length, 32);
assert.ok(files["app.crt"].toString().replace(/\s/g, "").includes(record.certificate));
assert.equal((await server.send(new GetCertificateOperation(record.thumbprint))).name, "app");
const metadata = await server.send(new GetCertificateMetadataOperation(record.thumbprint));
assert.equal(metadata.name, "app");
assert.equal(metadata.certificate, undefined);
assert.deepEqual((await server.send(new GetCertificatesMetadataOperation("partner"))).map(one => one.name), ["partner"]);
assert.equal((await server.send(new GetCertificatesMetadataOperation())).length, 4);
assert.equal((await server.send(new GetCertificateOperation("0".repeat(40)))) ?? null, null);

// Edited: less at once.
await server.send(new EditClientCertificateOperation({ thumbprint: record.thumbprint, name: "app", permissions: { shop: "Read" }, clearance: "ValidUser" }));
await losesAccess(() => write(app, "things/4"));
await server.send(new EditClientCertificateOperation({ thumbprint: record.thumbprint, name: "app", permissions: {}, clearance: "Operator" }));
await gainsAccess(() => write(app, "things/4"));
// An operator is no administrator.
const opsRecord = all.find(one => one.name === "ops");
const operator = app.maintenance.server;
await rejectedAs("AuthorizationException", operator.send(new DeleteCertificateOperation(opsRecord.thumbprint)));
await rejectedAs("AuthorizationException", operator.send(new CreateClientCertificateOperation("boss", {}, "ClusterAdmin")));
await rejectedAs("AuthorizationException", operator.send(new EditClientCertificateOperation({ thumbprint: record.thumbprint, name: "app", permissions: {}, clearance: "ClusterAdmin" })));

// Deleted.
await rejectedAs("BadRequestException", server.send(new DeleteCertificateOperation(opsRecord.thumbprint)));
await server.send(new DeleteCertificateOperation(record.thumbprint));
await losesAccess(() => write(app, "things/5"));
await rejectedAs("BadRequestException", server.send(new DeleteCertificateOperation(record.thumbprint)));

// The server's own.
await server.send(new ReplaceClusterCertificateOperation(file("replacement.pfx"), true));

for (const store of [ops, app, byPem, reader, partner]) store.dispose();
