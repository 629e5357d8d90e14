/** Who may do what by the Image API, by Glance's names. How it is decided is in ../policy.ts. */

const admin = ['system admin'] as const;
const service = ['system service', 'any service'] as const;

/** Whose an image is, is its project; the lessee is a project that it is offered to. */
const checks = {
  admin,
  'admin or service': [...admin, ...service],
  owner: [...admin, 'owner member'],
  'owner or service': [...admin, ...service, 'owner member'],
  lister: ['system reader', 'owner reader', ...service],
  viewer: ['system reader', 'owner reader', 'lessee reader', 'public reader', ...service],
  user: [...admin, 'owner member', 'lessee member', 'public member', ...service],
  // Who deploys an image for a project asks whether that may see it.
  'owner, member or service': ['system reader', 'owner reader', 'lessee reader', ...service],
  member: [...admin, 'lessee member'],
} as const;

/** One row a rule, as error messages quote it: `<verb>_<kind>`. */
const rules = {
  get_images: 'lister',
  get_image: 'viewer',
  add_image: 'owner',
  modify_image: 'owner',
  publicize_image: 'admin',
  communitize_image: 'owner',
  delete_image: 'owner',
  upload_image: 'owner',
  download_image: 'user',
  deactivate: 'admin',
  reactivate: 'admin',
  add_image_location: 'owner or service',
  fetch_image_location: 'admin or service',
  add_member: 'owner',
  get_members: 'owner, member or service',
  get_member: 'owner, member or service',
  modify_member: 'member',
  delete_member: 'owner',
} as const satisfies Record<string, keyof typeof checks>;

/** What belongs to projects: whoever may not get one of these is not told that it is there. */
const gates = ['get_image'] as const satisfies (keyof typeof rules)[];

export const image = {
  checks,
  rules,
  gates,
  // Each of them is about images: what there is of an image is as hidden as the image.
  kindOf: () => 'image',
  denial: (rule: string) => `You are not authorized to complete ${rule} action.`,
} as const;
