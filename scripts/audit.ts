/** `npm run audit`: judges the locked dependencies by scripts/audit/rules.ts. Ends with 1 and a line for each that breaks one. */
import { readFileSync } from 'node:fs';

import { audit, type Locked, type Manifest } from './audit/rules.ts';

const read = (file: string): unknown => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));

const { packages } = read('package-lock.json') as { packages: Record<string, Locked> };
const wrong = audit(read('package.json') as Manifest, packages);
for (const line of wrong) console.error(line);
if (wrong.length > 0) process.exitCode = 1;
else console.log(`${Object.keys(packages).length - 1} packages audited, nothing found.`);
