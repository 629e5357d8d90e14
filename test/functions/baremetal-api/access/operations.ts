/**
 * Who may do what (ironic-rbac.md 6), as data: what operators do, the outcome for each persona (personas.ts) on a node
 * of project `owner` that `lessee` leases, and the routes that do it. y: authorised, F: 403, 4: 404 as if it were not
 * there, 0: 400 that does not tell whether it is there.
 */
export type Operation = readonly [what: string, outcome: string, routes: readonly string[]];

const below = (collection: string, ident = '{ident}') => `/v1/${collection}/${ident}`;
const node = below('nodes');

/** GET, PATCH and DELETE of one, by ident. */
const one = (method: string, ...collections: string[]) =>
  collections.map((name) => `${method} ${below(name, name === 'chassis' ? '{uuid}' : '{ident}')}`);
const passthru = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const operations: readonly Operation[] = [
  [
    'see a node and what it has',
    'yyyyy yyyy4 44 4 yyyy',
    [
      `GET ${node}`,
      `GET ${node}/states`,
      `GET ${node}/traits`,
      `GET ${node}/vifs`,
      `GET ${node}/children`,
      `GET ${node}/bios`,
      `GET ${node}/bios/{setting}`,
      `GET ${node}/firmware`,
      `GET ${node}/vmedia`,
      `GET ${node}/volume`,
      `GET ${node}/volume/connectors`,
      `GET ${node}/volume/targets`,
      `GET ${node}/ports`,
      `GET ${node}/ports/detail`,
      `GET ${node}/portgroups`,
      `GET ${node}/portgroups/detail`,
      `GET ${node}/management/indicators`,
      `GET ${node}/management/indicators/{indicator}`,
      ...one('GET', 'ports', 'portgroups', 'volume/connectors', 'volume/targets'),
      'GET /v1/portgroups/{ident}/ports',
      'GET /v1/portgroups/{ident}/ports/detail',
    ],
  ],
  [
    'list what belongs to the project',
    'yyyyy yyyyy yy F yyyy',
    [
      ...['nodes', 'ports', 'portgroups'].flatMap((name) => [`GET /v1/${name}`, `GET /v1/${name}/detail`]),
      'GET /v1/volume',
      'GET /v1/volume/connectors',
      'GET /v1/volume/targets',
      'GET /v1/allocations',
      'GET /v1/runbooks',
    ],
  ],
  [
    'read what a node went through and is made of',
    'yyyyy FFFF4 44 4 yyyy',
    [`GET ${node}/history`, `GET ${node}/history/{event}`, `GET ${node}/inventory`],
  ],
  ['read who has a machine, which nobody else is to know of', '44444 44444 44 4 yyyy', [`GET ${node}/guest-metadata`]],
  [
    'work on a node',
    'yyyFy yyFF4 44 4 yyFy',
    [
      `GET ${node}/validate`,
      `PUT ${node}/states/provision`,
      `POST ${node}/configdrive`,
      `PUT ${node}/maintenance`,
      `DELETE ${node}/maintenance`,
      `POST ${node}/vifs`,
      `DELETE ${node}/vifs/{vif}`,
    ],
  ],
  ['validate a node that the query names', 'yyyFy yyFF4 44 F yyFy', ['GET /v1/nodes/validate']],
  [
    'switch a machine',
    'yyyFF yyyF4 44 4 yyFy',
    [
      `PUT ${node}/states/power`,
      `PUT ${node}/states/boot_mode`,
      `PUT ${node}/states/secure_boot`,
      `POST ${node}/vmedia`,
      `DELETE ${node}/vmedia`,
    ],
  ],
  [
    'use what is the business of who owns the machine',
    'yyyFy FFFF4 44 4 yyFy',
    [
      `GET ${node}/states/console`,
      `PUT ${node}/states/console`,
      `PUT ${node}/states/raid`,
      `PUT ${node}/management/indicators/{indicator}`,
    ],
  ],
  [
    'decide what a machine boots and is',
    'yyFFy FFFF4 44 4 yyFy',
    [
      `GET ${node}/management/boot_device`,
      `PUT ${node}/management/boot_device`,
      `GET ${node}/management/boot_device/supported`,
      `PUT ${node}/management/inject_nmi`,
      `PUT ${node}/traits`,
      `PUT ${node}/traits/{trait}`,
      `DELETE ${node}/traits`,
      `DELETE ${node}/traits/{trait}`,
    ],
  ],
  [
    'reach past the API',
    'FFFFF FFFF4 44 4 yFFF',
    [
      `GET ${node}/vendor_passthru/methods`,
      ...passthru.flatMap((method) => [
        `${method} ${node}/vendor_passthru`,
        `${method} ${node}/vendor_passthru/{method}`,
      ]),
    ],
  ],
  ['change a node (each path has a rule of its own)', 'yyyFF yyyF4 44 4 yyFy', [`PATCH ${node}`]],
  ['enrol a node', 'yFFFy yFFFy yy F yFFy', ['POST /v1/nodes']],
  ['delete a node', 'yFFFF FFFF4 44 4 yFFF', [`DELETE ${node}`]],
  ['convert a node', 'FFFFF FFFF4 44 4 yFFF', [`POST ${node}/conversion`]],
  ['give a node ports', 'yyFFy FFFF0 00 F yFFy', ['POST /v1/ports', 'POST /v1/portgroups']],
  ['change ports', 'yyFFy FFFF4 44 4 yyFy', one('PATCH', 'ports', 'portgroups')],
  ['delete ports', 'yyFFy FFFF4 44 4 yFFy', one('DELETE', 'ports', 'portgroups')],
  ['give a node volumes', 'yyFFy yyFF0 00 F yyFy', ['POST /v1/volume/connectors', 'POST /v1/volume/targets']],
  ['change volumes', 'yyyFy yyFF4 44 4 yyFy', one('PATCH', 'volume/connectors', 'volume/targets')],
  ['delete volumes', 'yyFFy yyFF4 44 4 yyFy', one('DELETE', 'volume/connectors', 'volume/targets')],
  [
    'see what belongs to no project',
    'FFFFF FFFFF FF F yyyy',
    [
      'GET /v1/takeovers',
      'GET /v1/chassis',
      'GET /v1/chassis/detail',
      ...one('GET', 'chassis', 'deploy_templates', 'inspection_rules'),
      'GET /v1/chassis/{uuid}/nodes',
      'GET /v1/chassis/{uuid}/nodes/detail',
      'GET /v1/drivers',
      'GET /v1/drivers/{name}',
      'GET /v1/drivers/{name}/properties',
      'GET /v1/drivers/{name}/raid/logical_disk_properties',
      'GET /v1/conductors',
      'GET /v1/conductors/{hostname}',
      'GET /v1/shards',
      'GET /v1/deploy_templates',
      'GET /v1/inspection_rules',
    ],
  ],
  ['change a chassis', 'FFFFF FFFFF FF F yyFy', one('PATCH', 'chassis')],
  [
    'manage what belongs to no project',
    'FFFFF FFFFF FF F yFFF',
    [
      ...['chassis', 'deploy_templates', 'inspection_rules', 'events', 'imports', 'takeovers'].map(
        (name) => `POST /v1/${name}`,
      ),
      ...one('PATCH', 'deploy_templates', 'inspection_rules'),
      ...one('DELETE', 'chassis', 'deploy_templates', 'inspection_rules'),
      'GET /v1/drivers/{name}/vendor_passthru/methods',
      ...passthru.flatMap((method) => [
        `${method} /v1/drivers/{name}/vendor_passthru`,
        `${method} /v1/drivers/{name}/vendor_passthru/{method}`,
      ]),
    ],
  ],
  ["see the allocation on a node, which is the owner's", 'yyyyF FFFF4 44 4 yyyy', [`GET ${node}/allocation`]],
  ['take the allocation off a node', 'yyyFF FFFF4 44 4 yyFy', [`DELETE ${node}/allocation`]],
  ['write a runbook', 'yyFFy yyFFy yy F yyFy', ['POST /v1/runbooks']],
  [
    "see the project's runbook",
    'yyyyy 4444y 4y 4 yyyy',
    [...one('GET', 'runbooks'), 'GET /v1/runbooks/{ident}/traits'],
  ],
  [
    "change the project's runbook",
    'yyFFy 4444y 4y 4 yyFy',
    [
      ...one('PATCH', 'runbooks'),
      ...one('DELETE', 'runbooks'),
      ...['PUT', 'DELETE'].flatMap((method) => [
        `${method} /v1/runbooks/{ident}/traits`,
        `${method} /v1/runbooks/{ident}/traits/{trait}`,
      ]),
    ],
  ],
  ['ask for a node', 'yyyFF yyyFF yF F yyFy', ['POST /v1/allocations']],
  ["see the project's allocation", 'yyyy4 44444 44 4 yyyy', one('GET', 'allocations')],
  [
    "change the project's allocation",
    'yyyF4 44444 44 4 yyFy',
    [...one('PATCH', 'allocations'), ...one('DELETE', 'allocations')],
  ],
];

/** Fields of a PATCH of a node, with a value that fits. */
export const patches: readonly (readonly [fields: Readonly<Record<string, unknown>>, outcome: string])[] = [
  [
    { extra: {}, description: 'd', resource_class: 'r', automated_clean: true, maintenance: true },
    'yyyFF yyyF4 44 4 yyFy',
  ],
  [{ instance_info: {}, instance_name: 'web' }, 'yyyFy yyFF4 44 4 yyFy'],
  [
    {
      driver_info: {},
      properties: {},
      name: 'other-name',
      instance_uuid: '22222222-2222-4222-8222-222222222222',
      lessee: 'lessee',
      network_data: {},
      retired: true,
    },
    'yyyFy FFFF4 44 4 yyFy',
  ],
  [{ driver: 'fake-hardware', deploy_interface: 'fake' }, 'yyFFy FFFF4 44 4 yyFy'],
  [{ owner: 'owner', conductor_group: 'east', parent_node: null }, 'FFFFF FFFF4 44 4 yyFy'],
  [{ chassis_uuid: null, shard: 's', disable_power_off: true, automated_clean: false }, 'FFFFF FFFF4 44 4 yFFF'],
];
