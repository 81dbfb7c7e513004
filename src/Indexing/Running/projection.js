// What projections see. The first text is the document, the second the query's parameters, the third what names mean, all JSON.
function unsupported(name) {
  return () => { throw new Error(`${name}() is not supported by this version of Jackdaw in a projection`); };
}

const globals = { id, load, loadPath, getMetadata, lastModified, __valueAt: valueAt, output: () => undefined };
for (const name of ['put', 'del', 'cmpxchg', 'counter', 'counterRaw', 'timeseries', 'attachments', 'include'])
  globals[name] = unsupported(name);

// A member without a value is null in the answer, like a selected field that the document does not have.
function withNulls(value, seen) {
  if (seen.has(value))
    return;
  seen.add(value);
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined)
      // What cannot be set is left out, as JSON leaves out what is undefined.
      Reflect.set(value, name, null);
    else if (member !== null && typeof member === 'object')
      withNulls(member, seen);
  }
}

return {
  globals,
  call(bind, documentText, argumentsText, scopeText) {
    const document = json.parse(documentText);
    ids.set(document, document['@metadata']['@id']);
    const args = json.parse(argumentsText);
    const scope = json.parse(scopeText);
    const named = new Map([[scope.alias, document]]);
    for (const { name, base, path, id: key, each } of scope.loads) {
      const loaded = key === undefined ? loadPath(named.get(base), path) : loadOne(key);
      named.set(name, each && !Array.isArray(loaded) ? (loaded === null ? [] : [loaded]) : loaded);
    }
    current = document;
    try {
      const result = bind(...parameters.map(name => named.has(name) ? named.get(name) : args[name.slice(1)])).call(document);
      if (result === null || result === undefined)
        return undefined;
      if (typeof result !== 'object' || Array.isArray(result))
        throw new TypeError('A projection must give an object.');
      const { '@metadata': _, ...members } = result;
      withNulls(members, new Set());
      return json.stringify(members);
    } finally {
      current = undefined;
    }
  },
};
