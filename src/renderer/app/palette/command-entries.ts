import {
  CirclePause,
  ClipboardList,
  Copy,
  FileText,
  Gauge,
  Keyboard,
  KeyRound,
  LifeBuoy,
  MessageSquarePlus,
  Monitor,
  Moon,
  Play,
  Plus,
  ReceiptText,
  Scale,
  Sun,
  Tag,
} from 'lucide-react'
import { toast } from 'sonner'
import { t } from 'ttag'
import { HELP_PAGES } from '../../../shared/desktop/views.ts'
import { carryRange } from '../../data/carried-range.ts'
import { resumeAll } from '../../data/mutations.ts'
import { toApiError } from '../../kit/api-error.ts'
import { copyText } from '../../kit/copy.tsx'
import { isDesktop } from '../../kit/is-desktop.ts'
import { showError } from '../../kit/show-error.ts'
import { type Theme, useTheme } from '../../kit/theme.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { copyDiagnostics } from '../../parts/diagnostics/copy-diagnostics.ts'
import { revealLog } from '../../parts/diagnostics/reveal.ts'
import { openLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
import { openPauseDialog } from '../../parts/pausing/pause-dialog-state.ts'
import { views } from '../navigation.ts'
import type { Entry, Navigate } from './rank.ts'

type Command = Omit<Entry, 'id' | 'group'>

const toEntries = (group: Entry['group'], commands: readonly Command[]): Entry[] =>
  commands.map((command) => ({ ...command, group, id: `${group} ${command.label}` }))

export function createViewEntries(navigate: Navigate): Entry[] {
  return toEntries(
    'Views',
    views.map(({ name, href, icon }) => ({
      label: name,
      icon,
      isShownFirst: true,
      run: () => navigate(carryRange(href)),
    })),
  )
}

export function createActionEntries(navigate: Navigate, baseUrl: string | null, isPaused: boolean): Entry[] {
  const commands: Command[] = [
    { label: t`Create key`, icon: KeyRound, keywords: t`new add`, run: () => navigate('/keys?new=1') },
    { label: t`Add provider`, icon: Plus, keywords: 'new', run: () => navigate('/providers?add=1') },
    { label: t`Add alias`, icon: Tag, keywords: t`new model`, run: () => navigate('/models?new=1') },
    {
      label: t`New chat`,
      icon: MessageSquarePlus,
      keywords: t`playground start`,
      run() {
        usePlayground.getState().startChat()
        navigate('/playground')
      },
    },
    {
      label: t`Reconcile with a provider’s export`,
      icon: Scale,
      keywords: t`compare bill invoice csv usage settle`,
      run: () => navigate('/usage/reconcile'),
    },
    {
      label: t`Verify a receipt`,
      icon: ReceiptText,
      keywords: t`signature check proof`,
      run: () => navigate('/receipts'),
    },
    {
      label: t`Set monthly limit`,
      icon: KeyRound,
      keywords: t`raise cap budget spend`,
      run: () => openLimitDialog(null),
    },
    isPaused
      ? {
          label: t`Resume everything`,
          icon: Play,
          keywords: t`pause continue start requests`,
          run: () => void resumeAll().catch(showFailure),
        }
      : {
          label: t`Pause everything`,
          icon: CirclePause,
          keywords: t`stop halt panic emergency requests`,
          run: () => openPauseDialog('everything'),
        },
  ]
  const { desktop } = window
  if (desktop) {
    commands.push({
      label: t`Taximeter`,
      icon: Gauge,
      keywords: t`spend now running small window top`,
      run: () => void desktop.toggleMeter().catch(showFailure),
    })
  }
  if (baseUrl !== null) {
    commands.push({
      label: t`Copy base URL`,
      hint: baseUrl,
      icon: Copy,
      keywords: 'address',
      run: () => void copyText(baseUrl).then((done) => done && toast.success(t`Base URL copied.`)),
    })
  }
  return toEntries(
    'Actions',
    commands.map((command) => ({ ...command, isShownFirst: true })),
  )
}

function showFailure(thrown: unknown): void {
  showError(toApiError(thrown).message)
}

export function createHelpEntries(navigate: Navigate): Entry[] {
  const pages = HELP_PAGES.map(({ name, href }) => ({
    label: name,
    icon: href === '/help/shortcuts' ? Keyboard : LifeBuoy,
    keywords: t`help documentation docs`,
    run: () => navigate(carryRange(href)),
  }))
  const reveal = {
    label: t`Reveal log`,
    icon: FileText,
    keywords: t`help file folder`,
    run: () => void revealLog(),
  }
  return toEntries('Help', [
    ...pages,
    {
      label: t`Copy diagnostics`,
      icon: ClipboardList,
      keywords: t`help bug report support version`,
      run: () => void copyDiagnostics(),
    },
    ...(isDesktop ? [reveal] : []),
  ])
}

const themes = [
  { theme: 'system', icon: Monitor, label: t`Use the system theme` },
  { theme: 'light', icon: Sun, label: t`Use the light theme` },
  { theme: 'dark', icon: Moon, label: t`Use the dark theme` },
] as const satisfies { theme: Theme; icon: unknown; label: string }[]

export function createThemeEntries(): Entry[] {
  return toEntries(
    'Theme',
    themes.map(({ theme, icon, label }) => ({
      label,
      icon,
      keywords: t`appearance mode colors`,
      isShownFirst: true,
      run: () => useTheme.getState().setTheme(theme),
    })),
  )
}
