// A session that is resumed is the same client's: what the server says of it before and after.
import fs from "node:fs";
import tls from "node:tls";

const { hostname, port } = new URL(process.env.JACKDAW_URL);
const [certificate, path] = [fs.readFileSync(process.env.JACKDAW_CLIENT_CERTIFICATE), process.argv[2]];
const sessionFile = process.argv[3];
const known = sessionFile && fs.existsSync(sessionFile) ? fs.readFileSync(sessionFile) : undefined;

/** One request on a connection of its own; `pfx` is left out to see whether the session alone tells who the client is. */
function ask(version, session, withCertificate) {
  return new Promise((resolve, reject) => {
    let text = "", reused, next;
    const options = { host: hostname, port, servername: "localhost", minVersion: version, maxVersion: version, session, ca: fs.readFileSync(process.env.JACKDAW_AUTHORITY) };
    if (withCertificate) options.pfx = certificate;
    const socket = tls.connect(options, () => {
      reused = socket.isSessionReused();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    });
    socket.on("data", (data) => (text += data));
    socket.on("session", (data) => (next = data));
    socket.on("error", reject);
    socket.on("close", () => resolve({ reused, status: Number(text.split(" ")[1]), session: next }));
  });
}

const version = process.argv[4];
if (known) {
  const again = await ask(version, known, false);
  console.log(JSON.stringify({ reused: again.reused, status: again.status }));
} else {
  const first = await ask(version, undefined, true);
  const again = await ask(version, first.session, false);
  if (sessionFile) fs.writeFileSync(sessionFile, again.session ?? first.session);
  console.log(JSON.stringify({ first: first.status, reused: again.reused, status: again.status }));
}
