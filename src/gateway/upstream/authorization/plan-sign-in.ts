// The sign-in of a Claude or ChatGPT plan, which a vendor's own client sends with its requests. It goes to that vendor's fixed
// address with the request that it came with, and is kept nowhere: not in a log, a row, a trace or a cache.

import type { IncomingHttpHeaders } from 'node:http'
import type { ApiFormat } from '../../../shared/api/providers.ts'
import { PLAN_VENDORS } from '../../../shared/api/terms.ts'
import { GatewayError } from '../../platform/errors.ts'
import { type PlainHeaders, pickHeaders } from '../../platform/headers.ts'

/** The sign-in that one request brings. */
export interface PlanSignIn {
  providerId: string
  /** The credential of `Authorization: Bearer`. */
  token: string
  /** The client's own headers that go with it. */
  headers: PlainHeaders
}

interface PlanClient {
  providerId: string
  /** The vendor's provider that is billed by API key. */
  apiProvider: string
  /** The client's name, for people. */
  name: string
  format: ApiFormat
  isToken(token: string, headers: IncomingHttpHeaders): boolean
  /** The beginning of the User-Agent of the vendor's own programs. */
  agent: RegExp
  /** The headers that go along, in lower case: vendors add new ones. */
  headers: RegExp
}

const CLIENTS: readonly PlanClient[] = [
  {
    providerId: 'claude-plan',
    apiProvider: 'anthropic',
    name: 'Claude Code',
    format: 'anthropic-messages',
    isToken: (token) => CLAUDE_TOKEN.test(token),
    agent: /^claude-(?:cli|code)\//,
    headers: /^(?:anthropic-|x-stainless-|x-claude-code-|(?:user-agent|x-app|accept|content-type)$)/,
  },
  {
    providerId: 'chatgpt-plan',
    apiProvider: 'openai',
    name: 'Codex',
    format: 'openai-responses',
    isToken: (token, headers) => token.startsWith('eyJ') && 'chatgpt-account-id' in headers,
    agent: /^codex(?:_\w+|-\w+)*\//i,
    headers:
      /^(?:openai-|x-codex-|x-openai-|(?:user-agent|accept|content-type|originator|version|chatgpt-account-id|session[_-]id|conversation[_-]id|thread[_-]id|x-client-request-id)$)/,
  },
]

const CLAUDE_TOKEN = /sk-ant-oat/
const BEARER = /^Bearer +(\S+)$/i

/** Headers of a vendor's answer that belong to its connection or its site. All others go back to its own client. */
export const PLAN_ANSWER_HEADERS =
  /^(?!(?:connection|keep-alive|transfer-encoding|content-length|content-encoding|set-cookie|date|server|via|alt-svc|trailer|upgrade|strict-transport-security|access-control-.*|x-service-.*|x-tollgate-.*)$)/

/** The provider that the vendor of a plan bills by API key; '' for a provider that is no plan. */
export function getApiProvider(providerId: string): string {
  return CLIENTS.find((client) => client.providerId === providerId)?.apiProvider ?? ''
}

/** Whether the bearer of `Authorization` is the sign-in of a plan, and no key. */
export function isPlanToken(token: string, headers: IncomingHttpHeaders): boolean {
  return CLIENTS.some((client) => client.isToken(token, headers))
}

/**
 * The sign-in that comes with a request in this format; null for none. Throws 403 for one that must not be passed on: from a
 * program other than its vendor's own, for another API than its vendor's, or in a header where it does not belong.
 */
export function findPlanSignIn(headers: IncomingHttpHeaders, format: ApiFormat | null): PlanSignIn | null {
  for (const name in headers)
    if (name !== 'authorization' && CLAUDE_TOKEN.test(String(headers[name])))
      throw refuse(`The header "${name}" holds the sign-in of a Claude plan. It belongs in Authorization.`)
  const token = BEARER.exec(headers.authorization ?? '')?.[1]
  const client =
    token === undefined ? undefined : CLIENTS.find((candidate) => candidate.isToken(token, headers))
  if (token === undefined || !client) return null
  const { providerId, name } = client
  const plan = `the sign-in of a ${PLAN_VENDORS[providerId]} plan`
  if (!client.agent.test(headers['user-agent'] ?? ''))
    throw refuse(
      `Authorization holds ${plan}, which only ${name} may use: its vendor allows no other program. Use a Tollgate key instead.`,
    )
  if (format !== client.format)
    throw refuse(
      `Authorization holds ${plan}, which is only valid for its vendor's own API. Use a Tollgate key for other models.`,
    )
  return { providerId, token, headers: pickHeaders(headers, client.headers) }
}

/** The request cannot be paid by the plan, because its user has not added the provider for it. */
export function planNotAdded(providerId: string): GatewayError {
  return refuse(
    `Authorization holds the sign-in of a ${PLAN_VENDORS[providerId]} plan. To pass it on, add the provider "${providerId}" in Tollgate under Providers. To pay by API key, sign out of the plan in your tool and set the Tollgate key as its API key.`,
  )
}

/** A request names the provider of a plan, and comes without the plan's sign-in. */
export function signInMissing(providerId: string): GatewayError {
  const client = CLIENTS.find((candidate) => candidate.providerId === providerId)
  return refuse(
    `The provider "${providerId}" only serves requests of ${client?.name} that come with the plan's own sign-in.`,
  )
}

function refuse(message: string): GatewayError {
  return new GatewayError({ status: 403, type: 'permission_error', code: 'plan_sign_in', message })
}
