/** Which release of Ingot this is. */

/** As package.json has it; a test compares the two. */
export const release = '0.1.0';
