import type { Authorization } from '../../../shared/api/authorization.ts'
import { googleLogin, serviceAccount } from './google.ts'
import { type AuthorizationMethod, rejectedCredential } from './method.ts'

function header(name: string, prefix = ''): AuthorizationMethod {
  return (_request, credential) => {
    if (credential === null) return {}
    if (!/^[\x20-\x7e]+$/.test(credential)) {
      throw rejectedCredential('The credential holds characters that cannot be sent.')
    }
    return { [name]: prefix + credential }
  }
}

// Loaded when they are first called, as most gateways do without them.
const loadAws = () => import('./aws.ts')
const loadEntra = () => import('./entra.ts')

/** How each kind of authorization makes a request's headers. */
export const authorizationMethods: Readonly<Record<Authorization, AuthorizationMethod>> = {
  bearer: header('authorization', 'Bearer '),
  'api-key': header('api-key'),
  'x-api-key': header('x-api-key'),
  'x-goog-api-key': header('x-goog-api-key'),
  'aws-access-key': async (...call) => (await loadAws()).accessKey(...call),
  'aws-login': async (...call) => (await loadAws()).awsLogin(...call),
  'google-service-account': serviceAccount,
  'google-login': googleLogin,
  'entra-client-secret': async (...call) => (await loadEntra()).entraSecret(...call),
  'azure-login': async (...call) => (await loadEntra()).azureLogin(...call),
}

/** The methods that fetch a token, which can be revoked before it expires. */
const FETCHED: ReadonlySet<Authorization> = new Set([
  'google-service-account',
  'google-login',
  'entra-client-secret',
  'azure-login',
])

export function fetchesToken(authorization: Authorization): boolean {
  return FETCHED.has(authorization)
}
