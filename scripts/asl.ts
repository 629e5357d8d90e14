/**
 * Prints a state machine whole, as Workflow Studio and `asl-validator` take it: `npm run --silent asl -- deploy`.
 * Without a name it prints all of them, by name.
 */
import { workflows } from '../infra/manifest.ts';
import { readDefinition } from '../workflows/run/asl.ts';

const names = Object.keys(workflows);
const [, , name] = process.argv;

if (name === undefined) {
  const all = Object.fromEntries(names.map((each) => [each, JSON.parse(readDefinition(each)) as object]));
  console.log(JSON.stringify(all, null, 2));
} else if (names.includes(name)) {
  process.stdout.write(readDefinition(name));
} else {
  console.error(`There is no workflow "${name}", only ${names.join(', ')}.`);
  process.exitCode = 1;
}
