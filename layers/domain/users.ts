/**
 * The users of http_basic. Administrators of the whole system stand in an htpasswd file, as Ironic has them
 * (ironic-rbac.md 1); whoever has less, such as a tenant, stands with project and roles in a file of our own. The two
 * are apart because Apache's tool, when it changes a password there, would cut everything behind it off a line.
 */
import { Fault } from './fault.ts';
import { isRole, roleNames } from './policy.ts';

/** `project`: null for the whole system. */
export type User = { readonly hash: string; readonly project: string | null; readonly roles: readonly string[] };

/** By name. */
export type Users = ReadonlyMap<string, User>;

const bcrypt = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;
/** A project is its own name, such as `blue`, or an id that another identity service gave it. */
const projectName = /^[\w.@-]{1,255}$/;
/** In the place of a project: all of them. */
const everyProject = '*';

/** Says what is wrong with the parts of a line after the name, never what they are. */
type Format = {
  /** The form of a line. */
  readonly form: string;
  /** How one is made. */
  readonly make: string;
  /** A name may come again, and counts the first time: so Apache reads it. */
  readonly repeats: boolean;
  readonly parts: number;
  read(parts: readonly string[]): User | string;
};

/** bcrypt only, so with -B. */
const tool = 'htpasswd -nbB <user> <password>';

/** The kinds of files. */
const formats = {
  htpasswd: {
    form: 'user:bcrypt-hash',
    make: tool,
    repeats: true,
    parts: 1,
    read: ([hash]) => ({ hash: hash!, project: null, roles: ['admin'] }),
  },
  users: {
    form: 'user:bcrypt-hash:project:role,...',
    make: `echo "$(${tool}):<project>:member" >> users`,
    repeats: false,
    parts: 3,
    read: ([hash, project, list]) => {
      const roles = list!.split(',').map((role) => role.trim().toLowerCase());
      if (project !== everyProject && !projectName.test(project!)) {
        return `names no project: letters, digits and _ . @ - can be in one, and ${everyProject} stands for the whole system`;
      }
      if (!roles.every(isRole)) return `names a role that there is not; roles are ${roleNames.join(', ')}`;
      return { hash: hash!, project: project === everyProject ? null : project!, roles };
    },
  },
} as const satisfies Record<string, Format>;

/** A text with users. `where` names it in errors: a file, a variable. */
export type UserSource = { readonly format: keyof typeof formats; readonly where: string; readonly text: string };

/** Where users may stand: in a variable, or in a file that one names. */
const variables = {
  INGOT_HTPASSWD: { format: 'htpasswd', isFile: false },
  INGOT_HTPASSWD_FILE: { format: 'htpasswd', isFile: true },
  INGOT_USERS: { format: 'users', isFile: false },
  INGOT_USERS_FILE: { format: 'users', isFile: true },
} as const;
export type UserVariable = keyof typeof variables;

export const userVariables = Object.keys(variables) as readonly UserVariable[];

/** Which of them are given; empty ones are not. */
export type UserPlaces = Readonly<Partial<Record<UserVariable, string | undefined>>>;

/** Whether users may change while this runs. */
export const namesFile = (places: UserPlaces): boolean =>
  userVariables.some((name) => variables[name].isFile && places[name]);

/** The sources of users, of which `read` reads the files. */
export const sourcesOf = (places: UserPlaces, read: (file: string, variable: UserVariable) => string): UserSource[] =>
  userVariables.flatMap((name) => {
    const { format, isFile } = variables[name];
    const given = places[name] ?? '';
    if (given === '') return [];
    return [isFile ? { format, where: given, text: read(given, name) } : { format, where: name, text: given }];
  });

const wrong = (message: string) => new Fault('Configuration', 500, message);

/** Throws Fault `Configuration` with the number of a line that is none, never with its content. */
const readLine = (line: string, place: string, format: Format): [string, User] => {
  const [name, ...parts] = line.split(':').map((part) => part.trim());
  if (!name || parts.length !== format.parts || !bcrypt.test(parts[0]!)) {
    throw wrong(`${place} is not ${format.form}. Make it with: ${format.make}`);
  }
  const user = format.read(parts);
  if (typeof user === 'string') throw wrong(`${place} ${user}.`);
  return [name, user];
};

const readSource = ({ format: name, where, text }: UserSource): Users => {
  const format: Format = formats[name];
  const users = new Map<string, User>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const place = `Line ${index + 1} of ${where}`;
    const [user, found] = readLine(line, place, format);
    if (!users.has(user)) users.set(user, found);
    else if (!format.repeats) throw wrong(`${place} has a name that a line before it has: a user has one project.`);
  }
  if (users.size === 0) throw wrong(`There are no users in ${where}. A line for one is made with: ${format.make}`);
  return users;
};

/**
 * The users of all `sources`. Throws Fault `Configuration`, with the number of the line, for a line that is none, for a
 * source without users, and for a name that stands in two of them: nobody could tell which of them he is.
 */
export const readUsers = (sources: readonly UserSource[]): Users => {
  const users = new Map<string, User>();
  const places = new Map<string, string>();
  for (const source of sources) {
    for (const [name, user] of readSource(source)) {
      if (users.has(name)) throw wrong(`User ${name} stands both in ${places.get(name)} and in ${source.where}.`);
      users.set(name, user);
      places.set(name, source.where);
    }
  }
  return users;
};

/** The lines of a source without what is no user. Throws as `readUsers` does. */
export const userLines = (source: UserSource): string[] => {
  const withProject = ({ hash, project, roles }: User) => [hash, project ?? everyProject, roles.join(',')];
  return [...readSource(source)].map(([name, user]) =>
    [name, ...(source.format === 'users' ? withProject(user) : [user.hash])].join(':'),
  );
};
