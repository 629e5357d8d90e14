/** What a Redfish handler is told, and how Redfish says no. */
import { Fault } from '../../layers/domain/fault.ts';
import type { Answer, Ask } from '../http.ts';
import type { Machine } from '../machine.ts';
import type { Profile } from '../profiles.ts';
import type { World } from '../world.ts';

export type Call = {
  readonly world: World;
  readonly machine: Machine;
  readonly profile: Profile;
  readonly params: Record<string, string>;
  readonly ask: Ask;
  readonly body: Record<string, unknown>;
};

/** Makes a resource for a GET. `@odata.id` is added to it. Throws a refusal. */
export type View = (call: Call) => Record<string, unknown>;
export type Act = (call: Call) => Promise<Answer> | Answer;

/** Messages of the registries with the status they come with. */
const messages = {
  'Base.1.16.ResourceMissingAtURI': [404, 'The resource at this URI was not found.'],
  'Base.1.16.OperationNotAllowed': [405, 'The HTTP method is not allowed on this resource.'],
  'Base.1.16.NoValidSession': [401, 'There is no valid session established with the implementation.'],
  'Base.1.16.ResourceAtUriUnauthorized': [401, 'The credentials included in the request were not accepted.'],
  'Base.1.16.MalformedJSON': [400, 'The request body contains malformed JSON.'],
  'Base.1.16.PropertyMissing': [400, 'A required property is missing.'],
  'Base.1.16.PropertyUnknown': [400, 'The property is not in the list of valid properties for the resource.'],
  'Base.1.16.PropertyValueNotInList': [400, 'The value is not in the list of acceptable values.'],
  'Base.1.16.ActionParameterMissing': [400, 'The action requires a parameter that is missing.'],
  'Base.1.16.ActionParameterUnknown': [400, 'The action was submitted with a parameter that is not supported.'],
  'Base.1.16.ActionParameterNotSupported': [400, 'The parameter value is not supported on the target.'],
  'Base.1.16.ActionParameterValueConflict': [409, 'The parameter conflicts with the state of the machine.'],
  'Base.1.16.InvalidObject': [400, 'The object is invalid.'],
  'Base.1.16.ResourceInUse': [409, 'The resource is in use or in transition.'],
  'Base.1.16.PreconditionFailed': [412, 'The ETag supplied did not match the ETag of the resource.'],
  'Base.1.16.PreconditionRequired': [428, 'A precondition header (If-Match) is required to change this resource.'],
  'Base.1.16.SessionLimitExceeded': [503, 'The session limit of this service has been reached.'],
  'Base.1.16.ServiceTemporarilyUnavailable': [503, 'The service is temporarily unavailable. Retry in 1 second.'],
  'Base.1.16.LengthRequired': [411, 'A Content-Length is required.'],
  'Base.1.16.InternalError': [500, 'The request failed due to an internal service error.'],
  'Base.1.16.ResourceAtUriInUnknownFormat': [400, 'The image could not be used.'],
  'iLO.2.16.UnableToModifyDuringSystemPOST': [400, 'The property cannot be changed while the system is in POST.'],
  'iLO.2.16.InvalidOperationForSystemState': [400, 'The operation is not valid for the current system state.'],
} as const satisfies Record<string, readonly [number, string]>;

export type MessageId = keyof typeof messages;

/** A refusal with a message of a registry; `detail` says more than the registry's own text. */
export const refusal = (id: MessageId, detail?: string): Fault => {
  const [code, text] = messages[id];
  return new Fault(id, code, detail ? `${text} ${detail}` : text);
};

/** The error response of a Redfish service (DSP0266, error responses). */
export const errorAnswer = ({ name, code, message }: Fault): Answer => {
  const id = name in messages ? name : code < 500 ? 'Base.1.16.GeneralError' : 'Base.1.16.InternalError';
  const info = {
    '@odata.type': '#Message.v1_1_2.Message',
    MessageId: id,
    Message: message,
    MessageArgs: [],
    MessageSeverity: code < 500 ? 'Warning' : 'Critical',
    Resolution: 'None.',
  };
  return {
    status: code,
    headers: {
      'odata-version': '4.0',
      ...(code === 503 && { 'retry-after': '1' }),
      ...(code === 401 && { 'www-authenticate': 'Basic realm="BMC"' }),
    },
    body: { error: { code: id, message, '@Message.ExtendedInfo': [info] } },
  };
};

/** A link to a resource of the same BMC. */
export const link = ({ name }: Machine, path: string): { '@odata.id': string } => ({
  '@odata.id': `/${name}/redfish/v1${path}`,
});

/** A collection resource with its members; BMCs of the simulator have no pages. */
export const collection = (machine: Machine, type: string, name: string, paths: readonly string[]) => ({
  '@odata.type': `#${type}.${type}`,
  Name: name,
  'Members@odata.count': paths.length,
  Members: paths.map((path) => link(machine, path)),
});

/** The status of what works. */
export const healthy = { State: 'Enabled', Health: 'OK' };

/** The answer to a write that has nothing to say. */
export const done: Answer = { status: 204, headers: { 'odata-version': '4.0' } };
