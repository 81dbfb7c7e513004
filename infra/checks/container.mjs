// Checks the Dockerfiles, compose.yaml and what the service of systemd is started with.
//   node container.mjs ROOT HELP      HELP: a file with what `Jackdaw.Server --help` printed. Exit 0: no problem found; 1: problems, one a line.
import fs from "node:fs";
import path from "node:path";
import { DockerfileParser } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { LineCounter, isMap, isScalar, isSeq, parseDocument } from "yaml";
import { Problems } from "./problems.mjs";
import { KnownSettings } from "./settings.mjs";

const [root, help] = process.argv.slice(2);
if (!help) {
  console.error("usage: container.mjs ROOT HELP");
  process.exit(2);
}
const problems = new Problems(root);
const settings = new KnownSettings(help);

checkDockerfile("Dockerfile", checkServerStage);
checkDockerfile("functions/Dockerfile", checkFunctionsStage);
checkCompose("compose.yaml");
checkUnit("infra/systemd/jackdaw.service");
checkSettingsFile("infra/systemd/settings.json");
checkCloudInit("infra/machine/cloud-init.yaml", "infra/bicep/modules/server.bicep");
problems.finish("the container and the service");

/** @param checkLast checks the last stage: { from, has, line, report } */
function checkDockerfile(file, checkLast) {
  const text = problems.read(file);
  if (text === null) return;
  for (const found of validate(text)) problems.add(file, found.range.start.line + 1, found.message);
  const instructions = DockerfileParser.parse(text).getInstructions();
  const line = (instruction) => instruction.getRange().start.line + 1;
  const names = new Set();
  let last = null;
  for (const instruction of instructions) {
    const keyword = instruction.getKeyword();
    if (keyword === "FROM") {
      last = { from: instruction, has: new Map(), line, report: (at, what) => problems.add(file, line(at), what) };
      if (instruction.getBuildStage()) names.add(instruction.getBuildStage());
    } else if (last) last.has.set(keyword, instruction);
    if (keyword === "COPY") checkCopy(instruction);
    if (keyword === "ENV") settings.checkEnvironment(instruction.getArguments().map((a) => [a.getValue().split("=")[0], a.getRange().start.line + 1]), (at, what) => problems.add(file, at, what));
  }
  if (last) checkLast(last);

  function checkCopy(copy) {
    const flags = copy.getFlags();
    const from = flags.find((flag) => flag.getName() === "from")?.getValue();
    if (from && !names.has(from)) problems.add(file, line(copy), `--from=${from} is no stage above`);
    if (from) return;
    const sources = copy.getArguments().slice(0, -1).map((argument) => argument.getValue());
    for (const source of sources) if (!problems.exists(source)) problems.add(file, line(copy), `'${source}' is not there to be copied`);
  }
}

function checkServerStage({ from, has, report }) {
  const user = has.get("USER")?.getArgumentsContent() ?? "root";
  if (/^(root|0)(:|$)/.test(user)) report(from, "the last stage runs as root: it needs USER");
  for (const needed of ["HEALTHCHECK", "VOLUME", "ENTRYPOINT"]) if (!has.has(needed)) report(from, `the last stage needs ${needed}`);
  checkArray(has.get("ENTRYPOINT"), report);
}

/** An entry point takes the command of the base image away, so it needs one of its own. */
function checkFunctionsStage({ from, has, report }) {
  for (const needed of ["ENTRYPOINT", "CMD"]) if (!has.has(needed)) report(from, `the last stage needs ${needed}`);
  for (const one of ["ENTRYPOINT", "CMD"]) checkArray(has.get(one), report);
}

/** A shell as the first process would not hand SIGTERM on. */
function checkArray(instruction, report) {
  const content = instruction?.getArgumentsContent() ?? "";
  if (content && !content.startsWith("[")) report(instruction, `${instruction.getKeyword()} must be a JSON array, so that the process gets the signals`);
}

