/** A client of the AWS SDK that answers from a script instead of a service. */

type Sent = { readonly command: string; readonly input: Record<string, unknown> };
type Command = { readonly constructor: { readonly name: string }; readonly input: object };

/** Each call gets the next answer; an Error is thrown. `sent` is what was asked. */
export const createScriptedClient = <Client>(answers: readonly (object | Error)[]) => {
  const left = [...answers];
  const sent: Sent[] = [];
  const send = async ({ constructor, input }: Command): Promise<object> => {
    sent.push({ command: constructor.name, input: input as Record<string, unknown> });
    const answer = left.shift();
    if (!answer) throw new Error(`Nobody expected ${constructor.name} here.`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { client: { send } as unknown as Client, sent };
};
