// The table of checks of `tollgate doctor` and of the window's diagnostics, in their order.
import type { CheckRow } from './check-row.ts'
import * as computer from './computer-checks.ts'
import * as gateway from './gateway-checks.ts'

export const checkTable: readonly CheckRow[] = [
  {
    name: 'Version',
    meaning: 'What a bug report has to say.',
    of: 'computer',
    examine: computer.describeVersions,
  },
  {
    name: 'Updates',
    meaning: 'Newer versions have corrections, also of security.',
    of: 'computer',
    examine: ({ dataDir }) => computer.checkUpdates(dataDir),
  },
  {
    name: 'Last runs',
    meaning: 'A run that ends unexpectedly loses no charge, but something is wrong.',
    of: 'computer',
    examine: ({ dataDir }) => computer.checkLastRun(dataDir),
  },
  {
    name: 'Data folder',
    meaning: 'It has your keys and your spend, and must be readable by you alone.',
    of: 'computer',
    examine: ({ dataDir }) => computer.checkFolder(dataDir),
  },
  {
    name: 'Disk',
    meaning: 'Each request is recorded before its answer ends.',
    of: 'computer',
    examine: ({ dataDir }) => computer.checkDisk(dataDir),
  },
  {
    name: 'Socket',
    meaning: 'The command line reaches the gateway through it.',
    of: 'computer',
    examine: ({ dataDir }) => computer.checkSocket(dataDir),
  },
  {
    name: 'Gateway',
    meaning: 'The command and the gateway should be of the same version.',
    of: 'gateway',
    examine: gateway.checkVersion,
  },
  { name: 'Port', meaning: 'Tools call models through it.', of: 'gateway', examine: gateway.checkPort },
  {
    name: 'Network',
    meaning: 'Providers outside this network are called through it.',
    of: 'gateway',
    examine: gateway.checkNetwork,
  },
  {
    name: 'Credentials',
    meaning: 'Without them no provider can be called.',
    of: 'gateway',
    examine: gateway.checkCredentials,
  },
  {
    name: 'Clock',
    meaning: 'It decides to which day and month a request belongs.',
    of: 'gateway',
    examine: gateway.checkClock,
  },
  {
    name: 'Database',
    meaning: 'It has every charge.',
    of: 'gateway',
    examine: gateway.checkDatabase,
  },
  {
    name: 'Requests',
    meaning: 'While they are paused, no model is called.',
    of: 'gateway',
    examine: gateway.checkPause,
  },
  { name: 'Prices', meaning: 'Costs are computed with them.', of: 'gateway', examine: gateway.checkPrices },
]
