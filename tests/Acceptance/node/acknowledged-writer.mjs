// Writes without end from several sessions at once, and logs an id only after its save was acknowledged. Meant to have its server killed.
// usage: acknowledged-writer.mjs LOG ROUND
import { appendFileSync } from "node:fs";
import { openStore } from "./client.mjs";

const [log, round] = process.argv.slice(2);
const store = openStore("acknowledged", conventions => { conventions.disableTopologyUpdates = true; });
let acknowledged = 0;
const writers = Array.from({ length: 8 }, async (_, w) => {
  for (let i = 0; ; i++) {
    const session = store.openSession();
    const ids = [0, 1, 2].map(part => `acknowledged/${round}-${w}-${i}-${part}`);
    for (const id of ids) await session.store({ id, text: "x".repeat(200 + ((i * 37) % 1500)) }, id);
    // Each batch also moves a counter, and deletes what an earlier batch wrote.
    await session.store({ w, i }, `counters/${round}-${w}`);
    if (i >= 4) await session.delete(`acknowledged/${round}-${w}-${i - 4}-0`);
    await session.saveChanges();
    appendFileSync(log, `${round} ${w} ${i}\n`);
    if (++acknowledged === 1) console.log("writing");
  }
});
try {
  await Promise.all(writers);
} catch {
  // The server was killed; everything acknowledged is in the log.
}
process.exit(0);
