/** The three paths of deploy agents. `functions/ramdisk-api` serves them; the document describes the whole API. */

const object = { type: 'object' };
const text = { type: 'string' };

const reply = (status: number, description: string, schema?: object): object => ({
  [status]: { description, ...(schema && { content: { 'application/json': { schema } } }) },
  default: { $ref: '#/components/responses/Error' },
});

const query = (name: string, description: string): object => ({ name, in: 'query', description, schema: text });

const body = (required: readonly string[], properties: object): object => ({
  required: true,
  content: { 'application/json': { schema: { type: 'object', required, properties } } },
});

const operation = (summary: string, rest: object): object => ({ tags: ['ramdisk'], security: [], summary, ...rest });

type Row = { readonly since: number; readonly path: string; readonly method: string; readonly operation: object };

/** By path and method. */
export const ramdiskOperations: readonly Row[] = [
  {
    since: 22,
    path: '/v1/lookup',
    method: 'get',
    operation: operation('ramdisk: find the node of this machine', {
      operationId: 'get_v1_lookup',
      parameters: [
        query('addresses', 'MAC addresses, comma separated; at most 64.'),
        query('node_uuid', 'UUID of the node.'),
      ],
      responses: reply(200, 'The node, and how to call back.', {
        type: 'object',
        properties: { node: object, config: object },
      }),
    }),
  },
  {
    since: 22,
    path: '/v1/heartbeat/{ident}',
    method: 'post',
    operation: operation('ramdisk: the agent is there', {
      operationId: 'post_v1_heartbeat_ident',
      parameters: [{ name: 'ident', in: 'path', required: true, schema: text }],
      requestBody: body(['callback_url', 'agent_token'], {
        callback_url: { type: 'string', format: 'uri' },
        agent_token: text,
        agent_version: text,
        agent_verify_ca: text,
        agent_status: text,
        agent_status_message: text,
      }),
      responses: reply(202, 'Noted.'),
    }),
  },
  {
    since: 84,
    path: '/v1/continue_inspection',
    method: 'post',
    operation: operation('ramdisk: what was found in this machine', {
      operationId: 'post_v1_continue_inspection',
      parameters: [
        query('node_uuid', 'UUID of the node.'),
        query('key', 'What the medium of the ramdisk gave it to prove itself by; with node_uuid.'),
      ],
      requestBody: body(['inventory'], { inventory: object }),
      responses: reply(202, 'Taken.', { type: 'object', properties: { uuid: text } }),
    }),
  },
];
