/** What AWS takes, in dollars apiece, by the prices of docs/aws.md; `trace`: of a traced request. */
export const price = {
  transition: 25e-6,
  invocation: 0.2e-6,
  gigabyteSecond: 13.33e-6,
  unit: 0.625e-6,
  request: 3.5e-6,
  trace: 5e-6,
};

export const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0);
