import { knownProviders } from '../gateway/models/providers/known-providers.ts'

/** The origins of the pages where users create credentials. */
export const vendorOrigins: readonly string[] = knownProviders.flatMap(({ consoleUrl }) =>
  consoleUrl === undefined ? [] : [new URL(consoleUrl).origin],
)
