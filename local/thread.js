// The entry of every thread; its one argument is the module to run. Plain JavaScript, so that the cache is on before the
// first TypeScript is read: a thread that begins with TypeScript loads the compiler that strips types, 40 ms each.
import './compile-cache.js';

await import(process.argv[2]);
