// The first script of every context: takes away what scripts may not have, and freezes the rest once the prelude has run.
// Called with the mark of numbers that a double cannot hold and the longest text that one call of repeat may make.
(function (mark, maxRepeated) {
  'use strict';
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, deleteProperty } = Reflect;
  const { freeze } = Object;
  const { parse, stringify, rawJSON } = JSON;
  const nativeJson = { parse, stringify };

  const kept = new Set(['AggregateError', 'Array', 'BigInt', 'Boolean', 'Date', 'Error', 'EvalError', 'Function', 'Infinity', 'Iterator', 'JSON', 'Map', 'Math', 'NaN',
    'Number', 'Object', 'Proxy', 'RangeError', 'ReferenceError', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError', 'TypeError', 'URIError', 'WeakMap',
    'WeakSet', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'globalThis', 'isFinite', 'isNaN', 'parseFloat', 'parseInt', 'undefined',
    'unescape']);

  function remove(object, key) {
    if (!deleteProperty(object, key))
      throw new Error(`${String(key)} cannot be removed`);
  }

  function hide(object, key, value) {
    defineProperty(object, key, { value, writable: true, enumerable: false, configurable: true });
  }

  // No promises (their jobs would run after the call, beyond its limits), no shared or raw memory, no output, no weak references.
  for (const key of ownKeys(globalThis))
    if (!kept.has(key))
      remove(globalThis, key);
  delete Array.fromAsync;
  // The last match of every regular expression would be a way from one document to the next.
  for (const key of ownKeys(RegExp))
    if (!['length', 'name', 'prototype', 'escape'].includes(key) && typeof key === 'string')
      remove(RegExp, key);

  // One expression must not take a gigabyte.
  for (const name of ['repeat', 'padStart', 'padEnd']) {
    const native = String.prototype[name];
    const scale = name === 'repeat';
    hide(String.prototype, name, {
      [name](count, ...rest) {
        const text = String(this);
        const number = +count;
        if ((scale ? number * text.length : number) > maxRepeated)
          throw new RangeError(`${name}: a text of more than ${maxRepeated} characters`);
        return apply(native, text, [number, ...rest]);
      },
    }[name]);
  }

  // Numbers that a double cannot hold: Number objects, one a value and call, written as their original digits.
  const boxes = new Map();
  function box(digits) {
    let found = boxes.get(digits);
    if (found === undefined) {
      found = new Number(+digits);
      const raw = rawJSON(digits);
      defineProperty(found, 'toJSON', { value: freeze({ toJSON() { return raw; } }.toJSON) });
      boxes.set(digits, freeze(found));
    }
    return found;
  }
  function revive(value) {
    if (typeof value === 'string')
      return value.startsWith(mark) ? box(value.slice(mark.length)) : value;
    if (value !== null && typeof value === 'object')
      for (const key of ownKeys(value)) {
        const member = value[key];
        if (member !== null && (typeof member === 'object' || typeof member === 'string')) {
          const revived = revive(member);
          if (revived !== member)
            defineProperty(value, key, { value: revived, writable: true, enumerable: true, configurable: true });
        }
      }
    return value;
  }
  // Clearing has its price even where there is nothing.
  function forget() {
    if (boxes.size > 0)
      boxes.clear();
  }
  const json = freeze({
    parse(text) { return text.charCodeAt(0) === 1 ? revive(nativeJson.parse(text.slice(1))) : nativeJson.parse(text); },
    stringify(value) { return nativeJson.stringify(value); },
    // Numbers that are parsed from now on are others: between documents that share a call.
    forget,
  });
  hide(BigInt.prototype, 'toJSON', { toJSON() { return rawJSON(this.toString()); } }.toJSON);

  // Assigning to a property whose namesake up the chain is frozen would fail: on plain objects and errors it makes an own property, as everywhere else.
  function soften(holder) {
    for (const key of ownKeys(holder)) {
      const property = getOwnPropertyDescriptor(holder, key);
      if (!('value' in property) || !property.configurable)
        continue;
      const { value } = property;
      defineProperty(holder, key, {
        get() { return value; },
        set(replacement) {
          if (this === holder)
            throw new TypeError(`${String(key)} of a frozen object cannot be replaced`);
          defineProperty(this, key, { value: replacement, writable: true, enumerable: true, configurable: true });
        },
        enumerable: false,
        configurable: false,
      });
    }
  }

  // What no property leads to.
  function hidden() {
    const strictArguments = (function () { return arguments; })();
    return [
      [][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g), (function* () { })(), function* () { },
      [].values().map(x => x), Iterator.from({ next() { } }), getOwnPropertyDescriptor(strictArguments, 'callee').get, boxes.constructor,
    ];
  }

  function freezeAll(roots) {
    const seen = new Set();
    const waiting = [...roots];
    while (waiting.length > 0) {
      const value = waiting.pop();
      if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value))
        continue;
      seen.add(value);
      freeze(value);
      waiting.push(getPrototypeOf(value));
      for (const key of ownKeys(value)) {
        const property = getOwnPropertyDescriptor(value, key);
        if ('value' in property)
          waiting.push(property.value);
        else
          waiting.push(property.get, property.set);
      }
    }
  }

  function harden(globals) {
    for (const name of ownKeys(globals))
      hide(globalThis, name, globals[name]);
    soften(Object.prototype);
    for (const type of [Error, AggregateError, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError])
      soften(type.prototype);
    freezeAll([globalThis, json, ...hidden()]);
  }

  // What was thrown, for the host: [message, stack, line]. The thrown value is the script's: anything may be behind its properties.
  function describe(thrown) {
    let message, stack, line;
    try {
      if (thrown !== null && (typeof thrown === 'object' || typeof thrown === 'function')) {
        const name = thrown.name;
        message = thrown.message;
        stack = thrown.stack;
        line = thrown.line;
        message = typeof message === 'string'
          ? (typeof name === 'string' && name !== '' ? `${name}: ${message}` : message)
          : nativeJson.stringify(thrown);
      } else
        message = String(thrown);
    } catch {
      message = undefined;
    }
    return nativeJson.stringify([
      typeof message === 'string' ? message.slice(0, 4096) : 'The script threw a value that has no text.',
      typeof stack === 'string' ? stack.slice(0, 16384) : '',
      typeof line === 'number' ? line | 0 : 0,
    ]);
  }

  return {
    json,
    harden,
    describe,
    // What is called from now on.
    entry(call, bind) {
      return (...texts) => {
        forget();
        return call(bind, ...texts);
      };
    },
  };
})
