// Nothing secret is written down, nothing is opened by a shared key, nothing listens to the whole internet.
import { literal } from "./bicep-values.mjs";

const secrets = [
  [/AccountKey=|SharedAccessKey=|SharedAccessSignature=|[?&]sig=/i, "a key of a storage account or namespace"],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/, "a private key"],
  [/\b(password|pwd)\s*=\s*\S/i, "a password"],
  [/:\/\/[^/\s:@]+:[^/\s:@]+@/, "an address with a password"],
];

/** What properties must be, wherever they stand. */
const required = {
  allowSharedKeyAccess: false,
  allowBlobPublicAccess: false,
  disableLocalAuth: true,
  DisableLocalAuth: true,
  disablePasswordAuthentication: true,
  enableRbacAuthorization: true,
  httpsOnly: true,
  supportsHttpsTrafficOnly: true,
  allow: false,
};

export function checkSecrets(tree, module, say) {
  for (const node of tree.descendantsOfType("string"))
    for (const [pattern, what] of secrets) if (pattern.test(node.text)) say(node, `${what} is written down; use an identity, or a reference to a vault`);
  for (const call of tree.descendantsOfType("call_expression"))
    if (/(^|\.)list(Keys|AccountSas|ServiceSas|Secrets|Credentials)$/i.test(call.namedChildren[0].text)) say(call, `${call.namedChildren[0].text} hands out a shared key; use an identity`);
  for (const [name, parameter] of module.parameters) {
    if (/password|secret(?!s?uri)|privatekey/i.test(name) && !parameter.secure) say(parameter.node, `the parameter '${name}' needs @secure()`);
    if (parameter.secure && parameter.default && literal(parameter.default)) say(parameter.node, `the default of the secure parameter '${name}' is written down`);
  }
  for (const property of tree.descendantsOfType("object_property")) {
    const [key, value] = property.namedChildren;
    if (Object.hasOwn(required, key.text) && literal(value) !== undefined && literal(value) !== required[key.text]) say(property, `${key.text} must be ${required[key.text]}`);
    if (/^(sourceAddressPrefix|startIpAddress)$/.test(key.text) && ["*", "0.0.0.0", "0.0.0.0/0", "Internet"].includes(literal(value)) && /'Allow'/.test(property.parent.text))
      say(property, `${key.text} lets the whole internet in`);
  }
}
