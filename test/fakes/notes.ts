/** A node that has every note there is, so that a test sees which of them goes. */
import { mask } from '../../layers/domain/masking.ts';
import type { NoteName, Notes } from '../../layers/domain/notes.ts';
import type { PlannedStep } from '../../layers/domain/steps.ts';

const steps: readonly PlannedStep[] = [{ interface: 'deploy', step: 'burnin_cpu', args: {} }];
const offered = { deploy: [{ interface: 'deploy', step: 'burnin_cpu', priority: 0 }] };

/** A value for each row; the compiler asks for those that are missing. */
export const everyNote: Required<Notes> = {
  agent_url: 'https://10.0.0.9:9999',
  agent_verify_ca: 'PEM',
  agent_version: '9.0',
  agent_last_heartbeat: '2026-01-01T00:00:00.000+00:00',
  agent_secret_token: mask,
  agent_secret_token_pregenerated: true,
  agent_token_by_lookup: 'run-0',
  agent_medium: 'agents/before.img',
  removable_media: true,
  bmc_certificate_sha256: 'AB:CD',
  power_sync_failures: 2,
  inspected_by_run: 'run-0',
  inspected_with_key: true,
  clean_steps: steps,
  clean_step_index: 0,
  cleaning_reboot: true,
  agent_cached_clean_steps: offered,
  service_steps: steps,
  service_step_index: 0,
  servicing_reboot: true,
  agent_cached_service_steps: offered,
  deploy_steps: steps,
  deploy_step_index: 0,
  deployment_reboot: true,
  agent_cached_deploy_steps: offered,
  user_deploy_steps: steps,
  steps_validated: true,
  hardware_manager_version: { generic_hardware_manager: '1.2' },
  step_stage: 'restarted',
  ramdisk_boots: 1,
  is_whole_disk_image: true,
  drive_flaw: 'It is an empty file.',
  image_project: 'red',
  image_id: 'b9d0a8a6-5c6a-4f7e-8f3e-0f6f1b1d8c11',
  deploy_boot_mode: 'uefi',
  secure_boot_by_deploy: false,
  guest_metadata_stale: { since: '2026-01-01T00:00:00.000+00:00', revision: 1 },
  automatic_lessee: true,
  takeover: { state: 'completed', since: '2026-01-01T00:00:00.000+00:00' },
};

/** The names of all notes. */
export const noteNames = Object.keys(everyNote) as readonly NoteName[];

/** What a version before or after this one left in a record. */
export const strangeNotes: object = { of_another_version: { password: 'x', plain: 1 } };
