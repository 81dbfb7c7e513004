// What a session's queries offer beside conditions: filters, caching, tracking, timings, counts, orders of several keys, streams of raw
// queries; and fields whose names the client writes without quotes.
import { RavenQuery } from "ravendb";
import { assert, collect, onNewDatabase, rejectedAs } from "./client.mjs";

await onNewDatabase("querysessions", async store => {
  const writer = store.openSession();
  const versions = ["v2", "v10", "v1", "v10", null];
  for (let i = 1; i <= 5; i++) {
    const part = { version: versions[i - 1], weight: i / 2, "first-name": `Ann ${i}`, from: i, Order: 6 - i, Group: i % 2, not: i, "a-b": { "c-d": i } };
    part["@metadata"] = { "@collection": "Parts" };
    await writer.store(part, `parts/${i}`);
  }
  await writer.saveChanges();

  const session = store.openSession();
  session.advanced.maxNumberOfRequestsPerSession = 1000;
  const query = () => session.query({ collection: "Parts" }).waitForNonStaleResults();
  const ids = found => found.map(part => part.id.replace("parts/", "")).join(" ");

  // Names as the client writes them.
  assert.equal(ids(await query().whereEquals("first-name", "ann 2").all()), "2");
  assert.equal(ids(await query().whereEquals("a-b.c-d", 3).all()), "3");
  assert.equal(ids(await query().search("first-name", "5").all()), "5");
  assert.equal(ids(await query().whereEquals("from", 4).all()), "4");
  assert.equal(ids(await query().whereExists("from").orderBy("Order", "Long").all()), "5 4 3 2 1");
  assert.equal(ids(await query().whereBetween("Order", 2, 3).orderByDescending("from", "Long").all()), "4 3");
  assert.equal(ids(await query().whereIn("Group", [0]).orderBy("from").all()), "2 4");
  assert.equal(ids(await query().whereEquals("not", 1).all()), "1");
  const selected = await query().whereEquals("from", 2).selectFields(["from", "first-name", "Order"]).all();
  assert.deepEqual(selected.map(one => [one.from, one["first-name"], one.Order]), [[2, "Ann 2", 4]]);
  assert.equal(ids(await query().whereLessThan("from", 4).filter(f => f.greaterThan("Order", 3)).orderBy("from").all()), "1 2");

  // Orders of several keys, each in its own way.
  assert.equal(ids(await query().orderBy("version", "AlphaNumeric").orderByDescending("weight", "Double").all()), "5 3 1 4 2");

  // One, none, many.
  assert.equal(await query().whereGreaterThan("weight", 1).longCount(), 3);
  assert.equal(await query().whereEquals("from", 99).firstOrNull(), null);
  assert.equal(await query().whereEquals("from", 99).singleOrNull(), null);
  assert.equal((await query().whereEquals("from", 1).singleOrNull()).id, "parts/1");
  await rejectedAs("InvalidOperationException", query().whereGreaterThan("from", 1).single());
  await rejectedAs("InvalidOperationException", query().whereEquals("from", 99).first());

  // Timings, what the answer says of itself, caching and tracking.
  let timings;
  let told;
  await query().whereEquals("from", 1).timings(value => (timings = value)).on("afterQueryExecuted", result => (told = result)).all();
  assert.ok(timings.durationInMs >= 0);
  assert.equal(told.totalResults, 1);
  assert.match(told.indexName, /^Auto\/Parts\//);
  const untracked = store.openSession();
  const [loose] = await untracked.query({ collection: "Parts" }).whereEquals("from", 1).noTracking().noCaching().all();
  assert.equal(untracked.advanced.isLoaded("parts/1"), false);
  assert.equal(loose.Order, 5);
  const again = store.openSession();
  for (const expected of [-1, -1]) {
    let statistics;
    await again.query({ collection: "Parts" }).whereEquals("from", 2).noCaching().statistics(s => (statistics = s)).all();
    assert.notEqual(statistics.durationInMs, expected, "an answer from the cache took -1 ms");
  }

  // A raw query as a stream, with parameters.
  const stream = await session.advanced.stream(session.advanced
    .rawQuery("from Parts where from >= $low and first-name in ($names) order by Order as long")
    .addParameter("low", 2).addParameter("names", ["Ann 2", "ann 3", "Ann 1"]));
  assert.deepEqual((await collect(stream)).map(one => one.id), ["parts/3", "parts/2"]);

  // The server's time, with an offset too.
  const visits = store.openSession();
  for (const [i, hours] of [-30, -1, 30].entries()) {
    await visits.store({ at: new Date(Date.now() + hours * 3_600_000).toISOString(), "@metadata": { "@collection": "Visits" } }, `visits/${i}`);
  }
  await visits.saveChanges();
  const visited = () => session.query({ collection: "Visits" }).waitForNonStaleResults();
  const visitors = found => found.map(visit => visit.id.replace("visits/", "")).sort().join(" ");
  assert.equal(visitors(await visited().whereLessThan("at", RavenQuery.now()).all()), "0 1");
  assert.equal(visitors(await visited().whereGreaterThan("at", RavenQuery.now("-2h")).all()), "1 2");
  assert.equal(visitors(await visited().whereGreaterThan("at", RavenQuery.now("+2mo")).all()), "");
  assert.equal(visitors(await visited().whereLessThan("at", RavenQuery.today()).whereGreaterThan("at", RavenQuery.now("-1y")).all()).at(0), "0");
  await assert.rejects(visited().whereLessThan("at", RavenQuery.now("2 weeks")).all(), /is no offset of now\(\)/);

  // Words with any text in them, and words one behind the other.
  assert.equal(ids(await query().search("first-name", "a*n").orderBy("from").all()), "1 2 3 4 5");
  assert.equal(ids(await query().search("first-name", '"ann 2"').all()), "2");
  assert.equal(ids(await query().search("first-name", '"2 ann"').all()), "");
});
console.log("ok");
