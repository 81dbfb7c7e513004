// Dates as the official client stores them, by its conventions, in the time zone of TZ; its queries write UTC, with seven digits or,
// as parameters of raw queries, with three. A date that is stored
// without a zone in a zone other than UTC is not the moment that was meant, and nobody but the client can know.
import { assert, onNewDatabase } from "./client.mjs";

class Meeting { constructor(at, day) { this.at = at; this.day = day; } }

const noon = Date.UTC(2026, 10, 22, 12);
// Around a change to summer time in New York, too.
const moments = [-1, 0, 1, 1000, 3_600_000, 86_400_000].map(ms => noon + ms).concat(Date.UTC(2026, 2, 8, 6, 59, 59, 999), Date.UTC(2026, 2, 8, 7));
const offset = 0 - new Date(noon).getTimezoneOffset();
assert.equal(offset, { UTC: 0, "Asia/Kolkata": 330, "America/New_York": -300 }[process.env.TZ], "the time zone is in force");

const ways = [
  { name: "utc", shift: false, form: /^2026-11-22T12:00:00\.0000000Z$/, configure: c => (c.storeDatesInUtc = true) },
  { name: "zoned", shift: false, form: /^2026-11-22T\d\d:\d\d:00\.0000000[+-]\d\d:\d\d$/, configure: c => (c.storeDatesWithTimezoneInfo = true) },
  { name: "local", shift: true, form: /^2026-11-22T\d\d:\d\d:00\.0000000$/, configure: () => {} },
];

for (const way of ways) {
  await onNewDatabase(`dates-${way.name}-${process.env.TZ.replaceAll("/", "-")}`, async store => {
    const writer = store.openSession();
    for (const [i, at] of moments.entries()) await writer.store(new Meeting(new Date(at), "2026-11-22"), `meetings/${i}`);
    await writer.saveChanges();
    const stored = await store.openSession().advanced.rawQuery("from Meetings where id() = 'meetings/1' select at as text").all();
    assert.match(textOf(stored[0].text), way.form);

    const session = store.openSession();
    session.advanced.maxNumberOfRequestsPerSession = 1000;
    const query = () => session.query(Meeting).waitForNonStaleResults();
    const ids = found => found.map(m => Number(m.id.split("/")[1])).sort();
    // What the server takes a stored date for: without a zone, UTC.
    const meant = at => (way.shift ? new Date(at).getTime() - new Date(at).getTimezoneOffset() * 60_000 : at);
    const expected = fits => moments.map((at, i) => (fits(meant(at)) ? i : -1)).filter(i => i >= 0);
    for (const at of moments) {
      const date = new Date(at);
      assert.deepEqual(ids(await query().whereEquals("at", date).all()), expected(m => m === at), "equal");
      assert.deepEqual(ids(await query().whereIn("at", [date, new Date(noon)]).all()), expected(m => m === at || m === noon), "in");
      assert.deepEqual(ids(await query().whereGreaterThan("at", date).all()), expected(m => m > at), "greater");
      assert.deepEqual(ids(await query().whereGreaterThanOrEqual("at", date).all()), expected(m => m >= at), "greater or equal");
      assert.deepEqual(ids(await query().whereLessThan("at", date).all()), expected(m => m < at), "less");
      assert.deepEqual(ids(await query().whereLessThanOrEqual("at", date).all()), expected(m => m <= at), "less or equal");
      assert.deepEqual(ids(await query().whereBetween("at", date, new Date(noon)).all()), expected(m => m >= at && m <= noon), "between");
      const filtered = await session.advanced.rawQuery("from Meetings filter at >= $at").addParameter("at", date).all();
      assert.deepEqual(ids(filtered), expected(m => m >= at), "filter");
    }
    if (!way.shift || offset === 0) assert.deepEqual(ids(await query().whereEquals("at", new Date(noon)).all()), [1], "the moment that was meant");
    assert.deepEqual(
      (await query().orderBy("at").all()).map(m => Number(m.id.split("/")[1])),
      moments.map((at, i) => i).sort((a, b) => meant(moments[a]) - meant(moments[b])),
      "order",
    );
    // A day is its beginning in UTC, and text inside exact().
    assert.equal(await query().whereEquals("day", new Date(Date.UTC(2026, 10, 22))).count(), moments.length);
    assert.equal(await query().whereEquals("day", "2026-11-22", true).count(), moments.length);
    // The client makes the same moments of what it reads back.
    const read = await store.openSession().load("meetings/3");
    assert.equal(read.at.getTime(), moments[3]);
  }, way.configure);
}
console.log("ok");

/** The client turns texts that were stored as dates back into dates; a projection's are as they lie in the document. */
function textOf(value) {
  assert.equal(typeof value, "string");
  return value;
}
