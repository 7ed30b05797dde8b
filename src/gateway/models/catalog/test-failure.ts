// The sentences of a failed test: what was called, what happened, and what to do.
import { locateHost } from '../../../shared/hosts.ts'
import type { UpstreamFailure } from '../../formats/chat/failure.ts'
import { modelListsOf } from '../../upstream/list-models.ts'
import type { KnownProvider } from '../providers/known-provider.ts'
import { knownProvider } from '../providers/known-providers.ts'
import type { ModelListSource } from '../providers/model-list-source.ts'

interface Called {
  /** As in `GET https://host/v1/models`. */
  call: string
  host: string
  hostname: string
  known: KnownProvider | null
  /** Whether the user entered the base URL. */
  isEntered: boolean
  /** Whether a credential was sent. */
  hasCredential: boolean
  /** What the provider calls its credential. */
  credential: string
}

export function describeTestFailure(failure: UpstreamFailure, source: ModelListSource): string {
  const { row, endpoint, credentialOrder } = source
  const [list] = modelListsOf(endpoint)
  if (!list || failure.kind === 'credential') return failure.message
  const { host, hostname, origin, pathname } = new URL(list.url)
  const known = knownProvider(row.id)
  const called: Called = {
    call: `GET ${origin}${pathname}`,
    host,
    hostname,
    known,
    isEntered: known === null || known.local === true || endpoint.baseUrl !== known.baseUrl,
    hasCredential: credentialOrder.length > 0,
    credential: known?.authorizations && known.hosting !== 'azure' ? 'credential' : 'API key',
  }
  if (failure.status !== null) return describeStatus(failure.status, failure, called)
  if (failure.kind === 'timeout' && failure.reason !== 'proxy') return describeTimeout(called)
  return describeReason(failure, called)
}

/** A shorter message of a server that rejects a credential says no more than that. */
const TELLING_LENGTH = 30

function describeStatus(status: number, { reason, message }: UpstreamFailure, called: Called): string {
  const { call, credential, hasCredential, isEntered } = called
  const rest = reason === 'unexplained' ? '.' : `: ${message}`
  switch (status) {
    case 401: {
      if (!hasCredential) {
        return `The server requires ${credential === 'API key' ? 'an' : 'a'} ${credential} (401). Enter one.`
      }
      return `The server rejected the ${credential} (401)${message.length < TELLING_LENGTH ? '.' : rest}`
    }
    case 402:
      return `The account at the provider has no credit (402)${rest}`
    case 403:
      return `The server refused access (403)${rest}`
    case 404:
    case 405:
      return `${call} answered ${status}.${isEntered ? ' Check the base URL.' : ''}`
    case 429:
      return `The provider limits requests at the moment (429)${rest} Try again later.`
    default:
      if (status < 400) return `${call} answered with a redirect (${status}). Enter the URL that it leads to.`
      return `${call} answered ${status}${rest}`
  }
}

function describeTimeout({ host, known, isEntered }: Called): string {
  if (known?.local) return `${host} did not answer in time. Is ${known.name} running?`
  const check = isEntered ? 'the base URL, and ' : ''
  return `${host} did not answer in time. Check ${check}whether a firewall or a proxy blocks it.`
}

function describeReason({ reason, message }: UpstreamFailure, called: Called): string {
  const { call, host, hostname, isEntered } = called
  const check = isEntered ? 'Check the base URL' : 'Check your network connection'
  switch (reason) {
    case 'refused':
      return `Nothing answers at ${host}. ${adviseRefused(called)}`
    case 'unresolved':
      return `The host ${hostname} was not found. ${check}.`
    case 'unreachable':
      return `${host} cannot be reached from this computer. Check your network connection or VPN.`
    case 'certificate':
      return /authority/.test(message) ? message : `${message} Use a certificate that this computer trusts.`
    case 'proxy':
      return message
    case 'not-tls':
      return `${host} does not use https. Use a base URL that begins with http://.`
    case 'closed':
    case 'not-http':
      return `${host} closed the connection without an HTTP answer. Check whether the base URL must begin with http:// or https://.`
    case 'not-json':
      return `${call} answered with a web page or a text, not with a list of models. ${check}.`
    case 'unexplained':
    case null:
      return `${call} failed: ${message} ${check}${isEntered ? ' and the API format' : ''}.`
  }
}

function adviseRefused({ known, hostname, isEntered }: Called): string {
  if (known?.local) return `Is ${known.name} running?`
  if (!isEntered) return 'Check your network connection.'
  return locateHost(hostname) === 'public'
    ? 'Check the base URL.'
    : 'Is the server running, and is the port right?'
}
