// Plain JavaScript for Node 20: it runs before Node 24 is there. Installs the locked packages when node_modules is
// missing or older than the lock, and says in one sentence what is wrong when it cannot.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';

const stop = (sentence) => {
  console.error(`ingot: ${sentence}`);
  process.exit(1);
};

const [major] = process.versions.node.split('.');
if (Number(major) < 20) stop(`Node.js 20 or newer is needed to install, this is ${process.version}: update Node.js.`);

const stamp = 'node_modules/.ingot-installed';
const fresh = existsSync(stamp) && statSync(stamp).mtimeMs >= statSync('package-lock.json').mtimeMs;
if (!fresh) {
  console.error('ingot: installing packages (once) ...');
  const npm = process.env.npm_execpath;
  const run = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  const { status, error } = spawnSync(run[0], run[1], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) stop(`npm could not be started (${error.message}): install npm 10 or newer.`);
  if (status !== 0) stop('npm ci failed, see its message above; nothing was started.');
  writeFileSync(stamp, '');
}
