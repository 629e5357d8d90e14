/** Who calls the APIs for tenants in the tests of access, in the order of the columns of the matrices. */

export type Persona = {
  readonly user: string;
  readonly project: string;
  readonly roles: string;
  readonly scope: string;
};

const of = (user: string, project: string, roles: string, scope = 'project'): Persona => ({
  user,
  project,
  roles,
  scope,
});

/** All that there is in these tests is ann's, in project red. */
export const ann = of('ann', 'red', 'member');
export const bob = of('bob', 'blue', 'member');
/** The administrator of the whole system. */
export const root = of('root', '', 'admin', 'system');

/**
 * A matrix is a word for each group of columns, a letter for each persona: project red (its admin, its manager, ann,
 * another member, reader, service), project blue (admin, member, reader, service), a caller without a project (member),
 * system scope (admin, member, reader, service), a caller who does not say who he is.
 */
export const personas: readonly (readonly [string, Persona | null])[] = [
  ['red admin', of('ada', 'red', 'admin')],
  ['red manager', of('max', 'red', 'manager')],
  ['ann', ann],
  ['red member', of('amy', 'red', 'member')],
  ['red reader', of('ray', 'red', 'reader')],
  ['red service', of('nova', 'red', 'service')],
  ['blue admin', of('abe', 'blue', 'admin')],
  ['blue member', bob],
  ['blue reader', of('bea', 'blue', 'reader')],
  ['blue service', of('nova', 'blue', 'service')],
  ['member of no project', of('eve', '', 'member')],
  ['system admin', root],
  ['system member', of('sam', '', 'member', 'system')],
  ['system reader', of('sue', '', 'reader', 'system')],
  ['system service', of('ingot', '', 'service', 'system')],
  ['nobody', null],
];

/** The letters of a matrix, one for each persona. */
export const lettersOf = (matrix: string): string[] => {
  const letters = Array.from(matrix.replaceAll(' ', ''));
  if (letters.length !== personas.length) throw new Error(`"${matrix}" is not ${personas.length} letters.`);
  return letters;
};
