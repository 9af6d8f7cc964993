// Starts a program of Kedge: `launch.cjs hook CLIENT` or `launch.cjs bin ARGUMENT…`. The program lies in this folder's
// dist, unless the folder came from a checkout that was never built: then it has to come from an installed kedge.
const { existsSync, realpathSync, writeSync } = require("node:fs");
const { homedir } = require("node:os");
const { delimiter, dirname, isAbsolute, join, sep } = require("node:path");

const [name, ...args] = process.argv.slice(2);

/** In the plugin itself, copied by `kedge install`, or of the kedge on the PATH. */
function places() {
  // A project may not bring its own: neither by a relative entry nor by one that lies in it.
  const project = realpathSync(process.cwd()) + sep;
  const onPath = (process.env.PATH ?? "").split(delimiter).flatMap((folder) => {
    const kedge = join(folder, "kedge");
    if (!isAbsolute(folder) || !existsSync(kedge)) return [];
    const found = realpathSync(kedge);
    return kedge.startsWith(project) || found.startsWith(project) ? [] : [dirname(found)];
  });
  return [join(__dirname, "dist"), join(stateFolder(), "hook"), ...onPath];
}

function stateFolder() {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  if (process.platform === "win32") return join(LOCALAPPDATA || join(homedir(), "AppData/Local"), "kedge");
  if (process.platform === "darwin") return join(homedir(), "Library/Application Support/kedge");
  return join(XDG_STATE_HOME || join(homedir(), ".local/state"), "kedge");
}

const program = places()
  .map((folder) => join(folder, `${name}.cjs`))
  .find((path) => existsSync(path));

if (program) {
  process.argv = [process.argv[0], program, ...args];
  require(program);
} else if (name === "hook") {
  // Once a conversation, to the person; everything else goes on as without a guard.
  const chunks = [];
  process.stdin.on("data", (chunk) => chunks.push(chunk));
  process.stdin.on("end", () => {
    if (!/"hook_event_name"\s*:\s*"SessionStart"/.test(Buffer.concat(chunks).toString())) return;
    const systemMessage =
      "kedge: not guarding, its program is missing. Put kedge on the PATH, as its README says.";
    writeSync(1, JSON.stringify({ systemMessage }));
  });
} else {
  writeSync(2, "kedge: its program is missing. Put kedge on the PATH, as its README says.\n");
  process.exitCode = 1;
}
