import { UpstreamFailure } from '../../formats/chat/failure.ts'
import { isObject } from '../../formats/json/json.ts'
import { rejectedCredential, unavailableCredential } from './method.ts'

const SIGN_IN = 'Sign in with "gcloud auth application-default login".'

/**
 * The failure for what Google's library throws. Of its messages only the token service's own error is shown: the rest can
 * contain addresses.
 */
export function googleFailure(error: unknown, kind: 'key' | 'login'): UpstreamFailure {
  const answer = answerOf(error)
  const advice = kind === 'login' ? SIGN_IN : 'Check that the key was not deleted, and enter it again.'
  if (answer && answer.status < 500 && answer.status !== 429) {
    const detail = answer.detail === '' ? `status ${answer.status}` : answer.detail
    return rejectedCredential(`Google rejected the ${nameOf(kind)} (${detail}). ${advice}`)
  }
  if (answer) {
    return unavailableCredential(
      `Google's token service answered with status ${answer.status}. Try again later.`,
    )
  }
  if (failureIn(error)) {
    return unavailableCredential(`Google's token service could not be reached to use the ${nameOf(kind)}.`)
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return unavailableCredential(`Google's token service did not answer in time.`)
  }
  return kind === 'login'
    ? rejectedCredential(`No Google login was found on this machine. ${SIGN_IN}`)
    : rejectedCredential(
        'Google issued no access token for the service account key. Check the key, and enter it again.',
      )
}

function nameOf(kind: 'key' | 'login'): string {
  return kind === 'login' ? 'login of this machine' : 'service account key'
}

/** The failure of the connection, which the library wraps. */
function failureIn(error: unknown): UpstreamFailure | null {
  if (error instanceof UpstreamFailure) return error
  return error instanceof Error && error.cause !== undefined ? failureIn(error.cause) : null
}

function answerOf(error: unknown): { status: number; detail: string } | null {
  if (!(error instanceof Error) || !('response' in error) || !isObject(error.response)) return null
  const { status, data } = error.response
  if (typeof status !== 'number') return null
  const parts = isObject(data) ? [data.error, data.error_description] : []
  const detail = parts.filter((part) => typeof part === 'string').join(', ')
  return { status, detail: detail.slice(0, 300).replace(/\.$/, '') }
}
