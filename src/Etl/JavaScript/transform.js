// What a transform's script sees. The document is parsed from the first text; a second one, given for a deletion, has its id and collection.
const { defineProperty } = Object;
const prefix = 'loadTo';

// Documents of this call, with what is known of them.
const known = new Map();

function metadataOf(entry) {
  if (entry.metadata === undefined)
    entry.metadata = json.parse(host.metadata())['@metadata'];
  return entry.metadata;
}

// A document has its metadata without being sent or listed with it: an accessor that all objects inherit knows the documents of this call. A member of each
// document's own would take JSON.stringify off its fast way.
defineProperty(Object.prototype, '@metadata', {
  get() {
    const entry = known.get(this);
    return entry === undefined ? undefined : metadataOf(entry);
  },
  set(value) {
    const entry = known.get(this);
    if (entry === undefined)
      defineProperty(this, '@metadata', { value, writable: true, enumerable: true, configurable: true });
    else
      entry.metadata = value;
  },
  enumerable: false,
  configurable: false,
});

function adopt(document, entry) {
  known.set(document, entry);
  return document;
}

let self;

function entryOf(document, name) {
  const entry = known.get(document === undefined ? self : document);
  if (entry === undefined)
    throw new TypeError(`${name}: neither the document nor one that was loaded`);
  return entry;
}

function send(target, value, second, third) {
  if (value === null || typeof value !== 'object')
    throw new TypeError(`${prefix}: the message for '${target}' must be an object or an array`);
  const text = json.stringify(value);
  if (typeof text !== 'string' || (text[0] !== '{' && text[0] !== '['))
    throw new TypeError(`${prefix}: the message for '${target}' must be an object or an array`);
  const hasKey = typeof second === 'string';
  const attributes = hasKey ? third : second;
  if (attributes === undefined || attributes === null)
    host.send(target, text, hasKey ? second : undefined);
  else if (typeof attributes !== 'object')
    throw new TypeError(`${prefix}: the attributes of the message for '${target}' must be an object`);
  else
    host.send(target, text, hasKey ? second : undefined, json.stringify(attributes));
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
  return adopt(document, { id: metadata['@id'], metadata });
}

const bound = parameters.filter(name => name.startsWith(prefix))
  .map(name => Object.freeze((value, second, third) => send(name.slice(prefix.length), value, second, third)));

return {
  globals: {
    loadTo(target, value, second, third) {
      if (typeof target !== 'string')
        throw new TypeError(`${prefix}: the first argument must be the name of a target`);
      send(target, value, second, third);
    },
    load(id) { return Array.isArray(id) ? id.map(loadOne) : loadOne(id); },
    id(document) {
      const entry = entryOf(document, 'id');
      return entry.id === undefined ? (entry.id = host.id()) : entry.id;
    },
    getMetadata(document) { return metadataOf(entryOf(document, 'getMetadata')); },
  },
  call(bind, document, deletion) {
    known.clear();
    self = undefined;
    if (deletion !== undefined) {
      const gone = json.parse(deletion);
      bind(...bound, gone.id, gone.collection).call(undefined);
      return undefined;
    }
    self = adopt(json.parse(document), { id: undefined, metadata: undefined });
    bind(...bound).call(self);
    return undefined;
  },
};
