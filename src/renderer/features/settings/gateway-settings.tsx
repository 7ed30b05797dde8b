import { useQuery } from '@tanstack/react-query'
import { guardSection } from '../../../features/guard/view/guard-section.tsx'
import { planSection } from '../../../features/plans/view/plan-section.tsx'
import { WebhookRow } from '../../../features/webhooks/view/webhook-row.tsx'
import type { GatewayInfo } from '../../../shared/api/account.ts'
import { isMain, MAIN_PERIOD } from '../../../shared/api/terms.ts'
import { setLaunchAtLogin, updateAccount, updateSettings } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { formatDay, formatUsd } from '../../kit/format.ts'
import { isDesktop } from '../../kit/is-desktop.ts'
import { formatInput, parsePercents, parseUsd } from '../../kit/number-input.ts'
import { ChoiceRow, FieldRow, Row, SwitchRow, section } from '../../parts/settings/section.tsx'
import { FurtherLimits, RateLimitRow } from './limit-rows.tsx'
import { PortRow } from './port-row.tsx'

export const gatewaySections = [
  section('Gateway', (data) => (isDesktop ? data.desktop : data.info) && data, [
    {
      name: 'Port',
      keywords: 'base url address listen localhost 127.0.0.1 server',
      render: ({ desktop, info }) =>
        desktop ? <PortRow desktop={desktop} /> : info ? <HeadlessPort info={info} /> : null,
    },
    {
      name: 'Launch at login',
      keywords: 'autostart start background boot startup',
      desktopOnly: true,
      render: ({ desktop }) =>
        desktop ? (
          <SwitchRow
            text="Start in the background when you log in, so that tools can always reach the gateway."
            on={desktop.launchAtLogin}
            save={setLaunchAtLogin}
          />
        ) : null,
    },
    {
      name: 'Containers',
      keywords: 'docker network host.docker.internal bridge',
      render: ({ info }) => (info ? <ContainerRow {...info.containers} /> : null),
    },
  ]),
  section('Network', ({ settings }) => settings, [
    {
      name: 'This computer’s proxy and certificates',
      keywords: 'https_proxy no_proxy socks company corporate vpn ca certificate tls outbound',
      render: ({ network }) => (
        <SwitchRow
          label="Use this computer’s proxy and certificates"
          on={network === 'system'}
          save={(on) => updateSettings({ network: on ? 'system' : 'direct' })}
          text={
            <>
              <p>
                For networks that require a proxy, or inspect connections with a company’s certificate, which
                lets the company read them. Each provider can differ from this setting. Local servers are
                always called directly.
              </p>
              <FoundProxies />
            </>
          }
        />
      ),
    },
  ]),
  section('Limits', ({ account, plans, settings }) => account && settings && { account, plans, settings }, [
    {
      name: 'Monthly limit',
      keywords: 'cap budget spend account maximum usd month',
      render({ account: { monthSpendUsd, monthlyLimitUsd, monthResetsAt, timeZone }, settings }) {
        const spent = formatUsd(monthSpendUsd)
        const reset = formatDay(monthResetsAt, Date.now(), timeZone)
        return (
          <FieldRow<number | null>
            text={`For all keys together, per calendar month. ${settings.strictLimits ? 'Spend never exceeds it.' : 'Requests stop once it is spent; the last one may go over it.'} ${spent} spent so far; resets on ${reset}.`}
            placeholder="No limit"
            inputMode="decimal"
            stored={formatInput(monthlyLimitUsd)}
            parse={(text) => {
              const amount = parseUsd(text)
              return amount.ok ? { value: amount.usd } : amount.message
            }}
            warn={(limit) =>
              limit === null || limit > monthSpendUsd
                ? null
                : {
                    title: 'Set the limit below current spend?',
                    text: `You have spent ${spent} this month. All requests will be refused until ${reset}.`,
                    action: 'Set limit',
                  }
            }
            save={(limit) => updateAccount({ monthlyLimitUsd: limit })}
          />
        )
      },
    },
    {
      name: 'Further limits',
      keywords: 'cap budget spend day week session project tag model rolling warn usd',
      render: ({ account }) => (
        <FurtherLimits limits={account.spendLimits.filter((limit) => !isMain(limit, MAIN_PERIOD.account))} />
      ),
    },
    {
      name: 'Strict limits',
      keywords: 'cap budget spend exceed over hard limit worst case',
      render: ({ settings }) => (
        <SwitchRow
          text="For the monthly limit and further limits: a request is sent only if its highest possible cost fits. Answers may be shortened, and these limits are never exceeded. Keys can also be strict one by one."
          on={settings.strictLimits}
          save={(strictLimits) => updateSettings({ strictLimits })}
        />
      ),
    },
    {
      name: 'Time to answer a question',
      keywords: 'approve approval allow more wait timeout cap budget',
      render: ({ settings: { askSeconds } }) => (
        <ChoiceRow
          text="How long a request waits for you at a limit with the action “Ask me”, or a rule with “Ask me first”. Many clients give up after five minutes."
          value={String(askSeconds)}
          options={listAskTimes(askSeconds)}
          message={(seconds) => `Requests wait ${formatAskTime(Number(seconds))} for you.`}
          save={(seconds) => updateSettings({ askSeconds: Number(seconds) })}
        />
      ),
    },
    {
      name: 'Requests per minute',
      keywords: 'rpm rate limit 429 throttle',
      render: (data) => (
        <RateLimitRow
          {...data}
          limit="requestsPerMinute"
          text="For all keys together. A key can have a lower limit."
        />
      ),
    },
    {
      name: 'Tokens per minute',
      keywords: 'tpm rate limit 429 throttle',
      render: (data) => (
        <RateLimitRow
          {...data}
          limit="tokensPerMinute"
          text="Input and output, without cached input, for all keys together. A key can have a lower limit."
        />
      ),
    },
  ]),
  guardSection,
  planSection,
  section('Notifications', ({ settings }) => settings?.notifyAtPercent, [
    {
      name: 'Spend alerts',
      keywords: 'notify warning custom thresholds percent cap monthly limit',
      render: (thresholds) => (
        <FieldRow
          text={`Percentages of a key’s cap or of the monthly limit, such as 50, 80, 100. You get one alert at each, ${isDesktop ? 'also while this window is closed' : 'while this page is open'}.${thresholds.length > 0 ? '' : ' None is set, so no alerts are sent.'}`}
          placeholder="None"
          inputMode="numeric"
          stored={thresholds.join(', ')}
          parse={parsePercents}
          save={(notifyAtPercent) => updateSettings({ notifyAtPercent })}
        />
      ),
    },
    {
      name: 'Webhook',
      keywords: 'alert url http post signed slack chat',
      render: () => <WebhookRow />,
    },
  ]),
]

/** In a browser the port cannot be changed, only shown. */
function HeadlessPort({ info }: { info: GatewayInfo }) {
  const command = <code className="font-mono">tollgate serve --port</code>
  return (
    <Row
      text={
        <>
          The gateway listens on this port of its computer only. To change it, start {command} with another
          port.
        </>
      }
    >
      <span className="font-mono text-ink-2 text-sm">{new URL(info.baseUrl).host}</span>
    </Row>
  )
}

/** Whether containers can reach the gateway, and why not. */
function ContainerRow({ enabled, baseUrl, problem }: GatewayInfo['containers']) {
  return (
    <SwitchRow
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

function FoundProxies() {
  const { data: status } = useQuery(queries.networkStatus)
  if (status === undefined) return null
  const { isUsed, proxies, certificateProblem } = status
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

/** Seconds. */
const ASK_TIMES = [60, 240, 600, 1_800, 3_600]

function listAskTimes(current: number) {
  return [...new Set([...ASK_TIMES, current])]
    .toSorted((a, b) => a - b)
    .map((seconds) => ({ value: String(seconds), label: formatAskTime(seconds) }))
}

function formatAskTime(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}
