// A process for the crash tests: settles requests without end, and prints the id of each once it is acknowledged.
// Its arguments are the data dir and the module of the built store. It also leaves requests running. Only ever ended by a signal.

import { nanoUsd } from '../../../shared/money/money.ts'

const [dataDir = '', storeModule = ''] = process.argv.slice(2)
const { INITIAL_ROW, openStore }: typeof import('../store.ts') = await import(storeModule)
const store = await openStore({ dataDir })
await store.write('insertKey', {
  id: 'key_a',
  name: 'crash',
  scope: 'full',
  purpose: 'user',
  secretHash: null,
  secretHint: null,
  createdAt: Date.now(),
  rpmLimit: null,
  tpmLimit: null,
})

async function settleOne(id: string): Promise<void> {
  await store.write('openRequest', {
    id,
    createdAt: Date.now(),
    keyId: 'key_a',
    requestedModel: 'small',
    stream: false,
    reservedNano: nanoUsd(900),
    estimateNano: nanoUsd(300),
    client: null,
  })
  await store.write('settleRequest', {
    ...INITIAL_ROW,
    id,
    status: 'succeeded',
    httpStatus: 200,
    error: null,
    model: 'small',
    provider: 'vendor',
    tokensIn: 1,
    tokensOut: 1,
    usage: null,
    costNano: nanoUsd(7),
    costStatus: 'exact',
    costLowNano: null,
    costHighNano: null,
    price: null,
    attempts: [],
    queueMs: null,
    firstByteMs: null,
    totalMs: null,
    settledAt: Date.now(),
  })
  process.stdout.write(`${id}\n`)
}

async function settleForever(worker: number): Promise<void> {
  for (let index = 0; ; index++) await settleOne(`req_${worker}_${index}`)
}

await Promise.all(Array.from({ length: 20 }, (_, worker) => settleForever(worker)))
