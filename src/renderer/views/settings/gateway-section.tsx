import type { GatewayInfo } from '../../../shared/account.ts'
import type { DesktopState } from '../../../shared/desktop.ts'
import { Button } from '../../components/button.tsx'
import { Switch } from '../../components/switch.tsx'
import { setLaunchAtLogin, setPort } from '../../server-state/mutations.ts'
import { useSubmit } from '../../use-submit.ts'
import { ContainerRow } from './container-row.tsx'
import { SavedField } from './saved-field.tsx'
import { Row, Section } from './section.tsx'

function parsePort(text: string): { value: number } | string {
  const port = Number(text)
  return /^\d+$/.test(text) && port >= 1 && port <= 65_535 ? { value: port } : 'Enter a port from 1 to 65535.'
}

export function GatewaySection({ desktop, info }: { desktop: DesktopState; info: GatewayInfo | null }) {
  const port = useSubmit()
  const login = useSubmit()
  const { suggestedPort } = desktop
  const portError = desktop.listenError ?? port.error?.message ?? null
  return (
    <Section title="Gateway">
      <Row
        title="Port"
        text={
          portError === null ? (
            'Where the gateway listens, on this computer only. After a change, tools need the new base URL.'
          ) : (
            <span className="text-bad">{portError}</span>
          )
        }
      >
        {desktop.listenError && suggestedPort !== null ? (
          <Button pending={port.pending} onClick={() => void port.submit(() => setPort(suggestedPort))}>
            Use {suggestedPort}
          </Button>
        ) : null}
        <SavedField
          label="Port"
          inputMode="numeric"
          stored={String(desktop.port)}
          parse={parsePort}
          save={setPort}
        />
      </Row>
      <Row
        title="Launch at login"
        text="Start in the background when you log in, so that tools can always reach the gateway."
        error={login.error}
      >
        <Switch
          label="Launch at login"
          on={desktop.launchAtLogin}
          onChange={(on) => void login.submit(() => setLaunchAtLogin(on))}
        />
      </Row>
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
            Where the gateway listens, on its own computer only. To change it, start{' '}
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
