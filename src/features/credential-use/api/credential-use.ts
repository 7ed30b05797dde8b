// The spend of requests by the credential of their provider.
import { z } from 'zod'

/** The field of a request's record. */
export const credentialFields = {
  credential: z
    .string()
    .nullable()
    .describe(
      'The id of the credential with which it was sent (`GET /v1/providers/{id}/credentials`); null for a provider with one.',
    ),
}

export const CredentialUse = z
  .object({
    id: z.string().describe('The same as long as the credential is; it says nothing about its value.'),
    place: z.number().nullable().describe('Its place among the credentials, from 1; null if it was removed.'),
    requests: z.number(),
    costUsd: z.number(),
    tokensIn: z.number(),
    tokensCached: z.number().describe('How many of `tokensIn` came from the prompt cache of the provider.'),
    restsUntil: z.iso
      .datetime()
      .nullable()
      .describe('The provider has rate-limited or rejected it, and others are used until then.'),
  })
  .meta({ id: 'CredentialUse' })
export type CredentialUse = z.infer<typeof CredentialUse>

export const CredentialUseList = z.object({ data: z.array(CredentialUse) }).meta({ id: 'CredentialUseList' })
