// How calls are authorized: the ways of sending a credential that vendors define.
import { z } from 'zod'

const AUTHORIZATIONS = [
  'bearer',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'aws-access-key',
  'aws-login',
  'google-service-account',
  'google-login',
  'entra-client-secret',
  'azure-login',
] as const

export const Authorization = z.enum(AUTHORIZATIONS).meta({
  id: 'Authorization',
  description:
    'How the credential is sent: in a header (`bearer` is `Authorization: Bearer`), as a signature of AWS (`aws-access-key`: the credential is `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, or with `:SESSION_TOKEN`), or as an access token of Google (`google-service-account`: the credential is the JSON of a service account key) or of Microsoft Entra ID (`entra-client-secret`: the credential is `TENANT_ID:CLIENT_ID:CLIENT_SECRET`). `aws-login`, `google-login` and `azure-login` need no credential: they use the login that the tools of AWS, Google or Azure keep on this machine, or its managed identity.',
})
export type Authorization = z.infer<typeof Authorization>

const MACHINE_LOGINS: ReadonlySet<Authorization> = new Set(['aws-login', 'google-login', 'azure-login'])

/** Whether it uses a login that other programs keep on this machine, so that no credential is stored. */
export function usesMachineLogin(authorization: Authorization | null): boolean {
  return authorization !== null && MACHINE_LOGINS.has(authorization)
}
