import { hasStreamEnd, isError, isErrorFor } from '../../contract/testing/answer-form.ts'
import type { Findings } from '../findings.ts'
import type { Exchange } from './connection.ts'
import type { RawResponse } from './http-responses.ts'
import { parseJson } from './odd-values.ts'
import type { RawRequest } from './raw-requests.ts'

/** Adds a finding for each invalid response on one connection; `first`: the number of the first request. */
export function checkResponses(
  findings: Findings,
  batch: readonly RawRequest[],
  exchange: Exchange,
  first: number,
): void {
  const { responses, fault } = exchange
  for (const [at, request] of batch.entries()) {
    const response = responses[at]
    const number = first + at
    const isDamaged = request.kind === 'damaged'
    const name = isDamaged ? 'a damaged request' : request.method
    if (!response) {
      findings.count('no response')
      // Requests after a response that closes the connection get none, and invalid HTTP need not get one.
      const isClosed = responses.at(-1)?.headers.get('connection') === 'close'
      if (!isDamaged && !isClosed)
        findings.add(`${fault ?? 'closed without a response'}: ${name}`, text(request), number)
      else if (fault !== null) findings.add(`${fault}: ${name}`, text(request), number)
      return
    }
    findings.count(String(response.status))
    const flaw = findFlaw(response, request)
    if (flaw !== null)
      findings.add(`${flaw}: ${name}`, `${response.body.slice(0, 300)} ${text(request)}`, number)
  }
  if (fault === 'more responses than requests') findings.add(fault, batch.map(text).join(' '), first)
  for (const response of responses.slice(batch.length)) {
    // Damaged bytes may contain more than one request.
    const flaw = findFlaw(response, null)
    if (flaw !== null) findings.add(`${flaw}: a damaged request`, response.body.slice(0, 300), first)
  }
}

function findFlaw({ status, headers, body }: RawResponse, request: RawRequest | null): string | null {
  if (status >= 500) return `status ${status} (${body.slice(0, 80).replaceAll(/\d+|req_\w+/g, 'N')})`
  const isOfApi = status >= 400 || request?.path.startsWith('/v1/') === true
  if (isOfApi && !headers.has('x-service-request-id')) return `status ${status} without a request id`
  if (request?.method === 'HEAD') return null
  if (status >= 400) {
    const json = parseJson(body)
    const isProper = request?.isOfEndpoint ? isErrorFor(request.path, json) : isError(json)
    return isProper ? null : `status ${status} without the error envelope of ${request?.path}`
  }
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  return isStream && !hasStreamEnd(request?.path ?? '', body) ? 'a stream without its end' : null
}

export function text({ bytes }: RawRequest): string {
  return JSON.stringify(bytes.toString('latin1'))
}
