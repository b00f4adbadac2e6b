/** Owns what a user types to reach this command line: hints and examples name it so that they can be copied. */

/** The sources are run from a checkout, by its launcher; the built files as an installed package. */
export const COMMAND_NAME = import.meta.url.endsWith('.ts') ? './dev rollupd' : 'rollupd'
