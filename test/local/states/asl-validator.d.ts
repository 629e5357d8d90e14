declare module 'asl-validator' {
  const validate: (definition: object) => { isValid: boolean; errors: unknown[] };
  export default validate;
}
