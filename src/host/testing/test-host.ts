import { startGateway } from '../../gateway/compose/start-gateway.ts'
import { shortWaits } from '../../gateway/testing/short-waits.ts'
import { type Host, type HostOptions, startHost } from '../start.ts'

type TestHostOptions = Pick<HostOptions, 'dataDir' | 'log'> & Partial<HostOptions>

/** Starts a host as `tollgate serve` does, without an interface, with credentials in memory, and short pauses between attempts. */
export function startTestHost(options: TestHostOptions): Promise<Host> {
  return startHost({
    startGateway: (gateway) => startGateway({ ...gateway, clock: shortWaits }),
    version: '0.0.0-test',
    credentials: 'memory',
    interfaceDir: null,
    createAdminKey: false,
    program: 'serve',
    onFatal: () => {},
    ...options,
  })
}
