// Keeps compiled code between starts: type stripping and compiling are most of what a start costs, once a thread.
// To be imported before the modules that it shall help, and only by a Node that has it (22 and newer).
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/ingot', import.meta.url)));
