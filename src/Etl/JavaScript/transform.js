// What a transform's script sees, and how it is called: with one document; for a deletion, with the id and collection of what is gone; or with several documents
// that share the call, so that entering the engine is paid once.
const { defineProperty } = Object;
const prefix = 'loadTo';

// The document in hand with what is known of it, and the documents that it loaded.
let self;
let own;
const loaded = new Map();

function known(document) { return document === self ? own : loaded.get(document); }

function metadataOf(entry) {
  if (entry.metadata === undefined)
    entry.metadata = json.parse(host.metadata(entry.id))['@metadata'];
  return entry.metadata;
}

// A document has its metadata without being sent or listed with it: an accessor that all objects inherit knows the documents of this call. A member of each
// document's own would take JSON.stringify off its fast way.
defineProperty(Object.prototype, '@metadata', {
  get() {
    const entry = known(this);
    return entry === undefined ? undefined : metadataOf(entry);
  },
  set(value) {
    const entry = known(this);
    if (entry === undefined)
      defineProperty(this, '@metadata', { value, writable: true, enumerable: true, configurable: true });
    else
      entry.metadata = value;
  },
  enumerable: false,
  configurable: false,
});

function entryOf(document, name) {
  const entry = known(document === undefined ? self : document);
  if (entry === undefined)
    throw new TypeError(`${name}: neither the document nor one that was loaded`);
  return entry;
}

// A call that documents share gives back lines, for JSON and plain names hold no line feed. Of each message: the target (the number of a bound name, or '"' and
// its name), '=' and the routing key if it has one, ':' and the attributes as JSON if it has some, and its JSON. Behind a document's messages '.'; or, in
// their place and as the last line, '!': the document has to be run by itself.
let lines;
let messages;
let characters;
let needsOwnCall;
const maxMessages = 1000;
const maxCharacters = 1 << 20;

function isPlain(text) { return text.isWellFormed() && !text.includes('\n'); }

function collect(head, target, text, key, attributes) {
  characters += text.length + target.length + (key === undefined ? 0 : key.length) + (attributes === undefined ? 0 : attributes.length);
  // Whatever a document could be refused or be told is left to a call of its own.
  needsOwnCall ||= ++messages > maxMessages || characters > maxCharacters || (head === undefined && !isPlain(target)) || (key !== undefined && !isPlain(key));
  if (needsOwnCall)
    throw new Error(`${prefix}: not in a call that documents share`);
  lines.push(head ?? `"${target}`);
  if (key !== undefined)
    lines.push(`=${key}`);
  if (attributes !== undefined)
    lines.push(`:${attributes}`);
  lines.push(text);
}

function send(head, target, value, second, third) {
  if (value === null || typeof value !== 'object')
    throw new TypeError(`${prefix}: the message for '${target}' must be an object or an array`);
  const text = json.stringify(value);
  if (typeof text !== 'string' || (text[0] !== '{' && text[0] !== '['))
    throw new TypeError(`${prefix}: the message for '${target}' must be an object or an array`);
  const key = typeof second === 'string' ? second : undefined;
  const given = key === undefined ? second : third;
  let attributes;
  if (given !== undefined && given !== null) {
    if (typeof given !== 'object')
      throw new TypeError(`${prefix}: the attributes of the message for '${target}' must be an object`);
    attributes = json.stringify(given);
  }
  if (lines === undefined)
    host.send(target, text, key, attributes);
  else
    collect(head, target, text, key, attributes);
}

function loadOne(id) {
  if (id === undefined || id === null)
    return null;
  const text = host.load(String(id));
  if (text === null)
    return null;
  const document = json.parse(text);
  const metadata = document['@metadata'];
  delete document['@metadata'];
  loaded.set(document, { id: metadata['@id'], metadata });
  return document;
}

const bound = parameters.filter(name => name.startsWith(prefix))
  .map((name, i) => {
    const head = String(i), target = name.slice(prefix.length);
    return Object.freeze((value, second, third) => send(head, target, value, second, third));
  });

function forget() {
  self = own = undefined;
  // Clearing has its price even where there is nothing.
  if (loaded.size > 0)
    loaded.clear();
}

function begin(document, id) {
  forget();
  json.forget();
  self = json.parse(document);
  own = { id, metadata: undefined };
}

function callTogether(bind, joined, lengths) {
  const sizes = json.parse(lengths);
  lines = [];
  characters = 0;
  for (let i = 0, at = 0; i < sizes.length; i += 2) {
    const count = lines.length;
    messages = 0;
    needsOwnCall = false;
    try {
      const id = joined.slice(at, at += sizes[i]);
      begin(joined.slice(at, at += sizes[i + 1]), id);
      // Bound anew for each: a script may assign to the names that are bound.
      bind.apply(undefined, bound).call(self);
    } catch {
      needsOwnCall = true;
    }
    if (needsOwnCall) {
      lines.length = count;
      lines.push('!');
      break;
    }
    lines.push('.');
  }
  const told = lines.join('\n');
  lines = undefined;
  return told;
}

return {
  globals: {
    loadTo(target, value, second, third) {
      if (typeof target !== 'string')
        throw new TypeError(`${prefix}: the first argument must be the name of a target`);
      send(undefined, target, value, second, third);
    },
    load(id) { return Array.isArray(id) ? id.map(loadOne) : loadOne(id); },
    id(document) {
      const entry = entryOf(document, 'id');
      return entry.id === undefined ? (entry.id = host.id()) : entry.id;
    },
    getMetadata(document) { return metadataOf(entryOf(document, 'getMetadata')); },
  },
  call: parameters.includes('$collection')
    ? (bind, deletion) => {
      lines = undefined;
      forget();
      const gone = json.parse(deletion);
      bind(...bound, gone.id, gone.collection).call(undefined);
    }
    : (bind, document, lengths) => {
      if (lengths !== undefined)
        return callTogether(bind, document, lengths);
      lines = undefined;
      begin(document, undefined);
      bind.apply(undefined, bound).call(self);
    },
};
