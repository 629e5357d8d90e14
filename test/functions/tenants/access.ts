/** What an answer says of access, and what is asked to find out. */
import { Conflict } from '../../../layers/domain/fault.ts';
import { sentTo } from './asking.ts';
import { type Persona, root } from './personas.ts';
import { type Api, apis, createWorld, newest, nowhere, type World } from './world.ts';

/**
 * A world in which nobody changes anything for those who come after: who is let through is refused by the table. `prepare`
 * changes it before that.
 */
export const createAsker = async (prepare?: (world: World) => Promise<void>) => {
  const world = await createWorld();
  await prepare?.(world);
  world.platform.table.onWrite = () => {
    throw Conflict('Nothing is written in this test.');
  };
  const sent = sentTo(world);

  /** Every route, and what is asked of it besides. */
  const keys = (api: Api): string[] => [
    ...apis[api].map(({ at }) => at as string).filter((at) => at !== 'POST /v2.1/servers/{server_id}/action'),
    ...Object.keys(sent[api]).filter((key) => key.includes('#')),
  ];

  /** `first`: in place of what the path names first; `version`: an older one that has the route, too. */
  const send = async (
    api: Api,
    key: string,
    subject: Persona | null,
    { first, version = Infinity }: { first?: string; version?: number } = {},
  ) => {
    const [at] = key.split('#') as [string];
    const [method, path] = at.split(' ') as [string, string];
    const { query = '', body, headers } = sent[api][key] ?? {};
    const needs = method === 'GET' || method === 'DELETE' ? undefined : (body ?? {});
    const rows: readonly { at: string; since?: number; until?: number }[] = apis[api];
    const { since = 1, until = newest } = rows.find((row) => row.at === at)!;
    return world.ask(api, `${method} ${world.fill(api, path, first)}${query}`, {
      subject,
      body: needs,
      ...(headers && { headers }),
      version: Math.max(since, Math.min(until, version)),
    });
  };

  const named = [nowhere, ...Object.values(world.ids).flatMap((ids) => Object.values(ids))].filter(
    (id) => id.length > 8,
  );

  /** What is said, whatever it is said of. */
  const plain = (text: string): string => named.reduce((said, id) => said.replaceAll(id, '*'), text);

  /**
   * y: let through; F: 403; 4: 404 in the words that are said of what is not there; n: 404 that has to do with nobody's
   * rights; 1: 401.
   */
  const letter = async (api: Api, key: string, subject: Persona | null): Promise<string> => {
    const { status, text } = await send(api, key, subject);
    if (status === 401) return '1';
    if (status === 403) return 'F';
    if (status === 404) {
      const gone = await send(api, key, root, { first: nowhere });
      return gone.status === 404 && key.includes('{') && plain(gone.text) === plain(text) ? '4' : 'n';
    }
    return status >= 500 && status !== 501 ? `${status} ${text}` : 'y';
  };

  return { ...world, keys, send, plain, letter };
};
