import type { GatewayInfo } from '../../../shared/api/account.ts'
import type { DesktopState } from '../../../shared/desktop/desktop.ts'
import { setLaunchAtLogin } from '../../data/mutations.ts'
import { ContainerRow } from './container-row.tsx'
import { PortRow } from './port-row.tsx'
import { Row, Section, SwitchRow } from './section.tsx'

export function GatewaySection({ desktop, info }: { desktop: DesktopState; info: GatewayInfo | null }) {
  return (
    <Section title="Gateway">
      <PortRow desktop={desktop} />
      <SwitchRow
        title="Launch at login"
        text="Start in the background when you log in, so that tools can always reach the gateway."
        on={desktop.launchAtLogin}
        save={setLaunchAtLogin}
      />
      {info ? <ContainerRow containers={info.containers} /> : null}
    </Section>
  )
}

/** In a browser the port cannot be changed, only shown. */
export function HeadlessSection({ info }: { info: GatewayInfo }) {
  return (
    <Section title="Gateway">
      <Row
        title="Port"
        text={
          <>
            The gateway listens on this port of its computer only. To change it, start{' '}
            <code className="font-mono">tollgate serve --port</code> with another port.
          </>
        }
      >
        <span className="font-mono text-ink-2 text-sm">{new URL(info.baseUrl).host}</span>
      </Row>
      <ContainerRow containers={info.containers} />
    </Section>
  )
}
