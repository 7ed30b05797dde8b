// Owns the settings of where the gateway listens and when it starts. In a browser both are the command line's.
import { useState } from 'react'
import type { GatewayInfo } from '../../../shared/account.ts'
import type { DesktopState } from '../../../shared/desktop.ts'
import { toApiError } from '../../api-error.ts'
import { Button } from '../../components/button.tsx'
import { Switch } from '../../components/switch.tsx'
import { useGateway } from '../../stores/gateway.ts'
import { SavedField } from './saved-field.tsx'
import { Row, Section } from './section.tsx'

function readPort(text: string): { value: number } | string {
  const port = Number(text)
  return /^\d+$/.test(text) && port >= 1 && port <= 65_535 ? { value: port } : 'Enter a port from 1 to 65535.'
}

export function GatewaySection({ desktop }: { desktop: DesktopState }) {
  const { setPort, setLaunchAtLogin } = useGateway()
  const [error, setError] = useState<{ of: 'port' | 'login'; text: string } | null>(null)
  const { suggestedPort } = desktop
  const run = async (of: 'port' | 'login', action: () => Promise<void>) => {
    setError(null)
    try {
      await action()
    } catch (thrown) {
      setError({ of, text: toApiError(thrown).message })
    }
  }
  const portError = desktop.listenError ?? (error?.of === 'port' ? error.text : null)
  return (
    <Section title="Gateway">
      <Row
        title="Port"
        text={
          portError === null ? (
            'Tools reach the gateway here, on this computer only. After a change they need the new base URL.'
          ) : (
            <span className="text-bad">{portError}</span>
          )
        }
      >
        {desktop.listenError && suggestedPort !== null ? (
          <Button onClick={() => void run('port', () => setPort(suggestedPort))}>Use {suggestedPort}</Button>
        ) : null}
        <SavedField
          label="Port"
          inputMode="numeric"
          stored={String(desktop.port)}
          read={readPort}
          save={setPort}
        />
      </Row>
      <Row
        title="Launch at login"
        text={
          error?.of === 'login' ? (
            <span role="alert" className="text-bad">
              {error.text}
            </span>
          ) : (
            'Starts in the background, so that tools find the gateway running.'
          )
        }
      >
        <Switch
          label="Launch at login"
          on={desktop.launchAtLogin}
          onChange={(on) => void run('login', () => setLaunchAtLogin(on))}
        />
      </Row>
    </Section>
  )
}

/** The same in a browser, which can only say how it is done. */
export function HeadlessSection({ info }: { info: GatewayInfo }) {
  return (
    <Section title="Gateway">
      <Row
        title="Port"
        text={
          <>
            Tools reach the gateway here, on its own computer only. To change it, start{' '}
            <code className="font-mono">tollgate serve --port</code> with another.
          </>
        }
      >
        <span className="font-mono text-ink-2 text-sm">{new URL(info.baseUrl).host}</span>
      </Row>
    </Section>
  )
}
