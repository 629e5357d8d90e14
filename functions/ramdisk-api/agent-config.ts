/** What an agent is told about how to behave (ironic-deploy.md 3.1). */

/** `token`: undefined below 1.62, which knows none. Seconds: agents heartbeat every 0.3 to 0.6 of the timeout. */
export const agentConfig = (heartbeatTimeout: number, token: string | undefined) => ({
  heartbeat_timeout: heartbeatTimeout,
  ...(token !== undefined && { agent_token: token }),
  agent_token_required: true,
  metrics: {
    backend: 'noop',
    prepend_host: false,
    prepend_uuid: false,
    prepend_host_reverse: true,
    global_prefix: null,
  },
  metrics_statsd: { statsd_host: 'localhost', statsd_port: 8125 },
  agent_md5_checksum_enable: true,
  disable_deep_image_inspection: false,
  permitted_image_formats: ['raw', 'gpt', 'qcow2', 'iso'],
  // The BMC is known already; agents need not look for it.
  agent_skip_bmc_detect: true,
  agent_containers: {
    allow_arbitrary_containers: false,
    allowed_containers: [],
    container_steps_file: '/etc/ironic-python-agent.d/mysteps.yaml',
    runner: 'podman',
    pull_options: '',
    run_options: '',
  },
  enable_bios_bootloader_install: false,
  tls_min_version: null,
  tls_cipher_suites: null,
});
