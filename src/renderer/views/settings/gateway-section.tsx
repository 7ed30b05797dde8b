// Owns the settings that only a desktop has: the port, and starting with the computer.
import { toast } from 'sonner'
import type { DesktopState } from '../../../shared/desktop.ts'
import { toApiError } from '../../api-error.ts'
import { Button } from '../../components/button.tsx'
import { Switch } from '../../components/switch.tsx'
import { useGateway } from '../../stores/gateway.ts'
import { SavedField } from './saved-field.tsx'
import { Row, Section } from './settings.tsx'

function readPort(text: string): { value: number } | string {
  const port = Number(text)
  return /^\d+$/.test(text) && port >= 1 && port <= 65_535 ? { value: port } : 'Enter a port from 1 to 65535.'
}

export function GatewaySection({ desktop }: { desktop: DesktopState }) {
  const { setPort, setLaunchAtLogin } = useGateway()
  const { suggestedPort } = desktop
  const use = (port: number) =>
    setPort(port).catch((thrown: unknown) => toast.error(toApiError(thrown).message))
  const turn = async (on: boolean) => {
    try {
      await setLaunchAtLogin(on)
    } catch (thrown) {
      toast.error(toApiError(thrown).message)
    }
  }
  return (
    <Section title="Gateway">
      <Row
        title="Port"
        text={
          desktop.listenError ? (
            <span className="text-bad">{desktop.listenError}</span>
          ) : (
            'Tools reach the gateway here, on this computer only. After a change they need the new base URL.'
          )
        }
      >
        {desktop.listenError && suggestedPort !== null ? (
          <Button onClick={() => void use(suggestedPort)}>Use {suggestedPort}</Button>
        ) : null}
        <SavedField
          label="Port"
          stored={String(desktop.port)}
          read={readPort}
          save={setPort}
          className="w-24"
        />
      </Row>
      <Row title="Launch at login" text="Starts in the background, so that tools find the gateway running.">
        <Switch label="Launch at login" on={desktop.launchAtLogin} onChange={(on) => void turn(on)} />
      </Row>
    </Section>
  )
}
