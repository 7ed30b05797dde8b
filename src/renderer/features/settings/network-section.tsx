import { useQuery } from '@tanstack/react-query'
import type { Settings } from '../../../shared/api/account.ts'
import type { NetworkStatus } from '../../../shared/api/network.ts'
import { updateSettings } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Section, SwitchRow } from './section.tsx'

/** How connections to providers leave this computer. */
export function NetworkSection({ settings: { network } }: { settings: Settings }) {
  const { data: status } = useQuery(queries.networkStatus)
  return (
    <Section title="Network">
      <SwitchRow
        title="This computer’s proxy and certificates"
        label="Use this computer’s proxy and certificates"
        on={network === 'system'}
        save={(on) => updateSettings({ network: on ? 'system' : 'direct' })}
        text={
          <>
            <p>
              For networks that require a proxy, or inspect connections with a company’s certificate, which
              lets the company read them. Each provider can differ from this setting. Local servers are always
              called directly.
            </p>
            {status ? <FoundProxies {...status} /> : null}
          </>
        }
      />
    </Section>
  )
}

function FoundProxies({ isUsed, proxies, certificateProblem }: NetworkStatus) {
  return (
    <ul className="mt-1">
      {proxies.length === 0 ? <li>No proxy is set in the environment or the system.</li> : null}
      {proxies.map(({ address, source, problem }) => (
        <li key={address} className={problem === null ? '' : 'text-bad'}>
          {isUsed ? 'Uses ' : 'Found, not used: '}
          <span className="break-all font-mono">{address}</span> ({source}).
          {problem === null ? '' : ` ${problem}`}
        </li>
      ))}
      {certificateProblem === null ? null : <li className="text-bad">{certificateProblem}</li>}
    </ul>
  )
}
