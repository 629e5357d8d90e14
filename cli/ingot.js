#!/usr/bin/env node
// Plain JavaScript, because a Node that cannot read TypeScript must be able to say so.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `ingot: Node.js 24 is needed, this is ${process.version}: use \`npx ingot\` in the folder of Ingot after \`npm ci\`, which brings its own, or update Node.js.\n`,
  );
  process.exit(2);
}

await import('../local/compile-cache.js');
await import('./main.ts');
