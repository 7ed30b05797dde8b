import type { GatewayInfo } from '../../../shared/api/account.ts'
import { updateSettings } from '../../data/mutations.ts'
import { SwitchRow } from './section.tsx'

/** Whether containers can reach the gateway, and why not. */
export function ContainerRow({ containers }: { containers: GatewayInfo['containers'] }) {
  const { enabled, baseUrl, problem } = containers
  return (
    <SwitchRow
      title="Containers"
      label="Let containers reach the gateway"
      on={enabled}
      save={(on) => updateSettings({ containerAccess: on })}
      text={
        <>
          <p>
            Also listen on Docker’s network of this computer. Every container here can then reach the gateway,
            but only use it with a key that is “Completions only” or “Full”. This interface stays closed to
            them.
          </p>
          {problem !== null ? (
            <p role="status" className="mt-1 text-bad">
              {problem}
            </p>
          ) : baseUrl !== null ? (
            <p role="status" className="mt-1">
              Inside a container: <span className="font-mono text-ink-2">{baseUrl}/v1</span>
            </p>
          ) : null}
        </>
      }
    />
  )
}
