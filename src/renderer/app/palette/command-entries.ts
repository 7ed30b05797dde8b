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
  Scale,
  Sun,
  Tag,
} from 'lucide-react'
import { toast } from 'sonner'
import { HELP_PAGES } from '../../../shared/desktop/views.ts'
import { resumeAll } from '../../data/mutations.ts'
import { copyText } from '../../kit/copy.tsx'
import { isDesktop } from '../../kit/is-desktop.ts'
import { reportFailure } from '../../kit/show-error.ts'
import { type Theme, useTheme } from '../../kit/theme.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { copyDiagnostics, revealLog } from '../../parts/diagnostics/diagnostics.tsx'
import { openLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
import { openPauseDialog } from '../../parts/pausing/pausing.ts'
import { carryRange, views } from '../navigation.ts'
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
    { label: 'Create key', icon: KeyRound, keywords: 'new add', run: () => navigate('/keys?new=1') },
    { label: 'Add provider', icon: Plus, keywords: 'new', run: () => navigate('/providers?add=1') },
    { label: 'Add alias', icon: Tag, keywords: 'new model', run: () => navigate('/models?new=1') },
    {
      label: 'New chat',
      icon: MessageSquarePlus,
      keywords: 'playground start',
      run() {
        usePlayground.getState().startChat()
        navigate('/playground')
      },
    },
    {
      label: 'Reconcile with a provider’s export',
      icon: Scale,
      keywords: 'compare bill invoice csv usage settle',
      run: () => navigate('/usage/reconcile'),
    },
    {
      label: 'Set monthly limit',
      icon: KeyRound,
      keywords: 'raise cap budget spend',
      run: () => openLimitDialog(null),
    },
    isPaused
      ? {
          label: 'Resume everything',
          icon: Play,
          keywords: 'pause continue start requests',
          run: () => void reportFailure(resumeAll()),
        }
      : {
          label: 'Pause everything',
          icon: CirclePause,
          keywords: 'stop halt panic emergency requests',
          run: () => openPauseDialog('everything'),
        },
  ]
  const { desktop } = window
  if (desktop) {
    commands.push({
      label: 'Taximeter',
      icon: Gauge,
      keywords: 'spend now running small window top',
      run: () => void reportFailure(desktop.toggleMeter()),
    })
  }
  if (baseUrl !== null) {
    commands.push({
      label: 'Copy base URL',
      hint: baseUrl,
      icon: Copy,
      keywords: 'address',
      run: () => void copyText(baseUrl).then((done) => done && toast.success('Base URL copied.')),
    })
  }
  return toEntries(
    'Actions',
    commands.map((command) => ({ ...command, isShownFirst: true })),
  )
}

export function createHelpEntries(navigate: Navigate): Entry[] {
  const pages = HELP_PAGES.map(({ name, href }) => ({
    label: name,
    icon: href === '/help/shortcuts' ? Keyboard : LifeBuoy,
    keywords: 'help documentation docs',
    run: () => navigate(carryRange(href)),
  }))
  const reveal = {
    label: 'Reveal log',
    icon: FileText,
    keywords: 'help file folder',
    run: () => void revealLog(),
  }
  return toEntries('Help', [
    ...pages,
    {
      label: 'Copy diagnostics',
      icon: ClipboardList,
      keywords: 'help bug report support version',
      run: () => void copyDiagnostics(),
    },
    ...(isDesktop ? [reveal] : []),
  ])
}

const themes = [
  { theme: 'system', icon: Monitor, label: 'Use the system theme' },
  { theme: 'light', icon: Sun, label: 'Use the light theme' },
  { theme: 'dark', icon: Moon, label: 'Use the dark theme' },
] as const satisfies { theme: Theme; icon: unknown; label: string }[]

export function createThemeEntries(): Entry[] {
  return toEntries(
    'Theme',
    themes.map(({ theme, icon, label }) => ({
      label,
      icon,
      keywords: 'appearance mode colors',
      isShownFirst: true,
      run: () => useTheme.getState().setTheme(theme),
    })),
  )
}
