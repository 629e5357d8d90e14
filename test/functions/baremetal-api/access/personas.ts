/** Who calls in the tests of access (ironic-rbac.md 2), in the order of the columns of the matrices. */

export type Persona = { user: string; project: string; roles: string; scope: string };

const of = (project: string, roles: readonly string[], scope = 'project'): [string, Persona][] =>
  roles.map((role) => [`${project || scope} ${role}`, { user: `u-${role}`, project, roles: role, scope }]);

const all = ['admin', 'manager', 'member', 'reader', 'service'];

/**
 * A matrix is a word for each group of columns, a letter for each persona: projects `owner` and `lessee` (admin,
 * manager, member, reader, service), project `other` (admin, service), a caller without a project (admin), system scope
 * (admin, member, reader, service).
 */
export const personas: readonly [string, Persona][] = [
  ...of('owner', all),
  ...of('lessee', all),
  ...of('other', ['admin', 'service']),
  ...of('', ['admin']),
  ...of('', ['admin', 'member', 'reader', 'service'], 'system'),
];

/** The letters of a matrix, one for each persona. */
export const lettersOf = (matrix: string): string[] => {
  const letters = Array.from(matrix.replaceAll(' ', ''));
  if (letters.length !== personas.length) throw new Error(`"${matrix}" is not ${personas.length} letters.`);
  return letters;
};

/** What the API's front door takes as `subject`. */
export const persona = (name: string): Persona => {
  const found = personas.find(([known]) => known === name);
  if (!found) throw new Error(`No persona is called ${name}.`);
  return found[1];
};