function checkCompose(file) {
  const text = problems.read(file);
  if (text === null) return;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  for (const error of [...document.errors, ...document.warnings]) problems.add(file, lines.linePos(error.pos[0]).line, error.message.split("\n")[0]);
  if (document.errors.length) return;
  const at = (node) => lines.linePos(node.range[0]).line;
  const say = (node, what) => problems.add(file, at(node), what);
  const known = {
    "": ["name", "services", "volumes", "configs", "networks", "secrets"],
    service: [
      ..."build cap_drop command configs depends_on entrypoint environment healthcheck hostname image init network_mode platform".split(" "),
      ..."ports read_only restart security_opt stop_grace_period tmpfs user volumes".split(" "),
    ],
    build: ["context", "dockerfile"],
    healthcheck: ["test", "interval", "timeout", "retries", "start_period", "disable"],
  };
  const checkKeys = (map, kind, what) => {
    for (const pair of map.items) if (!known[kind].includes(pair.key.value) && !(kind === "" && pair.key.value.startsWith("x-"))) say(pair.key, `'${pair.key.value}' is not known for ${what}`);
  };
  const keys = (map) => (isMap(map) ? map.items.map((pair) => pair.key.value) : []);
  const child = (map, name) => map.get(name, true);

  const top = document.contents;
  checkKeys(top, "", "the file");
  const services = child(top, "services");
  const volumes = keys(child(top, "volumes"));
  const used = new Set();
  for (const { key, value: service } of services.items) {
    const name = key.value;
    checkKeys(service, "service", `the service ${name}`);
    if (!service.has("image") && !service.has("build")) say(key, `the service ${name} needs an image`);
    const image = service.get("image");
    if (image && !service.has("build") && !/:[^/]+$/.test(image)) say(key, `the image of ${name} needs a version`);
    const build = child(service, "build");
    if (isMap(build)) checkKeys(build, "build", `the build of ${name}`);
    const dockerfile = isMap(build) ? path.join(build.get("context"), build.get("dockerfile") ?? "Dockerfile") : build && path.join(build.value, "Dockerfile");
    if (dockerfile && !problems.exists(dockerfile)) say(key, `the service ${name} is built where no Dockerfile is`);
    const environment = child(service, "environment");
    if (isMap(environment)) settings.checkEnvironment(environment.items.map((pair) => [pair.key.value, at(pair.key)]), (line, what) => problems.add(file, line, what));
    if (isSeq(environment)) say(environment, "write the environment as a map");
    if (dockerfile === "functions/Dockerfile") checkFunctions(environment);
    const dependencies = child(service, "depends_on");
    for (const on of keys(dependencies)) {
      if (!services.has(on)) say(dependencies, `${name} depends on the service '${on}', which is not there`);
      else checkCondition(name, on, dependencies.get(on).get("condition"), dependencies);
    }
    for (const volume of isSeq(child(service, "volumes")) ? child(service, "volumes").items : []) {
      const source = String(volume.value).split(":")[0];
      if (/^[./]/.test(source)) continue;
      if (!volumes.includes(source)) say(volume, `${name} uses the volume '${source}', which is not declared`);
      used.add(source);
    }
    for (const config of isSeq(child(service, "configs")) ? child(service, "configs").items : []) {
      const source = isScalar(config) ? config.value : config.get("source");
      if (!keys(child(top, "configs")).includes(source)) say(config, `${name} uses the config '${source}', which is not declared`);
    }
    if (isMap(child(service, "healthcheck"))) checkKeys(child(service, "healthcheck"), "healthcheck", `the health check of ${name}`);
    for (const port of isSeq(child(service, "ports")) ? child(service, "ports").items : [])
      if (!/^127\.0\.0\.1:\d+:\d+$/.test(port.value)) say(port, `${name} publishes '${port.value}' beyond this machine; write 127.0.0.1:PORT:PORT`);
  }
  for (const volume of volumes) if (!used.has(volume)) say(child(top, "volumes"), `the volume '${volume}' is used by nobody`);

  /** Each setting that a function.json names is there, unless the function is switched off; each function that is switched off exists. */
  function checkFunctions(environment) {
    const app = "functions/CustomHandler/app";
    const set = new Set(keys(environment));
    const off = (name) => `AzureWebJobs_${name}_Disabled`;
    const functions = fs.readdirSync(path.join(root, app)).filter((name) => problems.exists(`${app}/${name}/function.json`));
    for (const pair of environment.items) {
      const name = /^AzureWebJobs_(.+)_Disabled$/.exec(pair.key.value)?.[1];
      if (name && !functions.includes(name)) say(pair.key, `there is no function '${name}' to be switched off`);
    }
    for (const name of functions) {
      if (set.has(off(name))) continue;
      const text = problems.read(`${app}/${name}/function.json`);
      const needed = [...text.matchAll(/%([^%"]+)%/g), ...text.matchAll(/"connection(?:StringSetting)?":\s*"([^"%]+)"/g)].map((m) => m[1]);
      for (const setting of new Set(needed)) if (!set.has(setting)) say(environment, `the function ${name} needs the setting '${setting}'`);
    }
  }

  function checkCondition(name, on, condition, node) {
    const other = services.get(on);
    if (!["service_started", "service_healthy", "service_completed_successfully"].includes(condition)) say(node, `${name} waits for '${condition}' of ${on}, which is no condition`);
    // The image that is built here brings a health check of its own.
    if (condition === "service_healthy" && !other.has("healthcheck") && !other.has("build")) say(node, `${name} waits until ${on} is healthy, and ${on} has no health check`);
  }
}

function checkUnit(file) {
  const text = problems.read(file);
  if (text === null) return;
  text.split("\n").forEach((content, index) => {
    const [name, ...rest] = content.split("=");
    const value = rest.join("=");
    if (name === "Environment") settings.checkEnvironment([[value.split("=")[0].replace(/"/g, ""), index + 1]], (at, what) => problems.add(file, at, what));
    if (name === "ExecStart") settings.checkArguments(value.split(/\s+/).slice(1), index + 1, (at, what) => problems.add(file, at, what));
  });
}

/** The machine's first start: valid YAML, known settings, and each mark is one that the Bicep file fills in. */
function checkCloudInit(file, filledBy) {
  const text = problems.read(file);
  const filler = problems.read(filledBy);
  if (text === null || filler === null) return;
  if (!text.startsWith("#cloud-config\n")) problems.add(file, 1, "must begin with #cloud-config");
  const document = parseDocument(text, { uniqueKeys: true });
  for (const error of [...document.errors, ...document.warnings]) problems.add(file, 0, error.message.split("\n")[0]);
  const filled = new Set([...filler.matchAll(/mark: '(\w+)'/g)].map((m) => m[1]));
  const marks = new Set();
  text.split("\n").forEach((line, index) => {
    for (const [, mark] of line.matchAll(/\{\{(\w+)\}\}/g)) {
      marks.add(mark);
      if (!filled.has(mark)) problems.add(file, index + 1, `nothing fills in '${mark}'`);
    }
    const name = /^\s*(JACKDAW_\w+)=/.exec(line)?.[1];
    if (name) settings.checkEnvironment([[name, index + 1]], (at, what) => problems.add(file, at, what));
  });
  for (const mark of filled) if (!marks.has(mark)) problems.add(filledBy, 0, `fills in '${mark}', which ${file} does not have`);
}

function checkSettingsFile(file) {
  const text = problems.read(file);
  if (text === null) return;
  try {
    settings.checkObject(JSON.parse(text), (_, what) => problems.add(file, 0, what));
  } catch (error) {
    problems.add(file, 0, error.message);
  }
}
