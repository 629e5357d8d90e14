/** The entry of a worker thread. */
import '../compile-cache.js';

await import('./worker.ts');
