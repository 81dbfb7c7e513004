// Values that are written out, compared with what a parameter takes.

/** The value of a literal: a string without interpolation, a number, a boolean, null; undefined for any other expression. */
export function literal(node) {
  if (!node) return undefined;
  if (node.type === "string") return node.descendantsOfType("interpolation").length ? undefined : unescape(node.text);
  if (node.type === "number" || (node.type === "unary_expression" && /^-\s*\d+$/.test(node.text))) return Number(node.text);
  if (node.type === "boolean") return node.text === "true";
  return undefined;
}

function unescape(text) {
  return text.startsWith("'''") ? text.slice(3, -3) : text.slice(1, -1).replace(/\\(['\\$])/g, "$1");
}

const kinds = { string: "string", int: "number", bool: "boolean" };

/** Notes where a written value does not fit a parameter; expressions pass. */
export function checkValue(node, parameter, what, say) {
  if (node.type === "array") {
    if (parameter.type !== "array" && !parameter.type.endsWith("[]")) return say(node, `${what}: an array is given, ${parameter.type} is wanted`);
    for (const item of node.namedChildren) checkAllowed(item, parameter, what, say);
    return;
  }
  if (node.type === "object") {
    if (parameter.type !== "object") say(node, `${what}: an object is given, ${parameter.type} is wanted`);
    return;
  }
  const value = literal(node);
  if (value === undefined) return;
  if (kinds[parameter.type] !== typeof value) return say(node, `${what}: ${node.text} is given, ${parameter.type} is wanted`);
  checkAllowed(node, parameter, what, say);
  if (parameter.minimum !== null && value < parameter.minimum) say(node, `${what}: ${value} is less than ${parameter.minimum}`);
  if (parameter.maximum !== null && value > parameter.maximum) say(node, `${what}: ${value} is more than ${parameter.maximum}`);
  if (parameter.minimumLength !== null && value.length < parameter.minimumLength) say(node, `${what}: '${value}' is shorter than ${parameter.minimumLength}`);
  if (parameter.maximumLength !== null && value.length > parameter.maximumLength) say(node, `${what}: '${value}' is longer than ${parameter.maximumLength}`);
}

function checkAllowed(node, parameter, what, say) {
  const value = literal(node);
  if (parameter.allowed && value !== undefined && !parameter.allowed.includes(value)) say(node, `${what}: ${node.text} is none of ${parameter.allowed.join(", ")}`);
}
