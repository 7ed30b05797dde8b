import { NO_KEY_OPTIONS } from '../../shared/api/key-options.ts'
import type { CallingKey } from '../../shared/api/keys.ts'
import type { SetupGateway } from '../setup-gateway.ts'

/** A gateway that only counts keys: the first is key_1 with the secret tg-1. */
export class FakeGateway implements SetupGateway {
  address: string | null = 'http://127.0.0.1:8655/v1'
  readonly created: { name: string; spendLimitUsd: number | null }[] = []
  readonly revoked: string[] = []
  readonly plans: string[] = []
  onCreate: () => void = () => {}

  async findBaseUrl() {
    return this.address
  }

  async listModels() {
    return []
  }

  async createKey(name: string, spendLimitUsd: number | null) {
    this.created.push({ name, spendLimitUsd })
    this.onCreate()
    return { id: `key_${this.created.length}`, secret: `tg-${this.created.length}` }
  }

  async revokeKey(id: string) {
    this.revoked.push(id)
  }

  async addPlan(id: string) {
    this.plans.push(id)
  }

  async identify(_baseUrl: string, secret: string): Promise<CallingKey | null> {
    const number = Number(secret.slice(3))
    const id = `key_${number}`
    const created = this.created[number - 1]
    if (!created || this.revoked.includes(id)) return null
    return {
      id,
      name: created.name,
      scope: 'completions-only',
      purpose: 'user' as const,
      secretHint: secret.slice(-4),
      createdAt: '2026-11-01T09:00:00.000Z',
      lastUsedAt: null,
      revokedAt: null,
      spendUsd: 0,
      reservedUsd: 0,
      ...NO_KEY_OPTIONS,
      spendLimitUsd: created.spendLimitUsd,
      remainingUsd: created.spendLimitUsd,
    }
  }

  async test() {
    return { passed: true, message: 'fake' }
  }
}
