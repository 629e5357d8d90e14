/** What the audit of dependencies goes by; a person adds to it. */

/** Licences (SPDX) of what is used as it comes, in tools or in bundles. MPL-2.0 asks for changed files only, and none is. */
export const permissive: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
];

/** Versions that were malicious, or never meant to be published; by package. */
export const compromised: Readonly<Record<string, readonly string[]>> = {
  // By accident: it does not fit any library (docs of 2026-11, aws/aws-cdk#38113).
  'aws-cdk': ['3.0.0'],
  // Stolen accounts, September 2025.
  'ansi-regex': ['6.2.1'],
  'ansi-styles': ['6.2.2'],
  backslash: ['0.2.1'],
  chalk: ['5.6.1'],
  'chalk-template': ['1.1.1'],
  'color-convert': ['3.1.1'],
  'color-name': ['2.0.1'],
  'color-string': ['2.1.1'],
  debug: ['4.4.2'],
  'error-ex': ['1.3.3'],
  'has-ansi': ['6.0.1'],
  'is-arrayish': ['0.3.3'],
  'simple-swizzle': ['0.2.3'],
  'slice-ansi': ['7.1.1'],
  'strip-ansi': ['7.1.1'],
  'supports-color': ['10.2.1'],
  'supports-hyperlinks': ['4.1.1'],
  'wrap-ansi': ['9.0.1'],
  '@ctrl/tinycolor': ['4.1.1', '4.1.2'],
  // Stolen accounts and sabotage before that.
  coa: ['2.0.3', '2.0.4', '2.1.1', '2.1.3', '3.0.1', '3.1.3'],
  colors: ['1.4.1', '1.4.2', '1.4.44-liberty-2'],
  'eslint-scope': ['3.7.2'],
  'event-stream': ['3.3.6'],
  faker: ['6.6.6'],
  'flatmap-stream': ['0.1.1'],
  'node-ipc': ['9.2.2', '10.1.1', '10.1.2', '10.1.3'],
  rc: ['1.2.9', '1.3.9', '2.3.9'],
  'ua-parser-js': ['0.7.29', '0.8.0', '1.0.0'],
};
