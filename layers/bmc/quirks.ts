/**
 * What BMCs do differently (redfish.md 4.2), as data. A row names whom it is about; what is set makes the operations
 * of functions/bmc-proxy behave otherwise. Most oddities need no row: following @Redfish.Settings, the ETag ladder,
 * adding fields that an error names, and inserting media by PATCH happen with every BMC.
 */

/** What the service root, the manager and the system say of themselves. */
export type Identity = {
  readonly vendor: string;
  readonly model: string;
  readonly firmware: string;
};

export type Quirks = {
  /** Boot: always send Target and Enabled together, even what does not differ. */
  readonly boot_pair?: true;
  /** Boot: send BootSourceOverrideMode, too. */
  readonly boot_mode_always?: true;
  /** Boot: the target that means the virtual CD, if the BMC lists it. */
  readonly boot_cdrom?: 'UsbCd';
  /** Boot: a one-time override to `Cd` boots the physical drive; says what the operator can do. */
  readonly boot_cdrom_unsupported?: string;
  /** Boot mode: where else it is set, if the BMC lists no modes; says what the operator can do. */
  readonly boot_mode_elsewhere?: string;
  /** Media: the only slot (Id) that works. */
  readonly media_slot?: string;
  /** Media: eject wants `{}` as body at once. */
  readonly media_eject_body?: true;
};

export type QuirkRow = {
  /** Reported with every reply that was made under it. */
  readonly name: string;
  readonly match: { readonly vendor: RegExp; readonly model?: RegExp; readonly firmware?: RegExp };
  readonly set: Quirks;
};

/** All rows that match a BMC apply to it. */
export const quirkRows: readonly QuirkRow[] = [
  // Dell iDRAC 8 and 9 (12th to 16th generation), firmware before 6.00: virtual media boots by an OEM attribute only.
  {
    name: 'dell-cd-boots-drive',
    match: { vendor: /^dell/i, model: /^1[2-6]G/i, firmware: /^[1-5]\./ },
    set: { boot_cdrom_unsupported: 'Update iDRAC to firmware 6.00 or later.' },
  },
  // Dell iDRAC 10 (17th generation), firmware 1.x: of two slots only the first can be used.
  { name: 'dell-slot-1', match: { vendor: /^dell/i, model: /^17G/i }, set: { media_slot: '1' } },
  // HPE iLO 5 (Gen10): refuses Enabled while Target is None, and an eject without a body; the boot mode is a setting of
  // the BIOS there.
  {
    name: 'hpe-ilo',
    match: { vendor: /^(hpe|hewlett)/i },
    set: {
      boot_pair: true,
      boot_mode_elsewhere: 'Change the BIOS setting BootMode instead.',
      media_eject_body: true,
    },
  },
  // Supermicro X11, X12: Enabled must always be sent, a mode left out becomes Legacy, and the virtual CD is UsbCd
  // where listed (not on ARS-111GL-NHR).
  {
    name: 'supermicro',
    match: { vendor: /^super\s?micro/i },
    set: { boot_pair: true, boot_mode_always: true, boot_cdrom: 'UsbCd' },
  },
  // AMI MegaRAC SP-X and boards on it (ASRock Rack, Gigabyte): boot changes without all three fields get lost.
  {
    name: 'ami-boot-triple',
    match: { vendor: /^(ami\b|american megatrends|asrock|giga)/i },
    set: { boot_pair: true, boot_mode_always: true },
  },
];

const fits = ({ match }: QuirkRow, { vendor, model, firmware }: Identity): boolean =>
  match.vendor.test(vendor) && (match.model?.test(model) ?? true) && (match.firmware?.test(firmware) ?? true);

/** Whether the model and firmware of the manager are needed to decide for this vendor; it costs a request. */
export const needsManager = (vendor: string): boolean =>
  quirkRows.some(({ match }) => match.vendor.test(vendor) && (match.model ?? match.firmware));

/** The quirks of this BMC, and the names of the rows they come from. */
export const quirksOf = (identity: Identity): { readonly names: readonly string[]; readonly quirks: Quirks } => {
  const rows = quirkRows.filter((row) => fits(row, identity));
  return { names: rows.map(({ name }) => name), quirks: Object.assign({}, ...rows.map(({ set }) => set)) as Quirks };
};
