import type { Authorization } from '../../../shared/api/authorization.ts'
import { accessKey, awsLogin } from './aws.ts'
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

/** How each kind of authorization makes a request's headers. */
export const authorizationMethods: Readonly<Record<Authorization, AuthorizationMethod>> = {
  bearer: header('authorization', 'Bearer '),
  'api-key': header('api-key'),
  'x-api-key': header('x-api-key'),
  'x-goog-api-key': header('x-goog-api-key'),
  'aws-access-key': accessKey,
  'aws-login': awsLogin,
  'google-service-account': serviceAccount,
  'google-login': googleLogin,
}
