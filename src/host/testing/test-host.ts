import { startGateway } from '../../gateway/compose/start-gateway.ts'
import { type Host, type HostOptions, startHost } from '../start.ts'

type TestHostOptions = Pick<HostOptions, 'dataDir' | 'log'> & Partial<HostOptions>

/** Starts a host as `tollgate serve` does, without an interface, and with credentials in memory. */
export function startTestHost(options: TestHostOptions): Promise<Host> {
  return startHost({
    startGateway,
    version: '0.0.0-test',
    credentials: 'memory',
    interfaceDir: null,
    createAdminKey: false,
    program: 'serve',
    onFatal: () => {},
    ...options,
  })
}
