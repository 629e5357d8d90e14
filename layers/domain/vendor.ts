/**
 * Vendor passthru: methods that a vendor interface has besides what all have, one row each (ironic-api.md 2.1, 6).
 */
import { Invalid } from './fault.ts';

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** In the form in which clients are told of it. */
export type VendorMethod = {
  readonly http_methods: readonly Verb[];
  /** The answer is 202, and how it went shows later. */
  readonly async: boolean;
  /** Whether the answer is a file; none is. */
  readonly attach: false;
  readonly description: string;
  readonly require_exclusive_lock: boolean;
};

export type VendorMethods = { readonly [method: string]: VendorMethod };

const method = (description: string, more: Partial<VendorMethod> = {}): VendorMethod => ({
  http_methods: ['POST'],
  async: true,
  attach: false,
  description,
  require_exclusive_lock: true,
  ...more,
});

const synchronous = (verb: Verb, description: string, lock = true): VendorMethod =>
  method(description, { http_methods: [verb], async: false, require_exclusive_lock: lock });

/** What the methods of fake hardware compare the argument `bar` with. */
export const fakeWords: { readonly [method: string]: string } = {
  first_method: 'baz',
  second_method: 'kazoo',
  third_method_sync: 'meow',
  fourth_method_shared_lock: 'woof',
};

const implementations: { readonly [implementation: string]: VendorMethods } = {
  fake: {
    first_method: method('Whether bar is baz.'),
    second_method: method('Whether bar is kazoo.'),
    third_method_sync: method('Whether bar is meow.', { async: false }),
    fourth_method_shared_lock: method('Whether bar is woof.', { require_exclusive_lock: false }),
  },
  redfish: {
    create_subscription: synchronous('POST', 'Subscribes Destination to the events of the machine.'),
    delete_subscription: synchronous('DELETE', 'Ends the subscription of this id.'),
    get_all_subscriptions: synchronous('GET', 'All subscriptions to the events of the machine.', false),
    get_subscription: synchronous('GET', 'The subscription of this id.', false),
    eject_vmedia: method('Empties virtual drives: all, or the one that boot_device names (cd, dvd, usb).'),
  },
};

/** The methods of a vendor interface; none for one that has none, such as no-vendor. */
export const vendorMethods = (implementation: string | null): VendorMethods =>
  implementation !== null && Object.hasOwn(implementations, implementation) ? implementations[implementation]! : {};

/** The method for a request. Throws Invalid (400) for an unknown one and for a verb that it does not take. */
export const chooseMethod = (methods: VendorMethods, name: string | undefined, verb: Verb): VendorMethod => {
  if (name === undefined || name === '') throw Invalid('Missing mandatory parameter: method.');
  const found = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!found) throw Invalid(`No handler for method ${name}. There is: ${Object.keys(methods).join(', ') || 'none'}.`);
  if (found.http_methods.includes(verb)) return found;
  throw Invalid(`The method ${name} does not support HTTP ${verb}, use ${found.http_methods.join(', ')}.`);
};
