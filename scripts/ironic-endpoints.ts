/** Every endpoint of Ironic's API at 1.115 with the microversion 1.N that introduced it: what Ingot is measured by. */

type Row = readonly [methods: string, path: string, since: number];

/** Methods are separated by blanks. A row of one resource's list, item and detail is three rows: they differ here. */
export const ironicEndpoints: readonly Row[] = [
  ['GET HEAD', '/', 1],
  ['GET HEAD', '/v1', 1],

  ['GET POST', '/v1/nodes', 1],
  ['GET', '/v1/nodes/detail', 1],
  ['GET', '/v1/nodes/validate', 1],
  ['GET PATCH DELETE', '/v1/nodes/{ident}', 1],
  ['GET', '/v1/nodes/{ident}/validate', 1],
  ['PUT DELETE', '/v1/nodes/{ident}/maintenance', 1],
  ['GET', '/v1/nodes/{ident}/states', 1],
  ['PUT', '/v1/nodes/{ident}/states/power', 1],
  ['PUT', '/v1/nodes/{ident}/states/provision', 1],
  ['PUT', '/v1/nodes/{ident}/states/raid', 12],
  ['PUT', '/v1/nodes/{ident}/states/boot_mode', 76],
  ['PUT', '/v1/nodes/{ident}/states/secure_boot', 76],
  ['GET PUT', '/v1/nodes/{ident}/states/console', 1],
  ['GET PUT', '/v1/nodes/{ident}/management/boot_device', 1],
  ['GET', '/v1/nodes/{ident}/management/boot_device/supported', 1],
  ['PUT', '/v1/nodes/{ident}/management/inject_nmi', 29],
  ['GET', '/v1/nodes/{ident}/management/indicators', 63],
  ['GET PUT', '/v1/nodes/{ident}/management/indicators/{indicator}', 63],
  ['GET PUT DELETE', '/v1/nodes/{ident}/traits', 37],
  ['PUT DELETE', '/v1/nodes/{ident}/traits/{trait}', 37],
  ['GET POST', '/v1/nodes/{ident}/vifs', 28],
  ['DELETE', '/v1/nodes/{ident}/vifs/{vif}', 28],
  ['GET', '/v1/nodes/{ident}/vendor_passthru/methods', 1],
  // The method may also be named in the query.
  ['GET POST PUT PATCH DELETE', '/v1/nodes/{ident}/vendor_passthru', 1],
  ['GET POST PUT PATCH DELETE', '/v1/nodes/{ident}/vendor_passthru/{method}', 1],
  ['GET', '/v1/nodes/{ident}/ports', 1],
  ['GET', '/v1/nodes/{ident}/ports/detail', 1],
  ['GET', '/v1/nodes/{ident}/portgroups', 24],
  ['GET', '/v1/nodes/{ident}/portgroups/detail', 24],
  ['GET', '/v1/nodes/{ident}/volume', 32],
  ['GET', '/v1/nodes/{ident}/volume/connectors', 32],
  ['GET', '/v1/nodes/{ident}/volume/targets', 32],
  ['GET DELETE', '/v1/nodes/{ident}/allocation', 52],
  ['GET', '/v1/nodes/{ident}/bios', 40],
  ['GET', '/v1/nodes/{ident}/bios/{setting}', 40],
  ['GET', '/v1/nodes/{ident}/firmware', 86],
  ['GET', '/v1/nodes/{ident}/history', 78],
  ['GET', '/v1/nodes/{ident}/history/{event}', 78],
  ['GET', '/v1/nodes/{ident}/inventory', 81],
  ['GET', '/v1/nodes/{ident}/children', 83],
  ['GET', '/v1/nodes/{ident}/vmedia', 93],
  ['POST DELETE', '/v1/nodes/{ident}/vmedia', 89],

  ['GET POST', '/v1/ports', 1],
  ['GET', '/v1/ports/detail', 1],
  ['GET PATCH DELETE', '/v1/ports/{ident}', 1],

  ['GET POST', '/v1/portgroups', 23],
  ['GET', '/v1/portgroups/detail', 23],
  ['GET PATCH DELETE', '/v1/portgroups/{ident}', 23],
  ['GET', '/v1/portgroups/{ident}/ports', 24],
  ['GET', '/v1/portgroups/{ident}/ports/detail', 24],

  ['GET POST', '/v1/chassis', 1],
  ['GET', '/v1/chassis/detail', 1],
  ['GET PATCH DELETE', '/v1/chassis/{uuid}', 1],
  ['GET', '/v1/chassis/{uuid}/nodes', 1],
  ['GET', '/v1/chassis/{uuid}/nodes/detail', 1],

  ['GET', '/v1/drivers', 1],
  ['GET', '/v1/drivers/{driver}', 1],
  ['GET', '/v1/drivers/{driver}/properties', 1],
  ['GET', '/v1/drivers/{driver}/raid/logical_disk_properties', 12],
  ['GET', '/v1/drivers/{driver}/vendor_passthru/methods', 1],
  ['GET POST PUT PATCH DELETE', '/v1/drivers/{driver}/vendor_passthru', 1],
  ['GET POST PUT PATCH DELETE', '/v1/drivers/{driver}/vendor_passthru/{method}', 1],

  ['GET', '/v1/conductors', 49],
  ['GET', '/v1/conductors/{hostname}', 49],

  ['GET', '/v1/volume', 32],
  ['GET POST', '/v1/volume/connectors', 32],
  ['GET PATCH DELETE', '/v1/volume/connectors/{uuid}', 32],
  ['GET POST', '/v1/volume/targets', 32],
  ['GET PATCH DELETE', '/v1/volume/targets/{uuid}', 32],

  ['GET POST', '/v1/allocations', 52],
  ['GET DELETE', '/v1/allocations/{ident}', 52],
  ['PATCH', '/v1/allocations/{ident}', 57],

  ['GET POST', '/v1/deploy_templates', 55],
  ['GET PATCH DELETE', '/v1/deploy_templates/{ident}', 55],

  ['GET POST', '/v1/runbooks', 92],
  ['GET PATCH DELETE', '/v1/runbooks/{ident}', 92],
  ['GET PUT DELETE', '/v1/runbooks/{ident}/traits', 112],
  ['PUT DELETE', '/v1/runbooks/{ident}/traits/{trait}', 112],

  ['GET POST', '/v1/inspection_rules', 96],
  ['GET PATCH DELETE', '/v1/inspection_rules/{uuid}', 96],

  ['GET', '/v1/shards', 82],
  ['POST', '/v1/events', 54],

  ['GET', '/v1/lookup', 22],
  ['POST', '/v1/heartbeat/{ident}', 22],
  ['POST', '/v1/continue_inspection', 84],
];
