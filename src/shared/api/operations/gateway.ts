import { Hello } from '../../formats/messages.ts'
import { GatewayInfo, Health, NetworkStatus } from '../account.ts'
import { LiveEvent } from '../events.ts'
import { routes } from '../routes.ts'
import { admin, describeOperations, reading } from './operation.ts'

export const gatewayOperations = describeOperations(routes, { tag: 'Gateway', scopes: admin })({
  streamEvents: {
    tag: 'Events',
    writes: true,
    summary: 'Stream events',
    description:
      'Sends server-sent events when requests, keys, the account or providers change. It does not end by itself.',
    scopes: reading,
    response: LiveEvent,
    streams: 'events',
  },
  getGateway: {
    summary: 'Get information about the gateway',
    description: 'Returns its version, address and data folder.',
    response: GatewayInfo,
  },
  getNetwork: {
    summary: 'Check the proxy and the certificates',
    description:
      'Returns the proxies that this computer names for the enabled providers. If they are used, connects to each, without a request.',
    response: NetworkStatus,
  },
  getHello: {
    summary: 'Check the connection',
    description: 'Claude Code calls it before its first request.',
    scopes: 'public',
    response: Hello,
  },
  getHealth: {
    summary: 'Check health',
    scopes: 'public',
    response: Health,
  },
})
