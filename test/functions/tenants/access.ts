/** What an answer says of access, and what is asked to find out. */
import { Conflict } from '../../../layers/domain/fault.ts';
import { sentTo } from './asking.ts';
import { type Persona, root } from './personas.ts';
import { type Api, apis, createWorld, nowhere } from './world.ts';

/** A world in which nobody changes anything for those who come after: who is let through is refused by the table. */
export const createAsker = async () => {
  const world = await createWorld();
  world.platform.table.onWrite = () => {
    throw Conflict('Nothing is written in this test.');
  };
  const sent = sentTo(world);

  /** Every route, and what is asked of it besides. */
  const keys = (api: Api): string[] => [
    ...apis[api].map(({ at }) => at as string).filter((at) => at !== 'POST /v2.1/servers/{server_id}/action'),
    ...Object.keys(sent[api]).filter((key) => key.includes('#')),
  ];

  const send = async (api: Api, key: string, subject: Persona | null, first?: string) => {
    const [at] = key.split('#') as [string];
    const [method, path] = at.split(' ') as [string, string];
    const { query = '', body, headers } = sent[api][key] ?? {};
    const needs = method === 'GET' || method === 'DELETE' ? undefined : (body ?? {});
    const until = (apis[api] as readonly { at: string; until?: number }[]).find((row) => row.at === at)?.until;
    return world.ask(api, `${method} ${world.fill(api, path, first)}${query}`, {
      subject,
      body: needs,
      ...(headers && { headers }),
      ...(until !== undefined && { version: until }),
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
      const gone = await send(api, key, root, nowhere);
      return gone.status === 404 && key.includes('{') && plain(gone.text) === plain(text) ? '4' : 'n';
    }
    return status >= 500 && status !== 501 ? `${status} ${text}` : 'y';
  };

  return { ...world, keys, send, plain, letter };
};
